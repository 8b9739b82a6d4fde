#include "tests/reference/dlib_landmarks.hpp"

#include <dlib/array2d.h>
#include <dlib/image_processing/shape_predictor.h>

namespace fovea::test {

class DlibImage::Pixels {
  public:
    dlib::array2d<unsigned char> pixels;
};

DlibImage::DlibImage(ImageView<const std::uint8_t> image) : pixels_(std::make_unique<Pixels>()) {
    pixels_->pixels.set_size(image.height, image.width);
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) pixels_->pixels[y][x] = image(x, y);
    }
}

DlibImage::DlibImage(DlibImage&&) noexcept = default;
DlibImage::~DlibImage() = default;

class DlibLandmarks::Predictor {
  public:
    dlib::shape_predictor shape;
};

DlibLandmarks::DlibLandmarks(const std::filesystem::path& model) : predictor_(std::make_unique<Predictor>()) {
    dlib::deserialize(model.string()) >> predictor_->shape;
}

DlibLandmarks::~DlibLandmarks() = default;

std::vector<std::int32_t> DlibLandmarks::find(const DlibImage& image, const Rect& box) const {
    const dlib::rectangle rectangle(box.x, box.y, box.x + box.width - 1, box.y + box.height - 1);
    const dlib::full_object_detection face = predictor_->shape(image.pixels_->pixels, rectangle);
    std::vector<std::int32_t> positions;
    for (unsigned long i = 0; i < face.num_parts(); ++i) {
        positions.push_back(static_cast<std::int32_t>(face.part(i).x()));
        positions.push_back(static_cast<std::int32_t>(face.part(i).y()));
    }
    return positions;
}

std::filesystem::path debian_landmark_model() {
    return "/usr/share/dlib/shape_predictor_68_face_landmarks.dat";
}

}  // namespace fovea::test
