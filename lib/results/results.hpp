#pragma once

#include "lib/core/json.hpp"
#include "lib/core/types.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fovea {

/// What was found in one image: one line of results.jsonl.
struct ImageResult {
    std::string image;          ///< the sample's relative path
    int width = 0;              ///< 0 if unreadable
    int height = 0;
    std::string status = "ok";  ///< "ok" or "unreadable: why"
    std::vector<Detection> detections;

    bool ok() const { return status == "ok"; }
};

/// One line of results.jsonl, without the newline. Equal results give equal bytes: fixed key order, integral
/// numbers without a fraction, others in the shortest form that reads back to the same double; fields that are
/// absent are left out. \throws Error if a number is not finite.
std::string to_json_line(const ImageResult& result);

/// Writes results.jsonl line by line; every finished line is on disk in full, so that an interrupted file is usable.
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

/// Reads detections of this program or any other: own JSON Lines, COCO results JSON (image_id = file name, or an
/// id resolved through a COCO images list beside it), or text lines "name x y w h score".
///
/// \param specification a path, or "jsonl:PATH", "coco:PATH", "text:PATH"; a bare path is recognised by content.
/// \throws UsageError if the file is not there; Error naming file, line, text and what was expected if it is broken.
std::vector<ImageResult> read_results(const std::string& specification);

/// SHA-256 of a file as 64 hexadecimal digits. \throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace fovea
