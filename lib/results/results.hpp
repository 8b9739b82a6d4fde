#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/core/json.hpp"
#include "lib/core/sha256.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// What was found in one image: one line of results.jsonl.
struct ImageResult {
    std::string image;  ///< the sample's relative path
    int width = 0;      ///< 0 if unreadable
    int height = 0;
    std::string status = "ok";  ///< "ok" or "unreadable: why"
    std::vector<Detection> detections;

    bool ok() const { return status == "ok"; }
};

/// What a detector found in the images of a dataset.
struct DetectionResults {
    std::vector<ImageResult> images;
    /// What it means that an image is not among `images`. True: nothing is known of it, as every image that
    /// was processed has a record (JSON Lines). False: at least one of the files holds a record per detection
    /// (COCO, text), where an image without detections leaves no trace; so nothing was detected in it.
    bool records_every_image = true;
};

/// One line of results.jsonl, without the newline. Equal results give equal bytes: fixed key order, integral
/// numbers without a fraction, others in the shortest form that reads back to the same double; fields that
/// are absent are left out. \throws Error if a number is not finite.
///
/// Keys in order: image, width, height (left out if unreadable), status, detections; of a detection: box,
/// score, neighbors, stage, stage_sum, landmarks. Texts are written as by valid_utf8().
std::string to_json_line(const ImageResult& result);

/// Writes results.jsonl line by line; every finished line is on disk in full, so that an interrupted file is
/// usable.
class ResultsWriter {
  public:
    /// "-" is standard output. \throws Error if the file cannot be opened.
    explicit ResultsWriter(const std::filesystem::path& path);
    ~ResultsWriter();
    ResultsWriter(const ResultsWriter&) = delete;
    ResultsWriter& operator=(const ResultsWriter&) = delete;

    void write(const ImageResult& result);  ///< \throws Error if the disk is full or the file fails
    void close();                           ///< flushes; \throws Error as write

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Reads detections of this program or any other: own JSON Lines, COCO results JSON (image_id = file name, or
/// an id resolved through a COCO images list beside it), or text lines "name x y w h score".
///
/// \param specification a path, or "jsonl:PATH", "coco:PATH", "text:PATH"; a bare path is recognised by
/// content;
///        "-" is standard input. Several files are separated by commas and read as one. Integer image ids
///        need "coco:PATH,images=DATASET.json". In text, '#' begins a comment line and names may hold blanks.
/// \return images in the order of their first appearance, and what the absence of one means. COCO and text
/// results of one image may be spread over
///         lines and files; in JSON Lines an image has one record, a second one is an error.
///         An empty file that no format is given for counts as JSON Lines.
/// \throws UsageError if the file is not there; Error naming file, line, text and what was expected if it is
///         broken (COCO records, often all in one line, are named by their position in the list): scores and
///         boxes that are not finite, negative sizes, wrong types, missing keys, a line cut off.
DetectionResults read_results(const std::string& specification);

}  // namespace fovea
