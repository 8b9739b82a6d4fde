#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/image/formats/image.hpp"
#include "tests/support/cascade_files.hpp"

namespace fovea::test {

using GreyView = ImageView<const std::uint8_t>;

/// Requires that two engines of one cascade find the same in a batch. \return what they find.
std::vector<CascadeResult> require_equal_findings(CascadeEngine& cpu, CascadeEngine& cuda,
                                                  std::span<const GreyView> images, const CascadeScan& scan);

/// One cascade, of whichever kind, on the CPU and on GPUs. Only where gpu() gives one.
template <class Model>
class BackendsOf {
  public:
    explicit BackendsOf(Model cascade, std::vector<int> gpus = {0}, const EngineOptions& variant = {})
        : cascade_(std::move(cascade)),
          cpu_(make_cpu_engine(cascade_)),
          cuda_(make_cuda_engine(cascade_, gpus, variant)) {}
    BackendsOf(const BackendsOf&) = delete;
    BackendsOf& operator=(const BackendsOf&) = delete;

    const Model& cascade() const { return cascade_; }
    CascadeEngine& cpu() const { return *cpu_; }
    CascadeEngine& cuda() const { return *cuda_; }

    /// Requires that both find the same in a batch. \return what they find.
    std::vector<CascadeResult> require_equal_findings(std::span<const GreyView> images,
                                                      const CascadeScan& scan) const {
        return test::require_equal_findings(*cpu_, *cuda_, images, scan);
    }

  private:
    Model cascade_;
    std::unique_ptr<CascadeEngine> cpu_;
    std::unique_ptr<CascadeEngine> cuda_;
};

class Backends : public BackendsOf<Cascade> {
  public:
    using BackendsOf::BackendsOf;

    /// Requires that both trace the same. \return number of windows that were evaluated.
    std::size_t require_equal_traces(GreyView image, const ScanParameters& parameters) const;
};

/// The first difference between two lists of findings, with what both hold there; empty if there is none.
/// Sums and scores are compared by their bits.
std::string first_difference(std::span<const CascadeResult> expected, std::span<const CascadeResult> found);

/// All windows and groups of a batch.
std::size_t count_findings(std::span<const CascadeResult> findings);

std::vector<GreyView> views_of(std::span<const GreyImage> images);

/// A cascade of stumps, see haar_cascade_xml.
Cascade made_cascade(Size window, const std::vector<Stage>& stages);

/// A cascade by its name.
Cascade named_cascade(const std::string& name);

/// The cascade with thresholds so low that every window passes all stages, whatever its sums are; Haar
/// cascades still leave flat windows out.
Cascade permissive(Cascade cascade);

/// The cascade with only its first stages, which many windows pass.
Cascade first_stages(Cascade cascade, std::size_t stages);

}  // namespace fovea::test
