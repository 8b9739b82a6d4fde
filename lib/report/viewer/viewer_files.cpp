#include "lib/report/viewer/viewer_files.hpp"

// Made by CMake: the assembler reads the files; FOVEA_VIEWER_SCRIPTS,
// FOVEA_LABEL_SCRIPTS and FOVEA_BROWSE_SCRIPTS name the scripts.
#include <viewer_files.inc>

namespace fovea::report {
namespace {

std::string_view between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view viewer_page() {
    return between(fovea_viewer_page_html, fovea_viewer_page_html_end);
}

std::string_view viewer_style() {
    return between(fovea_viewer_style_css, fovea_viewer_style_css_end);
}

std::vector<std::string_view> viewer_scripts() {
    return {FOVEA_VIEWER_SCRIPTS};
}

std::string_view label_skeleton() {
    return between(fovea_viewer_label_html, fovea_viewer_label_html_end);
}

std::string_view label_style() {
    return between(fovea_viewer_label_css, fovea_viewer_label_css_end);
}

std::vector<std::string_view> label_scripts() {
    return {FOVEA_LABEL_SCRIPTS};
}

std::string_view browse_skeleton() {
    return between(fovea_viewer_browse_html, fovea_viewer_browse_html_end);
}

std::string_view browse_style() {
    return between(fovea_viewer_browse_css, fovea_viewer_browse_css_end);
}

std::vector<std::string_view> browse_scripts() {
    return {FOVEA_BROWSE_SCRIPTS};
}

}  // namespace fovea::report
