#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/cascade.hpp"
#include "lib/image/formats/image.hpp"
#include "tests/support/cascade_files.hpp"

namespace fovea::test {

using GreyView = ImageView<const std::uint8_t>;

/// One cascade on the CPU and on GPUs. Only where gpu() gives one.
class Backends {
  public:
    explicit Backends(Cascade cascade, std::vector<int> gpus = {0}, const EngineOptions& variant = {});
    Backends(const Backends&) = delete;
    Backends& operator=(const Backends&) = delete;

    const Cascade& cascade() const { return cascade_; }
    CascadeEngine& cpu() const { return *cpu_; }
    CascadeEngine& cuda() const { return *cuda_; }

    /// Requires that both find the same in a batch. \return what they find.
    std::vector<CascadeResult> require_equal_findings(std::span<const GreyView> images,
                                                      const CascadeScan& scan) const;
    /// Requires that both trace the same. \return number of windows that were evaluated.
    std::size_t require_equal_traces(GreyView image, const ScanParameters& parameters) const;

  private:
    Cascade cascade_;
    std::unique_ptr<CascadeEngine> cpu_;
    std::unique_ptr<CascadeEngine> cuda_;
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
