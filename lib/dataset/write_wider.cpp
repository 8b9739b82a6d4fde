#include <algorithm>
#include <array>
#include <vector>

#include "lib/dataset/writers.hpp"

namespace fovea {
namespace {

/// A column of the list: the values that 0, 1 and 2 stand for.
struct WiderColumn {
    std::string_view name;
    std::array<std::string_view, 3> values;
};

// In the order of the file; "invalid" stands between illumination and occlusion and is the mark ignore.
constexpr std::array columns{
    WiderColumn{"blur", {"clear", "normal", "heavy"}},
    WiderColumn{"expression", {"typical", "exaggerate", ""}},
    WiderColumn{"illumination", {"normal", "extreme", ""}},
    WiderColumn{"occlusion", {"none", "partial", "heavy"}},
    WiderColumn{"pose", {"typical", "atypical", ""}},
};
constexpr std::size_t columns_before_invalid = 3;

/// The column's number for the face; \param unknown becomes true where the face says nothing that it has a number for.
std::size_t column_value(const WiderColumn& column, const Face& face, bool& unknown) {
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
    return marked || face.ignore || face.crowd;
}

std::string face_line(const WholeBox& box, const Face& face, LossCounter& unknown_attributes) {
    std::string line = std::to_string(box.left) + " " + std::to_string(box.top) + " " +
                       std::to_string(box.right - box.left) + " " + std::to_string(box.bottom - box.top);
    bool unknown = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i == columns_before_invalid) line += is_invalid(face) ? " 1" : " 0";
        line += " " + std::to_string(column_value(columns[i], face, unknown));
    }
    unknown_attributes.add(unknown);
    return line + "\n";
}

}  // namespace

OutputFiles write_wider(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    std::string text;
    LossCounter rounded;
    LossCounter unknown_attributes;
    LossCounter without_event;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        without_event.add(sample.image.find('/') == std::string::npos);
        text += line_name(sample.image, "wider") + "\n" + std::to_string(sample.faces.size()) + "\n";
        for (const Face& face : sample.faces) {
            text += face_line(whole_box(face.box, sample.image, rounded), face, unknown_attributes);
        }
        // The set's own files give images without faces one line of zeros.
        if (sample.faces.empty()) text += "0 0 0 0 0 0 0 0 0 0\n";
    }
    rounded.report(losses, "box is", "boxes are", "rounded to whole pixels.");
    unknown_attributes.report(
        losses, "face lacks", "faces lack",
        "one or more of blur, expression, illumination, occlusion and pose; 0 is written, which "
        "says clear, typical, normal, none and typical.");
    without_event.report(losses, "image lies", "images lie", "in no folder, which would be the event.");
    HeldByFormat held;
    held.ignored = true;
    held.attributes = {"blur", "expression", "illumination", "occlusion", "pose", "invalid", "event"};
    report_unheld(dataset, held, losses);
    return {false, {{"", std::move(text)}}};
}

}  // namespace fovea
