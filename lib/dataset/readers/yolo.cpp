#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/readers/yolo_labels.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// The images/ of a/images/b/c.jpg becomes labels/ (the last one, where several are); else labels lie beside
/// images.
fs::path label_file(const fs::path& image) {
    std::string text = image.generic_string();
    const std::size_t at = ("/" + text).rfind("/images/");
    fs::path parallel = at == std::string::npos ? image : fs::path(text.replace(at, 6, "labels"));
    for (const fs::path& path : {parallel, image}) {
        const fs::path stem = path.parent_path() / image_stem(path.filename().string());
        if (const std::optional<fs::path> label = file_of_stem(stem, ".txt")) return *label;
    }
    return {};
}

Face face_of(const YoloBox& box, ImageSize size) {
    Face face;
    face.box = {(box.centre.x - box.w / 2) * size.width, (box.centre.y - box.h / 2) * size.height,
                box.w * size.width, box.h * size.height};
    std::vector<Keypoint> points = box.points;
    for (Keypoint& point : points) point.point = {point.point.x * size.width, point.point.y * size.height};
    set_keypoints(face, std::move(points));
    return face;
}

/// The class asked for, else the only one.
int wanted_category(const DatasetSpecification& specification,
                    const std::vector<std::vector<YoloBox>>& boxes) {
    std::map<int, std::size_t> categories;
    for (const auto& of_image : boxes) {
        for (const YoloBox& box : of_image) ++categories[box.category];
    }
    std::string names;
    for (const auto& [category, count] : categories)
        names += (names.empty() ? "" : ", ") + std::to_string(category);
    const std::string asked = specification.option("class");
    for (const auto& [category, count] : categories) {
        if (asked == std::to_string(category)) return category;
    }
    if (!asked.empty())
        specification.fail("asks for a class that the labels do not have; they have: " + names + ".");
    if (categories.size() > 1)
        specification.fail("has several classes; name one with ,class=NUMBER: " + names + ".");
    return categories.empty() ? 0 : categories.begin()->first;
}

/// Sizes of the images that have boxes to be scaled, read on all cores; the reason where one cannot be read.
void add_faces(Dataset& dataset, const std::vector<std::vector<YoloBox>>& boxes, int category) {
    std::vector<std::string> unreadable(dataset.samples.size());
    tbb::parallel_for(std::size_t{0}, dataset.samples.size(), [&](std::size_t i) {
        Sample& sample = dataset.samples[i];
        if (boxes[i].empty()) return;
        try {
            sample.size = read_image_size(sample.path);
        } catch (const ImageError& error) {
            unreadable[i] = error.what();
            return;
        }
        for (const YoloBox& box : boxes[i]) {
            if (box.category == category) sample.faces.push_back(face_of(box, *sample.size));
        }
    });
    std::size_t count = 0;
    std::string first;
    for (std::size_t i = 0; i < unreadable.size(); ++i) {
        if (unreadable[i].empty()) continue;
        dataset.samples[i].annotated = false;
        if (count++ == 0) first = dataset.samples[i].image + ": " + unreadable[i];
    }
    if (count > 0) {
        dataset.warnings.push_back(
            counted(count, "image", "images") +
            " cannot be read, so that their size and boxes are unknown; they count as not "
            "annotated, first: " +
            first);
    }
    std::size_t incomplete = 0;
    for (const Sample& sample : dataset.samples) {
        incomplete += static_cast<std::size_t>(std::ranges::count_if(sample.faces, [](const Face& face) {
            return face.keypoints.is_set() && face.landmarks.empty();
        }));
    }
    if (incomplete > 0) {
        dataset.warnings.push_back(counted(incomplete, "face has", "faces have") +
                                   " some points only, which the protocol oks evaluates; others need all");
    }
}

/// True if the folder has images/ and labels/ and a .txt in the latter or a sub-folder of it.
bool is_yolo_folder(const fs::path& folder) {
    if (!is_folder(folder / "images") || !is_folder(folder / "labels")) return false;
    const auto has_labels = [](const fs::path& labels) { return !files_ending(labels, ".txt").empty(); };
    const std::vector<fs::path> folders = folders_of(folder / "labels");
    return has_labels(folder / "labels") || std::any_of(folders.begin(), folders.end(), has_labels);
}

}  // namespace

Certainty recognise_yolo(const PathFacts& facts) {
    return certain_if(facts.is_folder() && is_yolo_folder(facts.path()));
}

Dataset read_yolo_dataset(const std::string& path, const DatasetOptions&) {
    const DatasetSpecification specification("yolo", path, {"DIR", "class=NUMBER"});
    const fs::path& folder = specification.only_path();
    Dataset dataset;
    dataset.format = "yolo";
    dataset.root = is_yolo_folder(folder) ? folder / "images" : folder;
    FolderScan scan = scan_images(dataset.root, std::numeric_limits<int>::max());
    dataset.warnings = std::move(scan.warnings);
    std::vector<fs::path> labels;
    std::size_t without = 0;
    for (std::string& image : scan.images) {
        Sample sample;
        sample.path = dataset.root / image;
        sample.image = std::move(image);
        sample.annotated = true;
        const fs::path label = label_file(sample.path);
        labels.push_back(label);
        if (label.empty()) {
            ++without;
        } else {
            dataset.sources.push_back(label);
        }
        dataset.samples.push_back(std::move(sample));
    }
    if (without == dataset.samples.size()) {
        throw UsageError(
            "The folder '" + folder.string() +
            "' holds no image with labels: neither images/a.jpg with labels/a.txt nor a.txt beside "
            "a.jpg.");
    }
    if (without > 0) {
        dataset.warnings.push_back(
            counted(without, "image has", "images have") +
            " no file of labels; in YOLO's format that means an image without objects");
    }
    const std::vector<std::vector<YoloBox>> boxes = read_yolo_labels(labels);
    add_faces(dataset, boxes, wanted_category(specification, boxes));
    return dataset;
}

}  // namespace fovea
