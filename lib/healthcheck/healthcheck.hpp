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
    reader_warning,        ///< a warning of the dataset's reader
    missing_image,         ///< the file is not there
    unreadable_image,      ///< the file cannot be decoded
    unread_format,         ///< the folder has pictures in formats that are not read
    repeated_name,         ///< two images have one name
    repeated_file,         ///< two images are one file
    duplicate_image,       ///< another file with the same bytes (SHA-256)
    image_size,            ///< the annotation or the results state another size than the image has
    not_finite,            ///< a coordinate or score is NaN or infinite
    degenerate_box,        ///< w or h is not above 0
    duplicate_box,         ///< the same box twice in an image
    box_partly_outside,    ///< of the image
    box_outside,           ///< wholly outside of the image
    eyes_outside,          ///< outside of the face's box; without a box, of the image
    eyes_swapped,          ///< the left eye is not left of the right one
    landmarks_outside,     ///< a landmark is outside of the face's box
    landmark_count,        ///< another number of landmarks than most faces have
    names_differ,          ///< results pair with images only without folders and extensions
    unknown_image,         ///< a result's image is not in the dataset
    image_without_result,  ///< results with a record for every processed image lack one
    partial_results,       ///< results with a record per detection lack many images with faces
    unreadable_result,     ///< the results say that the image could not be read
    unsorted_scores,       ///< detections of an image are not sorted by falling score
    tied_scores,           ///< detections of an image have one score: their order is arbitrary
    degenerate_detection,
    duplicate_detection,
    detection_partly_outside,
    detection_outside,
    doubtful_boxes,   ///< detections fit the faces far better as corners, scaled, …
    subject_in_both,  ///< a subject is in both datasets
    image_in_both,    ///< both datasets have the same bytes or, if files were not read, the same file
};

/// The kind's name in JSON, e.g. "missing_image".
std::string_view finding_name(FindingKind kind);
/// The kind in words for a table, e.g. "missing images".
std::string_view finding_title(FindingKind kind);
/// All kinds, in the order above.
std::span<const FindingKind> all_finding_kinds();

struct Finding {
    FindingKind kind{};
    std::string source;  ///< the dataset or results with the fault, as the user named it
    std::string image;   ///< empty if the fault is not one image's
    std::string detail;  ///< the fault in words
};

/// Facts about an image's file.
struct ImageFacts {
    bool is_missing = false;
    std::string unreadable;         ///< the reason if decoding was tried and failed; else empty
    std::optional<ImageSize> size;  ///< of the decoded image
    std::string sha256;             ///< empty if the file was not read
};

/// The faults of a dataset, in the order of its images. Boxes are compared with the image's size if the file
/// or the annotation tells it. Points may lie on a box's edge. \param facts parallel to the samples.
std::vector<Finding> check_dataset(const Dataset& dataset, const std::vector<ImageFacts>& facts);

/// The faults of results, by themselves and compared with their dataset. Sizes of images are the files', else
/// the results', else the annotation's. \param source the name of the results in findings. \param facts
/// parallel to the samples.
std::vector<Finding> check_results(const DetectionResults& results, const std::string& source,
                                   const Dataset& dataset, const std::vector<ImageFacts>& facts);

/// The subjects (by equal names) and images that two datasets share, although they must share none, as
/// training and test sets.
std::vector<Finding> check_overlap(const Dataset& first, const std::vector<ImageFacts>& first_facts,
                                   const Dataset& second, const std::vector<ImageFacts>& second_facts);

}  // namespace fovea
