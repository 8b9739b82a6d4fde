#include "lib/track/frame_window.hpp"

#include <algorithm>
#include <utility>

namespace fovea {

void FrameWindow::push(const ImageView<const std::uint8_t>& image, std::shared_ptr<const void> memory) {
    frames_.push_back({image, std::move(memory), nullptr});
}

FlowImage& FrameWindow::flow_image(std::size_t frame) {
    Held& held = frames_.at(frame - first_);
    if (held.flow == nullptr) held.flow = flow_->prepare(held.image);
    return *held.flow;
}

void FrameWindow::forget_flow_before(std::size_t frame) {
    const std::size_t count = std::min(frame - std::min(frame, first_), frames_.size());
    for (std::size_t i = 0; i < count; ++i) frames_[i].flow.reset();
}

std::optional<std::size_t> FrameWindow::before(std::size_t frame) const {
    const ImageView<const std::uint8_t>& image = at(frame).image;
    for (std::size_t i = frame; i-- > first_;) {
        const ImageView<const std::uint8_t>& earlier = at(i).image;
        if (earlier.empty()) continue;
        if (earlier.width != image.width || earlier.height != image.height) return std::nullopt;
        return i;
    }
    return std::nullopt;
}

}  // namespace fovea
