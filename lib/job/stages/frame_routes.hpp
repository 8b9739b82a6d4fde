#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/image/image_inputs.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/stages/batch.hpp"
#include "lib/video/part_reader.hpp"

namespace fovea {

/// Tells why a video's frames are not decoded on the GPUs of a job; empty if they are. An empty function: no
/// video is.
using WhyNotOnGpu = std::function<std::string(const VideoSource& video)>;

/// Why these GPUs do not decode a video: a part of it is too large, or a decoder does not take it; empty if
/// all do.
std::string why_not_on_gpus(const VideoSource& video, const std::vector<int>& gpus);

/// Which images of a list are frames that the GPUs decode; the others are read on the host.
class FrameRoutes {
  public:
    /// \param first images before it are not wanted. The list must outlive this.
    FrameRoutes(const ImageList& images, std::size_t first, const WhyNotOnGpu& why_not);

    bool by_gpu(std::size_t index) const { return !on_gpu_.empty() && on_gpu_[index]; }
    bool any_by_gpu() const { return !on_gpu_.empty(); }
    /// The places, in the list, of the images that are read on the host; only valid if any_by_gpu().
    const std::vector<std::size_t>& on_host() const { return on_host_; }

  private:
    std::vector<bool> on_gpu_;  // empty: none
    std::vector<std::size_t> on_host_;
};

/// The first parts of videos that GPUs decode, in the order of a list.
struct FirstParts {
    std::size_t count = 0;                     ///< no more than were asked for
    std::shared_ptr<const VideoSource> video;  ///< of the first; null: there is none
};

/// Finds the first parts. \param first images before it are not wanted. \param max_count the search ends at
/// so many.
FirstParts first_parts(const ImageList& images, std::size_t first, const WhyNotOnGpu& why_not,
                       std::size_t max_count);

/// Some of a list's inputs, numbered anew.
class SelectedInputs final : public ImageInputs {
  public:
    /// \param places in `inputs`, rising; both must outlive this.
    SelectedInputs(const ImageInputs& inputs, const std::vector<std::size_t>& places)
        : inputs_(inputs), places_(places) {}

    std::size_t size() const override { return places_.size(); }
    std::string name(std::size_t index) const override { return inputs_.name(places_[index]); }
    bool in_order() const override { return inputs_.in_order(); }
    std::unique_ptr<codec::EncodedFile> open(std::size_t index) const override {
        return inputs_.open(places_[index]);
    }
    void skip(std::size_t index) const override { inputs_.skip(places_[index]); }
    void stop() const override { inputs_.stop(); }

  private:
    const ImageInputs& inputs_;
    const std::vector<std::size_t>& places_;
};

/// Reads the parts of videos that the frames of a list are in. For one thread at a time.
class PartSource {
  public:
    /// \param images must outlive this.
    PartSource(const ImageList& images, const VideoLimits& limits) : images_(images), limits_(limits) {}

    /// The part of a frame, with this frame and the next ones of the list that are in the same part and in
    /// the order of display. \throws VideoError if the video cannot be read; ShortageError, std::bad_alloc
    FramePart take(std::size_t index);

  private:
    const ImageList& images_;
    const VideoLimits limits_;
    std::shared_ptr<const VideoSource> video_;
    std::unique_ptr<PartReader> reader_;  // at a part that was not taken yet, or before its first part
    bool is_at_part_ = false;
};

}  // namespace fovea
