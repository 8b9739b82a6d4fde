#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/inputs/image_list_data.hpp"

namespace fovea {
namespace {

/// A list's names and places, with frames in the places of videos.
class Expansion {
  public:
    Expansion(ImageListData& data, const FrameSelection& selection) : data_(data), selection_(selection) {}

    /// Frames that are named again are taken once.
    void run(const std::vector<std::optional<VideoEntry>>& entries, const ListedVideos& videos) {
        const auto names = std::exchange(data_.names, {});
        const auto places = std::exchange(data_.places, {});
        for (std::size_t i = 0; i < names.size(); ++i) {
            const VideoIndex* index = nullptr;
            if (entries[i]) {
                if (const auto& listed = videos.at(entries[i]->file).index) index = &*listed;
            }
            if (index == nullptr) {
                add_as_it_is(names[i], places.empty() ? ImageListData::at_root : places[i]);
            } else {
                add_frames(*entries[i], *index);
            }
        }
        if (repeated_ > 0) {
            data_.warnings.push_back("'" + data_.specification + "' names " + counted(repeated_, "frame") +
                                     " more than once (first " + first_repeated_ + "); each is read once");
        }
    }

  private:
    void add_as_it_is(NameArena::Span name, ImageListData::Place place) {
        data_.names.push_back(name);
        if (place != ImageListData::at_root || !data_.places.empty())
            data_.set_place(data_.names.size() - 1, place);
    }

    void add_frames(const VideoEntry& entry, const VideoIndex& index) {
        const auto [selected, is_new] = selected_.try_emplace(entry.file);
        if (is_new) selected->second = select_frames(index, selection_);
        const std::uint32_t video = data_.video_number(entry.name, index.source);
        if (!entry.number) {
            for (const std::size_t number : selected->second) add_frame(entry.name, video, number, index);
            return;
        }
        const auto number = static_cast<std::size_t>(*entry.number);
        const bool is_there = number < index.time_stamps.size();
        // Reading one that is not there says so.
        if (!is_there || std::binary_search(selected->second.begin(), selected->second.end(), number))
            add_frame(entry.name, video, number, index);
    }

    void add_frame(const std::string& name, std::uint32_t video, std::size_t number,
                   const VideoIndex& index) {
        const auto frame = static_cast<std::int64_t>(number);
        if (!is_new(name, number, index.time_stamps.size())) {
            if (repeated_++ == 0) first_repeated_ = frame_name(name, frame);
            return;
        }
        const std::int64_t time_stamp =
            number < index.time_stamps.size() ? index.time_stamps[number] : VideoFrame::no_time_stamp;
        data_.add_frame(frame_name(name, frame), {video, frame, time_stamp});
    }

    bool is_new(const std::string& video, std::size_t number, std::size_t frames) {
        Given& given = given_[video];
        if (number >= frames) return given.absent.insert(number).second;
        given.frames.resize(frames);
        if (given.frames[number]) return false;
        given.frames[number] = true;
        return true;
    }

    /// The frames of a video that are in the list.
    struct Given {
        std::vector<bool> frames;
        std::set<std::size_t> absent;
    };

    ImageListData& data_;
    const FrameSelection& selection_;
    std::map<std::filesystem::path, std::vector<std::size_t>> selected_;
    std::map<std::string, Given> given_;
    std::size_t repeated_ = 0;
    std::string first_repeated_;
};

}  // namespace

void expand_listed_videos(ImageListData& data, const DatasetOptions& options) {
    std::vector<std::optional<VideoEntry>> entries(data.names.size());
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        if (data.member(i) != nullptr) continue;
        const std::string_view name = data.name(i);
        // Most lists have no videos, and millions of names.
        if (!is_video_name(name) && !split_frame_name(name)) continue;
        entries[i] = video_entry(name, data.path(i));
        if (entries[i]) files.push_back(entries[i]->file);
    }
    if (files.empty()) return;
    VideoListing listing;
    listing.selection = options.frames;
    const bool names_frames =
        std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry && entry->number; });
    if (options.pattern.empty() && !names_frames) listing.max_frames = options.limit;
    const ListedVideos videos = list_videos(std::move(files), listing);
    Expansion(data, options.frames).run(entries, videos);
    if (data.names.empty()) throw_no_frame(data.specification);
    for (std::string& note : notes_on_videos(videos)) data.warnings.push_back(std::move(note));
}

}  // namespace fovea
