#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/inputs/archive_videos.hpp"
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
            const ListedVideo* const video = entries[i] ? &videos.at(entries[i]->file) : nullptr;
            const ImageListData::Place place = places.empty() ? ImageListData::at_root : places[i];
            const ArchiveMember* const member = data_.member_at(place);
            if (video == nullptr || (!video->index && member == nullptr)) {
                add_as_it_is(names[i], place);
            } else if (!video->index) {
                data_.skipped.push_back({entries[i]->name, video->why_none});
            } else {
                add_frames(*entries[i], *video->index, member);
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

    void add_frames(const VideoEntry& entry, const VideoIndex& index, const ArchiveMember* member) {
        const auto [selected, is_new] = selected_.try_emplace(entry.file);
        if (is_new) selected->second = select_frames(index, selection_);
        const std::uint32_t video = data_.video_number(entry.name, index.source, member);
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

/// The videos that a list names, with their places.
class NamedVideos {
  public:
    NamedVideos(const ImageListData& data, std::size_t max_unpacker_bytes)
        : max_unpacker_bytes_(max_unpacker_bytes), entries_(data.names.size()) {
        for (std::size_t i = 0; i < data.names.size(); ++i) {
            const std::string_view name = data.name(i);
            if (const ArchiveMember* const member = data.member(i)) {
                if (is_video_name(name)) add_member(data, *member, name, entries_[i]);
                continue;
            }
            // Most lists have no videos, and millions of names.
            if (!is_video_name(name) && !split_frame_name(name)) continue;
            entries_[i] = video_entry(name, data.path(i));
            if (entries_[i]) files_.push_back(entries_[i]->file);
        }
    }

    /// One for each name of the list.
    const std::vector<std::optional<VideoEntry>>& entries() const { return entries_; }
    bool any() const { return !files_.empty() || !packed_.empty(); }
    bool any_frame() const {
        return std::any_of(entries_.begin(), entries_.end(),
                           [](const auto& entry) { return entry && entry->number; });
    }

    ListedVideos list(VideoListing listing) {
        listing.bytes = std::move(bytes_);
        ListedVideos videos = list_videos(std::move(files_), listing);
        // They are unpacked in the order of their archives.
        for (std::filesystem::path& file : packed_) videos.merge(list_videos({std::move(file)}, listing));
        return videos;
    }

  private:
    void add_member(const ImageListData& data, const ArchiveMember& member, std::string_view name,
                    std::optional<VideoEntry>& entry) {
        const std::filesystem::path& archive = data.archives[member.archive];
        std::shared_ptr<ArchiveVideos>& videos = archives_[member.archive];
        if (!videos) videos = std::make_shared<ArchiveVideos>(archive, max_unpacker_bytes_);
        const std::filesystem::path file = archive / name.substr(data.prefixes[member.archive].size());
        bytes_.emplace(file, videos->bytes_of(member));
        (member.offset == ArchiveMember::in_sequence ? packed_ : files_).push_back(file);
        entry = VideoEntry{file, std::string(name), std::nullopt};
    }

    const std::size_t max_unpacker_bytes_;
    std::vector<std::optional<VideoEntry>> entries_;
    std::vector<std::filesystem::path> files_;   // and members that lie in their archives as they are
    std::vector<std::filesystem::path> packed_;  // members
    std::map<std::filesystem::path, std::shared_ptr<const VideoBytes>> bytes_;
    std::map<std::uint32_t, std::shared_ptr<ArchiveVideos>> archives_;
};

}  // namespace

void expand_listed_videos(ImageListData& data, const DatasetOptions& options,
                          std::size_t max_unpacker_bytes) {
    NamedVideos named(data, max_unpacker_bytes);
    if (!named.any()) return;
    VideoListing listing;
    listing.selection = options.frames;
    if (options.pattern.empty() && !named.any_frame()) listing.max_frames = options.limit;
    const ListedVideos videos = named.list(std::move(listing));
    Expansion(data, options.frames).run(named.entries(), videos);
    for (std::string& note : notes_on_videos(videos)) data.warnings.push_back(std::move(note));
}

}  // namespace fovea
