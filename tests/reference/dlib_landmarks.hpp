#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "tests/support/dlib_models.hpp"

namespace fovea::test {

/// An image as dlib holds it.
class DlibImage {
  public:
    explicit DlibImage(ImageView<const std::uint8_t> image);
    DlibImage(DlibImage&&) noexcept;
    ~DlibImage();

  private:
    friend class DlibLandmarks;
    class Pixels;
    std::unique_ptr<Pixels> pixels_;
};

/// dlib's own shape_predictor, as its users have it.
class DlibLandmarks {
  public:
    /// Reads a model with dlib. \throws what dlib throws.
    explicit DlibLandmarks(const std::filesystem::path& model);
    /// Makes one with dlib's own constructor, which finds the anchors: the deltas are places in the initial
    /// shape.
    explicit DlibLandmarks(const DlibModel& model);
    ~DlibLandmarks();

    /// The file that dlib writes.
    std::string bytes() const;

    /// x0 y0 x1 y1 ... of the face in a box; inclusive of its last row and column, as dlib's rectangles are.
    std::vector<std::int32_t> find(const DlibImage& image, const Rect& box) const;

  private:
    class Predictor;
    std::unique_ptr<Predictor> predictor_;
};

/// Debian's 68-point model.
std::filesystem::path debian_landmark_model();

}  // namespace fovea::test
