#include "lib/results/result_line.hpp"

#include <optional>

#include <simdjson.h>

namespace fovea {
namespace {

/// Takes a text of which there is one. False if it is no text, or there was one before.
bool take_text(const simdjson::dom::element& value, std::optional<std::string_view>& to) {
    std::string_view text;
    if (to || value.get_string().get(text) != simdjson::SUCCESS) return false;
    to = text;
    return true;
}

/// Counts a list of objects. False if it is none, or there was one before.
bool take_count(const simdjson::dom::element& value, std::optional<std::size_t>& to) {
    simdjson::dom::array list;
    if (to || value.get_array().get(list) != simdjson::SUCCESS) return false;
    to = 0;
    for (const simdjson::dom::element element : list) {
        if (!element.is_object()) return false;
        ++*to;
    }
    return true;
}

}  // namespace

std::string_view unreadable_reason(std::string_view status) {
    constexpr std::string_view prefix = "unreadable: ";
    return status.substr(status.starts_with(prefix) ? prefix.size() : 0);
}

std::optional<ResultLine> read_result_line(std::string_view line) {
    thread_local simdjson::dom::parser parser;
    // The parser reads a little behind the text.
    thread_local std::string padded;
    padded.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    padded.assign(line);
    simdjson::dom::object object;
    if (parser.parse(padded.data(), padded.size(), false).get_object().get(object) != simdjson::SUCCESS)
        return std::nullopt;
    ResultLine result;
    std::optional<std::string_view> image, status;
    std::optional<std::size_t> detections;
    for (const auto& [key, value] : object) {
        if (key == "image" && !take_text(value, image)) return std::nullopt;
        if (key == "status" && !take_text(value, status)) return std::nullopt;
        if (key == "detections" && !take_count(value, detections)) return std::nullopt;
        if (key == "damaged") result.is_damaged = value.is_bool() && bool(value);
        if (std::uint64_t pages = 0; key == "pages" && value.get_uint64().get(pages) == simdjson::SUCCESS)
            result.pages = pages;
    }
    if (!image || !status || !detections) return std::nullopt;
    result.image = *image;
    result.status = *status;
    result.detections = *detections;
    return result;
}

}  // namespace fovea
