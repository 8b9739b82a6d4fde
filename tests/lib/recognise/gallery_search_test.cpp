#include "lib/recognise/gallery_search.hpp"

#include <catch2/catch.hpp>

#include "tests/lib/recognise/gallery_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// Faces by their first count; by L1 the distance of two is the difference of these.
GallerySearch search_among(const std::vector<std::pair<std::string, std::uint16_t>>& faces) {
    Gallery gallery;
    gallery.info.recogniser = small_recogniser();
    gallery.info.recogniser.distance = HistogramDistance::l1;
    for (const auto& [subject, count] : faces) {
        gallery.faces.push_back(gallery_face(subject, std::to_string(count) + ".jpg", count));
    }
    return GallerySearch(std::move(gallery), DetectionDevice::cpu());
}

std::vector<Neighbour> nearest(GallerySearch& search, std::uint16_t count, std::size_t k,
                               const GallerySearch::PassOver& pass_over = {}) {
    return search.search(gallery_face("", "", count).features.data(), 1, k, pass_over).at(0);
}

using Neighbours = std::vector<Neighbour>;

}  // namespace

TEST_CASE("every subject is found once, by its nearest face", "[gallery]") {
    GallerySearch search =
        search_among({{"Ann", 10}, {"Ann", 12}, {"Bob", 20}, {"Ann", 13}, {"Cid", 40}, {"Bob", 15}});
    CHECK(search.faces()[2].features.empty());
    CHECK(nearest(search, 12, 1) == Neighbours{{0, 1}});
    CHECK(nearest(search, 12, 2) == Neighbours{{0, 1}, {3, 5}});
    CHECK(nearest(search, 12, 3) == Neighbours{{0, 1}, {3, 5}, {28, 4}});
    CHECK(nearest(search, 12, 100) == Neighbours{{0, 1}, {3, 5}, {28, 4}});
    // The first of equals in the gallery.
    CHECK(nearest(search, 11, 1) == Neighbours{{1, 0}});
    CHECK_THROWS_AS(nearest(search, 11, 0), std::invalid_argument);
}

TEST_CASE("faces of unknown subjects stand for themselves", "[gallery]") {
    GallerySearch search = search_among({{"", 10}, {"Ann", 30}, {"", 12}, {"Ann", 14}});
    CHECK(nearest(search, 10, 3) == Neighbours{{0, 0}, {2, 2}, {4, 3}});
}

TEST_CASE("a subject behind many faces of another is found", "[gallery]") {
    std::vector<std::pair<std::string, std::uint16_t>> faces(200, {"Ann", 10});
    faces.push_back({"Bob", 90});
    faces.push_back({"Cid", 50});
    GallerySearch search = search_among(faces);
    CHECK(nearest(search, 10, 3) == Neighbours{{0, 0}, {40, 201}, {80, 200}});
    // Two queries that need to look differently deep.
    std::vector<std::uint16_t> queries = gallery_face("", "", 90).features;
    const std::vector<std::uint16_t> second = gallery_face("", "", 10).features;
    queries.insert(queries.end(), second.begin(), second.end());
    const auto found = search.search(queries.data(), 2, 2);
    CHECK(found.at(0) == Neighbours{{0, 200}, {40, 201}});
    CHECK(found.at(1) == Neighbours{{0, 0}, {40, 201}});
}

TEST_CASE("faces that are passed over are not found", "[gallery]") {
    GallerySearch search = search_among({{"Ann", 10}, {"Ann", 12}, {"Bob", 20}});
    const auto not_first = [](std::size_t, std::size_t face) { return face == 0; };
    CHECK(nearest(search, 10, 1, not_first) == Neighbours{{2, 1}});
    const auto not_ann = [](std::size_t, std::size_t face) { return face < 2; };
    CHECK(nearest(search, 10, 2, not_ann) == Neighbours{{10, 2}});
    const auto nobody = [](std::size_t, std::size_t) { return true; };
    CHECK(nearest(search, 10, 2, nobody).empty());
}

TEST_CASE("an empty gallery finds nobody", "[gallery]") {
    GallerySearch search = search_among({});
    CHECK(nearest(search, 10, 2).empty());
}
