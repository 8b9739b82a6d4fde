#include <algorithm>

#include "lib/dataset/wider_attributes.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

/// The column's number for the face; \param unknown becomes true where the face says nothing that it has a
/// number for.
std::size_t column_value(const WiderAttribute& column, const Face& face, bool& unknown) {
    const std::string* const value = find_attribute(face.attributes, column.name);
    const auto* const found = value == nullptr || value->empty()
                                  ? column.values.end()
                                  : std::find(column.values.begin(), column.values.end(), *value);
    if (found != column.values.end()) return static_cast<std::size_t>(found - column.values.begin());
    unknown = true;
    return 0;
}

bool is_invalid(const Face& face) {
    const std::string* const value = find_attribute(face.attributes, "invalid");
    const bool marked = value != nullptr && (*value == "1" || *value == "yes" || *value == "true");
    return marked || is_ignored(face);
}

/// The folder of the image, or nothing.
std::string event_of(const std::string& image) {
    const std::size_t slash = image.find('/');
    return slash == std::string::npos ? std::string() : image.substr(0, slash);
}

std::string face_line(const WholeBox& box, const Face& face, LossCounter& unknown_attributes) {
    std::string line = std::to_string(box.left) + " " + std::to_string(box.top) + " " +
                       std::to_string(box.right - box.left) + " " + std::to_string(box.bottom - box.top);
    bool unknown = false;
    for (const WiderAttribute& column : wider_attributes) {
        line += " ";
        line += column.name == "invalid" ? (is_invalid(face) ? "1" : "0")
                                         : std::to_string(column_value(column, face, unknown));
    }
    unknown_attributes.add(unknown ||
                           (!is_invalid(face) && find_attribute(face.attributes, "invalid") == nullptr));
    return line + "\n";
}

}  // namespace

/// One text list as wider_face_val_bbx_gt.txt: image, number of faces, "x y w h blur expression
/// illumination invalid occlusion pose" each. ignore is invalid.
WrittenDataset write_wider(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    std::string text;
    LossCounter rounded;
    LossCounter unknown_attributes;
    LossCounter without_event, other_event, ignored;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        without_event.add(sample.image.find('/') == std::string::npos);
        text += line_name(sample.image, "wider") + "\n" + std::to_string(sample.faces.size()) + "\n";
        const std::string* const event = find_attribute(sample.attributes, "event");
        other_event.add(event != nullptr && *event != event_of(sample.image));
        for (const Face& face : sample.faces) {
            ignored.add(is_ignored(face));
            text += face_line(whole_box(face.box, sample.image, rounded), face, unknown_attributes);
        }
        // The set's own files give images without faces one line of zeros.
        if (sample.faces.empty()) text += "0 0 0 0 0 0 0 0 0 0\n";
    }
    rounded.report(losses, "box is", "boxes are", "rounded to whole pixels.");
    unknown_attributes.report(
        losses, "face lacks", "faces lack",
        "one or more of blur, expression, illumination, invalid, occlusion and pose; 0 is written, which "
        "says clear, typical, normal, no, none and typical.");
    ignored.report(losses, "face marked ignore is", "faces marked ignore are",
                   "written as 'invalid', which says nothing of whether a face counts.");
    other_event.report(losses, "image loses", "images lose",
                       "the attribute 'event', which is not the image's folder.");
    without_event.report(losses, "image lies", "images lie", "in no folder, which would be the event.");
    return counted_dataset({false, {{"", std::move(text)}}}, dataset);
}

}  // namespace fovea
