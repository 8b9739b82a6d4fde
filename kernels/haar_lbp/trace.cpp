#include "kernels/haar_lbp/trace.hpp"

#include <tbb/parallel_for.h>

#include "kernels/haar_lbp/cascade_body.hpp"
#include "kernels/integral/integral.hpp"

namespace fovea {
namespace {

// The windows of one level and all that is needed to evaluate one.
class LevelTracer {
  public:
    LevelTracer(const Cascade& cascade, ImageView<const std::uint8_t> image, const PyramidLevel& level)
        : haar_(cascade.feature == Cascade::Feature::haar),
          layout_(make_integral_layout(level.size.width + 1, 0, false)),
          packed_(
              pack_cascade(cascade, {}, layout_, IntegralBand::tilted_offset(layout_, level.size.height))) {
        RowResizer rows(image, level.size);
        integrals_.reserve(layout_, level.size.height, haar_, cascade.has_tilted);
        integrals_.compute(rows, level.size.width, 0, level.size.height, layout_, haar_, cascade.has_tilted);
    }

    // \return stages passed, or `flat`; the last sum in `sum`.
    std::int16_t evaluate(int x, int y, double& sum) const {
        const std::ptrdiff_t corner = layout_.offset(x, y);
        const std::int32_t* at = integrals_.sum() + corner;
        sum = 0;
        WindowContrast contrast{0, true};
        if (haar_) {
            const auto& c = packed_.normalisation_corners;
            const std::uint32_t* squared = integrals_.squared() + corner;
            contrast = window_contrast(rect_sum_at(at, c.data()),
                                       squared[c[0]] - squared[c[1]] - squared[c[2]] + squared[c[3]],
                                       packed_.normalisation_area);
        }
        if (!contrast.valid) return WindowTrace::flat;
        for (std::size_t stage = 0; stage < packed_.stages.size(); ++stage) {
            const CascadeStage& s = packed_.stages[stage];
            const PackedCascade::Tree* trees = packed_.trees.data() + s.first_tree;
            sum = haar_ ? stage_sum(trees, s.tree_count, packed_.haar_nodes.data(), at,
                                    contrast.inverse_deviation)
                        : stage_sum(trees, s.tree_count, packed_.lbp_nodes.data(), at, 0);
            if (sum < s.threshold) return static_cast<std::int16_t>(stage);
        }
        return static_cast<std::int16_t>(packed_.stages.size());
    }

  private:
    bool haar_;
    IntegralLayout layout_;
    PackedCascade packed_;
    IntegralBand integrals_;
};

}  // namespace

WindowTrace trace_cascade(const Cascade& cascade, ImageView<const std::uint8_t> image,
                          std::span<const PyramidLevel> levels) {
    WindowTrace trace;
    trace.levels.resize(levels.size());
    tbb::parallel_for(std::size_t{0}, levels.size(), [&](std::size_t i) {
        const PyramidLevel& level = levels[i];
        WindowTrace::Level& out = trace.levels[i];
        out.windows_per_row = level.windows_per_row();
        out.window_rows = level.window_rows();
        const std::size_t count = static_cast<std::size_t>(out.windows_per_row) * out.window_rows;
        out.stages_passed.assign(count, WindowTrace::skipped);
        out.last_sums.assign(count, 0);
        if (count == 0) return;
        const LevelTracer tracer(cascade, image, level);
        tbb::parallel_for(0, out.window_rows, [&](int row) {
            for (int column = 0; column < out.windows_per_row; ++column) {
                const std::size_t at = static_cast<std::size_t>(row) * out.windows_per_row + column;
                out.stages_passed[at] =
                    tracer.evaluate(column * level.step, row * level.step, out.last_sums[at]);
                if (out.stages_passed[at] == 0) ++column;
            }
        });
    });
    return trace;
}

}  // namespace fovea
