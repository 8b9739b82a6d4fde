#include "lib/dataset/writers/writers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace {

bool is_attribute_held(const DatasetFields& held, const Attribute& attribute) {
    if (held.all_attributes) return true;
    return std::any_of(held.attributes.begin(), held.attributes.end(), [&](const FormatAttribute& known) {
        return known.name == attribute.name &&
               (known.values.empty() ||
                std::find(known.values.begin(), known.values.end(), attribute.value) != known.values.end());
    });
}

/// Counts by attribute name, in the order of first appearance.
class AttributeLosses {
  public:
    void add(const std::vector<Attribute>& attributes, const DatasetFields& held) {
        for (const Attribute& attribute : attributes) {
            if (is_attribute_held(held, attribute)) continue;
            if (counts_.find(attribute.name) == counts_.end()) order_.push_back(attribute.name);
            counts_[attribute.name].add();
        }
    }
    void report(Losses& losses, const std::string& singular, const std::string& plural) const {
        for (const std::string& name : order_) {
            counts_.at(name).report(losses, singular, plural, "the attribute '" + excerpt(name) + "'.");
        }
    }

  private:
    std::vector<std::string> order_;
    std::map<std::string, LossCounter> counts_;
};

void require_below(const std::string& image) {
    if (is_name_below(image)) return;
    throw Error("The image '" + excerpt(image) +
                "' lies outside of the dataset's folder, and so would its file; move it, or choose a format "
                "of one file.");
}

bool has_no_area(const Face& face) {
    return face.box.area() <= 0;
}

bool has_no_pixels(const Face& face) {
    const Box& box = face.box;
    // whole_box() refuses others, with the image's name.
    if (!std::isfinite(box.x + box.w) || !std::isfinite(box.y + box.h)) return false;
    return rounded_edge(box.x + box.w) <= rounded_edge(box.x) ||
           rounded_edge(box.y + box.h) <= rounded_edge(box.y);
}

}  // namespace

bool is_ignored(const Face& face) {
    return face.ignore || face.crowd;
}

WrittenDataset counted_dataset(OutputFiles files, const Dataset& written) {
    WrittenDataset counted{std::move(files), 0, 0};
    for (const Sample& sample : written.samples) {
        if (!sample.annotated) continue;
        ++counted.images;
        counted.faces += sample.faces.size();
    }
    return counted;
}

const LeftOutFaces boxes_without_area{has_no_area, "the box has no area"};
const LeftOutFaces boxes_without_pixels{has_no_pixels, "the box has no area"};
const LeftOutFaces boxes_of_negative_size{[](const Face& face) { return face.box.w < 0 || face.box.h < 0; },
                                          "the box has a negative width or height"};
const LeftOutFaces ellipses_without_area{[](const Face& face) {
                                             if (!face.ellipse) return has_no_area(face);
                                             return face.ellipse->major_radius <= 0 ||
                                                    face.ellipse->minor_radius <= 0;
                                         },
                                         "an ellipse without area"};
const LeftOutFaces faces_without_landmarks{[](const Face& face) { return face.landmarks.empty(); },
                                           "it has no landmarks"};

Dataset dataset_to_write(Dataset dataset, const DatasetFields& held, Losses& losses) {
    LossCounter ignored, left_out;
    const bool has_place_for_ignored = held.ignored || held.ignored_unmarked || !held.faces;
    for (Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        std::erase_if(sample.faces, [&](const Face& face) {
            const bool is_without_mark = !has_place_for_ignored && is_ignored(face);
            const bool is_left_out =
                !is_without_mark && held.left_out.are != nullptr && held.left_out.are(face);
            ignored.add(is_without_mark);
            left_out.add(is_left_out);
            return is_without_mark || is_left_out;
        });
    }
    ignored.report(losses, "face marked ignore is", "faces marked ignore are",
                   "left out: the format has no such mark.");
    left_out.report(losses, "face is", "faces are", "left out: " + std::string(held.left_out.why) + ".");
    return dataset;
}

void warn_unsupported_fields(const Dataset& dataset, const DatasetFields& held, Losses& losses) {
    LossCounter unannotated, marks, crowds, subjects, image_eyes, face_eyes, landmarks, keypoints, ellipses,
        areas, sizes;
    AttributeLosses of_images;
    AttributeLosses of_faces;
    for (const Sample& sample : dataset.samples) {
        unannotated.add(!held.unannotated && !sample.annotated);
        subjects.add(!held.subjects && !sample.subject.empty());
        image_eyes.add(!held.image_eyes && sample.eyes.has_value());
        sizes.add(!held.sizes && sample.size.has_value());
        of_images.add(sample.attributes, held);
        for (const Face& face : sample.faces) {
            if (!held.faces) break;
            marks.add(held.ignored_unmarked && is_ignored(face));
            crowds.add((held.ignored || held.ignored_unmarked) && !held.crowds && face.crowd);
            face_eyes.add(!held.face_eyes && face.eyes.has_value());
            landmarks.add(!held.landmarks && !face.landmarks.empty());
            keypoints.add(!held.keypoints && face.keypoints.is_set());
            ellipses.add(!held.ellipses && face.ellipse.has_value());
            areas.add(!held.areas && face.area.has_value());
            of_faces.add(face.attributes, held);
        }
    }
    unannotated.report(losses, "image is", "images are", "not annotated and left out.");
    marks.report(losses, "face loses", "faces lose", "the mark ignore.");
    crowds.report(losses, "crowd becomes", "crowds become", "faces marked ignore.");
    subjects.report(losses, "image loses", "images lose", "the subject.");
    image_eyes.report(losses, "image loses", "images lose", "the eyes given for the image as a whole.");
    face_eyes.report(losses, "face loses", "faces lose",
                     held.landmarks ? "the eyes (landmarks, where there are some, are kept)." : "the eyes.");
    landmarks.report(losses, "face loses", "faces lose", "the landmarks.");
    keypoints.report(losses, "face loses", "faces lose",
                     "the visibility of landmarks, and all of them where some are not labelled.");
    ellipses.report(losses, "face loses", "faces lose", "the ellipse.");
    areas.report(losses, "face loses", "faces lose", "the area, which is not that of the box.");
    sizes.report(losses, "image loses", "images lose", "the size.");
    of_images.report(losses, "image loses", "images lose");
    of_faces.report(losses, "face loses", "faces lose");
    if (!held.pairs && !dataset.pairs.empty()) {
        losses.push_back(counted(dataset.pairs.size(), "pair") + " of images " +
                         (dataset.pairs.size() == 1 ? "is" : "are") + " lost.");
    }
}

std::optional<ImageSize> size_of_sample(const Sample& sample, const ImageSizeLookup& size_of) {
    if (sample.size) return sample.size;
    return size_of ? size_of(sample) : std::nullopt;
}

std::string name_without_extension(const std::string& image) {
    const std::size_t slash = image.rfind('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    return image.substr(0, start) + image_stem(std::string_view(image).substr(start));
}

std::string path_beside(const std::string& image, std::string_view extension) {
    require_below(image);
    return name_without_extension(image) + std::string(extension);
}

std::string path_behind(const std::string& image, std::string_view extension) {
    require_below(image);
    return image + std::string(extension);
}

namespace {

constexpr const char* formats_of_any_name =
    "another format: coco, fovea (datasets), or jsonl, csv, sqlite (results) hold every name";

}  // namespace

const std::string& line_name(const std::string& image, std::string_view format) {
    if (image.empty() || image.front() == '#' || image.find_first_of("\n\r") != std::string::npos ||
        trim(image) != image) {
        throw Error(
            "The image '" + excerpt(image) + "' cannot be named in the format " + std::string(format) +
            ": names there may not be empty, begin with '#', begin or end with a blank or hold a line "
            "break; rename it, or write " +
            formats_of_any_name + ".");
    }
    return image;
}

const std::string& field_name(const std::string& image, std::string_view format) {
    if (image.empty() || image.front() == '#' || image.find_first_of(" \t\r\n\v\f") != std::string::npos) {
        throw Error(
            "The image '" + excerpt(image) + "' cannot be named in the format " + std::string(format) +
            ", whose lines are fields separated by blanks: names may hold none, nor begin with '#'; rename "
            "it.");
    }
    return image;
}

std::string coordinate(double value, const std::string& image) {
    if (!std::isfinite(value)) {
        throw Error("A coordinate of '" + excerpt(image) + "' is not a finite number and cannot be written.");
    }
    return shortest_number(value);
}

double rounded_edge(double edge) {
    return std::floor(edge + 0.5);
}

WholeBox whole_box(const Box& box, const std::string& image, LossCounter& rounded) {
    const double edges[4] = {box.x, box.y, box.x + box.w, box.y + box.h};
    long long whole[4] = {};
    bool changed = false;
    for (int i = 0; i < 4; ++i) {
        // Beyond this no double has a fraction, and far beyond it none fits the integer.
        if (!(std::abs(edges[i]) < 9e15)) {
            throw Error("A coordinate of '" + excerpt(image) +
                        "' is not a finite number and cannot be written.");
        }
        whole[i] = static_cast<long long>(rounded_edge(edges[i]));
        changed = changed || static_cast<double>(whole[i]) != edges[i];
    }
    rounded.add(changed);
    return {whole[0], whole[1], whole[2], whole[3]};
}

void require_unique_files(const OutputFiles& files, std::string_view format) {
    std::set<std::string_view> names;
    for (const OutputFile& file : files.files) {
        if (!names.insert(file.name).second) {
            throw Error("Two images share the name '" + excerpt(file.name) + "' in the format " +
                        std::string(format) +
                        ", which has one file for each image without its extension; rename one.");
        }
    }
}

std::string xml_text(const pugi::xml_document& document) {
    std::ostringstream stream;
    document.save(stream, "  ", pugi::format_indent, pugi::encoding_utf8);
    return stream.str();
}

}  // namespace fovea
