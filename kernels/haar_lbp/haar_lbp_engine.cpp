#include "kernels/haar_lbp/haar_lbp_engine.hpp"

#include <vector>

#include "kernels/engine/cpu_engine.hpp"
#include "kernels/haar_lbp/merged_pattern.hpp"
#include "kernels/haar_lbp/scan.hpp"
#include "kernels/haar_lbp/trace.hpp"

namespace fovea {
namespace {

class HaarLbpCpuEngine : public CpuEngine {
  public:
    explicit HaarLbpCpuEngine(const Cascade& cascade)
        : cascade_(cascade), patterns_(merged_patterns(cascade)) {}

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return trace_cascade(cascade_, image, levels_of(image, parameters));
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return cascade_levels(image, cascade_.window, parameters);
    }

  private:
    std::vector<CascadeWindow> find_windows(ImageView<const std::uint8_t> image,
                                            std::span<const PyramidLevel> levels) const override {
        return scan_cascade(cascade_, patterns_, image, levels);
    }
    void preprocess(ImageView<const std::uint8_t> image,
                    std::span<const PyramidLevel> levels) const override {
        integrate_levels(cascade_, image, levels);
    }
    GroupScore group_score() const override { return GroupScore::maximum; }

    const Cascade& cascade_;
    const std::vector<MergedPattern> patterns_;
};

}  // namespace

std::unique_ptr<CascadeEngine> make_cpu_engine(const Cascade& cascade) {
    return std::make_unique<HaarLbpCpuEngine>(cascade);
}

}  // namespace fovea
