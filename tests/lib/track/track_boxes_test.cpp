#include "lib/track/track_boxes.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

Track track_with(const std::map<std::size_t, TrackPlace>& places) {
    Track track;
    track.places = places;
    return track;
}

}  // namespace

TEST_CASE("Boxes move evenly through frames without a place", "[track]") {
    Track track = track_with({{2, {{0, 0, 10, 10}, 0.9}}, {3, {{4, 0, 10, 10}, 0.9, 1}}});
    track.last_detection = 2;
    bridge_gaps(track, 7, {{16, 8, 14, 10}, 0.6}, 3);
    REQUIRE(track.place_in(5) != nullptr);
    CHECK(track.place_in(5)->box == Box{10, 4, 12, 10});
    CHECK(track.place_in(5)->score == 0.6);
    CHECK(track.place_in(5)->followed == 2);
    CHECK(track.place_in(4)->followed == 2);
    CHECK(track.place_in(6)->followed == 1);
    CHECK(track.place_in(7) == nullptr);
}

TEST_CASE("A long gap stays open, and so does one before the last detection", "[track]") {
    Track track = track_with({{0, {{0, 0, 10, 10}, 0.9}}, {3, {{4, 0, 10, 10}, 0.9}}});
    track.last_detection = 3;
    bridge_gaps(track, 8, {{16, 8, 10, 10}, 0.6}, 3);
    CHECK(track.places.size() == 2);
    bridge_gaps(track, 8, {{16, 8, 10, 10}, 0.6}, 4);
    CHECK(track.places.size() == 6);
    CHECK(track.place_in(1) == nullptr);
}

TEST_CASE("A box of another size than its neighbours gets theirs", "[track]") {
    Track track = track_with({{5, {{0, 0, 20, 20}}}, {6, {{0, 0, 10, 12}}}, {7, {{0, 0, 11, 10}}}});
    track.past_boxes = {{3, {0, 0, 10, 10}}, {4, {0, 0, 10, 10}}};
    // Widths 10, 10, 10, 11, 20; heights 10, 10, 10, 12, 20.
    CHECK(steady_box(track, 5, 2, 1.1) == Box{5, 5, 10, 10});
    CHECK(steady_box(track, 5, 2, 2) == Box{0, 0, 20, 20});
    // Neighbours are taken in pairs, and frame 7 has none behind it.
    CHECK(steady_box(track, 7, 2, 1.1) == Box{0, 0, 11, 10});
    CHECK(steady_box(track, 5, 0, 1.1) == Box{0, 0, 20, 20});
}
