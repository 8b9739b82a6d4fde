#include "lib/config/landmark_config.hpp"

#include <algorithm>

#include "lib/json/field.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<BoxSource, 2> box_source_names{{"detector", "truth"}, "are no boxes"};

NamedList boxes_value(std::vector<BoxSource>& boxes) {
    return {box_source_names.all(),
            [&boxes] {
                std::vector<std::string> names;
                for (const BoxSource source : boxes) names.push_back(to_string(source));
                return names;
            },
            [&boxes] { boxes.clear(); },
            [&boxes](const std::string& name) { boxes.push_back(box_source_names.value_of(name)); }};
}

FieldFlag landmark_flag(const char* name, const char* type, const std::string& help,
                        bool is_checked = false) {
    return {.name = name, .type = type, .group = "Landmarks", .help = help, .is_checked = is_checked};
}

}  // namespace

std::string to_string(BoxSource source) {
    return box_source_names.name_of(source);
}

bool LandmarkConfig::uses(BoxSource source) const {
    return wanted() && std::find(boxes.begin(), boxes.end(), source) != boxes.end();
}

void describe(FieldVisitor& visitor, LandmarkConfig& config) {
    visitor.value(
        {.key = "model",
         .flag = landmark_flag(
             "--landmarks", "LANDMARK_MODEL",
             "Find landmarks with this model: a file, or a name: helen, or default (68 points, from Debian's "
             "libdlib-data)"),
         .is_path = true},
        &config.model);
    visitor.value({.key = "boxes",
                   .flag = landmark_flag(
                       "--boxes", "BOXES",
                       "Boxes to find landmarks in: {default} (default), truth (the annotation), or both, "
                       "separated by a comma",
                       true)},
                  boxes_value(config.boxes));
    visitor.value({.key = "convention",
                   .flag = advanced(landmark_flag("--box-convention", "CONVENTION",
                                                  "Position of the face in the boxes: {default} (default) by "
                                                  "detector or dataset; none: boxes as they "
                                                  "are; or a name in models/landmarks/boxes.json"))},
                  &config.convention);
    visitor.rule("boxes", !config.boxes.empty(), "a list of detector, truth or both");
    const bool twice =
        config.boxes.size() > 2 || (config.boxes.size() == 2 && config.boxes[0] == config.boxes[1]);
    visitor.rule("boxes", !twice, "a list that names each only once");
    visitor.rule("convention", !config.convention.empty(), "auto, none or the name of a convention");
}

}  // namespace fovea
