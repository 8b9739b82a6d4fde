// The SIMD scan against the arithmetic of one window at a time (cascade_body.hpp).

#include "kernels/haar_lbp/scan.hpp"

#include <tuple>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/cascade_body.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/files/find_model.hpp"
#include "tests/support/images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

// One window after the other, each row from the left, skipping after a rejection by the first stage.
template <class Node>
std::vector<CascadeWindow> scan_one_by_one(const Cascade& cascade,
                                           const std::vector<Node> PackedCascade::*nodes,
                                           const GreyImage& image, const std::vector<PyramidLevel>& levels) {
    const bool haar = cascade.feature == Cascade::Feature::haar;
    std::vector<CascadeWindow> found;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const PyramidLevel& level = levels[l];
        const IntegralLayout layout = make_integral_layout(level.size.width + 1, 0, false);
        RowResizer rows(image.view(), level.size);
        IntegralBand band;
        band.reserve(layout, level.size.height, true, true);
        band.compute(rows, level.size.width, 0, level.size.height, layout, true, true);
        const PackedCascade packed =
            pack_cascade(cascade, {}, layout, IntegralBand::tilted_offset(layout, level.size.height));
        for (int y = 0; y < level.rows; y += level.step) {
            for (int x = 0; x < level.columns; x += level.step) {
                const std::ptrdiff_t corner = layout.offset(x, y);
                const std::int32_t* at = band.sum() + corner;
                WindowContrast contrast{0, true};
                if (haar) {
                    const auto& c = packed.normalisation_corners;
                    const std::uint32_t* squared = band.squared() + corner;
                    contrast = window_contrast(rect_sum_at(at, c.data()),
                                               squared[c[0]] - squared[c[1]] - squared[c[2]] + squared[c[3]],
                                               packed.normalisation_area);
                }
                if (!contrast.valid) continue;
                std::size_t stage = 0;
                double sum = 0;
                for (; stage < packed.stages.size(); ++stage) {
                    sum = stage_sum(packed.trees.data() + packed.stages[stage].first_tree,
                                    packed.stages[stage].tree_count, (packed.*nodes).data(), at,
                                    contrast.inverse_deviation);
                    if (sum < packed.stages[stage].threshold) break;
                }
                if (stage == packed.stages.size()) found.push_back({static_cast<int>(l), x, y, sum});
                if (stage == 0) x += level.step;
            }
        }
    }
    return found;
}

}  // namespace

TEST_CASE("scan: vectors of windows give what single windows give", "[scan]") {
    for (const char* name : {"haarcascade_frontalface_alt", "haarcascade_frontalface_alt2",
                             "haarcascade_frontalcatface_extended", "lbpcascade_frontalface"}) {
        Cascade cascade = read_cascade(find_model(name));
        // Few stages, so that many windows get through them.
        cascade.stages.resize(4);
        std::size_t total = 0;
        // Widths around multiples of the vector's length and of the bands' height, and rows of several
        // vectors.
        for (const auto& [width, height] : {std::tuple{24, 24}, std::tuple{55, 87}, std::tuple{56, 88},
                                            std::tuple{57, 89}, std::tuple{400, 60}, std::tuple{261, 190}}) {
            const GreyImage image = test::smooth_noise(width, height, 4, 31);
            const auto levels = cascade_levels({width, height}, cascade.window, {1.3, {}, {}});
            const auto expected = cascade.feature == Cascade::Feature::haar
                                      ? scan_one_by_one(cascade, &PackedCascade::haar_nodes, image, levels)
                                      : scan_one_by_one(cascade, &PackedCascade::lbp_nodes, image, levels);
            for (const std::string& target : test::all_simd_targets()) {
                const test::ForcedSimdTarget forced(target);
                INFO(name << ", " << width << "x" << height << ", " << target);
                REQUIRE(scan_cascade(cascade, merged_patterns(cascade), image.view(), levels) == expected);
            }
            total += expected.size();
        }
        INFO(name);
        CHECK(total > 100);
    }
}

TEST_CASE("scan: an image of any shape fits into memory, or is refused with a sentence", "[scan]") {
    const Cascade cascade = read_cascade(find_model("lbpcascade_frontalface"));
    // Low and very wide: the bands are as low as the image.
    const GreyImage wide{400'000, 25, std::vector<std::uint8_t>(10'000'000)};
    const auto levels = cascade_levels({wide.width, wide.height}, cascade.window, {});
    REQUIRE(levels.size() == 1);
    CHECK(scan_cascade(cascade, merged_patterns(cascade), wide.view(), levels).size() < 2'000'000);
    // Offsets would not fit: refused before anything is allocated or read.
    PyramidLevel absurd;
    absurd.size = {100'000'000, 25};
    absurd.columns = absurd.size.width;
    absurd.rows = 1;
    const std::vector<PyramidLevel> too_wide{absurd};
    CHECK_THROWS_WITH(scan_cascade(cascade, merged_patterns(cascade), wide.view(), too_wide),
                      Catch::Matchers::Contains("too wide"));
}

TEST_CASE("scan: no level, no window", "[scan]") {
    const Cascade cascade = read_cascade(find_model("lbpcascade_frontalface"));
    CHECK(scan_cascade(cascade, merged_patterns(cascade), {}, {}).empty());
}
