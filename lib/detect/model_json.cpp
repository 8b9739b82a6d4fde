#include "lib/detect/model_json.hpp"

#include "lib/json/json_text.hpp"

namespace fovea {

bool begins_as_json(std::string_view text) {
    const std::size_t bom = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    const std::size_t first = text.find_first_not_of(" \t\r\n", bom);
    return first != std::string_view::npos && text[first] == '{';
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
