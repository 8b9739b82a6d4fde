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
/// Detections keep the order they are written in: the evaluations of WIDER FACE and VOC depend on it.
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

/// The files that a specification names, and the text files of a folder.
void add_inputs_of_results(const std::string& specification, InputFiles& inputs);

/// The files of results that are all JSON Lines, in their order, so that they can be read image by image
/// (ResultsLines); none if one of them is not, or can be read only once. \throws UsageError as read_results.
std::vector<std::filesystem::path> files_of_json_lines(const std::string& specification);

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

}  // namespace fovea
