#include "tests/reference/dlib_landmarks.hpp"

#include <sstream>

#include <dlib/array2d.h>
#include <dlib/image_processing/shape_predictor.h>

namespace fovea::test {
namespace {

dlib::matrix<float, 0, 1> column(const std::vector<float>& values) {
    dlib::matrix<float, 0, 1> result(static_cast<long>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) result(static_cast<long>(i)) = values[i];
    return result;
}

dlib::shape_predictor predictor_of(const DlibModel& model) {
    std::vector<std::vector<dlib::impl::regression_tree>> forests;
    std::vector<std::vector<dlib::vector<float, 2>>> pixels;
    for (const DlibCascade& cascade : model.cascades) {
        auto& forest = forests.emplace_back();
        for (const DlibTree& tree : cascade.trees) {
            auto& made = forest.emplace_back();
            for (const DlibSplit& split : tree.splits) {
                made.splits.push_back({static_cast<unsigned long>(split.first),
                                       static_cast<unsigned long>(split.second), split.threshold});
            }
            for (const std::vector<float>& leaf : tree.leaves) made.leaf_values.push_back(column(leaf));
        }
        auto& places = pixels.emplace_back();
        for (const auto& [x, y] : cascade.deltas) places.emplace_back(x, y);
    }
    return {column(model.initial_shape), forests, pixels};
}

}  // namespace

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

DlibLandmarks::DlibLandmarks(const DlibModel& model) : predictor_(std::make_unique<Predictor>()) {
    predictor_->shape = predictor_of(model);
}

DlibLandmarks::~DlibLandmarks() = default;

std::string DlibLandmarks::bytes() const {
    std::ostringstream stream;
    dlib::serialize(predictor_->shape, stream);
    return stream.str();
}

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
