#include "lib/dataset/passed_over.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <spdlog/spdlog.h>

#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace {

constexpr std::array<std::string_view, 9> unread_formats{"psd", "psb", "svg", "exr", "hdr",
                                                         "ico", "tga", "dds", "jxr"};

std::string extension_of(std::string_view file_name) {
    file_name.remove_prefix(file_name.rfind('/') + 1);
    const std::size_t dot = file_name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == file_name.size())
        return PassedOver::no_extension;
    return to_utf8(lower_case(file_name.substr(dot + 1)));
}

/// "2 psd, 1 svg", the most frequent first.
std::string list_of(const PassedOver::Counts& counts) {
    std::vector<std::pair<std::string, std::size_t>> kinds(counts.begin(), counts.end());
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t max_kinds = 10;
    std::size_t unnamed = 0;
    std::string list;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto& [extension, count] = kinds[i];
        if (i >= max_kinds) {
            unnamed += count;
            continue;
        }
        list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + extension;
    }
    if (unnamed > 0) list += ", " + std::to_string(unnamed) + " of other kinds";
    return list;
}

/// "1 file is no image and was passed over: 1 txt"; empty without any.
std::string sentence(const PassedOver::Counts& counts, const char* one, const char* more, const char* fate) {
    const std::size_t files = files_in(counts);
    if (files == 0) return {};
    return counted(files, "file is", "files are") + " " + (files == 1 ? one : more) + " and " +
           (files == 1 ? "was " : "were ") + fate + ": " + list_of(counts);
}

}  // namespace

void PassedOver::add(std::string_view file_name, FileContent content) {
    if (spdlog::should_log(spdlog::level::debug)) spdlog::debug("passed over: {}", excerpt(file_name, 400));
    std::string extension = extension_of(file_name);
    const bool is_picture =
        std::find(unread_formats.begin(), unread_formats.end(), extension) != unread_formats.end();
    Counts& counts = is_picture ? pictures_ : content == FileContent::other ? others_ : misnamed_;
    ++counts[std::move(extension)];
}

std::size_t PassedOver::lost_files() const {
    return files_in(pictures_) + files_in(misnamed_);
}

std::string PassedOver::sentence_of_pictures() const {
    return sentence(pictures_, "a picture in a format that is not read,",
                    "pictures in formats that are not read,", "left out");
}

std::string PassedOver::sentence_of_misnamed() const {
    return sentence(misnamed_, "a picture or a video by its content, but not by its name,",
                    "pictures or videos by their content, but not by their names,", "left out");
}

std::string PassedOver::sentence_of_others() const {
    return sentence(others_, "no image", "no images", "passed over");
}

std::vector<std::string> PassedOver::sentences() const {
    std::vector<std::string> list{sentence_of_pictures(), sentence_of_misnamed(), sentence_of_others()};
    std::erase(list, "");
    return list;
}

std::size_t files_in(const PassedOver::Counts& counts) {
    std::size_t files = 0;
    for (const auto& [extension, count] : counts) files += count;
    return files;
}

}  // namespace fovea
