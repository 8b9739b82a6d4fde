#include <set>

#include <fovea/results.hpp>

#include "lib/api/common/convert.hpp"
#include "lib/api/common/guarded.hpp"
#include "lib/api/evaluate/data.hpp"
#include "lib/files/file.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/result_line.hpp"

namespace fovea::api {
namespace {

fovea::ImageResult inner_result(const ImageResult& result) {
    fovea::ImageResult inner;
    inner.image = result.image;
    inner.width = result.size.width;
    inner.height = result.size.height;
    if (!result.unreadable.empty()) inner.status = "unreadable: " + result.unreadable;
    inner.detections = to_inner(result.detections);
    return inner;
}

ImageResult outer_result(const fovea::ImageResult& inner) {
    ImageResult result{inner.image, {inner.width, inner.height}, to_outer(inner.detections), {}};
    if (!inner.ok()) result.unreadable = unreadable_reason(inner.status);
    return result;
}

DetectionResults results_of(std::span<const ImageResult> images) {
    DetectionResults results;
    std::set<std::string> names;
    for (const ImageResult& image : images) {
        if (image.image.empty()) throw UsageError("an image of the results has no name");
        if (!names.insert(image.image).second)
            throw UsageError("the image '" + image.image + "' stands twice in the results");
        results.images.push_back(inner_result(image));
    }
    return results;
}

}  // namespace

Results::Results(const std::string& specification, const Dataset& dataset)
    : data_(guarded([&] {
          return std::make_shared<const Data>(Data{read_results(specification, dataset.data().dataset)});
      })) {}

Results::Results(std::span<const ImageResult> images)
    : data_(std::make_shared<const Data>(Data{results_of(images)})) {}

std::size_t Results::size() const {
    return data_->results.images.size();
}

ImageResult Results::image(std::size_t index) const {
    return outer_result(data_->results.images.at(index));
}

std::string json_line(const ImageResult& result) {
    return to_json_line(inner_result(result));
}

void write_results(const std::filesystem::path& file, std::span<const ImageResult> results) {
    std::string text;
    for (const ImageResult& result : results) {
        text += json_line(result);
        text += '\n';
    }
    replace_file(file, text);
}

}  // namespace fovea::api
