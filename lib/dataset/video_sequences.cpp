#include "lib/dataset/video_sequences.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "lib/core/natural_order.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// The stem of a name, and where the digits at its end begin.
struct NumberedStem {
    std::string stem;
    std::size_t digits = 0;
};

NumberedStem numbered_stem(const std::string& name) {
    NumberedStem found{image_stem(fs::path(name).filename().string()), 0};
    const std::size_t last = found.stem.find_last_not_of("0123456789");
    found.digits = last == std::string::npos ? 0 : last + 1;
    return found;
}

std::vector<std::int64_t> in_natural_order(const std::vector<std::string>& names) {
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return natural_compare(names[a], names[b]) < 0; });
    std::vector<std::int64_t> places(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int64_t>(i);
    return places;
}

/// A sequence before it has its name.
struct FoundSequence {
    fs::path key;  ///< the video's name, or the images' folder
    bool is_video = false;
    VideoSequence sequence;
};

/// Those of the images of a folder.
std::vector<std::int64_t> frames_of(const FoundSequence& found, const Dataset& dataset) {
    std::vector<std::int64_t> frames;
    std::vector<std::string> names;
    for (const std::size_t sample : found.sequence.samples) {
        names.push_back(dataset.samples[sample].image);
        if (dataset.samples[sample].sequence_frame) frames.push_back(*dataset.samples[sample].sequence_frame);
    }
    return frames.size() == names.size() ? frames : frames_of_names(names, std::nullopt);
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
        if (is_new) found.push_back({key, frame.has_value(), {}});
        found[place->second].sequence.samples.push_back(i);
        if (frame) found[place->second].sequence.frames.push_back(frame->number);
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

std::optional<std::vector<std::int64_t>> numbers_of_names(const std::vector<std::string>& names) {
    std::vector<std::int64_t> numbers;
    std::string before;
    std::set<std::int64_t> seen;
    for (const std::string& name : names) {
        const NumberedStem found = numbered_stem(name);
        const std::string text = found.stem.substr(0, found.digits);
        if (numbers.empty()) before = text;
        const auto number = spelled_whole(std::string_view(found.stem).substr(found.digits), 0);
        if (!number || text != before || !seen.insert(*number).second) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

std::vector<std::int64_t> frames_of_names(const std::vector<std::string>& names,
                                          std::optional<std::size_t> frames) {
    std::optional<std::vector<std::int64_t>> numbers = numbers_of_names(names);
    if (numbers && !numbers->empty()) {
        const auto [first, last] = std::minmax_element(numbers->begin(), numbers->end());
        const std::int64_t base = *first == 0 ? 0 : 1;
        const bool are_frames = frames ? *last - base < static_cast<std::int64_t>(*frames)
                                       : base == 0 || numbered_stem(names.front()).digits == 0;
        if (are_frames) {
            for (std::int64_t& number : *numbers) number -= base;
            return *std::move(numbers);
        }
    }
    const bool all_end_in_digits = std::all_of(names.begin(), names.end(), [](const std::string& name) {
        const NumberedStem found = numbered_stem(name);
        return found.digits < found.stem.size();
    });
    if (all_end_in_digits) return in_natural_order(names);
    std::vector<std::int64_t> places(names.size());
    std::iota(places.begin(), places.end(), std::int64_t{0});
    return places;
}

std::vector<VideoSequence> video_sequences(const Dataset& dataset) {
    std::vector<FoundSequence> found = find_sequences(dataset);
    const bool is_folder_the_name = have_all_one_name(found);
    std::set<std::string> names;
    std::vector<VideoSequence> sequences;
    for (FoundSequence& sequence : found) {
        if (!sequence.is_video) sequence.sequence.frames = frames_of(sequence, dataset);
        sequence.sequence.name = name_of(sequence, is_folder_the_name, dataset);
        // clip.mp4 beside clip.avi
        if (!names.insert(sequence.sequence.name).second)
            sequence.sequence.name = sequence.key.generic_string();
        names.insert(sequence.sequence.name);
        sequences.push_back(std::move(sequence.sequence));
    }
    return sequences;
}

std::optional<std::int64_t> track_number(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace fovea
