#include "lib/dataset/video_frames.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <tbb/parallel_for.h>

#include "lib/files/folder.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

ListedVideo list_video(const fs::path& file, std::optional<int> stream, int threads) {
    ListedVideo video;
    try {
        VideoIndexOptions options;
        options.stream = stream;
        options.threads = threads;
        video.index = index_video(file, options);
    } catch (const VideoError& error) {
        video.why_none = error.what();
    }
    return video;
}

// "video" tells the videos of an annotated set apart in reports.
void complete_frame(Sample& sample, const VideoEntry& entry, VideoFrame frame) {
    const VideoFacts& facts = frame.video->facts;
    const bool is_turned = facts.orientation >= 5;
    sample.path = entry.file;
    sample.size = is_turned ? ImageSize{facts.height, facts.width} : ImageSize{facts.width, facts.height};
    sample.frame = std::move(frame);
    if (sample.annotated) sample.attributes.push_back({"video", entry.name});
}

VideoFrame frame_at(const VideoIndex& index, std::size_t number) {
    return {index.source, static_cast<std::int64_t>(number), index.time_stamps[number]};
}

// Where no such frame is, none is found when it is read.
VideoFrame absent_frame(const VideoIndex& index, std::int64_t number) {
    return {index.source, number, std::numeric_limits<std::int64_t>::max()};
}

class Expansion {
  public:
    Expansion(const ListedVideos& videos, const FrameSelection& selection)
        : videos_(videos), selection_(selection) {}

    void add(Sample sample) {
        const std::optional<VideoEntry> entry =
            sample.frame ? std::nullopt : video_entry(sample.image, sample.path);
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
            complete_frame(sample, entry, absent_frame(index, *entry.number));
            samples.push_back(std::move(sample));
            return;
        }
        const std::vector<std::size_t>& wanted = selected(entry, index);
        if (!std::binary_search(wanted.begin(), wanted.end(), number)) return;
        complete_frame(sample, entry, frame_at(index, number));
        samples.push_back(std::move(sample));
    }

    void add_all(const Sample& video, const VideoEntry& entry, const VideoIndex& index) {
        for (const std::size_t number : selected(entry, index)) {
            Sample& sample = samples.emplace_back(video);
            sample.image = frame_name(entry.name, static_cast<std::int64_t>(number));
            complete_frame(sample, entry, frame_at(index, number));
        }
    }

    const ListedVideos& videos_;
    const FrameSelection& selection_;
    std::map<fs::path, std::vector<std::size_t>> selected_;
};

}  // namespace

std::optional<VideoEntry> video_entry(std::string_view name, const fs::path& path) {
    const std::string file_name = path.filename().string();
    const std::optional<FrameName> frame = split_frame_name(name);
    if (is_video_name(file_name)) {
        if (!frame) return VideoEntry{path, std::string(name), std::nullopt};
        return VideoEntry{path, std::string(frame->video), frame->number};
    }
    // As a list names it, with the number behind the file's name.
    const std::optional<FrameName> of_path = split_frame_name(file_name);
    if (!frame || !of_path || is_there(path)) return std::nullopt;
    return VideoEntry{path.parent_path() / of_path->video, std::string(frame->video), frame->number};
}

ListedVideos list_videos(std::vector<fs::path> files, std::optional<int> stream) {
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    // Where frames must be decoded to be counted, one video takes all cores, and several take one each.
    const int threads = files.size() == 1 ? 0 : 1;
    std::vector<ListedVideo> listed(files.size());
    tbb::parallel_for(std::size_t{0}, files.size(),
                      [&](std::size_t i) { listed[i] = list_video(files[i], stream, threads); });
    ListedVideos videos;
    for (std::size_t i = 0; i < files.size(); ++i) videos.emplace(std::move(files[i]), std::move(listed[i]));
    return videos;
}

void expand_videos(Dataset& dataset, const FrameSelection& selection, std::optional<int> stream) {
    std::vector<fs::path> files;
    for (const Sample& sample : dataset.samples) {
        if (sample.frame) continue;
        if (std::optional<VideoEntry> entry = video_entry(sample.image, sample.path)) {
            files.push_back(std::move(entry->file));
        }
    }
    if (files.empty()) return;
    const ListedVideos videos = list_videos(std::move(files), stream);
    Expansion expansion(videos, selection);
    for (Sample& sample : dataset.samples) expansion.add(std::move(sample));
    dataset.samples = std::move(expansion.samples);
    for (std::string& note : notes_on_videos(videos)) dataset.warnings.push_back(std::move(note));
}

std::vector<std::string> notes_on_videos(const ListedVideos& videos) {
    std::vector<std::string> notes;
    for (const auto& [file, video] : videos) {
        if (video.index && !video.index->damage.empty())
            notes.push_back("the video '" + file.string() + "' " + video.index->damage);
    }
    return notes;
}

}  // namespace fovea
