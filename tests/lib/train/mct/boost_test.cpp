#include "lib/train/mct/boost.hpp"

#include <catch2/catch.hpp>

#include "tests/lib/train/mct/synthetic_faces.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

MctLookup pixel_place(int x, int y) {
    MctLookup lookup;
    lookup.x = static_cast<std::uint8_t>(x);
    lookup.y = static_cast<std::uint8_t>(y);
    return lookup;
}

// Two places; the first sees nothing (code 0), the second the flat patch (code 0) or a dot in the middle of
// its neighbourhood (code 16).
const std::vector<MctLookup> two_places{pixel_place(1, 1), pixel_place(10, 10)};

MctPatch patch_with(bool dot) {
    MctPatch patch;
    std::fill(std::begin(patch.pixels), std::end(patch.pixels), 50);
    if (dot) patch.pixels[11 * MctPatch::edge + 11] = 200;
    return patch;
}

std::vector<MctPatch> patches_with(std::initializer_list<bool> dots) {
    std::vector<MctPatch> patches;
    for (const bool dot : dots) patches.push_back(patch_with(dot));
    return patches;
}

const std::vector<std::uint8_t> all_allowed{1, 1};

}  // namespace

TEST_CASE("a table holds half the logarithm of the classes' weights by code", "[train][boost]") {
    const CodeMatrix face_codes(two_places, patches_with({true, true, true, true}));
    const CodeMatrix other_codes(two_places, patches_with({true, false, false, false}));
    const BoostingSamples faces(face_codes, true, 40);
    const BoostingSamples others(other_codes, false, 40);
    BoostSettings settings;
    const FittedTable table = fit_table(faces, others, all_allowed, settings);
    CHECK(table.place == 1);
    // Code 16: all faces and a quarter of the others. sqrt(1 · 1/4).
    CHECK(table.loss == Approx(0.5));
    // 40 · 1/2 · ln((0.25 + 0.0005) / (1 + 0.0005)) = -27.70
    CHECK(int{table.weights[16]} == -28);
    // 40 · 1/2 · ln(0.7505 / 0.0005) = 146.3, beyond what a table holds.
    CHECK(int{table.weights[0]} == 127);
    CHECK(int{table.weights[511]} == 0);  // never seen
    settings.shrinkage = 0.5;
    CHECK(int{fit_table(faces, others, all_allowed, settings).weights[0]} == 73);
    CHECK(int{fit_table(faces, others, all_allowed, settings).weights[16]} == -14);
    // 20 · ln((0.25 + 0.5) / 1.5) = -13.86 and 20 · ln((0.75 + 0.5) / 0.5) = 18.33
    settings = {0.5, 40, 1};
    CHECK(int{fit_table(faces, others, all_allowed, settings).weights[16]} == -14);
    CHECK(int{fit_table(faces, others, all_allowed, settings).weights[0]} == 18);
}

TEST_CASE("only allowed places are chosen, the first of equal ones", "[train][boost]") {
    std::vector<MctLookup> places = two_places;
    places.push_back(two_places[1]);
    const CodeMatrix face_codes(places, patches_with({true, true, false}));
    const CodeMatrix other_codes(places, patches_with({false, false, true}));
    const BoostingSamples faces(face_codes, true, 40);
    const BoostingSamples others(other_codes, false, 40);
    const auto place_of = [&](std::vector<std::uint8_t> allowed) {
        return fit_table(faces, others, allowed, {}).place;
    };
    CHECK(place_of({1, 1, 1}) == 1);
    CHECK(place_of({1, 0, 1}) == 2);
    CHECK(place_of({1, 0, 0}) == 0);
    // A table says nothing if both classes look the same.
    const std::vector<std::uint8_t> blind{1, 0, 0};
    const FittedTable table = fit_table(faces, others, blind, {});
    CHECK(table.loss == Approx(1));
    CHECK(int{table.weights[0]} == 0);
}

TEST_CASE("weights are logistic in the sums", "[train][boost]") {
    const CodeMatrix codes(two_places, patches_with({true, false}));
    BoostingSamples faces(codes, true, 40);
    BoostingSamples others(codes, false, 40);
    CHECK(faces.weights(0) == std::vector<float>{0.5F, 0.5F});
    std::array<std::int8_t, MctCascade::codes> table{};
    table[16] = -40;
    table[0] = 20;
    faces.add(1, table.data());
    others.add(1, table.data());
    CHECK(std::vector<std::int32_t>(faces.sums().begin(), faces.sums().end()) ==
          std::vector<std::int32_t>{-40, 20});
    // 1 / (1 + e^2), 1 / (1 + e^-1): a face that the sums know weighs little.
    CHECK(faces.weights(0)[0] == Approx(0.119203));
    CHECK(faces.weights(0)[1] == Approx(0.731059));
    CHECK(others.weights(0)[0] == Approx(0.880797));
    CHECK(others.weights(0)[1] == Approx(0.268941));
    CHECK(faces.weights(40)[0] == Approx(0.5));
    CHECK(faces.mean_weight(0) == Approx((0.119203 + 0.731059) / 2));
}

TEST_CASE("what was rejected takes no part any more", "[train][boost]") {
    const CodeMatrix codes(two_places, patches_with({true, false, false}));
    BoostingSamples patches(codes, true, 40);
    std::array<std::int8_t, MctCascade::codes> table{};
    table[16] = 5;
    table[0] = 4;
    patches.add(1, table.data());
    CHECK(patches.reject_above(5) == 3);  // the threshold itself passes
    CHECK(patches.reject_above(4) == 2);
    CHECK_FALSE(patches.alive(0));
    CHECK(patches.alive(1));
    CHECK(patches.alive_count() == 2);
    patches.add(1, table.data());
    CHECK(patches.sums()[0] == 5);
    CHECK(patches.sums()[1] == 8);
    CHECK(patches.weights(0)[0] == 0);
    CHECK(patches.mean_weight(0) == Approx(patches.weights(0)[1]));
    patches.begin_stage();
    CHECK(patches.sums()[1] == 0);
    CHECK_FALSE(patches.alive(0));
}

TEST_CASE("patches of the wrong class weigh most in the next table", "[train][boost]") {
    // Place 1 takes three of four faces; place 0 is what only the fourth has, with a code of its own.
    std::vector<MctPatch> of_faces = patches_with({true, true, true, false});
    of_faces[3].pixels[2 * MctPatch::edge + 2] = 200;
    const CodeMatrix face_codes(two_places, of_faces);
    const CodeMatrix other_codes(two_places, patches_with({false, false, false, false}));
    BoostingSamples faces(face_codes, true, 40);
    BoostingSamples others(other_codes, false, 40);
    const FittedTable first = fit_table(faces, others, all_allowed, {});
    REQUIRE(first.place == 1);
    faces.add(first.place, first.weights.data());
    others.add(first.place, first.weights.data());
    const FittedTable second = fit_table(faces, others, all_allowed, {});
    CHECK(second.place == 0);
    CHECK(int{second.weights[16]} < -50);
}
