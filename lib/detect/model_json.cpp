#include "lib/detect/model_json.hpp"

#include <cstdint>
#include <limits>

#include "lib/json/json_text.hpp"

namespace fovea {

bool begins_as_json(std::string_view text) {
    const std::size_t bom = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    const std::size_t first = text.find_first_not_of(" \t\r\n", bom);
    return first != std::string_view::npos && text[first] == '{';
}

void require_model_format(const JsonPlace& place, const std::string& format, int version) {
    if (!place.json().is_object() || !place.has("format") || place["format"].json() != format) {
        place.fail("a detector of this program, with \"format\": \"" + format + "\"");
    }
    if (!place.has("version")) place.fail("a key \"version\"");
    const std::int64_t written = place["version"].integer(1, std::numeric_limits<std::int32_t>::max());
    if (written > version) {
        place["version"].fail("version " + std::to_string(version) +
                              "; this file was written by a newer release of the program, which is "
                              "needed to read it");
    }
}

Json read_training(const JsonPlace& place) {
    if (!place.has("training")) return {};
    if (!place["training"].json().is_object()) place["training"].fail("an object");
    return place["training"].json();
}

std::string training_member(const Json& training) {
    if (training.is_null()) return {};
    // Indented as a member of the object that it is put into.
    std::string text = indented_text(training);
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
        text.insert(at + 1, "  ");
    return ",\n  \"training\": " + text;
}

}  // namespace fovea
