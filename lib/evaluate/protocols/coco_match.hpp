#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/protocols/protocol.hpp"

namespace fovea {

// COCO's matching of one image. Its setting: 10 IoU thresholds (0.5, 0.55, ... 0.95) and 4 ranges of areas in
// pixels: all, small (below 32²), medium (32² to 96²), large (from 96²). At most 100 detections of an image
// count. For keypoints, the object keypoint similarity (OKS) takes the place of IoU, and at most 20
// detections count.

constexpr std::size_t coco_thresholds = 10;
constexpr std::size_t coco_areas = 4;
constexpr std::size_t coco_most_detections = 100;
constexpr std::size_t oks_most_detections = 20;

/// How detections are compared with faces.
struct CocoRule {
    ProtocolMode mode = ProtocolMode::strict;
    /// Sigmas of the landmarks, which are compared by OKS; empty: boxes are compared by IoU.
    std::vector<double> sigmas{};

    bool is_oks() const { return !sigmas.empty(); }
    std::size_t max_detections() const { return is_oks() ? oks_most_detections : coco_most_detections; }
};

/// The outcome of a detection. Bit t of a mask stands for threshold t.
struct CocoDetection {
    std::size_t index = 0;  ///< in the image's detections
    double score = 0;
    std::array<std::uint16_t, coco_areas> found{};    ///< true positive
    std::array<std::uint16_t, coco_areas> counted{};  ///< true or false positive; else it is ignored
    int face = -1;        ///< that it finds at the first threshold among all areas, or -1
    double face_iou = 0;  ///< IoU or OKS with that face
};

struct CocoImage {
    std::vector<CocoDetection> detections;          ///< the ones that count, by falling score
    std::array<std::uint32_t, coco_areas> faces{};  ///< counted ones
};

/// True for a face that is ignored whatever its area: a crowd; a face marked ignore (corrected mode); a face
/// without a labelled landmark (OKS).
bool is_ignored_in_coco(const Face& face, const CocoRule& rule);

/// Matches greedily: the detections by falling score, each with the face of the largest IoU that is still
/// free (crowds always are), counted faces before ignored ones; of equal IoU the later face. A face whose
/// area is out of range is ignored, and so is an unmatched detection whose area (w h) is out of range.
///
/// OKS ignores faces without a labelled landmark, too; under it, detections without landmarks find nothing.
///
/// Strict is cocoeval.py of pycocotools 2.0.11 (evaluateImg); what differs in the corrected mode stands in
/// lib/evaluate/README.md, "Quirks of the reference programs". Boxes and scores must be finite; landmarks as
/// many as sigmas.
CocoImage match_coco(const Sample& sample, std::span<const Detection> detections, const CocoRule& rule);

/// Does match_coco() for every image, on all cores. \throws Error naming the image if a box or score is
/// not finite.
std::vector<CocoImage> match_coco_images(const std::vector<ProtocolImage>& images, const CocoRule& rule);

/// The order in which images' detections of equal scores are taken: by image id (the attribute id_attribute)
/// where every image has one, else as given.
std::vector<std::uint32_t> coco_image_order(const std::vector<ProtocolImage>& images);

}  // namespace fovea
