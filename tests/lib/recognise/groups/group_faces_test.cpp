#include "lib/recognise/groups/group_faces.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "tests/support/gpu.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

using Numbers = std::vector<std::uint32_t>;

/// Faces on a line, at these places in units of the distance.
Numbers grouped(const std::vector<double>& places, double distance, std::size_t neighbours = 50) {
    std::vector<std::int16_t> vectors;
    for (const double place : places) {
        vectors.push_back(static_cast<std::int16_t>(std::lround(place * max_vector_component)));
        vectors.push_back(0);
    }
    return group_faces(Device::cpu(), vectors, 2, VectorDistance::euclidean, {distance, neighbours});
}

}  // namespace

TEST_CASE("lone faces are joined up to the distance", "[recognise][groups]") {
    CHECK(grouped({0, 0.0999}, 0.1) == Numbers{0, 0});
    CHECK(grouped({0, 0.1001}, 0.1) == Numbers{0, 1});
    CHECK(grouped({0.5, 0, 0.55, 0.05}, 0.1) == Numbers{0, 1, 0, 1});
}

TEST_CASE("groups are told apart by their means, and more strictly the larger they are",
          "[recognise][groups]") {
    // A chain: once two are joined, their mean is 0.135 from the third face. h is 2/3, and Ward's distance
    // 0.01215 is more than 0.005 (1 + 3/4 ln(4/3)) = 0.0061.
    CHECK(grouped({0, 0.09, 0.18}, 0.1) == Numbers{0, 0, 1});
    // Nearer: 0.6667 * 0.09^2 = 0.0054 is less.
    CHECK(grouped({0, 0.06, 0.12}, 0.1) == Numbers{0, 0, 0});
    // Four and four: h is 2, so that the means may be sqrt(0.005 (1 + 3/4 ln 4) / 2) = 0.0714 apart.
    CHECK(grouped({0, 0, 0, 0, 0.0705, 0.0705, 0.0705, 0.0705}, 0.1) == Numbers(8, 0));
    CHECK(grouped({0, 0, 0, 0, 0.0725, 0.0725, 0.0725, 0.0725}, 0.1) == Numbers{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("the most alike are joined first", "[recognise][groups]") {
    // The face in the middle goes to the nearer one, and is then too far from the other.
    CHECK(grouped({0, 0.095, 0.185}, 0.1) == Numbers{0, 1, 1});
    CHECK(grouped({0, 0.09, 0.185}, 0.1) == Numbers{0, 0, 1});
}

TEST_CASE("groups meet by the neighbours of their faces", "[recognise][groups]") {
    // Faces with one neighbour each know of their own pair alone.
    const std::vector<double> two_pairs{0, 0.001, 0.02, 0.021};
    CHECK(grouped(two_pairs, 0.1, 1) == Numbers{0, 0, 1, 1});
    CHECK(grouped(two_pairs, 0.1, 2) == Numbers{0, 0, 0, 0});
}

TEST_CASE("a cosine distance compares directions", "[recognise][groups]") {
    // t is sqrt(2 * 0.005) = 0.1; the second direction is 0.0999 off, the third 0.1001 from the first.
    const auto direction = [](double distance, double length) {
        const double cosine = 1 - distance * distance / 2;
        return std::array{static_cast<std::int16_t>(std::lround(length * cosine)),
                          static_cast<std::int16_t>(std::lround(length * std::sqrt(1 - cosine * cosine)))};
    };
    const auto first = direction(0, 30000), near = direction(0.0999, 30000), far = direction(0.1001, 30000),
               same = direction(0, 100);
    const auto group = [](std::vector<std::array<std::int16_t, 2>> faces) {
        std::vector<std::int16_t> vectors;
        for (const auto& face : faces) vectors.insert(vectors.end(), face.begin(), face.end());
        return group_faces(Device::cpu(), vectors, 2, VectorDistance::cosine, {0.005, 50});
    };
    CHECK(group({first, near}) == Numbers{0, 0});
    CHECK(group({first, far}) == Numbers{0, 1});
    CHECK(group({first, same, {0, 0}}) == Numbers{0, 0, 1});
}

TEST_CASE("no faces, one, and options out of range", "[recognise][groups]") {
    CHECK(grouped({}, 0.1).empty());
    CHECK(grouped({0.3}, 0.1) == Numbers{0});
    const std::vector<std::int16_t> three{1, 2, 3};
    const auto group = [&](std::size_t length, GroupingOptions options) {
        return group_faces(Device::cpu(), three, length, VectorDistance::euclidean, options);
    };
    CHECK_THROWS_AS(group(2, {0.1, 50}), std::invalid_argument);
    CHECK_THROWS_AS(group(3, {0, 50}), std::invalid_argument);
    CHECK_THROWS_AS(group(3, {std::nan(""), 50}), std::invalid_argument);
    CHECK_THROWS_AS(group(3, {0.1, 0}), std::invalid_argument);
}

namespace {

constexpr std::size_t length = 16, people = 40;

/// Forty people of thirty faces each, about directions of their own.
std::vector<std::int16_t> faces_of_people() {
    std::mt19937 random(5);
    const auto uniform = [&](double size) {
        return size * (2 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max()) - 1);
    };
    std::vector<double> means(people * length);
    for (double& component : means) component = uniform(0.5);
    std::vector<std::int16_t> vectors;
    for (std::size_t i = 0; i < 30 * means.size(); ++i)
        vectors.push_back(
            static_cast<std::int16_t>(std::lround(20000 * (means[i % means.size()] + uniform(0.1)))));
    return vectors;
}

const GroupingOptions twenty_neighbours{0.35, 20};

}  // namespace

TEST_CASE("people of many faces are found again", "[recognise][groups]") {
    const Numbers found =
        group_faces(Device::cpu(), faces_of_people(), length, VectorDistance::euclidean, twenty_neighbours);
    REQUIRE(found.size() == 30 * people);
    for (std::size_t face = 0; face < found.size(); ++face) CHECK(found[face] == face % people);
}

TEST_CASE("groups are equal on a GPU", "[recognise][groups][gpu]") {
    const std::optional<Device> device = gpu();
    if (!device) return;
    for (const VectorDistance distance : {VectorDistance::euclidean, VectorDistance::cosine}) {
        CHECK(group_faces(*device, faces_of_people(), length, distance, twenty_neighbours) ==
              group_faces(Device::cpu(), faces_of_people(), length, distance, twenty_neighbours));
    }
}
