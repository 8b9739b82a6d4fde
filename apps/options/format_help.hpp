#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "lib/dataset/format_record.hpp"

namespace fovea {

/// A row of a footer: "  word   text". \param column where the text begins.
inline std::string help_entry(std::string_view word, const std::string& text, std::size_t column) {
    std::string entry = "  " + std::string(word);
    entry.resize(std::max(entry.size() + 1, column), ' ');
    return entry + text + "\n";
}

/// A list of the formats that are written, as one file and as a folder: "  one file   coco, dlib".
template <class Kind>
std::string help_on_written_formats(const FormatTable<Kind>& formats) {
    std::string of_file, of_folder;
    for (const FormatRecord<Kind>& format : formats) {
        if (!format.is_written()) continue;
        std::string& names = format.is_folder ? of_folder : of_file;
        names += (names.empty() ? "" : ", ") + std::string(format.name);
        if (!format.written.empty()) names += " (" + std::string(format.written) + ")";
    }
    constexpr std::size_t column = 13;
    return help_entry("one file", of_file, column) + help_entry("a folder", of_folder, column);
}

/// A list of the formats that are read, a line or more each: "  text       lines \"name x y w h score\"".
template <class Kind>
std::string help_on_read_formats(const FormatTable<Kind>& formats) {
    std::string help;
    for (const FormatRecord<Kind>& format : formats) {
        if (format.read == nullptr) continue;
        // The document's marks of code are quotes here, but for code that has quotes itself.
        std::string content(format.content);
        if (content.find('"') == std::string::npos) std::replace(content.begin(), content.end(), '`', '"');
        std::erase(content, '`');
        if (format.recognise == nullptr) content += "; must be named";
        constexpr std::size_t column = 13;
        help += help_entry(format.name, content, column);
    }
    return help;
}

}  // namespace fovea
