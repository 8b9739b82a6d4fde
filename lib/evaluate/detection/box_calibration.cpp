#include "lib/evaluate/detection/box_calibration.hpp"

#include <cmath>
#include <numbers>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/evaluate/detection/overlap_pairs.hpp"
#include "lib/evaluate/statistics/folds.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// Sums over pairs; the sum of several folds is that of all their pairs.
struct Sums {
    int pairs = 0;
    BoxOffsets box;
    int ellipse_pairs = 0;
    EllipseOffsets ellipse;  // without the angle
    double cosine = 0;       // of the doubled angle
    double sine = 0;

    void add(const Face& face, const Box& box_found) {
        const Box& truth = face.box;
        ++pairs;
        box.left += (truth.x - box_found.x) / box_found.w;
        box.right += (truth.x + truth.w - box_found.x - box_found.w) / box_found.w;
        box.top += (truth.y - box_found.y) / box_found.h;
        box.bottom += (truth.y + truth.h - box_found.y - box_found.h) / box_found.h;
        if (!face.ellipse) return;
        ++ellipse_pairs;
        ellipse.centre_x += (face.ellipse->centre.x - box_found.centre().x) / box_found.w;
        ellipse.centre_y += (face.ellipse->centre.y - box_found.centre().y) / box_found.h;
        ellipse.major_radius += face.ellipse->major_radius / box_found.h;
        ellipse.minor_radius += face.ellipse->minor_radius / box_found.w;
        cosine += std::cos(2 * face.ellipse->angle_rad);
        sine += std::sin(2 * face.ellipse->angle_rad);
    }

    void add(const Sums& other) {
        pairs += other.pairs;
        box.left += other.box.left;
        box.right += other.box.right;
        box.top += other.box.top;
        box.bottom += other.box.bottom;
        ellipse_pairs += other.ellipse_pairs;
        ellipse.centre_x += other.ellipse.centre_x;
        ellipse.centre_y += other.ellipse.centre_y;
        ellipse.major_radius += other.ellipse.major_radius;
        ellipse.minor_radius += other.ellipse.minor_radius;
        cosine += other.cosine;
        sine += other.sine;
    }

    FoldCalibration means(const std::string& fold) const {
        FoldCalibration calibration;
        calibration.fold = fold;
        calibration.pairs = pairs;
        if (pairs > 0) {
            calibration.box = {box.left / pairs, box.right / pairs, box.top / pairs, box.bottom / pairs};
        }
        calibration.ellipse_pairs = ellipse_pairs;
        if (ellipse_pairs > 0) {
            const double n = ellipse_pairs;
            double angle = std::atan2(sine, cosine) / 2;
            if (angle < 0) angle += std::numbers::pi;
            calibration.ellipse = {ellipse.centre_x / n, ellipse.centre_y / n, ellipse.major_radius / n,
                                   ellipse.minor_radius / n, angle};
        }
        return calibration;
    }
};

Ellipse ellipse_of_box(const Box& box, const EllipseOffsets& offsets) {
    const Point centre = box.centre();
    return {{centre.x + offsets.centre_x * box.w, centre.y + offsets.centre_y * box.h},
            offsets.major_radius * box.h,
            offsets.minor_radius * box.w,
            offsets.angle_rad};
}

}  // namespace

Json box_calibration_to_json(const CalibratedResults& calibrated) {
    Json json{
        {"folds_by", calibrated.folds_stated ? "the dataset's attribute \"fold\"" : "a hash of image names"},
        {"folds", Json::array()}};
    for (const FoldCalibration& fold : calibrated.folds) {
        Json entry{{"fold", fold.fold},     {"pairs_of_other_folds", fold.pairs},
                   {"left", fold.box.left}, {"right", fold.box.right},
                   {"top", fold.box.top},   {"bottom", fold.box.bottom}};
        if (fold.ellipse) {
            entry["ellipse"] = {
                {"pairs_of_other_folds", fold.ellipse_pairs}, {"centre_x", fold.ellipse->centre_x},
                {"centre_y", fold.ellipse->centre_y},         {"major_radius", fold.ellipse->major_radius},
                {"minor_radius", fold.ellipse->minor_radius}, {"angle_rad", fold.ellipse->angle_rad}};
        }
        json["folds"].push_back(std::move(entry));
    }
    return json;
}

CalibratedResults calibrated_results(const Dataset& dataset, const DetectionResults& results,
                                     const BoxCalibrationOptions& options) {
    if (!(options.min_iou >= 0 && options.min_iou < 1)) {
        throw UsageError(
            "The IoU of the pairs that boxes are calibrated from must be at least 0 and below 1, and it is " +
            shortest_number(options.min_iou) + ".");
    }
    const ImagePairing pairing = pair_images(dataset, results);
    const Folds folds = folds_of(dataset);
    std::vector<Sums> of_fold(folds.names.size());
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        if (pairing.results[i] == nullptr) continue;
        const std::vector<Face>& faces = dataset.samples[pairing.samples[i]].faces;
        const std::vector<Detection>& detections = pairing.results[i]->detections;
        for (const OverlapPair& pair : overlap_pairs(faces, detections, options.min_iou)) {
            of_fold[folds.of_sample[pairing.samples[i]]].add(faces[pair.face],
                                                             detections[pair.detection].box);
        }
    }

    CalibratedResults calibrated;
    calibrated.results = results;
    calibrated.results.is_calibrated = true;
    calibrated.folds_stated = folds.stated;
    for (std::size_t fold = 0; fold < of_fold.size(); ++fold) {
        Sums others;
        for (std::size_t other = 0; other < of_fold.size(); ++other) {
            if (other != fold) others.add(of_fold[other]);
        }
        calibrated.folds.push_back(others.means(folds.names[fold]));
    }
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        const ImageResult* result = pairing.results[i];
        // Images absent because nothing was detected share a result that is not in the list; it is empty.
        if (result == nullptr || result->detections.empty()) continue;
        const FoldCalibration& learned = calibrated.folds[folds.of_sample[pairing.samples[i]]];
        if (learned.pairs == 0) continue;
        const auto index = static_cast<std::size_t>(result - results.images.data());
        for (std::size_t d = 0; d < result->detections.size(); ++d) {
            const Box& box = result->detections[d].box;
            Detection& moved = calibrated.results.images[index].detections[d];
            moved.box = moved_box(box, learned.box);
            if (learned.ellipse) moved.details.edit().ellipse = ellipse_of_box(box, *learned.ellipse);
        }
    }
    return calibrated;
}

}  // namespace fovea
