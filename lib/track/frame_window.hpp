#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "kernels/core/view.hpp"
#include "lib/track/point_flow.hpp"

namespace fovea {

/// The latest frames of a sequence, by their places in it, with the FlowImage of each.
class FrameWindow {
  public:
    /// \param flow null: nothing is followed. Must outlive this.
    explicit FrameWindow(PointFlow* flow) : flow_(flow) {}

    /// Places of the frames that are held: first(), ..., end() - 1.
    std::size_t first() const { return first_; }
    std::size_t end() const { return first_ + frames_.size(); }

    /// Adds the next frame. \param image empty: unreadable. \param memory keeps the pixels.
    void push(const ImageView<const std::uint8_t>& image, std::shared_ptr<const void> memory);
    /// Frees the first frame.
    void pop() {
        frames_.pop_front();
        ++first_;
    }

    const ImageView<const std::uint8_t>& image(std::size_t frame) const { return at(frame).image; }

    const std::shared_ptr<const void>& memory(std::size_t frame) const { return at(frame).memory; }

    /// The FlowImage of a readable frame, which is made when it is first asked for.
    FlowImage& flow_image(std::size_t frame);
    /// Frees the FlowImages of frames before this one; they can be made again.
    void forget_flow_before(std::size_t frame);

    /// The nearest readable frame of the same size before a readable frame; nothing if the window holds none,
    /// or if the nearest one has another size.
    std::optional<std::size_t> before(std::size_t frame) const;

  private:
    struct Held {
        ImageView<const std::uint8_t> image;
        std::shared_ptr<const void> memory;
        std::unique_ptr<FlowImage> flow;
    };
    const Held& at(std::size_t frame) const { return frames_.at(frame - first_); }

    PointFlow* flow_;
    std::deque<Held> frames_;
    std::size_t first_ = 0;
};

}  // namespace fovea
