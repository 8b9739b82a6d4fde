#include "lib/json/json_text.hpp"

#include <cstddef>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/special_characters.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

// nlohmann/json numbers its errors; 101 is a text that is no JSON.
constexpr int no_json = 101;

[[noreturn]] void fail(std::size_t byte, const std::string& what) {
    throw Json::parse_error::create(no_json, byte, what, nullptr);
}

void check_depth(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest_json)
                fail(i + 1, "lists and objects lie more than " + std::to_string(deepest_json) + " deep");
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
}

// The library does not say where the number is, but quotes it.
[[noreturn]] void fail_number(std::string_view text, const std::string& message) {
    const std::size_t begin = message.find('\'') + 1;
    const std::size_t end = message.rfind('\'');
    if (begin == 0 || end <= begin) fail(0, message);
    const std::string number = message.substr(begin, end - begin);
    const std::size_t found = text.find(number);
    fail(found == std::string_view::npos ? 0 : found + 1, "the number " + number + " is too large");
}

// JSON's text as UTF-8 has it, with \u escapes for what a terminal would obey. Only strings hold that.
std::string with_escapes(std::string text) {
    // The first bytes of such characters; most texts have none.
    constexpr std::string_view first_bytes = "\x7F\xC2\xD8\xE2";
    std::size_t at = text.find_first_of(first_bytes);
    if (at == std::string::npos) return text;
    std::string escaped;
    std::size_t done = 0;
    for (; at != std::string::npos; at = text.find_first_of(first_bytes, at + 1)) {
        const std::string_view character =
            std::string_view(text).substr(at, utf8_piece(std::string_view(text).substr(at)).length);
        if (!is_control(character)) continue;
        escaped.append(text, done, at - done);
        // The library writes ASCII for a string if it is told to.
        const std::string quoted = Json(std::string(character)).dump(-1, ' ', true);
        escaped.append(quoted, 1, quoted.size() - 2);
        done = at + character.size();
    }
    return escaped.append(text, done);
}

}  // namespace

Json parse_json(std::string_view text, const Json::parser_callback_t& callback) {
    check_depth(text);
    try {
        return Json::parse(text.begin(), text.end(), callback);
    } catch (const Json::out_of_range& error) {
        fail_number(text, error.what());
    }
}

Json parse_json_file(const std::string& file, std::string_view text, const std::string& advice) {
    try {
        return parse_json(text);
    } catch (const Json::parse_error& error) {
        const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
        const std::string found = offset < text.size() ? excerpt(text.substr(offset, 20)) : "end of file";
        throw Error(file + ":" + std::to_string(line_at(text, offset)) + ": cannot read '" + found +
                    "': expected well-formed JSON; " + advice);
    }
}

std::string indented_text(const Json& json) {
    return with_escapes(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string compact_text(const Json& json) {
    return with_escapes(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace fovea
