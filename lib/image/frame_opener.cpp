#include "lib/image/frame_opener.hpp"

#include <optional>
#include <utility>

#include "lib/core/threads.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

GreyImage image_of(GreyFrame frame) {
    return {frame.width, frame.height, std::move(frame.pixels)};
}

/// A frame in the place of a file.
class FrameFile final : public codec::EncodedFile {
  public:
    explicit FrameFile(GreyFrame frame) : is_damaged_(frame.is_damaged), image_(image_of(std::move(frame))) {}

    std::size_t read(std::uint8_t*, std::size_t) override { return 0; }
    std::size_t size() const override { return 0; }
    std::optional<GreyImage> take_decoded() override { return std::exchange(image_, std::nullopt); }
    bool is_damaged() const override { return is_damaged_; }

  private:
    const bool is_damaged_;
    std::optional<GreyImage> image_;
};

}  // namespace

VideoReadOptions video_read_options(const DecodeOptions& options, int threads, std::size_t max_bytes) {
    return {resolve_threads(threads), options.apply_exif_orientation, {options.max_pixels, max_bytes}};
}

std::unique_ptr<codec::EncodedFile> FrameOpener::open(const VideoFrame& frame) {
    const std::lock_guard lock(mutex_);
    if (video_ != frame.video || frame.number < next_) {
        video_ = frame.video;
        frames_.reset();
        why_none_.clear();
        try {
            frames_ = std::make_unique<VideoFrames>(video_, options_);
        } catch (const VideoError& error) {
            why_none_ = error.what();
        }
    }
    next_ = frame.number + 1;
    if (!frames_) throw ImageError(why_none_);
    try {
        return std::make_unique<FrameFile>(frames_->read(frame));
    } catch (const VideoError& error) {
        throw ImageError(error.what());
    }
}

GreyImage read_grey_frame(const VideoFrame& frame, const DecodeOptions& options) {
    try {
        return image_of(read_frame(frame, video_read_options(options, 0, video_memory().frames)));
    } catch (const VideoError& error) {
        throw ImageError(error.what());
    }
}

std::unique_ptr<codec::EncodedFile> open_image_file(const std::filesystem::path& file) {
    if (is_video_name(file.filename().string())) {
        try {
            VideoIndexOptions options;
            options.limits.max_bytes = video_memory().frames;
            index_video(file, options);
        } catch (const VideoError& error) {
            throw ImageError(error.what());
        }
    }
    return std::make_unique<codec::FileSource>(file);
}

}  // namespace fovea
