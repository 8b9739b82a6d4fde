#include <algorithm>
#include <limits>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/points_file.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// The files of an image's faces: a.pts, and a_1.pts, a_2.pts, ... where no image has that name itself.
std::vector<fs::path> points_files(const fs::path& image, const std::set<std::string>& stems) {
    const std::string stem = fs::path(image).replace_extension().string();
    std::vector<fs::path> files;
    if (auto file = file_of_stem(stem, ".pts")) files.push_back(*std::move(file));
    for (int number = 1;; ++number) {
        const std::string numbered = stem + "_" + std::to_string(number);
        auto file = stems.contains(numbered) ? std::nullopt : file_of_stem(numbered, ".pts");
        if (!file) return files;
        files.push_back(*std::move(file));
    }
}

}  // namespace

Dataset read_pts_dataset(const std::string& path, const DatasetOptions&) {
    if (!is_folder(path)) {
        throw UsageError("'" + path +
                         "' is not a folder; pts: needs one that holds images and, beside each, "
                         "its points: 1.jpg and 1.pts, or 1_1.pts, 1_2.pts of several faces.");
    }
    Dataset dataset;
    dataset.format = "pts";
    dataset.root = path;
    FolderScan scan = scan_images(path, std::numeric_limits<int>::max());
    dataset.warnings = std::move(scan.warnings);
    std::set<std::string> stems;
    for (const std::string& image : scan.images)
        stems.insert((dataset.root / image).replace_extension().string());
    std::size_t without = 0;
    for (std::string& image : scan.images) {
        Sample sample;
        sample.path = dataset.root / image;
        for (fs::path& points : points_files(sample.path, stems)) {
            sample.faces.push_back(read_points_file(points));
            dataset.sources.push_back(std::move(points));
        }
        if (sample.faces.empty()) {
            ++without;
            continue;
        }
        if (sample.faces.size() == 1) sample.eyes = sample.faces.front().eyes;
        sample.annotated = true;
        sample.image = std::move(image);
        dataset.samples.push_back(std::move(sample));
    }
    if (dataset.samples.empty()) {
        throw UsageError("The folder '" + path +
                         "' holds no image with points beside it, as 1.jpg and 1.pts or 1_1.pts.");
    }
    if (without > 0) {
        dataset.warnings.push_back(counted(without, "image") + " of the folder " +
                                   (without == 1 ? "has" : "have") + " no .pts file and " +
                                   (without == 1 ? "is" : "are") + " left out");
    }
    return dataset;
}

Certainty recognise_pts(const PathFacts& facts) {
    if (!facts.is_folder()) return Certainty::none;
    const fs::path& folder = facts.path();
    if (files_ending(folder, ".pts").empty()) return Certainty::none;
    // A few points among photographs make no landmark set: most images of one have theirs.
    const std::vector<fs::path> images =
        files_of(folder, [](const std::string& name) { return is_image_name(name); });
    std::set<std::string> stems;
    for (const fs::path& image : images) stems.insert(fs::path(image).replace_extension().string());
    const auto annotated = std::count_if(images.begin(), images.end(), [&](const fs::path& image) {
        return !points_files(image, stems).empty();
    });
    return certain_if(2 * static_cast<std::size_t>(annotated) >= images.size());
}

}  // namespace fovea
