#include "kernels/orient/orient.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/buffer.hpp"
#include "kernels/orient/orient_body.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

constexpr std::uint8_t guard = 0xA5;

struct Case {
    GreyImage image;
    int orientation;
};

bool equal(const GreyImage& a, const GreyImage& b) {
    return a.width == b.width && a.height == b.height && a.pixels == b.pixels;
}

// An image's rows in a buffer, with a gap before each.
std::vector<std::uint8_t> spaced(const GreyImage& image, int gap) {
    std::vector<std::uint8_t> rows;
    for (int y = 0; y < image.height; ++y) {
        rows.insert(rows.end(), static_cast<std::size_t>(gap), guard);
        rows.insert(rows.end(), image.view().row(y), image.view().row(y) + image.width);
    }
    return rows;
}

// All images in one call on the device, each in memory of its own; nothing beside the displayed pixels
// changes.
std::vector<GreyImage> oriented(const Device& device, const std::vector<Case>& cases, int gap) {
    std::vector<Buffer<std::uint8_t>> buffers;
    std::vector<OrientTask> tasks;
    std::vector<GreyImage> found;
    for (const Case& one : cases) {
        const int width = one.image.width, height = one.image.height;
        const Size size = displayed_size(orient_rule(one.orientation), {width, height});
        found.push_back(
            {size.width, size.height,
             std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) * size.height, guard)});
        const std::vector<std::uint8_t> stored = spaced(one.image, gap), room = spaced(found.back(), gap);
        buffers.emplace_back(device, stored.size());
        buffers.back().upload(stored.data(), stored.size());
        const ImageView<const std::uint8_t> from{buffers.back().data() + gap, width, height, width + gap};
        buffers.emplace_back(device, room.size());
        buffers.back().upload(room.data(), room.size());
        tasks.push_back({from,
                         {buffers.back().data() + gap, size.width, size.height, size.width + gap},
                         one.orientation});
    }
    orient_images(device, tasks);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::vector<std::uint8_t> rows(buffers[2 * i + 1].size());
        buffers[2 * i + 1].download(rows.data(), rows.size());
        GreyImage& image = found[i];
        for (int y = 0; y < image.height; ++y) {
            const auto row = rows.begin() + static_cast<std::ptrdiff_t>(y) * (image.width + gap);
            REQUIRE(std::count(row, row + gap, guard) == gap);
            std::copy_n(row + gap, image.width,
                        image.pixels.begin() + static_cast<std::ptrdiff_t>(y) * image.width);
        }
    }
    return found;
}

GreyImage oriented(const GreyImage& image, int orientation) {
    return oriented(Device::cpu(), {{image, orientation}}, 5).at(0);
}

}  // namespace

TEST_CASE("orient: the eight orientations by hand", "[orient]") {
    // 1 2 3
    // 4 5 6
    const GreyImage image{3, 2, {1, 2, 3, 4, 5, 6}};
    CHECK(equal(oriented(image, 1), image));
    CHECK(equal(oriented(image, 2), {3, 2, {3, 2, 1, 6, 5, 4}}));
    CHECK(equal(oriented(image, 3), {3, 2, {6, 5, 4, 3, 2, 1}}));
    CHECK(equal(oriented(image, 4), {3, 2, {4, 5, 6, 1, 2, 3}}));
    CHECK(equal(oriented(image, 5), {2, 3, {1, 4, 2, 5, 3, 6}}));
    CHECK(equal(oriented(image, 6), {2, 3, {4, 1, 5, 2, 6, 3}}));
    CHECK(equal(oriented(image, 7), {2, 3, {6, 3, 5, 2, 4, 1}}));
    CHECK(equal(oriented(image, 8), {2, 3, {3, 6, 2, 5, 1, 4}}));
}

TEST_CASE("orient: orientations undo each other", "[orient]") {
    // Larger than a tile of the CPU's and of a GPU's, in both directions.
    const GreyImage image = test::noise(131, 70, 7);
    for (const int orientation : {1, 2, 3, 4, 5, 7}) {
        CHECK(equal(oriented(oriented(image, orientation), orientation), image));
    }
    CHECK(equal(oriented(oriented(image, 6), 8), image));
    CHECK(equal(oriented(oriented(image, 8), 6), image));
    // A quarter twice is a half, and a quarter of the mirror image is the transposed one.
    CHECK(equal(oriented(oriented(image, 6), 6), oriented(image, 3)));
    CHECK(equal(oriented(oriented(image, 2), 8), oriented(image, 5)));
}

TEST_CASE("orient: what does not fit is refused, and nothing is done", "[orient]") {
    const Device cpu = Device::cpu();
    const std::uint8_t pixels[6] = {1, 2, 3, 4, 5, 6};
    std::uint8_t out[6] = {};
    const ImageView<const std::uint8_t> stored{pixels, 3, 2, 3};
    for (const int orientation : {-1, 0, 9}) {
        CHECK_THROWS_WITH(orient_image(cpu, stored, orientation, {out, 3, 2, 3}),
                          Catch::Matchers::Contains("EXIF orientation " + std::to_string(orientation)));
    }
    CHECK_THROWS_WITH(orient_image(cpu, stored, 6, {out, 3, 2, 3}), Catch::Matchers::Contains("3x2"));
    CHECK_THROWS_AS(orient_image(cpu, stored, 3, {out, 2, 3, 2}), std::invalid_argument);
    const OrientTask tasks[] = {{stored, {out, 3, 2, 3}, 3}, {stored, {out, 3, 2, 3}, 5}};
    CHECK_THROWS_AS(orient_images(cpu, tasks), std::invalid_argument);
    CHECK(std::count(out, out + 6, 0) == 6);
    CHECK_NOTHROW(orient_images(cpu, {}));
    CHECK_NOTHROW(orient_image(cpu, {}, 6, {}));
}

TEST_CASE("orient: CUDA equals the CPU for all edge sizes", "[orient][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    // More images than a launch takes, with empty ones between.
    std::vector<Case> cases;
    for (int orientation = 1; orientation <= 8; ++orientation) {
        for (const Size size : {Size{1, 1}, Size{2, 1}, Size{1, 33}, Size{31, 32}, Size{33, 31}, Size{0, 0},
                                Size{32, 32}, Size{64, 65}, Size{7, 130}, Size{257, 100}}) {
            cases.push_back({test::noise(size.width, size.height, static_cast<std::uint32_t>(cases.size())),
                             orientation});
        }
    }
    for (const int gap : {0, 1, 16}) {
        const auto expected = oriented(Device::cpu(), cases, gap), found = oriented(*device, cases, gap);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            INFO(cases[i].image.width << "x" << cases[i].image.height << ", orientation "
                                      << cases[i].orientation << ", gap " << gap);
            REQUIRE(equal(found[i], expected[i]));
        }
    }
}

TEST_CASE("orient: CUDA equals the CPU for images beyond a grid's limits", "[orient][cuda]") {
    const auto device = test::gpu();
    if (!device) return;
    // More than 65,535 rows of tiles.
    for (const Size size : {Size{3, 2200000}, Size{2200000, 3}, Size{65535, 70}}) {
        const GreyImage image = test::noise(size.width, size.height, 5);
        for (const int orientation : {3, 6, 7}) {
            INFO(size.width << "x" << size.height << ", orientation " << orientation);
            REQUIRE(equal(oriented(*device, {{image, orientation}}, 0).at(0),
                          oriented(Device::cpu(), {{image, orientation}}, 0).at(0)));
        }
    }
}
