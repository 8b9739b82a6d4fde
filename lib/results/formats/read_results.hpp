#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/results/results.hpp"

namespace fovea {

class InputFiles;

/// Reads detections of this program or any other; each format has its rules at its reader.
///
/// Detections keep the order of the file: the evaluations of WIDER FACE and VOC depend on it.
///
/// \param specification a path, or "jsonl:PATH", "coco:PATH", and so on; "-" is standard input. The content
/// tells the format of a bare path, except for voc and face-eval, which look like text and are read so.
/// Several files are separated by commas and read as one. Integer image ids need
/// "coco:PATH,images=DATASET.json", or the dataset.
/// \return images in the order of their first appearance, and the meaning of an image's absence. COCO and
/// text results of one image may be spread over lines and files; in JSON Lines, FDDB and WIDER FACE a second
/// record of an image is an error. An empty file without a named format counts as JSON Lines. FDDB, WIDER
/// FACE and VOC name images without an extension: ".jpg" is added, which these sets' images have.
/// \throws UsageError if the file is not there; Error if it is broken, naming file, line, text and what was
/// expected (a COCO record's position in the list instead of a line): scores and boxes that are not finite,
/// negative sizes, wrong types, missing keys, a line cut off.
DetectionResults read_results(const std::string& specification);

/// Reads detections for a dataset. Names are the dataset's. COCO records of other categories than the
/// dataset's are left out. Integer image ids of COCO results mean the samples' attribute "id", which the
/// reader of COCO sets gives them, unless images= names a list. A name without extension in FDDB, WIDER FACE
/// or VOC results means the sample of this name with an extension, if there is exactly one.
DetectionResults read_results(const std::string& specification, const Dataset& dataset);

/// Adds the files that a specification names, and the text files of a folder, to the files that no output
/// may replace.
void add_inputs_of_results(const std::string& specification, InputFiles& inputs);

/// The files of results in their order if all are JSON Lines, so that ResultsLines can read them image by
/// image; none if one of them is not, or can be read only once. \throws UsageError as read_results().
std::vector<std::filesystem::path> files_of_json_lines(const std::string& specification);

/// Reads results while their dataset is still being read: COCO results are parsed on other cores meanwhile.
class ResultsReader {
  public:
    /// \param specification as of read_results(). Errors come with read().
    explicit ResultsReader(std::string specification);
    ~ResultsReader();
    ResultsReader(ResultsReader&&) noexcept;

    /// Gives the result of read_results(specification, dataset), with its errors. Call it once.
    DetectionResults read(const Dataset& dataset);

  private:
    struct Ahead;

    std::string specification_;
    std::unique_ptr<Ahead> ahead_;
};

}  // namespace fovea
