#include <algorithm>
#include <map>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/readers/xml_file.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// The text inside the child `name`; empty if there is no such child.
std::string_view child_text(pugi::xml_node element, const char* name) {
    return trim(element.child(name).child_value());
}

double child_pixels(const XmlFile& file, pugi::xml_node element, const char* name) {
    const auto value = parse_pixels(child_text(element, name));
    if (!value) file.fail(element, std::string("a number of pixels in <") + name + ">");
    return *value;
}

bool is_unspecified(std::string_view value) {
    return value.empty() || (value.size() == std::string_view("unspecified").size() &&
                             ends_with_any_case(value, "unspecified"));
}

/// The mark that takes an object out of what counts.
bool is_difficult(const XmlFile& file, pugi::xml_node object) {
    const std::string_view value = child_text(object, "difficult");
    const std::optional<bool> mark = is_unspecified(value) ? false : spelled_mark(value);
    if (!mark) {
        file.fail(object.child("difficult"), std::string(mark_spellings) + ", not '" + excerpt(value) +
                                                 "': what is difficult does not count");
    }
    return *mark;
}

/// Corners counted from 1, the last pixel included, become [x, x + w) from 0.
Box read_box(const XmlFile& file, pugi::xml_node object) {
    const pugi::xml_node box = object.child("bndbox");
    if (!box) file.fail(object, "a <bndbox> in it");
    const double left = child_pixels(file, box, "xmin");
    const double top = child_pixels(file, box, "ymin");
    const double right = child_pixels(file, box, "xmax");
    const double bottom = child_pixels(file, box, "ymax");
    if (right < left || bottom < top) file.fail(box, "xmax and ymax that are not below xmin and ymin");
    return {left - 1, top - 1, right - left + 1, bottom - top + 1};
}

Face read_object(const XmlFile& file, pugi::xml_node object) {
    Face face;
    face.box = read_box(file, object);
    const std::string_view name = child_text(object, "name");
    if (name.empty()) file.fail(object, "a <name> in it: the class of the object");
    face.attributes.push_back({"class", std::string(name)});
    if (const std::string_view pose = child_text(object, "pose"); !is_unspecified(pose)) {
        face.attributes.push_back({"pose", std::string(pose)});
    }
    for (const char* const optional : {"truncated", "occluded"}) {
        const std::string_view value = child_text(object, optional);
        const std::optional<bool> mark = is_unspecified(value) ? false : spelled_mark(value);
        if (mark.value_or(true)) face.attributes.push_back({optional, mark ? "yes" : std::string(value)});
    }
    face.ignore = is_difficult(file, object);
    if (face.ignore) face.attributes.push_back({"difficult", "yes"});
    return face;
}

/// Nothing where it is not known: some tools write 0 then.
std::optional<ImageSize> read_size(pugi::xml_node size) {
    constexpr int most = 10'000'000;
    const auto side = [&](const char* name) {
        return static_cast<int>(spelled_whole(child_text(size, name), 0, most).value_or(0));
    };
    const ImageSize read{side("width"), side("height")};
    return read.width > 0 && read.height > 0 ? std::optional(read) : std::nullopt;
}

/// VOC XML in a folder and its sub-folders, in natural order.
std::vector<fs::path> xml_files(const fs::path& folder) {
    if (!is_folder(folder)) return {};
    std::vector<fs::path> files = files_below_ending(folder, ".xml");
    std::erase_if(files, [](const fs::path& file) { return xml_root_name(head_of(file)) != "annotation"; });
    return files;
}

/// The annotation of the images that ImageSets/Main/NAME.txt names: "000012", or "000012 -1" in lists of a
/// class.
std::vector<fs::path> files_of_set(const fs::path& folder, const std::string& set, Dataset& dataset) {
    const fs::path list = folder / "ImageSets" / "Main" / (set + ".txt");
    const TextFile file = TextFile::read(list);
    dataset.sources.push_back(list);
    std::vector<fs::path> files;
    for (const TextLine& line : file.content_lines()) {
        const std::string id(split_fields(line.text).front());
        const fs::path stem = folder / "Annotations" / id;
        const std::optional<fs::path> annotation = file_of_stem(stem, ".xml");
        if (!annotation) {
            file.fail(line, "an image with annotation; there is no '" + stem.string() + ".xml'");
        }
        files.push_back(*annotation);
    }
    if (files.empty()) throw Error(file.name() + ": the list names no image.");
    return files;
}

std::vector<fs::path> annotation_files(const DatasetSpecification& specification, Dataset& dataset) {
    const std::string set = specification.option("set");
    std::vector<fs::path> files;
    for (const fs::path& path : specification.paths()) {
        std::vector<fs::path> found{path};
        if (!set.empty()) {
            found = files_of_set(path, set, dataset);
        } else if (is_folder(path)) {
            found = xml_files(path / "Annotations");
            if (found.empty()) found = xml_files(path);
            if (found.empty()) {
                throw UsageError("The folder '" + path.string() +
                                 "' holds no PASCAL VOC annotation: no XML file whose outermost element is "
                                 "<annotation>, nor does Annotations in it.");
            }
        }
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

class VocReader {
  public:
    VocReader(Dataset& dataset, const fs::path& root) : dataset_(dataset), index_(root, 2) {
        dataset_.root = root;
        dataset_.warnings = index_.warnings();
    }

    void read(const fs::path& path) {
        const XmlFile file(path);
        dataset_.sources.push_back(path);
        if (std::string_view(file.root().name()) != "annotation") {
            file.fail(file.root(), "a PASCAL VOC file: <annotation>");
        }
        Sample sample;
        sample.image = image_of(file, path.stem().string());
        const auto [other, is_new] = file_of_.emplace(sample.image, file.name());
        if (!is_new) {
            throw Error(file.name() + ": it is of the image '" + excerpt(sample.image) + "', and so is " +
                        other->second + "; each image may have one file only.");
        }
        sample.path = dataset_.root / sample.image;
        sample.annotated = true;
        sample.size = read_size(file.root().child("size"));
        for (const pugi::xml_node object : file.root().children("object")) {
            sample.faces.push_back(read_object(file, object));
        }
        dataset_.samples.push_back(std::move(sample));
    }

    /// Leaves the objects of one class: the one asked for, else "face", else the only one.
    void keep_class(std::string wanted) {
        std::map<std::string, std::size_t> classes;
        for (const Sample& sample : dataset_.samples) {
            for (const Face& face : sample.faces) ++classes[*find_attribute(face.attributes, "class")];
        }
        if (wanted.empty())
            wanted = classes.contains("face") || classes.size() != 1 ? "face" : classes.begin()->first;
        if (!classes.empty() && !classes.contains(wanted)) {
            std::string names;
            for (const auto& [name, count] : classes) names += (names.empty() ? "" : ", ") + name;
            throw UsageError("The annotation has no object of class '" + wanted +
                             "'; name one with ,class=NAME: " + names + ".");
        }
        for (Sample& sample : dataset_.samples) {
            std::erase_if(sample.faces, [&](const Face& face) {
                return *find_attribute(face.attributes, "class") != wanted;
            });
        }
    }

    void warn_of_missing() const {
        warn_of_missing_images(missing_, dataset_, "; name their folder with ,images=DIR");
    }

  private:
    std::string image_of(const XmlFile& file, const std::string& stem) {
        const std::string given = listed_name(child_text(file.root(), "filename"), dataset_.root);
        for (const std::string& name : {given, stem}) {
            if (const auto found = name.empty() ? std::nullopt : index_.find(name)) return *found;
        }
        missing_.push_back(is_image_name(given) ? given : stem + ".jpg");
        return missing_.back();
    }

    Dataset& dataset_;
    ImageIndex index_;
    std::map<std::string, std::string> file_of_;
    std::vector<std::string> missing_;
};

}  // namespace

Certainty recognise_voc(const PathFacts& facts) {
    if (!facts.is_folder()) return certain_if(facts.xml_element() == "annotation");
    // Not the sub-folders: a bare path may be a whole archive of photographs.
    const auto has_annotation = [](const fs::path& place) {
        return !files_of(place, [&](const std::string& name) {
                    return ends_with_any_case(name, ".xml") &&
                           xml_root_name(head_of(place / name)) == "annotation";
                }).empty();
    };
    return certain_if(has_annotation(facts.path() / "Annotations") || has_annotation(facts.path()));
}

Dataset read_voc_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("voc", path, {"PATH", "images=DIR", "set=NAME", "class=NAME"});
    const fs::path folder = specification.folder();
    Dataset dataset;
    dataset.format = "voc";
    const std::vector<fs::path> files = annotation_files(specification, dataset);
    VocReader reader(dataset,
                     image_root(specification, options,
                                first_folder({folder / "JPEGImages", folder / "../JPEGImages"}, folder)));
    for (const fs::path& file : files) reader.read(file);
    reader.keep_class(specification.option("class"));
    reader.warn_of_missing();
    return dataset;
}

}  // namespace fovea
