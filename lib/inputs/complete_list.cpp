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
std::size_t make_names_utf8(ImageListData& data) {
    std::size_t changed = 0;
    std::string first;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        const std::string_view name = data.name(i);
        if (is_utf8(name)) continue;
        if (data.place(i) == ImageListData::at_root)
            data.set_place(i, data.arena.add(data.path(i).native()) | ImageListData::path_bit);
        data.names[i] = data.arena.add(to_utf8(name));
        if (changed++ == 0) first = data.name(i);
    }
    if (changed > 0) data.warnings.push_back(warning_of_names_made_utf8(changed, first));
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

void keep_matching(ImageListData& data, const std::string& pattern) {
    const std::size_t before = data.names.size();
    std::size_t kept = 0;
    std::string name;
    for (std::size_t i = 0; i < before; ++i) {
        name = data.name(i);
        if (!matches_name(pattern, name)) continue;
        data.names[kept] = data.names[i];
        if (!data.places.empty()) data.places[kept] = data.places[i];
        ++kept;
    }
    if (kept == 0) throw_none_matches(before, data.specification, pattern);
    data.names.resize(kept);
    if (!data.places.empty()) data.places.resize(kept);
}

}  // namespace

void complete_list(ImageListData& data, const DatasetOptions& options) {
    // Files and members have different names as they are; only those written as %XX can meet others.
    if (make_names_utf8(data) > 0) require_unique_names(data);
    if (!options.pattern.empty()) keep_matching(data, options.pattern);
    if (options.limit > 0 && data.names.size() > options.limit) {
        data.names.resize(options.limit);
        if (!data.places.empty()) data.places.resize(options.limit);
    }
    for (SkippedInput& input : data.skipped) input.name = to_utf8(input.name);
    for (SkippedInput& pictures : skipped_pictures(data.passed_over))
        data.skipped.push_back(std::move(pictures));
    if (std::string others = data.passed_over.sentence_of_others(); !others.empty())
        data.warnings.push_back(std::move(others));
    data.names.shrink_to_fit();
}

}  // namespace fovea
