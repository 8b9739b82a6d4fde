#include <cmath>
#include <set>
#include <utility>

#include <fovea/dataset.hpp>

#include "lib/api/common/convert.hpp"
#include "lib/api/common/guarded.hpp"
#include "lib/api/evaluate/data.hpp"
#include "lib/dataset/formats/read_dataset.hpp"

namespace fovea::api {
namespace {

void check_box(const Box& box, const std::string& image) {
    const bool is_finite =
        std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) && std::isfinite(box.h);
    if (!is_finite || box.w < 0 || box.h < 0)
        throw UsageError("a face of the image '" + image +
                         "' has a box that is not finite or has a negative size");
}

Face inner_face(const AnnotatedFace& face) {
    Face inner;
    inner.box = to_inner(face.box);
    inner.ignore = face.ignore;
    for (const Point& point : face.landmarks) inner.landmarks.push_back({point.x, point.y});
    return inner;
}

Sample sample_of(const AnnotatedImage& image) {
    Sample sample;
    sample.image = image.name;
    sample.path = image.file;
    sample.annotated = image.is_annotated;
    if (image.size.width > 0 && image.size.height > 0)
        sample.size = ImageSize{image.size.width, image.size.height};
    for (const AnnotatedFace& face : image.faces) {
        check_box(face.box, image.name);
        sample.faces.push_back(inner_face(face));
    }
    return sample;
}

fovea::Dataset dataset_of(const std::vector<AnnotatedImage>& images) {
    fovea::Dataset dataset;
    dataset.format = "list";
    dataset.name = "images of a list";
    std::set<std::string> names;
    for (const AnnotatedImage& image : images) {
        if (image.name.empty()) throw UsageError("an image of the dataset has no name");
        if (!names.insert(image.name).second)
            throw UsageError("the image '" + image.name + "' stands twice in the dataset");
        dataset.samples.push_back(sample_of(image));
    }
    return dataset;
}

}  // namespace

Dataset::Dataset(const std::string& specification, const DatasetOptions& options)
    : data_(guarded([&] {
          fovea::DatasetOptions inner;
          inner.pattern = options.pattern;
          inner.limit = options.limit;
          inner.root = options.root;
          return std::make_shared<const Data>(Data{read_dataset(specification, inner)});
      })) {}

Dataset::Dataset(const std::vector<AnnotatedImage>& images)
    : data_(std::make_shared<const Data>(Data{dataset_of(images)})) {}

std::size_t Dataset::size() const {
    return data_->dataset.samples.size();
}

AnnotatedImage Dataset::image(std::size_t index) const {
    const Sample& sample = data_->dataset.samples.at(index);
    AnnotatedImage image{sample.image, {}, {}, sample.path, sample.annotated};
    if (sample.size) image.size = {sample.size->width, sample.size->height};
    for (const Face& face : sample.faces)
        image.faces.push_back({to_outer(face.box), face.ignore, to_outer(face.landmarks)});
    return image;
}

std::size_t Dataset::face_count() const {
    return data_->dataset.face_count();
}

std::string Dataset::format() const {
    return data_->dataset.format;
}

std::vector<std::string> Dataset::warnings() const {
    return data_->dataset.warnings;
}

}  // namespace fovea::api
