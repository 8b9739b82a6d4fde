#include "lib/detect/face_net_cells.hpp"

#include <catch2/catch.hpp>

#include "lib/core/overlap.hpp"

using namespace fovea;

namespace {

// A cell of level 0 whose box is x...x + 16 and 0...16, pixels, for even x.
NetCell square_at(double x, float logit) {
    NetCell cell{0, 0, 0, logit, 0, 0, 0, 0};
    cell.dx = static_cast<float>((x + 8 - 4) / 8);
    cell.dy = 0.5F;
    return cell;
}

}  // namespace

TEST_CASE("cells of a face network: boxes and scores computed by hand", "[face_net_cells]") {
    // Stride 8: the centre of cell (2, 3) is (28, 20).
    CHECK(cell_box({0, 2, 3, 0, 0, 0, 0, 0}) == Box{20, 12, 16, 16});
    CHECK(cell_box({0, 2, 3, 0, 1.5F, -0.25F, 0, 0}) == Box{32, 10, 16, 16});
    // Stride 32: the centre of cell (0, 1) is (48, 16).
    const Box wide = cell_box({2, 0, 1, 0, 0, 0, 1, -1});
    CHECK(wide.w == Approx(64 * std::exp(1.0)).epsilon(1e-15));
    CHECK(wide.h == Approx(64 * std::exp(-1.0)).epsilon(1e-15));
    CHECK(wide.centre().x == Approx(48));
    CHECK(wide.centre().y == Approx(16));
    // Logarithms are clamped.
    const Box clamped = cell_box({1, 0, 0, 0, 0, 0, 4.5F, -1e9F});
    CHECK(clamped.w == 32 * std::exp(4.0));
    CHECK(clamped.h == 32 * std::exp(-4.0));
    CHECK(FaceNetScore{}.of(0) == 0.5);
    CHECK(FaceNetScore{}.of(2) == Approx(0.8807970779778823).epsilon(1e-15));
    CHECK(FaceNetScore{}.of(-1e9) == 0);
    CHECK(FaceNetScore{}.of(1e9) == 1);
    CHECK(FaceNetScore{2, -1}.of(1.5) == Approx(0.8807970779778823).epsilon(1e-15));
    CHECK(FaceNetScore{2, -1}.logit_of(0.8807970779778823) == Approx(1.5));
}

TEST_CASE("cells of a face network: the stronger of two overlapping boxes stays", "[face_net_cells]") {
    // Shifted by 6 of 16: IoU 10/22 = 0.45; by 7: 9/23 = 0.39.
    CHECK(intersection_over_union(cell_box(square_at(0, 0)), cell_box(square_at(6, 0))) == Approx(10.0 / 22));
    const auto left_edges = [](const std::vector<NetCell>& cells) {
        std::vector<double> edges;
        for (const Detection& face : faces_of_cells(cells)) edges.push_back(face.box.x);
        return edges;
    };
    CHECK(left_edges({square_at(0, 1), square_at(6, 2)}) == std::vector<double>{6});
    CHECK(left_edges({square_at(6, 2), square_at(0, 1)}) == std::vector<double>{6});
    CHECK(left_edges({square_at(0, 1), square_at(7, 2)}) == std::vector<double>{7, 0});
    // A box that was dropped drops no other: 0 and 6 overlap, 6 and 12 do, 0 and 12 do not.
    CHECK(left_edges({square_at(0, 3), square_at(6, 2), square_at(12, 1)}) == std::vector<double>{0, 12});
    CHECK(left_edges({square_at(0, 2), square_at(6, 3), square_at(12, 1)}) == std::vector<double>{6});
    CHECK(left_edges({}).empty());
    const auto faces = faces_of_cells(std::vector{square_at(0, 2)});
    REQUIRE(faces.size() == 1);
    CHECK(faces[0].score == FaceNetScore{}.of(2));
    CHECK(faces[0].box == Box{0, 0, 16, 16});
    // Another limit.
    CHECK(faces_of_cells(std::vector{square_at(0, 1), square_at(6, 2)}, {}, 0.5).size() == 2);
}

TEST_CASE("cells of a face network: equal scores go by level, row and column", "[face_net_cells]") {
    // All have the same box: 64×64 around (32, 32).
    const NetCell fine{0, 4, 4, 1, -0.5F, -0.5F, std::log(4.0F), std::log(4.0F)};
    NetCell coarse{2, 0, 0, 1, 0.5F, 0.5F, 0, 0}, left = fine, above = fine;
    left.column = 3;
    left.dx = 0.5F;
    above.row = 3;
    above.dy = 0.5F;
    // A mark that is too small to see beside the box.
    const auto kept = [](std::vector<NetCell> cells) {
        const auto faces = faces_of_cells(cells);
        REQUIRE(faces.size() == 1);
        return faces[0].box;
    };
    above.log_width += 0.01F;
    left.log_width += 0.02F;
    coarse.log_width += 0.03F;
    CHECK(kept({coarse, fine}) == cell_box(fine));
    CHECK(kept({fine, left, coarse}) == cell_box(left));
    CHECK(kept({fine, left, above, coarse}) == cell_box(above));
    // A higher logit wins even where the scores are equal.
    coarse.logit = 60;
    left.logit = 50;
    CHECK(kept({coarse, left}) == cell_box(coarse));
}
