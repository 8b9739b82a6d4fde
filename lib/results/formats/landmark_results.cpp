#include "lib/results/formats/landmark_results.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/points_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/results/formats/read_results.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

Detection detection_of(Face face) {
    Detection detection;
    detection.box = face.box;
    detection.score = 1;
    detection.details.edit().landmarks = std::move(face.landmarks);
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
    std::vector<fs::path> files = files_below_ending(folder, ".pts");
    if (files.empty()) throw UsageError("The folder '" + folder.string() + "' holds no .pts file.");
    return files;
}

/// The image whose face a file NAME.pts or NAME_1.pts is of.
class ImageOfPoints {
  public:
    /// \param dataset whose images are known besides those in the folder; or nullptr.
    ImageOfPoints(const fs::path& folder, const Dataset* dataset) {
        for (const std::string& image : scan_images(folder, std::numeric_limits<int>::max()).images) {
            images_.emplace(without_extension(image), image);
        }
        for (std::size_t i = 0; dataset != nullptr && i < dataset->samples.size(); ++i) {
            const std::string stem = without_extension(dataset->samples[i].image);
            known_.insert(stem);
            known_.insert(fs::path(stem).filename().string());
        }
    }

    /// Its own name where it lies in the folder, so that names are equal; else without extension, which
    /// pair_images understands. \param name the file's, without extension.
    std::string operator()(const std::string& name) const {
        const std::string stem = is_known(name) ? name : without_number(name);
        const std::string& found = is_known(stem) ? stem : name;
        const auto image = images_.find(found);
        return image == images_.end() ? found : image->second;
    }

  private:
    bool is_known(const std::string& stem) const { return images_.contains(stem) || known_.contains(stem); }

    static std::string without_number(const std::string& name) {
        const std::size_t end = name.find_last_not_of("0123456789");
        const bool has_number = end != std::string::npos && end + 1 < name.size() && name[end] == '_';
        return has_number ? name.substr(0, end) : name;
    }

    std::map<std::string, std::string> images_;  // in the folder, by stem
    std::set<std::string> known_;                // stems of the dataset's, with and without their folders
};

DetectionResults read_points_folder(const fs::path& folder, const Dataset* dataset) {
    DetectionResults results;
    const std::vector<fs::path> files = points_files(folder);
    const ImageOfPoints image_of(folder, dataset);
    std::map<std::string, std::size_t> place_of;
    for (const fs::path& file : files) {
        const std::string image = image_of(without_extension(file.lexically_relative(folder)));
        const auto [place, is_new] = place_of.emplace(image, results.images.size());
        if (is_new) results.images.emplace_back().image = image;
        results.images[place->second].detections.push_back(detection_of(read_points_file(file)));
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

// Annotation as results; nothing for a specification of results. \param dataset or nullptr.
std::optional<DetectionResults> read_annotation(const std::string& specification, const Dataset* dataset) {
    if (specification.starts_with("pts:")) return read_points_folder(specification.substr(4), dataset);
    if (specification.starts_with("dlib:") || specification.starts_with("fovea:"))
        return results_of(read_dataset(specification));
    return std::nullopt;
}

}  // namespace

DetectionResults read_landmark_results(const std::string& specification) {
    std::optional<DetectionResults> results = read_annotation(specification, nullptr);
    return results ? *std::move(results) : read_results(specification);
}

DetectionResults read_landmark_results(const std::string& specification, const Dataset& dataset) {
    std::optional<DetectionResults> results = read_annotation(specification, &dataset);
    return results ? *std::move(results) : read_results(specification, dataset);
}

}  // namespace fovea
