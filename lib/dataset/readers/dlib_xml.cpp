#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/readers/xml_file.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

using Parts = std::map<std::string, Point, NaturalLess>;

struct ImglabReader {
    Dataset& dataset;
    std::map<std::string, std::string> place_of{};  ///< image -> FILE:LINE
    std::set<std::string, NaturalLess> part_names{};
    /// per sample and box: parts, FILE:LINE
    std::vector<std::vector<std::pair<Parts, std::string>>> parts_of{};
    std::size_t lost_labels = 0;

    void read(const fs::path& path) {
        const XmlFile file(path);
        dataset.sources.push_back(path);
        const pugi::xml_node images = file.root().child("images");
        if (std::string_view(file.root().name()) != "dataset" || !images) {
            file.fail(file.root(), "a dlib imglab file: <dataset> with <images>");
        }
        for (const pugi::xml_node image : images.children("image")) read_image(file, path, image);
    }

    void read_image(const XmlFile& file, const fs::path& path, pugi::xml_node element) {
        const fs::path given = listed_name(file.text(element, "file"), folder_of(path));
        if (!given.has_filename()) file.fail(element, "the attribute file to be the path of an image");
        const std::string place = file.name() + ":" + std::to_string(file.line_of(element));
        Sample sample;
        sample.path = folder_of(path) / given;
        sample.image = image_key(given, folder_of(path), dataset.root);
        sample.annotated = true;
        if (const auto [other, is_new] = place_of.emplace(sample.image, place); !is_new) {
            file.fail(element, "an image that was not named before; it is in " + other->second +
                                   " too, and each image may have one entry only");
        }
        parts_of.emplace_back();
        std::vector<std::string> labels;
        for (const pugi::xml_node box : element.children("box")) {
            sample.faces.push_back(read_box(file, box));
            if (const std::string label(trim(box.child("label").child_value())); !label.empty()) {
                labels.push_back(label);
            }
        }
        // A label names the subject of a box; a sample has one subject.
        if (sample.faces.size() == 1 && labels.size() == 1) {
            sample.subject = labels.front();
        } else {
            lost_labels += labels.size();
        }
        dataset.samples.push_back(std::move(sample));
    }

    Face read_box(const XmlFile& file, pugi::xml_node element) {
        Face face;
        face.box = {file.pixels(element, "left"), file.pixels(element, "top"), file.pixels(element, "width"),
                    file.pixels(element, "height")};
        if (face.box.w <= 0 || face.box.h <= 0) file.fail(element, "width and height above 0");
        const std::string_view ignore = trim(element.attribute("ignore").value());
        const std::optional<bool> mark = ignore.empty() ? false : spelled_mark(ignore);
        if (!mark) file.fail(element, "the attribute ignore to be " + std::string(mark_spellings));
        face.ignore = *mark;
        Parts parts;
        for (const pugi::xml_node part : element.children("part")) {
            const std::string name = file.text(part, "name");
            if (!parts.emplace(name, Point{file.pixels(part, "x"), file.pixels(part, "y")}).second) {
                file.fail(part, "one part of this name in a box");
            }
            part_names.insert(name);
        }
        parts_of.back().emplace_back(std::move(parts),
                                     file.name() + ":" + std::to_string(file.line_of(element)));
        return face;
    }

    /// Landmarks are told apart by their position in the list, so a box with some of the parts cannot have
    /// any.
    void set_landmarks() {
        std::size_t incomplete = 0;
        std::string first;
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
            for (std::size_t k = 0; k < parts_of[i].size(); ++k) {
                const auto& [parts, place] = parts_of[i][k];
                if (parts.size() == part_names.size()) {
                    for (const auto& part : parts)
                        dataset.samples[i].faces[k].landmarks.push_back(part.second);
                } else if (!parts.empty() && incomplete++ == 0) {
                    first = place + " (" + std::to_string(parts.size()) + " of " +
                            counted(part_names.size(), "part") + ")";
                }
            }
        }
        if (incomplete > 0) {
            dataset.warnings.push_back(
                counted(incomplete, "box has", "boxes have") +
                " some of the file's parts only; their landmarks are left out, first: " + first);
        }
    }
};

/// The imglab XML files of a folder, in natural order.
std::vector<fs::path> imglab_files(const fs::path& folder) {
    return files_of(folder, [&](const std::string& name) {
        return ends_with_any_case(name, ".xml") && xml_root_name(head_of(folder / name)) == "dataset";
    });
}

std::vector<fs::path> annotation_files(const std::string& path) {
    if (is_folder(path)) {
        const auto found = imglab_files(path);
        if (found.size() == 1) return found;
        std::string message = "The folder '" + path + "' holds " +
                              (found.empty() ? "no dlib imglab XML file" : "several dlib imglab XML files") +
                              "; name the file or files (separated by commas)";
        for (const fs::path& file : found)
            message += (&file == found.data() ? ": " : ", ") + file.filename().string();
        throw UsageError(message + ".");
    }
    if (is_there(path)) return {path};
    std::vector<fs::path> files;
    for (const std::string& part : split_list(path, ',')) {
        if (part.empty()) throw UsageError("'" + path + "' has an empty name between its commas.");
        files.emplace_back(part);
    }
    return files;
}

/// The deepest folder that all files are in.
fs::path common_folder(const std::vector<fs::path>& files) {
    fs::path common = folder_of(files.front());
    for (const fs::path& file : files) {
        const fs::path folder = fs::absolute(folder_of(file)).lexically_normal();
        for (;;) {
            const fs::path relative = folder.lexically_relative(fs::absolute(common).lexically_normal());
            if (!relative.empty() && *relative.begin() != "..") break;
            common = fs::absolute(common).lexically_normal().parent_path();
        }
    }
    return common;
}

}  // namespace

Certainty recognise_dlib(const PathFacts& facts) {
    return certain_if(facts.is_folder() ? imglab_files(facts.path()).size() == 1
                                        : facts.xml_element() == "dataset");
}

std::string note_of_unused_annotation(const std::string& folder) {
    const auto files = imglab_files(folder);
    if (files.empty()) return {};
    std::vector<std::string> others;
    for (std::size_t i = 1; i < files.size(); ++i) others.push_back(files[i].filename().string());
    return "the folder is read as plain images; for the annotation write dlib:" + files[0].string() +
           (others.empty() ? "" : " (or one of " + in_words(others) + ")");
}

Dataset read_dlib_dataset(const std::string& path, const DatasetOptions& options) {
    const std::vector<fs::path> files = annotation_files(path);
    Dataset dataset;
    dataset.format = "dlib";
    dataset.root = common_folder(files);
    ImglabReader reader{dataset};
    for (const fs::path& file : files) reader.read(file);
    if (dataset.samples.empty()) {
        throw Error(files.front().string() +
                    ": the file names no image: expected <image file='...'> elements.");
    }
    reader.set_landmarks();
    if (reader.lost_labels > 0) {
        dataset.warnings.push_back(counted(reader.lost_labels, "label") +
                                   " of boxes in images with several are not kept: an image has one subject");
    }
    if (!options.root.empty()) {
        // The images lie elsewhere, arranged as they were beside the files.
        dataset.root = options.root;
        for (Sample& sample : dataset.samples) {
            if (!fs::path(sample.image).is_absolute()) sample.path = dataset.root / sample.image;
        }
    }
    return dataset;
}

}  // namespace fovea
