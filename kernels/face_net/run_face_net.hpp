#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/face_net/face_net.hpp"

namespace fovea {

/// A face network ready to run on the CPU. Any number of threads may use it. It keeps memory for as many
/// images as ran at once: some 5 MB each for 1920×1080.
class FaceNetRunner {
  public:
    /// \throws std::invalid_argument if the network has a fault (find_fault).
    explicit FaceNetRunner(const FaceNet& net);
    ~FaceNetRunner();
    FaceNetRunner(FaceNetRunner&&) noexcept;
    FaceNetRunner& operator=(FaceNetRunner&&) noexcept;

    /// Finds the cells whose logit is at least `min_logit`, by level, row and column, on the calling thread.
    /// Equal in every bit on every instruction set. Cells in the image's padding (face_net_multiple) count
    /// too. \param image 8-bit grey in host memory, at least 1×1.
    /// \throws std::invalid_argument if the image is empty; std::bad_alloc.
    std::vector<NetCell> run(ImageView<const std::uint8_t> image, float min_logit) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Makes a FaceNetRunner for one run(); errors as both.
std::vector<NetCell> run_face_net(const FaceNet& net, ImageView<const std::uint8_t> image, float min_logit);

}  // namespace fovea
