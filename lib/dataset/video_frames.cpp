#include "lib/dataset/video_frames.hpp"

#include <algorithm>
#include <utility>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// Enough for the frames of one video while it is listed, and for its index; with less, one after the other.
constexpr std::size_t min_listing_bytes = std::size_t{64} << 20;

ListedVideo list_video(const fs::path& file, const VideoListing& listing, int threads,
                       std::size_t max_bytes) {
    ListedVideo video;
    try {
        VideoIndexOptions options;
        options.stream = listing.stream;
        options.threads = threads;
        options.limits.max_bytes = max_bytes;
        VideoBytes::Range unpacked;  // while it is listed, which may open it twice
        if (const auto bytes = listing.bytes.find(file); bytes != listing.bytes.end()) {
            options.bytes = bytes->second;
            unpacked = options.bytes->open();
        }
        if (listing.max_frames > 0) {
            options.is_enough = [&](const VideoIndex& so_far) {
                return select_frames(so_far, listing.selection).size() >= listing.max_frames;
            };
        }
        video.index = index_video(file, options);
    } catch (const VideoError& error) {
        video.why_none = error.what();
    }
    return video;
}

VideoFrame frame_at(const VideoIndex& index, std::size_t number) {
    return {index.source, static_cast<std::int64_t>(number), index.time_stamps[number]};
}

// "00-10 %": the tenth of its video that a frame is shown in.
std::string tenth_of(const VideoIndex& index, const VideoFrame& frame) {
    const double first = frame_at(index, 0).seconds();
    const double length = frame_at(index, index.time_stamps.size() - 1).seconds() - first;
    const double place = length > 0 ? (frame.seconds() - first) / length : 0;
    const int tenth = static_cast<int>(std::clamp(place * 10, 0.0, 9.0));
    return std::to_string(tenth) + "0-" + std::to_string(tenth + 1) + "0 %";
}

void add_attribute(Sample& sample, const char* name, std::string value) {
    if (find_attribute(sample.attributes, name) == nullptr)
        sample.attributes.push_back({name, std::move(value)});
}

// Reports tell the videos of an annotated set apart by these attributes, and show what changes over time.
void complete_frame(Sample& sample, const VideoEntry& entry, const VideoIndex& index, VideoFrame frame) {
    const Size shown = shown_size(frame.video->facts);
    sample.path = entry.file;
    sample.size = {shown.width, shown.height};
    if (sample.annotated) {
        add_attribute(sample, "video", entry.name);
        if (frame.time_stamp != VideoFrame::no_time_stamp)
            add_attribute(sample, "time in the video", tenth_of(index, frame));
    }
    sample.frame = std::move(frame);
}

// The video lacks this frame, so that none is found when it is read.
VideoFrame absent_frame(const VideoIndex& index, std::int64_t number) {
    return {index.source, number, VideoFrame::no_time_stamp};
}

/// \param are_videos the sample is one, whatever it is called
std::optional<VideoEntry> entry_of(const Sample& sample, bool are_videos) {
    if (sample.frame) return std::nullopt;
    if (are_videos) return VideoEntry{sample.path, sample.image, std::nullopt};
    return video_entry(sample.image, sample.path);
}

class Expansion {
  public:
    Expansion(const ListedVideos& videos, const FrameSelection& selection, bool are_videos)
        : videos_(videos), selection_(selection), are_videos_(are_videos) {}

    void add(Sample sample) {
        const std::optional<VideoEntry> entry = entry_of(sample, are_videos_);
        const ListedVideo* const video = entry ? &videos_.at(entry->file) : nullptr;
        if (video == nullptr || !video->index) {
            samples.push_back(std::move(sample));
        } else if (entry->number) {
            add_one(std::move(sample), *entry, *video->index);
        } else {
            add_all(sample, *entry, *video->index);
        }
    }

    std::vector<Sample> samples;

  private:
    const std::vector<std::size_t>& selected(const VideoEntry& entry, const VideoIndex& index) {
        const auto [place, is_new] = selected_.try_emplace(entry.file);
        if (is_new) place->second = select_frames(index, selection_);
        return place->second;
    }

    void add_one(Sample sample, const VideoEntry& entry, const VideoIndex& index) {
        const auto number = static_cast<std::size_t>(*entry.number);
        if (number >= index.time_stamps.size()) {
            complete_frame(sample, entry, index, absent_frame(index, *entry.number));
            samples.push_back(std::move(sample));
            return;
        }
        const std::vector<std::size_t>& wanted = selected(entry, index);
        if (!std::binary_search(wanted.begin(), wanted.end(), number)) return;
        complete_frame(sample, entry, index, frame_at(index, number));
        samples.push_back(std::move(sample));
    }

    void add_all(const Sample& video, const VideoEntry& entry, const VideoIndex& index) {
        for (const std::size_t number : selected(entry, index)) {
            Sample& sample = samples.emplace_back(video);
            sample.image = frame_name(entry.name, static_cast<std::int64_t>(number));
            complete_frame(sample, entry, index, frame_at(index, number));
        }
    }

    const ListedVideos& videos_;
    const FrameSelection& selection_;
    const bool are_videos_;
    std::map<fs::path, std::vector<std::size_t>> selected_;
};

/// The videos whose frames samples lack, with their frames listed.
ListedVideos videos_of(const Dataset& dataset, const VideoListing& listing, bool are_videos = false) {
    std::vector<fs::path> files;
    for (const Sample& sample : dataset.samples) {
        std::optional<VideoEntry> entry = entry_of(sample, are_videos);
        if (entry && (files.empty() || files.back() != entry->file)) files.push_back(std::move(entry->file));
    }
    return list_videos(std::move(files), listing);
}

void expand(Dataset& dataset, const ListedVideos& videos, const FrameSelection& selection,
            bool are_videos = false) {
    Expansion expansion(videos, selection, are_videos);
    for (Sample& sample : dataset.samples) expansion.add(std::move(sample));
    dataset.samples = std::move(expansion.samples);
    for (std::string& note : notes_on_videos(videos)) dataset.warnings.push_back(std::move(note));
}

/// Frames that a video and its annotation do not share.
class UnsharedFrames {
  public:
    void add(const fs::path& video, std::size_t unshared, std::size_t frames, std::size_t annotated) {
        if (unshared == 0) return;
        frames_ += unshared;
        if (videos_++ > 0) return;
        first_ = "'" + video.string() + "'";
        numbers_ = counted(frames, "frame") + ", " + std::to_string(annotated) + " annotated";
    }

    std::size_t frames() const { return frames_; }
    bool are_of_one_video() const { return videos_ == 1; }
    std::string where() const {
        return videos_ == 1 ? "the video " + first_ + " (" + numbers_ + ")"
                            : counted(videos_, "video") + " (first " + first_ + ": " + numbers_ + ")";
    }

  private:
    std::size_t frames_ = 0;
    std::size_t videos_ = 0;
    std::string first_;
    std::string numbers_;
};

struct AnnotatedFrames {
    std::size_t in_video = 0;
    std::size_t beyond = 0;
};

std::map<fs::path, AnnotatedFrames> annotated_frames(const Dataset& dataset, const ListedVideos& videos) {
    std::map<fs::path, AnnotatedFrames> counts;
    for (const Sample& sample : dataset.samples) {
        const std::optional<VideoEntry> entry = video_entry(sample.image, sample.path);
        if (sample.frame || !entry || !entry->number) continue;
        const ListedVideo& video = videos.at(entry->file);
        if (!video.index) continue;
        AnnotatedFrames& count = counts[entry->file];
        const bool is_there = static_cast<std::size_t>(*entry->number) < video.index->time_stamps.size();
        ++(is_there ? count.in_video : count.beyond);
    }
    return counts;
}

// Annotations of frames lie in the pixels that are stored. \return notes on videos that are not stretched
std::vector<std::string> keep_stored_pixels(ListedVideos& videos) {
    std::vector<std::string> notes;
    for (auto& [file, video] : videos) {
        if (!video.index || has_square_pixels(video.index->source->facts)) continue;
        auto stored = std::make_shared<VideoSource>(*video.index->source);
        stored->facts.pixel = {};
        video.index->source = std::move(stored);
        notes.push_back(
            "the pixels of the video '" + file.string() +
            "' are not square; its frames are not stretched, as its annotation is of those that are "
            "stored");
    }
    return notes;
}

std::vector<std::string> notes_on_annotated_frames(const Dataset& dataset, const ListedVideos& videos) {
    UnsharedFrames without, beyond;
    for (const auto& [file, count] : annotated_frames(dataset, videos)) {
        const std::size_t frames = videos.at(file).index->time_stamps.size();
        const std::size_t annotated = count.in_video + count.beyond;
        without.add(file, frames - count.in_video, frames, annotated);
        beyond.add(file, count.beyond, frames, annotated);
    }
    std::vector<std::string> notes;
    if (without.frames() > 0) {
        notes.push_back(counted(without.frames(), "frame") + " of " + without.where() +
                        (without.frames() == 1 ? " has no annotation and is left out"
                                               : " have no annotation and are left out"));
    }
    if (beyond.frames() > 0) {
        notes.push_back(counted(beyond.frames(), "annotated frame") + " of " + beyond.where() +
                        (beyond.frames() == 1 ? " is not in " : " are not in ") +
                        (beyond.are_of_one_video() ? "it" : "them") + " and cannot be read");
    }
    return notes;
}

}  // namespace

std::optional<VideoEntry> video_entry(std::string_view name, const fs::path& path) {
    const std::string file_name = path.filename().string();
    const std::optional<FrameName> frame = split_frame_name(name);
    if (is_video_name(file_name)) {
        if (!frame) return VideoEntry{path, std::string(name), std::nullopt};
        return VideoEntry{path, std::string(frame->video), frame->number};
    }
    // A file that is named as a video may have any name.
    if (frame && fs::path(frame->video).filename() == file_name)
        return VideoEntry{path, std::string(frame->video), frame->number};
    // A list names it so, with the number behind the file's name.
    const std::optional<FrameName> of_path = split_frame_name(file_name);
    if (!frame || !of_path || is_there(path)) return std::nullopt;
    return VideoEntry{path.parent_path() / of_path->video, std::string(frame->video), frame->number};
}

ListedVideos list_videos(std::vector<fs::path> files, const VideoListing& listing) {
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    // One video takes all cores, and several take one each, where frames must be decoded to be counted.
    const int threads = files.size() == 1 ? 0 : 1;
    const std::size_t memory = video_memory().frames;
    const std::size_t at_once = memory == 0 ? files.size()
                                            : std::clamp<std::size_t>(memory / min_listing_bytes, 1,
                                                                      std::max<std::size_t>(1, files.size()));
    const std::size_t max_bytes = memory == 0 ? 0 : memory / at_once;
    std::vector<ListedVideo> listed(files.size());
    tbb::task_arena(
        static_cast<int>(std::min<std::size_t>(at_once, static_cast<std::size_t>(resolve_threads(0)))))
        .execute([&] {
            tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
                listed[i] = list_video(files[i], listing, threads, max_bytes);
            });
        });
    ListedVideos videos;
    for (std::size_t i = 0; i < files.size(); ++i) videos.emplace(std::move(files[i]), std::move(listed[i]));
    return videos;
}

void expand_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream) {
    const ListedVideos videos = videos_of(dataset, {.stream = stream});
    if (!videos.empty()) expand(dataset, videos, selection);
}

void expand_whole_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream,
                         std::size_t max_frames) {
    constexpr bool are_videos = true;
    const ListedVideos videos = videos_of(dataset, {stream, selection, max_frames}, are_videos);
    expand(dataset, videos, selection, are_videos);
}

void expand_annotated_frames(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream) {
    ListedVideos videos = videos_of(dataset, {.stream = stream});
    if (videos.empty()) return;
    std::vector<std::string> notes = keep_stored_pixels(videos);
    for (std::string& note : notes_on_annotated_frames(dataset, videos)) notes.push_back(std::move(note));
    expand(dataset, videos, selection);
    for (std::string& note : notes) dataset.warnings.push_back(std::move(note));
}

std::vector<std::string> notes_on_videos(const ListedVideos& videos) {
    std::vector<std::string> notes;
    for (const auto& [file, video] : videos) {
        if (!video.index) continue;
        for (const std::string& note : {video.index->damage, video.index->clock}) {
            if (!note.empty()) notes.push_back("the video '" + file.string() + "' " + note);
        }
    }
    return notes;
}

void throw_no_frame(const std::string& dataset) {
    throw UsageError("None of the frames of '" + dataset +
                     "' is selected; see --every, --fps, --from and --to.");
}

}  // namespace fovea
