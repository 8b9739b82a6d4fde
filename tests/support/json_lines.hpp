#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

namespace fovea::test {

/// The JSON values of a text with one a line; every line must be finished by a line break.
inline std::vector<Json> json_lines(const std::string& text) {
    std::vector<Json> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        REQUIRE(end != std::string::npos);
        lines.push_back(Json::parse(text.substr(at, end - at)));
        at = end + 1;
    }
    return lines;
}

}  // namespace fovea::test
