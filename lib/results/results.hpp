#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/files/appended_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

struct Dataset;

/// The place of a frame in its video.
struct FrameTime {
    std::int64_t number = 0;  ///< from 0, in the order of display
    double seconds = 0;       ///< by the video's own clock

    friend bool operator==(const FrameTime&, const FrameTime&) = default;
};

/// Nothing for an image that is no frame.
std::optional<FrameTime> frame_time(const std::optional<VideoFrame>& frame);

/// The detections of one image: one line of results.jsonl.
struct ImageResult {
    std::string image;  ///< the sample's relative path
    int width = 0;      ///< 0 if unreadable
    int height = 0;
    std::string status = "ok";  ///< "ok" or "unreadable: why"
    std::vector<Detection> detections;
    /// Parallel to detections: their places among all of the results, from 0, where a file has a line or
    /// record per detection; empty for other files. VOC's program takes equal scores in that order.
    std::vector<std::uint32_t> places{};
    /// Parallel to detections where they were read for a dataset of several categories, else empty: COCO's
    /// category_id.
    std::vector<std::int64_t> categories{};
    /// Parallel to detections where faces were cut out, else empty: the file of each face, relative to the
    /// folder of the crops; empty for a face that has none.
    std::vector<std::string> crops{};

    std::optional<FrameTime> frame{};  ///< of a frame of a video
    /// Its decoder met errors, and gave a frame all the same.
    bool is_damaged = false;
    /// Pages of its file: the image is the first one, and the others were left out.
    int pages = 1;

    bool ok() const { return status == "ok"; }
};

/// The detections of a detector in the images of a dataset.
struct DetectionResults {
    std::vector<ImageResult> images;
    /// The meaning of an image that is not among `images`. True: nothing is known of it, as every image that
    /// was processed has a record (JSON Lines). False: at least one of the files holds a record per detection
    /// (COCO, text), where an image without detections leaves no trace; so nothing was detected in it.
    bool records_every_image = true;
    std::vector<std::string> warnings{};  ///< sentences: what the user should know of the files
    /// The boxes were moved to the dataset's convention: how they are meant is known.
    bool is_calibrated = false;
    /// The file named right and lower edges, and its boxes were read so (CSV).
    bool has_corner_columns = false;
};

/// The format of results.jsonl, which run.json states. A member more in a line leaves the version as it is:
/// readers pass over those that they do not know. configs/schemas/results.schema.json describes a line.
constexpr std::string_view results_format_name = "fovea-results";
constexpr int results_format_version = 1;

/// One line of results.jsonl, without the newline. Equal results give equal bytes: fixed key order, integral
/// numbers without a fraction, others in the shortest form that reads back to the same double; fields that
/// are absent are left out. \throws Error if a number is not finite.
///
/// Keys in order: image, frame and time (of a frame of a video), width, height (left out if unreadable),
/// damaged (true, else left out), pages (if there are several), status, detections; of a detection: box,
/// score, track, followed, neighbors, stage, stage_sum, landmarks, ellipse ([x, y, major radius, minor
/// radius, angle in radians]), identity, distance, candidates ([{identity, image, distance}, ...]), crop.
/// Texts are written as by valid_utf8().
std::string to_json_line(const ImageResult& result);

/// Writes results.jsonl by whole lines; every line is in the file in full before write() returns, so that an
/// interrupted file is usable.
class ResultsWriter {
  public:
    /// "-" is standard output. \param kept  lines of an interrupted job that stay. Errors as AppendedFile.
    explicit ResultsWriter(const std::filesystem::path& path, const FileExtent& kept = {})
        : file_(path, kept) {}

    void write(const ImageResult& result);  ///< \throws Error if the disk is full or the file fails
    /// Lines that to_json_line() made, each with a newline behind it, at once. \throws Error as write
    void write_lines(std::string_view lines) { file_.append(lines); }
    void close() { file_.close(); }  ///< \throws Error as write
    AppendedFile& file() { return file_; }

  private:
    AppendedFile file_;
};

}  // namespace fovea
