#include "lib/job/stages/frame_routes.hpp"

#include "lib/video/nvdec.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {

std::string why_not_on_gpus(const VideoSource& video, const std::vector<int>& gpus) {
    // A part waits in memory for a decoder that is free.
    constexpr std::size_t max_part_bytes = std::size_t{64} << 20;
    if (video.max_part_bytes > max_part_bytes) {
        return "it has " + std::to_string(video.max_part_bytes >> 20) +
               " MiB between two key frames at which decoding can begin";
    }
    for (const int gpu : gpus) {
        if (std::string why = why_not_by_nvdec(video, gpu); !why.empty()) return why;
    }
    return {};
}

FrameRoutes::FrameRoutes(const ImageList& images, std::size_t first, const WhyNotOnGpu& why_not) {
    if (!why_not || !images.has_frames()) return;
    std::map<const VideoSource*, bool> known;
    bool any = false;
    on_gpu_.assign(images.size(), false);
    for (std::size_t i = first; i < images.size(); ++i) {
        const std::optional<VideoFrame> frame = images.frame(i);
        if (frame) {
            const auto [place, is_new] = known.try_emplace(frame->video.get(), false);
            if (is_new) place->second = why_not(*frame->video).empty();
            on_gpu_[i] = place->second;
        }
        any = any || on_gpu_[i];
        if (!on_gpu_[i]) on_host_.push_back(i);
    }
    if (any) return;
    on_gpu_.clear();
    on_host_.clear();
}

FirstParts first_parts(const ImageList& images, std::size_t first, const WhyNotOnGpu& why_not,
                       std::size_t max_count) {
    FirstParts parts;
    if (!why_not || !images.has_frames()) return parts;
    std::map<const VideoSource*, bool> on_gpu;
    std::pair<const VideoSource*, std::size_t> before{nullptr, 0};
    for (std::size_t i = first; i < images.size() && parts.count < max_count; ++i) {
        const std::optional<VideoFrame> frame = images.frame(i);
        if (!frame) continue;
        const auto [place, is_new] = on_gpu.try_emplace(frame->video.get(), false);
        if (is_new) place->second = why_not(*frame->video).empty();
        const std::pair here(frame->video.get(), part_of_frame(*frame->video, frame->number));
        if (!place->second || here == before) continue;
        before = here;
        ++parts.count;
        if (!parts.video) parts.video = frame->video;
    }
    return parts;
}

FramePart PartSource::take(std::size_t index) {
    const VideoFrame first = images_.frame(index).value();
    const std::size_t part = part_of_frame(*first.video, first.number);
    if (first.video != video_ || reader_ == nullptr || (is_at_part_ && reader_->part() > part)) {
        video_ = first.video;
        reader_.reset();
        reader_ = std::make_unique<PartReader>(video_, limits_);
        is_at_part_ = false;
    }
    while (!is_at_part_ || reader_->part() < part) {
        if (!reader_->next_part()) throw VideoError("the video ends before this frame");
        is_at_part_ = true;
    }
    FramePart taken{take_part(video_, *reader_), {}};
    // A part that was taken cannot be read again.
    is_at_part_ = reader_->next_part();
    if (!is_at_part_) reader_.reset();
    std::int64_t number = -1;
    for (std::size_t i = index; i < images_.size(); ++i) {
        const std::optional<VideoFrame> frame = images_.frame(i);
        if (!frame || frame->video != first.video || frame->number <= number ||
            part_of_frame(*frame->video, frame->number) != part) {
            break;
        }
        number = frame->number;
        taken.wanted.push_back({i, frame->time_stamp});
    }
    return taken;
}

}  // namespace fovea
