#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fovea {

/// "why" in the status "unreadable: why" of an image; a status without that mark as it is.
std::string_view unreadable_reason(std::string_view status);

/// The properties of an image in a line of results.jsonl, without the detections themselves.
struct ResultLine {
    std::string image;
    std::string status;
    std::size_t detections = 0;
    bool is_damaged = false;
    std::size_t pages = 1;

    bool ok() const { return status == "ok"; }
    std::string_view unreadable_reason() const { return fovea::unreadable_reason(status); }
};

/// Reads a line, with or without its newline, in little memory.
/// \return nothing if it is not a JSON object with "image", "status" and a list "detections" of objects.
std::optional<ResultLine> read_result_line(std::string_view line);

}  // namespace fovea
