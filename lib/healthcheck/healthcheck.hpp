#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// Faults of a dataset, results, or two datasets together.
enum class FindingKind {
    reader_warning,        ///< what the reader of the dataset warned of
    missing_image,         ///< no such file
    unreadable_image,      ///< the file cannot be decoded
    unread_format,         ///< pictures of a folder in formats that are not read
    repeated_name,         ///< two images of one name
    repeated_file,         ///< two images that are one file
    duplicate_image,       ///< another file with the same bytes (SHA-256)
    image_size,            ///< the annotation or the results state another size than the image has
    not_finite,            ///< a coordinate or score is NaN or infinite
    degenerate_box,        ///< w or h is not above 0
    duplicate_box,         ///< the same box twice in an image
    box_partly_outside,    ///< of the image
    box_outside,           ///< wholly outside of the image
    eyes_outside,          ///< outside of the face's box; without a box, of the image
    eyes_swapped,          ///< the left eye is not left of the right one
    landmarks_outside,     ///< one or more outside of the face's box
    landmark_count,        ///< another number than most faces have
    names_differ,          ///< results that pair with images only without folders and extensions
    unknown_image,         ///< a result of an image that the dataset does not have
    image_without_result,  ///< in results that have a record for every image processed
    partial_results,       ///< results without records of all images that lack many images with faces
    unreadable_result,     ///< the results say that the image could not be read
    unsorted_scores,       ///< detections of an image that are not by falling score
    tied_scores,           ///< detections of an image with one score: their order is arbitrary
    degenerate_detection,
    duplicate_detection,
    detection_partly_outside,
    detection_outside,
    doubtful_boxes,   ///< detections that fit the faces far better as corners, scaled, …
    subject_in_both,  ///< a subject of the one dataset is in the other one, too
    image_in_both,    ///< the same bytes, or (where images were not read) the same file
};

/// The kind's name in JSON, e.g. "missing_image".
std::string_view finding_name(FindingKind kind);
/// The kind in words for a table, e.g. "missing images".
std::string_view finding_title(FindingKind kind);
/// All kinds, in the order above.
std::span<const FindingKind> all_finding_kinds();

struct Finding {
    FindingKind kind{};
    std::string source;  ///< the dataset or results it was found in, as the user wrote it
    std::string image;   ///< empty if it is not of one image
    std::string detail;  ///< what is there
};

/// The findings in the files of a dataset.
struct ImageFacts {
    bool is_missing = false;
    std::string unreadable;         ///< why it cannot be decoded; empty if it can, or was not tried
    std::optional<ImageSize> size;  ///< of the decoded image
    std::string sha256;             ///< empty if the file was not read
};

/// Everything wrong with a dataset by itself, in the order of its images. Boxes are compared with the image's
/// size where it is known, from the file or the annotation. Points may lie on a box's edge. \param facts
/// parallel to the samples.
std::vector<Finding> check_dataset(const Dataset& dataset, const std::vector<ImageFacts>& facts);

/// Everything wrong with results by themselves and against the dataset that they are of. \param source how
/// findings name the results. Sizes are those of the files, else of the results, else of the annotation.
std::vector<Finding> check_results(const DetectionResults& results, const std::string& source,
                                   const Dataset& dataset, const std::vector<ImageFacts>& facts);

/// The common parts of two datasets that must not share anything, as training and test do: subjects (by equal
/// names) and images.
std::vector<Finding> check_overlap(const Dataset& first, const std::vector<ImageFacts>& first_facts,
                                   const Dataset& second, const std::vector<ImageFacts>& second_facts);

}  // namespace fovea
