#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/core/view.hpp"

namespace fovea::test {

/// OpenCV's own LBPHFaceRecognizer (of its contributed modules), as its users have it: radius 1, 8
/// neighbours, 8×8 cells, all 256 bins, one thread.
class OpencvLbph {
  public:
    /// \param face size of every face.
    explicit OpencvLbph(Size face);
    ~OpencvLbph();

    /// Describes the faces of a gallery, [count][height][width], and forgets those before.
    void train(const std::uint8_t* faces, std::size_t count);

    /// Describes a face and finds the nearest of the gallery: its index.
    std::size_t predict(const std::uint8_t* face) const;

  private:
    class Recognizer;
    std::unique_ptr<Recognizer> recognizer_;
};

}  // namespace fovea::test
