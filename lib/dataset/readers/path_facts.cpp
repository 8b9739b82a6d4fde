#include "lib/dataset/readers/path_facts.hpp"

#include <algorithm>
#include <utility>

#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {

PathFacts::PathFacts(std::filesystem::path path)
    : path_(std::move(path)), is_folder_(fovea::is_folder(path_)), is_file_(fovea::is_file(path_)) {}

const std::string& PathFacts::head() const {
    if (!head_) head_ = is_file_ ? head_of(path_) : std::string();
    return *head_;
}

const std::string& PathFacts::xml_element() const {
    if (!xml_element_) xml_element_ = xml_root_name(head());
    return *xml_element_;
}

bool PathFacts::is_results() const {
    const std::string_view line = std::string_view(head()).substr(0, head().find('\n'));
    return line.starts_with("{\"image\":") && line.find("\"status\":") != std::string_view::npos;
}

bool PathFacts::is_json() const {
    return xml_element().empty() && !is_results() && trim(head()).starts_with('{');
}

bool PathFacts::is_matlab() const {
    return head().starts_with("MATLAB 5.0 MAT-file");
}

bool PathFacts::is_binary() const {
    return has_zeros() && xml_element().empty() && !is_results() && !is_json() && !is_matlab();
}

bool PathFacts::is_text() const {
    return is_file_ && !has_zeros() && xml_element().empty() && !is_results() && !is_json() && !is_matlab();
}

std::string_view PathFacts::text() const {
    if (head().empty() || !is_text()) return {};
    if (!text_) text_ = TextFile::read(path_);
    return text_->text();
}

std::string_view PathFacts::first_line() const {
    if (text().empty()) return {};
    if (!first_line_) {
        const std::vector<TextLine> lines = text_->content_lines();
        first_line_ = lines.empty() ? std::string_view() : lines.front().text;
    }
    return *first_line_;
}

std::vector<std::string_view> PathFacts::row() const {
    std::vector<std::string_view> fields = split_fields(first_line());
    const bool is_row = !fields.empty() &&
                        std::all_of(fields.begin() + 1, fields.end(),
                                    [](std::string_view field) { return parse_pixels(field).has_value(); });
    if (!is_row) fields.clear();
    return fields;
}

}  // namespace fovea
