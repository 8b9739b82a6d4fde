#include "lib/dataset/readers/wider.hpp"

#include <algorithm>
#include <array>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* text_name = "wider_face_val_bbx_gt.txt";
constexpr const char* mat_name = "wider_face_val.mat";
constexpr std::array levels{"easy", "medium", "hard"};

bool is_mat(const fs::path& path) {
    return ends_with_any_case(path.native(), ".mat");
}

std::string level_file(const std::string& level) {
    return "wider_" + level + "_val.mat";
}

bool holds_levels(const fs::path& folder) {
    return std::any_of(levels.begin(), levels.end(),
                       [&](const char* level) { return is_file(folder / level_file(level)); });
}

/// The folder with the lists of easy, medium and hard faces where the official archives have it: beside the
/// official annotation of the validation part, in ground_truth or in eval_tools/ground_truth; empty if there
/// is none.
fs::path discover_levels(const fs::path& annotation) {
    const fs::path name = annotation.filename();
    if (name != text_name && name != mat_name) return {};
    const fs::path folder = folder_of(annotation);
    for (const fs::path& base : {folder, folder / ".."}) {
        for (const char* const place : {"", "ground_truth", "eval_tools/ground_truth"}) {
            if (fs::path found = (base / place).lexically_normal(); holds_levels(found)) return found;
        }
    }
    return {};
}

fs::path annotation_file(const DatasetSpecification& specification) {
    const fs::path& path = specification.only_path();
    if (!is_folder(path)) return path;
    for (const char* const name : {text_name, mat_name}) {
        for (const fs::path& folder : {path, path / "wider_face_split"}) {
            if (is_file(folder / name)) return folder / name;
        }
    }
    throw UsageError("The folder '" + path.string() + "' holds neither " + text_name + " nor " + mat_name +
                     ", nor does wider_face_split in it; name the file.");
}

/// WIDER_val/images beside or above the annotation, by the "val" (or "train") in its name.
fs::path images_of_annotation(const fs::path& file) {
    const fs::path folder = folder_of(file);
    const std::string name = file.filename().string();
    const std::string set = name.find("train") != std::string::npos ? "WIDER_train" : "WIDER_val";
    return first_folder({folder / set / "images", folder / ".." / set / "images", folder / "images"}, folder);
}

void add_levels(const fs::path& folder, const fs::path& annotation, Dataset& dataset,
                std::vector<WiderImage>& images) {
    std::error_code error;
    if (!holds_levels(folder)) {
        throw UsageError("The folder '" + folder.string() +
                         "' holds none of wider_easy_val.mat, wider_medium_val.mat and wider_hard_val.mat.");
    }
    for (const char* const level : levels) {
        const fs::path file = folder / level_file(level);
        if (!is_file(file)) continue;
        dataset.sources.push_back(file);
        mark_wider_level(file, level, images);
    }
    // The positions in the lists are those of this file's faces.
    const fs::path boxes = folder / mat_name;
    if (!is_file(boxes) || fs::equivalent(boxes, annotation, error)) return;
    dataset.sources.push_back(boxes);
    std::map<std::string, std::size_t> counts;
    for (const WiderImage& image : read_wider_mat(boxes)) counts.emplace(image.image, image.faces.size());
    for (const WiderImage& image : images) {
        const auto count = counts.find(image.image);
        if (count == counts.end() || count->second != image.faces.size()) {
            throw Error(
                boxes.string() + ": it has " +
                (count == counts.end() ? "no image" : counted(count->second, "face") + " for the image") +
                " '" + excerpt(image.image) + "', and " + annotation.string() + " " +
                std::to_string(image.faces.size()) +
                "; the lists of easy, medium and hard faces count by the former, so use annotation of one "
                "version.");
        }
    }
}

}  // namespace

Certainty recognise_wider(const PathFacts& facts) {
    constexpr std::size_t of_face = 10;
    return shaped_if(facts.is_matlab() || begins_with_block(facts.text(), of_face));
}

Dataset read_wider_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("wider", path, {"LIST", "images=DIR", "mat=DIR"});
    const fs::path annotation = annotation_file(specification);
    fs::path lists = specification.option_path("mat");
    if (lists.empty()) lists = discover_levels(annotation);
    Dataset dataset;
    dataset.format = "wider";
    dataset.sources.push_back(annotation);
    dataset.root = image_root(specification, options, images_of_annotation(annotation));
    std::vector<WiderImage> read =
        is_mat(annotation) ? read_wider_mat(annotation) : read_wider_text(annotation, dataset.root);
    if (read.empty()) {
        throw Error(annotation.string() +
                    ": the file names no image: expected a name, the number of faces and their boxes.");
    }
    if (!lists.empty()) add_levels(lists, annotation, dataset, read);
    for (WiderImage& image : read) {
        Sample sample;
        sample.path = dataset.root / image.image;
        sample.annotated = true;
        if (const std::size_t slash = image.image.find('/'); slash != std::string::npos) {
            sample.attributes.push_back({"event", image.image.substr(0, slash)});
        }
        sample.image = std::move(image.image);
        sample.faces = std::move(image.faces);
        dataset.samples.push_back(std::move(sample));
    }
    return dataset;
}

}  // namespace fovea
