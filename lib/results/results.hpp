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

/// The place of a frame in its video; nothing for an image that is no frame.
std::optional<FrameTime> frame_time(const std::optional<VideoFrame>& frame);

/// The detections of one image: one line of results.jsonl.
struct ImageResult {
    std::string image;  ///< the sample's relative path
    int width = 0;      ///< 0 if unreadable
    int height = 0;
    std::string status = "ok";  ///< "ok" or "unreadable: why"
    std::vector<Detection> detections;
    /// If a file has a line or record per detection: the place, from 0, of each detection among all results,
    /// in which order VOC's program takes equal scores; else empty.
    std::vector<std::uint32_t> places{};
    /// If the dataset has several categories: COCO's category_id of each detection; else empty.
    std::vector<std::int64_t> categories{};
    /// If faces were cut out: each face's file, relative to the folder of the crops, or empty for a face
    /// without one; else empty.
    std::vector<std::string> crops{};

    std::optional<FrameTime> frame{};  ///< of a frame of a video
    /// The decoder met errors in the frame.
    bool is_damaged = false;
    /// The number of pages of the file, of which only the first one was read.
    int pages = 1;

    bool ok() const { return status == "ok"; }
};

/// The detections of a detector in the images of a dataset.
struct DetectionResults {
    std::vector<ImageResult> images;
    /// True: every processed image has a record (JSON Lines), so nothing is known of an image that is not
    /// among `images`. False: at least one file has a record per detection (COCO, text), where images without
    /// detections leave no trace, so nothing was detected in such an image.
    bool records_every_image = true;
    std::vector<std::string> warnings{};  ///< sentences that users should read
    /// The boxes were moved to the dataset's convention.
    bool is_calibrated = false;
    /// The file's columns name right and lower edges, and boxes were read so (CSV).
    bool has_corner_columns = false;
};

/// The format of results.jsonl, which run.json states. A new member of a line does not change the version:
/// readers pass over members that they do not know. configs/schemas/results.schema.json describes a line.
constexpr std::string_view results_format_name = "fovea-results";
constexpr int results_format_version = 1;

/// One line of results.jsonl, without the newline. Equal results give equal bytes: keys have a fixed order,
/// numbers are shortest_number(), absent fields are left out. \throws Error if a number is not finite.
///
/// Keys in order: image, frame and time (of a frame of a video), width, height (left out if unreadable),
/// damaged (true, else left out), pages (if there are several), status, detections; of a detection: box,
/// score, track, followed, neighbors, stage, stage_sum, landmarks, ellipse ([x, y, major radius, minor
/// radius, angle in radians]), person (from 1), apart (why the face is with no person), identity, distance,
/// candidates ([{identity, image, distance}, ...]), crop. Texts are written by valid_utf8().
std::string to_json_line(const ImageResult& result);

/// Writes results.jsonl by whole lines. Every line is in the file before write() returns, so an interrupted
/// file is usable.
class ResultsWriter {
  public:
    /// \param path "-" is standard output. \param kept the lines of an interrupted job that stay.
    /// \throws as AppendedFile.
    explicit ResultsWriter(const std::filesystem::path& path, const FileExtent& kept = {})
        : file_(path, kept) {}

    /// \throws Error if the disk is full or the file fails.
    void write(const ImageResult& result);
    /// Writes lines of to_json_line(), each with its newline, at once. \throws Error as write()
    void write_lines(std::string_view lines) { file_.append(lines); }
    /// \throws Error as write()
    void close() { file_.close(); }
    AppendedFile& file() { return file_; }

  private:
    AppendedFile file_;
};

}  // namespace fovea
