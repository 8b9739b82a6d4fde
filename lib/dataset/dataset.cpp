#include "lib/dataset/dataset.hpp"

#include <algorithm>
#include <utility>

#include "lib/files/input_files.hpp"

namespace fovea {

bool Dataset::has_ground_truth() const {
    return std::any_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.annotated; });
}

std::size_t Dataset::face_count() const {
    std::size_t count = 0;
    for (const Sample& sample : samples) {
        if (!sample.annotated) continue;
        count += static_cast<std::size_t>(std::count_if(sample.faces.begin(), sample.faces.end(),
                                                        [](const Face& face) { return !face.ignore; }));
    }
    return count;
}

std::vector<ImageLocation> places_of(const Dataset& dataset) {
    std::vector<ImageLocation> places;
    places.reserve(dataset.samples.size());
    for (const Sample& sample : dataset.samples) places.push_back(sample.place());
    return places;
}

void add_inputs(const Dataset& dataset, InputFiles& inputs) {
    std::vector<std::filesystem::path> files = dataset.sources;
    for (const Sample& sample : dataset.samples) {
        if (files.empty() || files.back() != sample.path) files.push_back(sample.path);
    }
    inputs.add(std::move(files));
}

}  // namespace fovea
