#include "lib/image/gpu_frames.hpp"

#include "kernels/core/align.hpp"
#include "kernels/luma/luma.hpp"
#include "kernels/orient/orient.hpp"
#include "kernels/orient/orient_body.hpp"

namespace fovea {
namespace {

// Images that nvJPEG decodes have it, too: the gathering of images into batches reads such rows fastest.
constexpr std::size_t frame_row_alignment = 256;

std::size_t frame_row_bytes(int width) {
    return align_up(static_cast<std::size_t>(width), frame_row_alignment);
}

std::size_t frame_bytes(Size size) {
    return frame_row_bytes(size.width) * static_cast<std::size_t>(size.height);
}

}  // namespace

void GpuFrameLoader::begin(ResidentImages& resident, std::size_t frames, Size stored, int orientation) {
    orientation_ = orientation;
    displayed_ = displayed_size(orient_rule(orientation), stored);
    added_ = 0;
    resident.views_.clear();
    resident.reserve(device_, frames * frame_bytes(displayed_));
    if (orientation != 1 && stored_.size() < frame_bytes(stored))
        stored_ = Buffer<std::uint8_t>(device_, frame_bytes(stored));
}

ImageView<std::uint8_t> GpuFrameLoader::place_of(const ResidentImages& resident) const {
    return {resident.pixels_.data() + added_ * frame_bytes(displayed_), displayed_.width, displayed_.height,
            static_cast<std::ptrdiff_t>(frame_row_bytes(displayed_.width))};
}

void GpuFrameLoader::add(ResidentImages& resident, const LumaPlane& frame) {
    const ImageView<std::uint8_t> place = place_of(resident);
    if (orientation_ == 1) {
        const LumaTask task{frame, place};
        luma_to_grey(device_, {&task, 1});
    } else {
        const ImageView<std::uint8_t> stored{stored_.data(), frame.width, frame.height,
                                             static_cast<std::ptrdiff_t>(frame_row_bytes(frame.width))};
        const LumaTask task{frame, stored};
        luma_to_grey(device_, {&task, 1});
        orient_image(device_, stored, orientation_, place);
    }
    resident.views_.push_back(place);
    ++added_;
}

void GpuFrameLoader::add_none(ResidentImages& resident) {
    resident.views_.emplace_back();
}

}  // namespace fovea
