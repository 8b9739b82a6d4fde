#include "lib/dataset/video_sequences.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>

#include "lib/video/video_source.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// The number of an image that is named by one.
std::optional<std::int64_t> number_of_image(const std::string& image) {
    const std::string stem = fs::path(image).stem().string();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    const bool is_number = error == std::errc() && end == stem.data() + stem.size() && number >= 1;
    return is_number ? std::optional(number - 1) : std::nullopt;
}

/// A sequence before it has its name.
struct FoundSequence {
    fs::path key;  ///< the video's name, or the images' folder
    bool is_video = false;
    bool are_numbers_known = true;
    VideoSequence sequence;
};

void add_sample(const Sample& sample, std::size_t index, FoundSequence& found) {
    found.sequence.samples.push_back(index);
    if (const auto frame = split_frame_name(sample.image)) {
        found.sequence.frames.push_back(frame->number);
        return;
    }
    const std::optional<std::int64_t> number = number_of_image(sample.image);
    found.are_numbers_known = found.are_numbers_known && number.has_value();
    found.sequence.frames.push_back(number.value_or(0));
}

std::vector<FoundSequence> find_sequences(const Dataset& dataset) {
    std::vector<FoundSequence> found;
    std::unordered_map<std::string, std::size_t> place_of;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const std::string& image = dataset.samples[i].image;
        const auto frame = split_frame_name(image);
        const std::string key =
            frame ? std::string(frame->video) : fs::path(image).parent_path().generic_string();
        const auto [place, is_new] = place_of.try_emplace((frame ? "#" : "/") + key, found.size());
        if (is_new) found.push_back({key, frame.has_value(), true, {}});
        add_sample(dataset.samples[i], i, found[place->second]);
    }
    return found;
}

bool have_all_one_name(const std::vector<FoundSequence>& found) {
    return found.size() > 1 && std::all_of(found.begin(), found.end(), [&](const FoundSequence& other) {
               return other.is_video && other.key.has_parent_path() &&
                      other.key.filename() == found.front().key.filename();
           });
}

std::string name_of(const FoundSequence& found, bool is_folder_its_name, const Dataset& dataset) {
    fs::path name = found.key;
    if (found.is_video && is_folder_its_name) name = name.parent_path();
    if (found.is_video && !is_folder_its_name) name.replace_extension();
    if (!found.is_video && name.filename() == "img1") name = name.parent_path();
    if (name.empty()) name = fs::absolute(dataset.root / "x").lexically_normal().parent_path().filename();
    return name.empty() ? "sequence" : name.generic_string();
}

}  // namespace

std::vector<VideoSequence> video_sequences(const Dataset& dataset) {
    std::vector<FoundSequence> found = find_sequences(dataset);
    const bool is_folder_the_name = have_all_one_name(found);
    std::set<std::string> names;
    std::vector<VideoSequence> sequences;
    for (FoundSequence& sequence : found) {
        if (!sequence.are_numbers_known) {
            for (std::size_t i = 0; i < sequence.sequence.frames.size(); ++i)
                sequence.sequence.frames[i] = static_cast<std::int64_t>(i);
        }
        sequence.sequence.name = name_of(sequence, is_folder_the_name, dataset);
        // clip.mp4 beside clip.avi
        if (!names.insert(sequence.sequence.name).second)
            sequence.sequence.name = sequence.key.generic_string();
        names.insert(sequence.sequence.name);
        sequences.push_back(std::move(sequence.sequence));
    }
    return sequences;
}

}  // namespace fovea
