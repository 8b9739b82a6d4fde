#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/face_net/face_net.hpp"

namespace fovea {

/// A face network that is ready to run on the CPU. May be used from several threads. Memory for images of the
/// last size is kept between calls, for as many as ran at once: some 4 MB each for 1920×1080.
class FaceNetRunner {
  public:
    /// \throws std::invalid_argument if the network has a fault (find_fault).
    explicit FaceNetRunner(const FaceNet& net);
    ~FaceNetRunner();
    FaceNetRunner(FaceNetRunner&&) noexcept;
    FaceNetRunner& operator=(FaceNetRunner&&) noexcept;

    /// The cells whose logit is at least `min_logit`, by level, row and column, on one thread. Equal in every
    /// bit on every instruction set.
    ///
    /// \param image 8-bit grey in host memory, at least 1×1; continued at the right and at the bottom by
    /// face_net_grey to multiples of face_net_multiple. Cells there count too.
    /// \throws std::invalid_argument if the image is empty; std::bad_alloc.
    std::vector<NetCell> run(ImageView<const std::uint8_t> image, float min_logit) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// FaceNetRunner::run() once.
std::vector<NetCell> run_face_net(const FaceNet& net, ImageView<const std::uint8_t> image, float min_logit);

}  // namespace fovea
