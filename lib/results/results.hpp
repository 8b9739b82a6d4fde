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

/// Reads results whose dataset is not there yet: COCO results are parsed on other cores meanwhile.
class ResultsReader {
  public:
    /// \param specification as read_results takes it. read() tells what is wrong with it.
    explicit ResultsReader(std::string specification);
    ~ResultsReader();
    ResultsReader(ResultsReader&&) noexcept;

    /// The same as read_results(specification, dataset). Call it once.
    DetectionResults read(const Dataset& dataset);

  private:
    struct Ahead;

    std::string specification_;
    std::unique_ptr<Ahead> ahead_;
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

/// Reads detections of this program or any other:
/// - jsonl: own JSON Lines;
/// - coco: COCO results JSON; image_id = file name, or an id resolved through a COCO images list beside it;
/// - text: lines "name x y w h score"; '#' begins a comment line and names may hold blanks;
/// - fddb: per image its name, n, and n lines "x y w h score", or "ra rb angle x y score" for ellipses
///   (radii, radians, centre; Detection::box is then the ellipse's bounding box), as FDDB's evaluate takes
///   them;
/// - wider: a folder with EVENT/IMAGE.txt: name, n, and n lines "x y w h score", as WIDER FACE's evaluation
///   takes them. The image is EVENT/ and the file's name, which the name in the file must agree with;
/// - voc: lines "id score xmin ymin xmax ymax" of PASCAL VOC's development kit (comp4_det_test_face.txt),
///   corners counted from 1 and inclusive; read as Box{xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1}.
/// - face-eval: lines "name score x1 y1 x2 y2", as the toolbox of AFW and PASCAL faces takes them; the name
///   ends at its first dot; read as Box{x1, y1, x2 - x1, y2 - y1}. Its .mat files (ids, BB and sc or
///   confidence; DetectionResults) and Picasa's .csv are read, too.
/// - csv: a table with a heading and a row per detection, as pandas and spreadsheets write it. The separator
///   is a comma, a semicolon or a tab; cells may be in quotes and hold line breaks (RFC 4180). Columns are
///   found by their usual names, in any order; others are passed over. Right and lower edges instead of sizes
///   are taken as such. Without a column of scores each is 1, with a warning. A row with an image and no box
///   is an image without detections. The tables of `fovea convert --to csv` are read with all that they hold.
/// - mot: MOTChallenge's results, lines "frame,id,left,top,w,h,conf,x,y,z" with frames from 1: the file of a
///   sequence, or a folder with SEQUENCE.txt of each sequence of the dataset (video_sequences), which must be
///   given. Detection::score is conf, or 1 where there are only six columns. Detections keep the order they
///   are written in: the evaluations of WIDER FACE and VOC depend on it.
///
/// \param specification a path, or "jsonl:PATH", "coco:PATH", and so on; a bare path is recognised by content
/// (all but voc and face-eval, which look as text does, so a bare path to them is read as text); "-" is
/// standard input. Several files are separated by commas and read as one. Integer image ids need
/// "coco:PATH,images=DATASET.json", or the dataset.
/// \return images in the order of their first appearance, and what the absence of one means. COCO and text
/// results of one image may be spread over lines and files; in JSON Lines, FDDB and WIDER FACE an image has
/// one record, a second one is an error. An empty file that no format is given for counts as JSON Lines.
/// FDDB, WIDER FACE and VOC name images without an extension: ".jpg" is added, as these sets' images have it.
/// \throws UsageError if the file is not there; Error naming file, line, text and what was expected if it is
/// broken (COCO records, often all in one line, are named by their position in the list): scores and boxes
/// that are not finite, negative sizes, wrong types, missing keys, a line cut off.
DetectionResults read_results(const std::string& specification);

/// The same, but names are the dataset's, and COCO results give only the records whose category_id is that of
/// its faces, or absent. Integer image ids of COCO results are those of its samples (attribute "id", as the
/// reader of COCO sets leaves it) unless images= names a list. An image that FDDB, WIDER FACE or VOC results
/// name without an extension is the sample of that name with one, if there is exactly one.
DetectionResults read_results(const std::string& specification, const Dataset& dataset);

/// The files of results that are all JSON Lines, in their order, so that they can be read image by image
/// (ResultsLines); none if one of them is not, or can be read only once. \throws UsageError as read_results.
std::vector<std::filesystem::path> files_of_json_lines(const std::string& specification);

}  // namespace fovea
