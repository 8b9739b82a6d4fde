#include "lib/train/mct/patch.hpp"

#include <numbers>

#include <catch2/catch.hpp>

#include "kernels/mct/mct_body.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// Black but for a square of 64.
GreyImage spot(int edge, int x, int y, int side) {
    GreyImage image{edge, edge, std::vector<std::uint8_t>(static_cast<std::size_t>(edge) * edge)};
    for (int v = y; v < y + side; ++v) {
        for (int u = x; u < x + side; ++u) pixel_of(image, u, v) = 64;
    }
    return image;
}

// A pixel of 64 under the mean of 4×4 bilinear samples: 1/8, 3/4 and 1/8 of it in each direction.
void check_spot(const MctPatch& patch, int x, int y) {
    constexpr int expected[3] = {1, 6, 36};  // by how many of both coordinates are those of the spot
    for (int v = 0; v < MctPatch::edge; ++v) {
        for (int u = 0; u < MctPatch::edge; ++u) {
            const bool near = std::abs(u - x) <= 1 && std::abs(v - y) <= 1;
            INFO("pixel " << u << ", " << v);
            CHECK(int{patch.view()(u, v)} == (near ? expected[(u == x) + (v == y)] : 0));
        }
    }
}

}  // namespace

TEST_CASE("a patch is cut where its window lies", "[train][patch]") {
    const GreyImage image = spot(24, 5, 7, 1);
    const PatchSource source(image.view());
    const FacePlace whole{12, 12, 24, 0, false};
    SECTION("as it is") {
        check_spot(source.cut(whole, 0, 0), 5, 7);
    }
    SECTION("behind the first column and row of its cell") {
        const MctPatch patch = source.cut(whole, 1, 1);
        CHECK(patch.dx == 1);
        CHECK(patch.dy == 1);
        check_spot(patch, 6, 8);
        check_spot(source.cut(whole, 1, 0), 6, 7);
    }
    SECTION("mirrored within the window, whichever its place in the cell") {
        check_spot(source.cut({12, 12, 24, 0, true}, 0, 0), 18, 7);
        check_spot(source.cut({12, 12, 24, 0, true}, 1, 0), 19, 7);
    }
    SECTION("turned upright: the face's right points down where it is turned by 90 degrees") {
        check_spot(source.cut({12, 12, 24, std::numbers::pi / 2, false}, 0, 0), 7, 18);
        check_spot(source.cut({12, 12, 24, -std::numbers::pi / 2, false}, 0, 0), 16, 5);
    }
    SECTION("moved") {
        check_spot(source.cut({10, 13, 24, 0, false}, 0, 0), 7, 6);
    }
}

TEST_CASE("large windows are cut from the octave that fits", "[train][patch]") {
    const GreyImage twice = spot(48, 10, 14, 2);
    check_spot(PatchSource(twice.view()).cut({24, 24, 48, 0, false}, 0, 0), 5, 7);
    const GreyImage four_times = spot(96, 20, 28, 4);
    check_spot(PatchSource(four_times.view()).cut({48, 48, 96, 0, false}, 0, 0), 5, 7);
    // At 1.5 pixels a pixel the octave is the image: a ramp of 4 a pixel becomes one of 6.
    GreyImage ramp{60, 60, std::vector<std::uint8_t>(3600)};
    for (int i = 0; i < 3600; ++i) ramp.pixels[i] = static_cast<std::uint8_t>(i % 60 * 4);
    const MctPatch patch = PatchSource(ramp.view()).cut({30, 30, 36, 0, false}, 0, 0);
    for (int x = 1; x < 24; ++x) CHECK(patch.view()(x, 9) - patch.view()(x - 1, 9) == 6);
    CHECK(int{patch.view()(0, 0)} ==
          49);  // the mean over columns 12 and half of 13 of 4·x: (48 + 52 / 2) / 1.5
}

TEST_CASE("beyond the border an image is continued", "[train][patch]") {
    GreyImage image{30, 30, std::vector<std::uint8_t>(900, 90)};
    const MctPatch patch = PatchSource(image.view()).cut({0, 31, 40, 0.3, false}, 1, 0);
    CHECK(std::all_of(std::begin(patch.pixels), std::end(patch.pixels), [](int p) { return p == 90; }));
    const std::uint8_t one = 7;
    const MctPatch of_one = PatchSource({&one, 1, 1, 1}).cut({0.5, 0.5, 24, 0, false}, 0, 0);
    CHECK(std::all_of(std::begin(of_one.pixels), std::end(of_one.pixels), [](int p) { return p == 7; }));
}

TEST_CASE("a patch's codes are those of the window and its cell in the image", "[train][patch]") {
    const GreyImage image = noise(40, 37, 3);
    for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {0, 1}, {7, 5}, {8, 11}, {13, 12}}) {
        MctPatch patch;
        patch.dx = static_cast<std::uint8_t>(x & 1);
        patch.dy = static_cast<std::uint8_t>(y & 1);
        for (int v = 0; v < MctPatch::edge; ++v) {
            for (int u = 0; u < MctPatch::edge; ++u)
                patch.pixels[v * MctPatch::edge + u] = image.view()(x - x % 2 + u, y - y % 2 + v);
        }
        int wrong = 0;
        for (int plane = 0; plane < mct_plane_count; ++plane) {
            for (const MctLookup& lookup : plane_places(static_cast<MctPlane>(plane), 0)) {
                const MctPlace at = mct_place(lookup, x, y);
                wrong += patch_code(patch, lookup) != mct_code_at(image.view(), lookup.plane, at.x, at.y);
            }
        }
        INFO("window " << x << ", " << y);
        CHECK(wrong == 0);
    }
}

TEST_CASE("places of a plane fill the window", "[train][patch]") {
    CHECK(plane_places(MctPlane::pixel, 0).size() == 484);
    CHECK(plane_places(MctPlane::pixel, 1).size() == 400);
    CHECK(plane_places(MctPlane::block2, 0).size() == 361);
    CHECK(plane_places(MctPlane::coarse2, 0).size() == 100);
    CHECK(plane_places(MctPlane::coarse4, 0).size() == 49);
    const auto places = plane_places(MctPlane::contrast4, 0);
    REQUIRE(places.size() == 49);
    CHECK((places[8].x == 2 && places[8].y == 2));
    CHECK((places[48].x == 12 && places[48].y == 12));
}

TEST_CASE("the matrix holds the code of every patch at every place", "[train][patch]") {
    const std::vector<MctPatch> patches = face_patches(5, 40);
    std::vector<MctLookup> places = plane_places(MctPlane::coarse4, 0);
    const auto more = plane_places(MctPlane::pixel, 9);
    places.insert(places.end(), more.begin(), more.end());
    const CodeMatrix matrix(places, patches);
    REQUIRE(matrix.patches() == 5);
    REQUIRE(matrix.places().size() == places.size());
    int wrong = 0;
    for (std::size_t p = 0; p < places.size(); ++p) {
        REQUIRE(matrix.row(p).size() == 5);
        for (std::size_t i = 0; i < 5; ++i) wrong += matrix.row(p)[i] != patch_code(patches[i], places[p]);
    }
    CHECK(wrong == 0);
}
