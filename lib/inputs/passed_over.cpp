#include "lib/inputs/passed_over.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <spdlog/spdlog.h>

#include "lib/core/text.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace {

constexpr std::array<std::string_view, 9> unread_formats{"psd", "psb", "svg", "exr", "hdr",
                                                         "ico", "tga", "dds", "jxr"};

const std::string without_extension = "without an extension";

std::string extension_of(std::string_view file_name) {
    file_name.remove_prefix(file_name.rfind('/') == std::string_view::npos ? 0 : file_name.rfind('/') + 1);
    const std::size_t dot = file_name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return {};
    std::string extension(file_name.substr(dot + 1));
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return to_utf8(extension);
}

}  // namespace

void PassedOver::add(std::string_view file_name) {
    if (spdlog::should_log(spdlog::level::debug)) spdlog::debug("passed over: {}", excerpt(file_name, 400));
    std::string extension = extension_of(file_name);
    const bool is_photograph =
        std::find(unread_formats.begin(), unread_formats.end(), extension) != unread_formats.end();
    ++(is_photograph ? photographs_ : others_)[std::move(extension)];
}

std::vector<SkippedInput> PassedOver::photographs() const {
    std::vector<SkippedInput> inputs;
    for (const auto& [extension, count] : photographs_)
        inputs.push_back({"*." + extension, counted(count, "file") + " in a format that is not read"});
    return inputs;
}

std::map<std::string, std::size_t> PassedOver::counts_of_others() const {
    std::map<std::string, std::size_t> counts;
    for (const auto& [extension, count] : others_)
        counts[extension.empty() ? without_extension : extension] = count;
    return counts;
}

std::string PassedOver::others() const {
    std::vector<std::pair<std::string, std::size_t>> kinds(others_.begin(), others_.end());
    // The most frequent first.
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t max_kinds = 10;
    std::size_t files = 0, unnamed = 0;
    std::string list;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto& [extension, count] = kinds[i];
        files += count;
        if (i >= max_kinds) {
            unnamed += count;
            continue;
        }
        list += (list.empty() ? "" : ", ") + std::to_string(count) + " " +
                (extension.empty() ? without_extension : extension);
    }
    if (files == 0) return {};
    if (unnamed > 0) list += ", " + std::to_string(unnamed) + " of other kinds";
    return (files == 1 ? "1 file is no image and was"
                       : std::to_string(files) + " files are no images and were") +
           std::string(" passed over: ") + list;
}

}  // namespace fovea
