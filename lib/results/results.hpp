#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/core/json.hpp"
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

/// One line of results.jsonl, without the newline. Equal results give equal bytes: fixed key order, integral
/// numbers without a fraction, others in the shortest form that reads back to the same double; fields that
/// are absent are left out. \throws Error if a number is not finite.
///
/// Keys in order: image, width, height (left out if unreadable), status, detections; of a detection: box,
/// score, neighbors, stage, stage_sum, landmarks. The image's name is written by utf8_text.
std::string to_json_line(const ImageResult& result);

/// The text as JSON can hold it: every byte that is not part of valid UTF-8 becomes U+FFFD. File names need
/// not be UTF-8; whoever compares them with names in results files compares them in this form.
std::string utf8_text(const std::string& text);

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
/// \return images in the order of their first appearance. COCO and text results of one image may be spread
/// over
///         lines and files; in JSON Lines an image has one record, a second one is an error.
/// \throws UsageError if the file is not there; Error naming file, line, text and what was expected if it is
///         broken (COCO records, often all in one line, are named by their position in the list): scores and
///         boxes that are not finite, negative sizes, wrong types, missing keys, a line cut off.
std::vector<ImageResult> read_results(const std::string& specification);

/// SHA-256 of a file as 64 hexadecimal digits. \throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace fovea
