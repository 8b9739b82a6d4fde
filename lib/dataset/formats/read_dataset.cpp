#include "lib/dataset/formats/read_dataset.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/stored_pixels.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace {

/// A file that is no list of images either.
void refuse_what_is_no_dataset(const PathFacts& facts) {
    const std::string path = facts.path().string();
    const std::string known = "; formats of datasets are " + in_one_list(dataset_formats().names_read());
    if (const std::string& element = facts.xml_element(); !element.empty()) {
        throw UsageError("'" + path + "' is XML whose outermost element is <" + excerpt(element) + ">" +
                         known + ".");
    }
    if (facts.is_results()) {
        throw UsageError("'" + path +
                         "' holds results and is no dataset; name it with --results, and the dataset that "
                         "they are of in its place.");
    }
    if (facts.is_binary()) {
        throw UsageError("'" + path + "' is a binary file" + known +
                         ". An image whose name has no extension is read as image:" + path + ".");
    }
}

/// The format of a path whose specification names none, by what is there.
/// \throws UsageError if nothing is there or nothing fits.
const DatasetFormat& recognise_format(const std::string& path) {
    if (!is_there(path)) {
        throw UsageError("There is no file or folder '" + path + "'; check the path, or write FORMAT:PATH.");
    }
    const PathFacts facts(path);
    const auto [format, certainty] = dataset_formats().recognise(facts);
    if (certainty == Certainty::fallback) refuse_what_is_no_dataset(facts);
    return *format;
}

/// True if the text could name a format: something:..., but neither "./a:b" nor "C:\a".
bool looks_like_format(std::string_view prefix) {
    return prefix.size() > 1 && std::all_of(prefix.begin(), prefix.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
           });
}

Dataset read_by_format(const std::string& specification, const DatasetOptions& options) {
    const FormatAndPath named = format_and_path(specification);
    Dataset dataset = dataset_formats().find(named.format)->read(named.path, options);
    if (named.format == "folder" && !named.is_named) {
        const std::string note = note_of_unused_annotation(named.path);
        if (!note.empty()) dataset.warnings.push_back(note);
    }
    return dataset;
}

void make_names_utf8(Dataset& dataset) {
    std::size_t changed = 0;
    std::string first;
    for (Sample& sample : dataset.samples) {
        if (is_utf8(sample.image) && is_utf8(sample.subject)) continue;
        sample.image = to_utf8(sample.image);
        sample.subject = to_utf8(sample.subject);
        if (changed++ == 0) first = sample.image;
    }
    if (changed > 0) dataset.warnings.push_back(warning_of_names_made_utf8(changed, first));
}

void require_unique_names(const Dataset& dataset) {
    std::map<std::string_view, const Sample*> samples;
    for (const Sample& sample : dataset.samples) {
        const auto [place, is_new] = samples.try_emplace(sample.image, &sample);
        if (!is_new) {
            throw_two_images_named(dataset.name, sample.image, place->second->path, sample.path);
        }
    }
}

/// Keeps the samples, from 0, for which `keeps(sample, its position)` holds, and the pairs of those.
template <class Keeps>
void keep_samples(Dataset& dataset, const Keeps& keeps) {
    constexpr auto gone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> new_index(dataset.samples.size(), gone);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        if (!keeps(dataset.samples[i], i)) continue;
        new_index[i] = kept;
        if (kept != i) dataset.samples[kept] = std::move(dataset.samples[i]);
        ++kept;
    }
    dataset.samples.resize(kept);
    const std::size_t lost = std::erase_if(dataset.pairs, [&](ImagePair& pair) {
        pair.first = new_index[pair.first];
        pair.second = new_index[pair.second];
        return pair.first == gone || pair.second == gone;
    });
    if (lost > 0) {
        dataset.warnings.push_back(counted(lost, "pair loses", "pairs lose") +
                                   " an image by the pattern or limit and " + (lost == 1 ? "is" : "are") +
                                   " left out; figures of the pairs that are left are not the protocol's");
    }
}

// Steps for every dataset, whatever it was read from.
void complete(Dataset& dataset, const DatasetOptions& options) {
    if (dataset.samples.empty()) throw Error("The dataset '" + dataset.name + "' names no image.");
    expand_videos(dataset, options.frames);
    if (dataset.samples.empty()) throw_no_frame(dataset.name);
    make_names_utf8(dataset);
    require_unique_names(dataset);
    if (!options.pattern.empty()) {
        const std::size_t before = dataset.samples.size();
        keep_samples(dataset, [&](const Sample& sample, std::size_t) {
            return matches_name(options.pattern, sample.image);
        });
        if (dataset.samples.empty()) {
            throw_none_matches(before, dataset.name, options.pattern);
        }
    }
    if (options.limit > 0 && dataset.samples.size() > options.limit) {
        keep_samples(dataset, [&](const Sample&, std::size_t position) { return position < options.limit; });
    }
    if (options.is_as_displayed) turn_stored_annotations(dataset);
}

}  // namespace

FormatAndPath format_and_path(const std::string& specification) {
    const std::size_t colon = specification.find(':');
    if (colon != std::string::npos) {
        const std::string prefix = specification.substr(0, colon);
        const std::string path = specification.substr(colon + 1);
        if (dataset_formats().find(prefix) != nullptr) {
            if (path.empty()) {
                throw UsageError("The dataset '" + specification + "' names no path; write " + prefix +
                                 ":PATH.");
            }
            return {prefix, path, true};
        }
        if (looks_like_format(prefix) && !is_there(specification)) {
            throw UsageError("'" + prefix + "' in '" + specification + "' is no dataset format that is read" +
                             did_you_mean(prefix, dataset_formats().names_read()) + "; use one of " +
                             in_one_list(dataset_formats().names_read(), ":") + " or a path that exists.");
        }
    }
    if (specification.empty()) throw UsageError("The dataset is an empty text; write FORMAT:PATH or a path.");
    if (specification == "-") return {"list", specification, false};
    return {std::string(recognise_format(specification).name), specification, false};
}

std::string warning_of_names_made_utf8(std::size_t count, const std::string& first) {
    return counted(count, "name is", "names are") +
           " not UTF-8; results name such bytes as %XX, first: " + first;
}

bool matches_name(const std::string& pattern, const std::string& image) {
    if (matches_pattern(pattern, image)) return true;
    const std::optional<FrameName> frame = split_frame_name(image);
    return frame && matches_pattern(pattern, std::string(frame->video));
}

void throw_two_images_named(const std::string& dataset, std::string_view image,
                            const std::filesystem::path& first, const std::filesystem::path& second) {
    // A list can name one file twice, and an archive is the file of all its members.
    const std::string files = first == second ? ""
                                              : ": '" + excerpt(first.native(), 400) + "' and '" +
                                                    excerpt(second.native(), 400) + "'";
    throw Error("The dataset '" + dataset + "' has two images named '" + excerpt(image) + "'" + files +
                "; results could not tell them apart. Rename one.");
}

void throw_none_matches(std::size_t images, const std::string& dataset, const std::string& pattern) {
    throw UsageError("None of the " + counted(images, "image") + " of '" + dataset +
                     "' matches the pattern '" + pattern + "'; patterns are those of the shell.");
}

Dataset read_dataset(const std::string& specification, const DatasetOptions& options) {
    Dataset dataset = read_by_format(specification, options);
    dataset.name = specification;
    complete(dataset, options);
    return dataset;
}

Dataset dataset_of_files(const std::vector<std::string>& files, const DatasetOptions& options) {
    Dataset dataset = read_named_files(files, options);
    dataset.name = counted(files.size(), "file");
    complete(dataset, options);
    return dataset;
}

}  // namespace fovea
