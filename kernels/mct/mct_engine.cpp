#include "kernels/mct/mct_engine.hpp"

#include "kernels/engine/cpu_engine.hpp"
#include "kernels/mct/pyramid.hpp"
#include "kernels/mct/scan_mct.hpp"

namespace fovea {
namespace {

class MctCpuEngine : public CpuEngine {
  public:
    explicit MctCpuEngine(const MctCascade& cascade) : cascade_(cascade) {}

    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return trace_mct(cascade_, image, levels_of(image, parameters));
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return mct_levels(image, parameters);
    }

  private:
    std::vector<CascadeWindow> find_windows(ImageView<const std::uint8_t> image,
                                            std::span<const PyramidLevel> levels) const override {
        return scan_mct(cascade_, image, levels);
    }
    void preprocess(ImageView<const std::uint8_t> image,
                    std::span<const PyramidLevel> levels) const override {
        transform_levels(cascade_, image, levels);
    }
    GroupScore group_score() const override { return GroupScore::sum; }

    const MctCascade& cascade_;
};

}  // namespace

std::unique_ptr<CascadeEngine> make_cpu_engine(const MctCascade& cascade) {
    return std::make_unique<MctCpuEngine>(cascade);
}

}  // namespace fovea
