#include "lib/results/landmark_results.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/folder.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

Detection detection_of(Face face) {
    Detection detection;
    detection.box = face.box;
    detection.score = 1;
    detection.landmarks = std::move(face.landmarks);
    return detection;
}

std::string without_extension(fs::path path) {
    return path.replace_extension().generic_string();
}

std::vector<fs::path> points_files(const fs::path& folder) {
    if (!is_folder(folder)) {
        throw UsageError("'" + folder.string() +
                         "' is not a folder; results named pts: are a folder of .pts files.");
    }
    std::vector<fs::path> files;
    for (fs::path& file : entries_below(folder)) {
        if (file.extension() == ".pts" && is_file(file)) files.push_back(std::move(file));
    }
    if (files.empty()) throw UsageError("The folder '" + folder.string() + "' holds no .pts file.");
    return files;
}

DetectionResults read_points_folder(const fs::path& folder) {
    DetectionResults results;
    const std::vector<fs::path> files = points_files(folder);
    std::map<std::string, std::string> images;
    for (const std::string& image : scan_images(folder, std::numeric_limits<int>::max()).images) {
        images.emplace(without_extension(image), image);
    }
    for (const fs::path& file : files) {
        const std::string name = without_extension(file.lexically_relative(folder));
        ImageResult result;
        // The image's own name where it lies beside, so that names are equal; else without extension, which
        // pair_images understands.
        const auto image = images.find(name);
        result.image = image == images.end() ? name : image->second;
        result.detections.push_back(detection_of(read_points_file(file)));
        results.images.push_back(std::move(result));
    }
    return results;
}

DetectionResults results_of(const Dataset& dataset) {
    DetectionResults results;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        ImageResult result;
        result.image = sample.image;
        for (const Face& face : sample.faces) {
            if (!face.ignore) result.detections.push_back(detection_of(face));
        }
        results.images.push_back(std::move(result));
    }
    return results;
}

// Annotation as results; nothing for a specification of results.
std::optional<DetectionResults> read_annotation(const std::string& specification) {
    if (specification.starts_with("pts:")) return read_points_folder(specification.substr(4));
    if (specification.starts_with("dlib:") || specification.starts_with("fovea:"))
        return results_of(read_dataset(specification));
    return std::nullopt;
}

}  // namespace

DetectionResults read_landmark_results(const std::string& specification) {
    std::optional<DetectionResults> results = read_annotation(specification);
    return results ? *std::move(results) : read_results(specification);
}

DetectionResults read_landmark_results(const std::string& specification, const Dataset& dataset) {
    std::optional<DetectionResults> results = read_annotation(specification);
    return results ? *std::move(results) : read_results(specification, dataset);
}

}  // namespace fovea
