#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/inputs/image_list_data.hpp"

namespace fovea {
namespace {

/// \return how many names were not.
std::size_t make_names_utf8(ImageListData& data, SelectedNames& names) {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        const std::string_view name = data.name(i);
        if (is_utf8(name)) continue;
        if (data.place(i) == ImageListData::at_root)
            data.set_place(i, data.arena.add(data.path(i).native()) | ImageListData::path_bit);
        data.names[i] = data.arena.add(to_utf8(name));
        ++changed;
        if (names.made_utf8++ == 0) names.first_made_utf8 = data.name(i);
    }
    return changed;
}

void require_unique_names(const ImageListData& data) {
    NameIndex table(data.arena, data.names);
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        const std::size_t same = table.add(i);
        if (same != i)
            throw_two_images_named(data.specification, data.name(i), data.path(same), data.path(i));
    }
}

void keep_first(ImageListData& data, std::size_t images) {
    data.names.resize(images);
    if (!data.places.empty()) data.places.resize(images);
    if (!data.marks.empty()) data.marks.resize(images);
}

void keep_matching(ImageListData& data, const std::string& pattern) {
    const std::size_t before = data.names.size();
    std::size_t kept = 0;
    std::string name;
    for (std::size_t i = 0; i < before; ++i) {
        name = data.name(i);
        if (!matches_name(pattern, name)) continue;
        data.names[kept] = data.names[i];
        if (!data.places.empty()) data.places[kept] = data.places[i];
        if (!data.marks.empty()) data.marks[kept] = data.marks[i];
        ++kept;
    }
    keep_first(data, kept);
}

}  // namespace

void select_images(ImageListData& data, const DatasetOptions& options, SelectedNames& names) {
    names.seen += data.names.size();
    // Files and members have different names as they are; only those written as %XX can meet others.
    if (make_names_utf8(data, names) > 0) require_unique_names(data);
    if (!options.pattern.empty()) keep_matching(data, options.pattern);
    if (options.limit > 0 && data.names.size() > options.limit) keep_first(data, options.limit);
    data.names.shrink_to_fit();
}

void tell_left_out(ImageListData& data, const SelectedNames& names) {
    if (names.made_utf8 > 0)
        data.warnings.push_back(warning_of_names_made_utf8(names.made_utf8, names.first_made_utf8));
    for (SkippedInput& input : data.skipped) input.name = to_utf8(input.name);
    for (SkippedInput& pictures : skipped_pictures(data.passed_over))
        data.skipped.push_back(std::move(pictures));
    if (std::string others = data.passed_over.sentence_of_others(); !others.empty())
        data.warnings.push_back(std::move(others));
}

}  // namespace fovea
