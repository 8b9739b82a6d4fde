#include "lib/evaluate/detection/box_format.hpp"

#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_images = 500, max_detections = 300;
constexpr std::size_t min_faces = 10;
constexpr double min_share = 0.3, min_times = 3;
constexpr double hit_iou = 0.5;

Box corners_box(const Box& box) {
    return {box.x, box.y, box.w - box.x, box.h - box.y};
}

/// The box of a detection whose numbers were score, left, top, width and height.
Box score_first_box(const Detection& detection) {
    return {detection.box.y, detection.box.w, detection.box.h, detection.score};
}

/// Faces that boxes hit in the images that were looked at, by how the boxes are read.
struct ReadingHits {
    std::size_t faces = 0;
    std::size_t as_read = 0, corners = 0, score_first = 0;
    std::size_t detections = 0, below_a_pixel = 0;

    void add(const Sample& sample, const ImageResult& result) {
        const std::size_t count = std::min(result.detections.size(), max_detections);
        for (std::size_t i = 0; i < count; ++i) {
            const Box& box = result.detections[i].box;
            ++detections;
            if (box.w <= 1 && box.h <= 1 && box.x <= 1 && box.y <= 1) ++below_a_pixel;
        }
        for (const Face& face : sample.faces) {
            if (face.ignore || face.box.area() <= 1) continue;
            ++faces;
            bool is_hit = false, by_corners = false, by_score_first = false;
            for (std::size_t i = 0; i < count; ++i) {
                const Detection& detection = result.detections[i];
                is_hit |= intersection_over_union(face.box, detection.box) >= hit_iou;
                by_corners |= intersection_over_union(face.box, corners_box(detection.box)) >= hit_iou;
                by_score_first |= intersection_over_union(face.box, score_first_box(detection)) >= hit_iou;
            }
            as_read += is_hit ? 1 : 0;
            corners += by_corners ? 1 : 0;
            score_first += by_score_first ? 1 : 0;
        }
    }

    bool is_likelier(std::size_t hits) const {
        return static_cast<double>(hits) >= min_share * static_cast<double>(faces) &&
               static_cast<double>(hits) >= min_times * static_cast<double>(as_read);
    }
    std::string percent(std::size_t hits) const {
        return fmt::format("{:.1f} %", 100.0 * static_cast<double>(hits) / static_cast<double>(faces));
    }
};

}  // namespace

std::optional<BoxFormat> box_format_of(const std::string& name) {
    if (name == "xywh") return BoxFormat::xywh;
    if (name == "xyxy") return BoxFormat::xyxy;
    return std::nullopt;
}

void convert_boxes(BoxFormat format, DetectionResults& results) {
    if (format == BoxFormat::xywh) return;
    for (ImageResult& image : results.images) {
        for (Detection& detection : image.detections) {
            const Box box = corners_box(detection.box);
            if (box.w < 0 || box.h < 0) {
                throw Error(fmt::format(
                    "A box of the image '{}' has the corners {} {} and {} {}: the second lies before the "
                    "first; is it x y width height? Then leave out --box-format.",
                    image.image, shortest_number(detection.box.x), shortest_number(detection.box.y),
                    shortest_number(detection.box.w), shortest_number(detection.box.h)));
            }
            detection.box = box;
        }
    }
}

std::optional<std::string> doubt_about_boxes(const Dataset& dataset, const ImagePairing& pairing) {
    ReadingHits hits;
    const std::size_t images = pairing.samples.size();
    const std::size_t step = images / max_images + 1;
    for (std::size_t i = 0; i < images; i += step) {
        if (pairing.results[i] == nullptr || pairing.results[i]->detections.empty()) continue;
        hits.add(dataset.samples[pairing.samples[i]], *pairing.results[i]);
    }
    if (hits.faces < min_faces) return std::nullopt;
    if (hits.below_a_pixel == hits.detections) {
        return "All boxes are smaller than a pixel: are they shares of the image's width and height? "
               "Multiply "
               "them by these.";
    }
    if (hits.is_likelier(hits.corners)) {
        return "As x1 y1 x2 y2 the boxes hit " + hits.percent(hits.corners) +
               " of the faces, as x y width height " + hits.percent(hits.as_read) +
               ": are they corners? Then give --box-format xyxy.";
    }
    if (hits.is_likelier(hits.score_first)) {
        return "If the score stood before the box, the boxes would hit " + hits.percent(hits.score_first) +
               " of the faces, as they were read " + hits.percent(hits.as_read) +
               ": write the score last, as NAME X Y WIDTH HEIGHT SCORE.";
    }
    return std::nullopt;
}

}  // namespace fovea
