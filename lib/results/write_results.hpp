#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/files/output_files.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A format that results are written in.
struct ResultsOutputFormat {
    std::string_view name;
    bool is_folder = false;      ///< a folder of files, else one file
    bool needs_dataset = false;  ///< only a dataset tells what it must hold
    bool is_table = false;       ///< written image by image: see lib/results/tables
};

/// jsonl, coco, text, fddb, wider, voc, mot, csv, sqlite.
std::span<const ResultsOutputFormat> results_output_formats();

/// The images of results as they are written in a format.
///
/// A dataset makes results those of its images, named and ordered as there; results of other images are left
/// out. Formats that name every image (jsonl and tables) get a record, too, of images that the results do not
/// name because nothing was detected in them (DetectionResults::records_every_image is false). Without a
/// dataset they are as they were read. \param dataset null: none. \param losses receives one sentence for
/// each kind of thing that is left out. \throws UsageError, Error as render_results.
std::vector<ImageResult> images_to_write(const DetectionResults& results, const Dataset* dataset,
                                         std::string_view format, std::vector<std::string>& losses);

/// Results in another format, but for tables. Numbers are the shortest text that reads back to the same
/// double.
///
/// They are those of images_to_write().
/// - jsonl: results.jsonl.
/// - coco: a list of {"image_id", "category_id": 1, "bbox", "score"}; image_id is coco_image_ids of the
///   dataset, without one the image's name.
/// - text: lines "name x y w h score".
/// - fddb: for each image of the dataset its name without extension, the number of detections and lines "x y
///   w h score"; "0" where there is none.
/// - wider: EVENT/NAME.txt for each image EVENT/NAME.jpg: name, number of detections, lines "x y w h score"
///   by falling score, equal scores in their order. Whole files: an image without detections has one with 0.
/// - voc: lines "name score xmin ymin xmax ymax", names without extension, the inclusive range of pixels
///   counted from 1 (xmin = x + 1, xmax = x + w).
/// - mot: SEQUENCE.txt of each sequence of the dataset (video_sequences): lines
///   "frame,track,x,y,w,h,score,-1,-1,-1", frames from 1.
///
/// \param dataset null: none. \param losses receives one sentence for each kind of thing that is left out.
/// \throws UsageError for an unknown format or a dataset that is missing; Error if results and dataset have
/// no image in common, a name cannot stand in the format, or a number is not finite.
OutputFiles render_results(const DetectionResults& results, const Dataset* dataset, std::string_view format,
                           std::vector<std::string>& losses);

}  // namespace fovea
