#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/image_batch.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/group/group.hpp"
#include "kernels/windows/cascade_window.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea {

/// The part of an engine on the CPU that all kinds of cascades share.
class CpuEngine : public CascadeEngine {
  public:
    /// Leaves landmarks to the caller.
    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks = nullptr) override;
    /// Times a batch on the threads of the caller's arena:
    /// - total: detect(), from grey pixels to grouped boxes;
    /// - preprocessing: all levels are resized and integrated, or census-transformed, alone, after the total;
    /// - grouping: the windows found are grouped, alone, after the preprocessing;
    /// - scan: the rest of the same repetition's total, at least 0: standard deviations, the cascade, levels,
    ///   packing the cascade and collecting windows;
    /// - upload and download are empty, and resident is the total, since all data is in host memory.
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan& scan,
                        int repeat) override;

    EngineCounters counters() const override {
        const std::lock_guard lock(mutex_);
        return counters_;
    }

  protected:
    virtual std::vector<CascadeWindow> find_windows(ImageView<const std::uint8_t> image,
                                                    std::span<const PyramidLevel> levels) const = 0;
    /// Does the work before the cascade, and nothing else; its results are dropped.
    virtual void preprocess(ImageView<const std::uint8_t> image,
                            std::span<const PyramidLevel> levels) const = 0;
    virtual GroupScore group_score() const = 0;

    std::vector<PyramidLevel> levels_of(ImageView<const std::uint8_t> image,
                                        const ScanParameters& parameters) const {
        return levels({image.width, image.height}, parameters);
    }

  private:
    std::vector<RectGroup> group(const std::vector<CascadeWindow>& windows,
                                 const std::vector<PyramidLevel>& levels, int min_neighbors) const;

    mutable std::mutex mutex_;
    EngineCounters counters_;
};

}  // namespace fovea
