#include "lib/run/track/annotate_videos.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/formats/byte_source.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/results/results_lines.hpp"
#include "lib/run/track/draw_faces.hpp"
#include "lib/track/one_euro.hpp"
#include "lib/video/video_error.hpp"
#include "lib/video/video_frames.hpp"
#include "lib/video/write/video_writer.hpp"

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
    frame.codes.matrix = ColourCodes::bt601_matrix;  // OpenCV's
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
        : images_(images),
          file_(std::move(file)),
          name_(sequence.name),
          options_(options),
          reading_(video_read_options(decode_options(options.config.image), options.config.threads,
                                      options.max_bytes)),
          smoother_(options.config.tracking.smoothing) {
        const std::optional<VideoFrame> first = images.frame(sequence.first);
        if (first) {
            video_ = first->video;
            begins_video_ = first->number == 0;
            reader_.emplace(video_, reading_);
        } else {
            pictures_ = images.open_from(sequence.first);
        }
    }

    void add(std::size_t index, ImageResult result) {
        const std::int64_t place = next_place_++;
        ColourFrame frame;
        std::int64_t time_stamp = place;
        double seconds = static_cast<double>(place) / pictures_per_second;
        const std::optional<VideoFrame> of_video = images_.frame(index);
        try {
            if (of_video) {
                note_place(*of_video);
                frame = reader_->read_colours(*of_video);
                time_stamp = of_video->rising_stamp();
                seconds = of_video->seconds();
            } else {
                frame = colours_of_picture(read_picture(codec::read_whole(*pictures_->open(index)),
                                                        decode_options(options_.config.image)));
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

    /// Adds the encoder, if there was a frame, and notes.
    void close(AnnotatedVideos& outcome) {
        if (!writer_) return;
        writer_->close(end_of_sound());
        outcome.encoder = writer_->encoder();
        for (const std::string& end : writer_->sound_left_out())
            outcome.notes.push_back("the sound of '" + name_ + "' " + end);
        writer_.reset();
        staged_->publish(Durability::whenever);
    }

  private:
    void note_place(const VideoFrame& frame) {
        if (frame.time_stamp == VideoFrame::no_time_stamp) return;
        if (last_) step_ = difference_of_stamps(frame.rising_stamp(), last_->rising_stamp());
        last_ = frame;
    }

    /// Sound ends with the pictures if the video has more of them.
    std::optional<std::int64_t> end_of_sound() {
        if (!last_) return std::nullopt;
        try {
            if (!reader_->goes_on_behind(*last_, step_)) return std::nullopt;
        } catch (const VideoError&) {
            return std::nullopt;
        }
        return sum_of_stamps(last_->rising_stamp(), step_);
    }

    void open(const ColourFrame& frame) {
        VideoWriterOptions options;
        size_ = {frame.width, frame.height};
        options.is_matroska = file_.extension() == ".mkv";
        options.width = frame.width;
        options.height = frame.height;
        options.is_full_range = frame.is_full_range;
        options.colours = frame.codes;
        options.on_gpu = options_.on_gpu;
        options.time_base_den = pictures_per_second;
        options.frames_per_second = pictures_per_second;
        if (video_) {
            options.time_base_num = video_->time_base_num;
            options.time_base_den = video_->time_base_den;
            options.frames_per_second = video_->facts.frames_per_second;
            options.sound = {video_, begins_video_, reading_.limits};
            if (!reading_.for_display) {
                options.pixel = video_->facts.pixel;
                options.orientation = video_->facts.orientation;
            }
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
    const std::string name_;
    const AnnotateOptions& options_;
    const VideoReadOptions reading_;
    FaceSmoother smoother_;
    std::shared_ptr<const VideoSource> video_;  // null: pictures
    bool begins_video_ = false;                 // the sequence begins with the video's first frame
    std::optional<VideoFrame> last_;            // the frame that was given last
    std::int64_t step_ = 1;                     // to it from the one before
    std::optional<VideoFrames> reader_;
    std::unique_ptr<ImageInputs> pictures_;  // null: a video
    std::optional<StagedFile> staged_;
    std::optional<VideoWriter> writer_;
    Size size_;  // of all frames in the file
    std::int64_t next_place_ = 0;
};

}  // namespace

AnnotatedVideos annotate_videos(const ImageList& images, const std::vector<FrameSequence>& sequences,
                                const std::filesystem::path& results,
                                const std::vector<std::filesystem::path>& files,
                                const AnnotateOptions& options, const JobHooks& hooks) {
    ResultsLines lines(results);
    AnnotatedVideos outcome;
    JobProgress progress = options.progress;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const FrameSequence& sequence = sequences[s];
        std::optional<AnnotatedVideo> video;
        if (!files.at(s).empty()) video.emplace(images, sequence, files[s], options);
        for (std::size_t i = sequence.first; i < sequence.first + sequence.count; ++i) {
            if (hooks.is_cancelled()) return {};
            std::optional<ImageResult> result = lines.next();
            if (!result) break;
            if (result->image != images.name(i)) {
                throw Error("'" + results.string() + "' has a line of '" + result->image + "' where '" +
                            std::string(images.name(i)) + "' is expected");
            }
            if (video) video->add(i, std::move(*result));
            ++progress.done;
            hooks.tell(progress);
        }
        if (video) video->close(outcome);
    }
    return outcome;
}

}  // namespace fovea
