#include "lib/run/track/annotate_videos.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "lib/core/cancel.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/results/results_lines.hpp"
#include "lib/run/track/draw_faces.hpp"
#include "lib/track/one_euro.hpp"
#include "lib/video/video_error.hpp"
#include "lib/video/video_frames.hpp"
#include "lib/video/video_writer.hpp"

namespace fovea {
namespace {

/// Pictures of a folder have no times.
constexpr int pictures_per_second = 25;

/// Smooths the boxes and landmarks of a sequence's tracks.
class FaceSmoother {
  public:
    explicit FaceSmoother(double smoothing) : smoothing_(smoothing) {}

    /// \param seconds the time of the frame
    void smooth(std::vector<Detection>& faces, double seconds) {
        if (smoothing_ <= 0) return;
        std::map<int, Filters> now;
        for (Detection& face : faces) {
            const int track = face.details->track.value_or(0);
            const auto before = filters_.find(track);
            Filters filters = before == filters_.end() ? Filters{seconds, {}} : std::move(before->second);
            smooth(face, std::max(seconds - filters.seconds, 1e-3), filters);
            filters.seconds = seconds;
            now.insert_or_assign(track, std::move(filters));
        }
        filters_ = std::move(now);
    }

  private:
    struct Filters {
        double seconds = 0;
        std::vector<OneEuroFilter> values;
    };

    void smooth(Detection& face, double seconds, Filters& filters) const {
        std::vector<double*> values{&face.box.x, &face.box.y, &face.box.w, &face.box.h};
        for (Point& point : face.details.edit().landmarks) {
            values.push_back(&point.x);
            values.push_back(&point.y);
        }
        // From 10 Hz, hardly any, to 0.5 Hz; faster faces are smoothed less.
        OneEuroOptions options;
        options.min_cutoff = 10 - 9.5 * smoothing_;
        options.speed_factor = 0.05;
        if (filters.values.size() != values.size())
            filters.values.assign(values.size(), OneEuroFilter(options));
        for (std::size_t i = 0; i < values.size(); ++i) *values[i] = filters.values[i](*values[i], seconds);
    }

    const double smoothing_;
    std::map<int, Filters> filters_;  // by track, of the frame before
};

ColourFrame colours_of_picture(const cv::Mat& picture) {
    // The conversion wants even sides.
    const cv::Mat even = picture(cv::Rect(0, 0, picture.cols & ~1, picture.rows & ~1));
    cv::Mat bgr = even;
    if (even.channels() == 1) cv::cvtColor(even, bgr, cv::COLOR_GRAY2BGR);
    cv::Mat planes;
    cv::cvtColor(bgr, planes, cv::COLOR_BGR2YUV_I420);
    ColourFrame frame;
    frame.width = even.cols;
    frame.height = even.rows;
    const auto pixels = static_cast<std::ptrdiff_t>(frame.width) * frame.height;
    const std::uint8_t* const bytes = planes.data;
    frame.y.assign(bytes, bytes + pixels);
    frame.u.assign(bytes + pixels, bytes + pixels + pixels / 4);
    frame.v.assign(bytes + pixels + pixels / 4, bytes + pixels + pixels / 2);
    return frame;
}

/// One sequence on its way into a file.
class AnnotatedVideo {
  public:
    AnnotatedVideo(const ImageList& images, const FrameSequence& sequence, std::filesystem::path file,
                   const AnnotateOptions& options)
        : images_(images), file_(std::move(file)), options_(options), smoother_(options.smoothing) {
        const std::optional<VideoFrame> first = images.frame(sequence.first);
        if (first) {
            video_ = first->video;
            reader_.emplace(video_, video_read_options(options.decode, options.threads, options.max_bytes));
        }
    }

    void add(std::size_t index, ImageResult result) {
        const std::int64_t place = next_place_++;
        ColourFrame frame;
        std::int64_t time_stamp = place;
        double seconds = static_cast<double>(place) / pictures_per_second;
        try {
            if (const std::optional<VideoFrame> of_video = images_.frame(index)) {
                frame = reader_->read_colours(*of_video);
                time_stamp = of_video->rising_stamp();
                seconds = of_video->seconds();
            } else {
                frame = colours_of_picture(read_picture(images_.file(index), options_.decode));
            }
        } catch (const VideoError&) {
            return;
        } catch (const ImageError&) {
            return;
        }
        if (!writer_) open(frame);
        fit(result.detections, {frame.width, frame.height});
        frame = fitted(std::move(frame), size_);
        smoother_.smooth(result.detections, seconds);
        draw_faces(frame, result.detections);
        writer_->write(frame, time_stamp);
    }

    /// \return the encoder; empty if there was no frame.
    std::string close() {
        if (!writer_) return {};
        writer_->close();
        const std::string encoder = writer_->encoder();
        writer_.reset();
        staged_->publish(Durability::whenever);
        return encoder;
    }

  private:
    void open(const ColourFrame& frame) {
        VideoWriterOptions options;
        size_ = {frame.width, frame.height};
        options.width = frame.width;
        options.height = frame.height;
        options.is_full_range = frame.is_full_range;
        options.on_gpu = options_.on_gpu;
        options.time_base_den = pictures_per_second;
        if (video_) {
            options.time_base_num = video_->time_base_num;
            options.time_base_den = video_->time_base_den;
        }
        staged_.emplace(file_);
        writer_.emplace(staged_->part(), options);
    }

    /// Faces of a frame of another size go where its pixels go.
    void fit(std::vector<Detection>& faces, Size frame) const {
        if (frame == size_) return;
        const Rect place = fitted_place(frame, size_);
        const double x = static_cast<double>(place.width) / frame.width;
        const double y = static_cast<double>(place.height) / frame.height;
        for (Detection& face : faces) {
            Box& box = face.box;
            box = {place.x + box.x * x, place.y + box.y * y, box.w * x, box.h * y};
            for (Point& point : face.details.edit().landmarks)
                point = {place.x + point.x * x, place.y + point.y * y};
        }
    }

    const ImageList& images_;
    const std::filesystem::path file_;
    const AnnotateOptions& options_;
    FaceSmoother smoother_;
    std::shared_ptr<const VideoSource> video_;  // null: pictures
    std::optional<VideoFrames> reader_;
    std::optional<StagedFile> staged_;
    std::optional<VideoWriter> writer_;
    Size size_;  // of all frames in the file
    std::int64_t next_place_ = 0;
};

}  // namespace

std::string annotate_videos(const ImageList& images, const std::vector<FrameSequence>& sequences,
                            const std::filesystem::path& results,
                            const std::vector<std::filesystem::path>& files, const AnnotateOptions& options) {
    ResultsLines lines(results);
    std::string encoder;
    std::size_t written = 0;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const FrameSequence& sequence = sequences[s];
        std::optional<AnnotatedVideo> video;
        if (!files.at(s).empty()) video.emplace(images, sequence, files[s], options);
        for (std::size_t i = sequence.first; i < sequence.first + sequence.count; ++i) {
            if (is_cancelled(options.cancel)) return {};
            std::optional<ImageResult> result = lines.next();
            if (!result) break;
            if (result->image != images.name(i)) {
                throw Error("'" + results.string() + "' has a line of '" + result->image + "' where '" +
                            std::string(images.name(i)) + "' is expected");
            }
            if (video) video->add(i, std::move(*result));
            if (options.progress) options.progress(++written);
        }
        const std::string used = video ? video->close() : std::string();
        if (!used.empty()) encoder = used;
    }
    return encoder;
}

}  // namespace fovea
