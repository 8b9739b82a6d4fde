#include "lib/evaluate/landmarks/landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "lib/core/box_index.hpp"
#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/evaluate/landmarks/landmark_statistics.hpp"
#include "lib/evaluate/statistics/hungarian.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

void require_finite(const std::vector<Point>& points, const std::string& whose) {
    for (const Point& point : points) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y)) {
            throw Error(whose + " have a landmark that is not finite; correct it or leave the face out.");
        }
    }
}

// The common properties of the faces that count, and of those that do not.
struct Truth {
    std::size_t points = 0;
    bool eyes = true;  // all of them have annotated eyes
};

Truth examine_truth(const Dataset& dataset, const ImagePairing& pairing, LandmarkEvaluation& evaluation) {
    Truth truth;
    const std::string* first_image = nullptr;
    for (const std::size_t index : pairing.samples) {
        const Sample& sample = dataset.samples[index];
        for (const Face& face : sample.faces) {
            evaluation.faces_ignored += face.ignore ? 1 : 0;
            evaluation.faces_without_landmarks += !face.ignore && face.landmarks.empty() ? 1 : 0;
            if (!counts_for_landmarks(face)) continue;
            require_finite(face.landmarks, "The faces of '" + excerpt(sample.image) + "' in the dataset");
            if (first_image == nullptr) {
                first_image = &sample.image;
                truth.points = face.landmarks.size();
            }
            if (face.landmarks.size() != truth.points) {
                throw Error("The faces of the dataset '" + dataset.name +
                            "' differ in their landmarks: " + counted(truth.points, "point") + " in '" +
                            excerpt(*first_image) + "', " + std::to_string(face.landmarks.size()) + " in '" +
                            excerpt(sample.image) + "'; evaluate them apart (--pattern).");
            }
            truth.eyes = truth.eyes && face.eyes.has_value();
        }
    }
    if (first_image == nullptr) {
        throw Error(
            "No annotated face of the dataset '" + dataset.name +
            "' has landmarks, so there is nothing to evaluate against; give a dataset with landmarks, "
            "such as pts: or dlib: with parts.");
    }
    return truth;
}

void choose_normalisers(const Truth& truth, LandmarkEvaluation& evaluation) {
    evaluation.points = truth.points;
    evaluation.normalisers = normalisers_for(truth.points, truth.eyes);
    if (!evaluation.options.normaliser) evaluation.options.normaliser = evaluation.normalisers.front();
    const auto chosen = std::find(evaluation.normalisers.begin(), evaluation.normalisers.end(),
                                  *evaluation.options.normaliser);
    if (chosen == evaluation.normalisers.end()) {
        std::string known;
        for (const LandmarkNormaliser normaliser : evaluation.normalisers) {
            known += (known.empty() ? "" : ", ") + normaliser_name(normaliser);
        }
        throw UsageError("faces of " + counted(truth.points, "landmark") + " have no normaliser '" +
                         normaliser_name(*evaluation.options.normaliser) + "'; use one of " + known);
    }
    evaluation.primary = static_cast<std::size_t>(chosen - evaluation.normalisers.begin());
}

const std::vector<Detection>& detections_of(const ImageResult* result, std::size_t points) {
    static const std::vector<Detection> nothing;
    if (result == nullptr) return nothing;
    for (const Detection& detection : result->detections) {
        const std::size_t count = detection.details->landmarks.size();
        if (count != 0 && count != points) {
            throw Error("A detection in the results of '" + excerpt(result->image) + "' has " +
                        counted(count, "landmark") + ", the dataset's faces have " + std::to_string(points) +
                        "; evaluate landmarks of the same scheme.");
        }
        require_finite(detection.details->landmarks, "The results of '" + excerpt(result->image) + "'");
    }
    return result->detections;
}

void pair_faces(const Dataset& dataset, const ImagePairing& pairing, LandmarkEvaluation& evaluation) {
    std::uint32_t units = 0;
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        const Sample& sample = dataset.samples[pairing.samples[i]];
        const std::vector<Detection>& detections = detections_of(pairing.results[i], evaluation.points);
        const std::vector<int> pairs = pair_landmarks(sample.faces, detections);
        evaluation.detections_unpaired += static_cast<int>(
            std::count_if(detections.begin(), detections.end(),
                          [](const Detection& detection) { return !detection.details->landmarks.empty(); }) -
            std::count_if(pairs.begin(), pairs.end(), [](int detection) { return detection >= 0; }));
        bool any = false;
        for (std::size_t k = 0; k < sample.faces.size(); ++k) {
            const Face& face = sample.faces[k];
            if (!counts_for_landmarks(face)) continue;
            any = true;
            LandmarkFace outcome{pairing.samples[i], k, units, {}, {}, {}, 0};
            for (const LandmarkNormaliser normaliser : evaluation.normalisers) {
                outcome.lengths.push_back(normaliser_length(normaliser, face));
            }
            if (pairs[k] >= 0) {
                const Detection& detection = detections[static_cast<std::size_t>(pairs[k])];
                outcome.found = detection.details->landmarks;
                outcome.followed = detection.details->followed.value_or(0);
                for (std::size_t p = 0; p < outcome.found.size(); ++p) {
                    outcome.distances.push_back(distance(outcome.found[p], face.landmarks[p]));
                }
            }
            evaluation.faces_missed += outcome.missed() ? 1 : 0;
            evaluation.outcomes.push_back(std::move(outcome));
        }
        units += any ? 1 : 0;
        evaluation.images_missing += pairing.results[i] == nullptr ? 1 : 0;
        evaluation.images_unreadable += pairing.results[i] != nullptr && !pairing.results[i]->ok() ? 1 : 0;
    }
    evaluation.images = static_cast<int>(pairing.samples.size());
    evaluation.images_extra = pairing.extra;
    evaluation.faces = static_cast<int>(evaluation.outcomes.size());
    evaluation.faces_found = evaluation.faces - evaluation.faces_missed;
}

// Which faces count: their images and true landmarks.
std::string units_sha256_of(const Dataset& dataset, const LandmarkEvaluation& evaluation) {
    std::string bytes;
    for (const LandmarkFace& face : evaluation.outcomes) {
        const Sample& sample = dataset.samples[face.sample];
        bytes += sample.image + '\n';
        for (const Point& point : sample.faces[face.face].landmarks) {
            for (const double coordinate : {point.x, point.y}) {
                char raw[sizeof coordinate];
                std::memcpy(raw, &coordinate, sizeof coordinate);
                bytes.append(raw, sizeof coordinate);
            }
        }
    }
    return sha256_of(bytes);
}

void add_warnings(LandmarkEvaluation& evaluation) {
    const auto warn = [&](int count, const char* noun, const std::string& for_one,
                          const std::string& for_more) {
        add_counted(evaluation.warnings, static_cast<std::size_t>(count), noun, for_one, for_more);
    };
    warn(evaluation.images_unreadable, "annotated image", " could not be read; its faces count as missed.",
         " could not be read; their faces count as missed.");
    warn(evaluation.faces_without_landmarks, "annotated face", " has no landmarks and does not count.",
         " have no landmarks and do not count.");
    warn(evaluation.detections_unpaired, "detection",
         " with landmarks belongs to no annotated face and does not count.",
         " with landmarks belong to no annotated face and do not count.");
    if (evaluation.faces_found == 0) {
        evaluation.warnings.emplace_back(
            "Not one face was found with landmarks, so there are no errors to average; do the results hold "
            "landmarks, and are they in the same pixels as the dataset's?");
    }
    for (const NormalisedError& error : evaluation.nme) {
        const std::string what = normaliser_description(error.normaliser);
        warn(error.unmeasured, "face",
             " found cannot be measured by " + what + ", which is 0; it counts as a failure there.",
             " found cannot be measured by " + what + ", which is 0; they count as failures there.");
    }
}

}  // namespace

std::vector<int> pair_landmarks(const std::vector<Face>& faces, const std::vector<Detection>& detections) {
    constexpr double weight_of_full_overlap = 1099511627776.0;  // 2^40: sums are exact, ties are ties
    std::vector<int> candidates;
    for (std::size_t i = 0; i < detections.size(); ++i) {
        if (!detections[i].details->landmarks.empty()) candidates.push_back(static_cast<int>(i));
    }
    std::vector<int> pairs(faces.size(), -1);
    if (faces.size() == 1 && candidates.size() == 1) {
        pairs[0] = candidates[0];
        return pairs;
    }
    HungarianMatcher matcher(static_cast<int>(faces.size()));
    const BoxIndex index(faces);
    for (const int candidate : candidates) {
        std::vector<HungarianMatcher::Edge> edges;
        const Box& box = detections[static_cast<std::size_t>(candidate)].box;
        index.visit_touching(box, [&](std::size_t k) {
            const double iou = intersection_over_union(faces[k].box, box);
            if (iou < min_pairing_iou) return;
            edges.push_back({static_cast<int>(k), std::llround(iou * weight_of_full_overlap)});
        });
        matcher.add_row(edges);
    }
    for (std::size_t k = 0; k < faces.size(); ++k) {
        const int row = matcher.row_of(static_cast<int>(k));
        if (row >= 0) pairs[k] = candidates[static_cast<std::size_t>(row)];
    }
    return pairs;
}

double mean_distance(const LandmarkFace& face) {
    if (face.missed()) return infinite;
    double sum = 0;
    for (const double distance : face.distances) sum += distance;
    return sum / static_cast<double>(face.distances.size());
}

double normalised_mean_error(const LandmarkFace& face, std::size_t normaliser) {
    return face.lengths[normaliser] > 0 ? mean_distance(face) / face.lengths[normaliser] : infinite;
}

double helf_error_as_printed(const LandmarkFace& face, double length) {
    if (face.missed() || !(length > 0)) return infinite;
    double squares = 0;
    for (const double distance : face.distances) squares += distance * distance;
    return std::sqrt(squares) / (static_cast<double>(face.distances.size()) * length);
}

LandmarkEvaluation evaluate_landmarks(const Dataset& dataset, const DetectionResults& results,
                                      const LandmarkEvaluationOptions& options, const std::string& name,
                                      const ShareProgress& progress) {
    LandmarkEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;
    const ImagePairing pairing = pair_images(dataset, results);
    evaluation.warnings = pairing.warnings;
    choose_normalisers(examine_truth(dataset, pairing, evaluation), evaluation);
    pair_faces(dataset, pairing, evaluation);
    evaluation.units_sha256 = units_sha256_of(dataset, evaluation);

    const std::vector<SliceMembers> slices =
        landmark_slices(dataset, evaluation.outcomes, evaluation.warnings);
    const LandmarkStatistics statistics(evaluation, slices);
    statistics.fill(
        bootstrap_estimates(statistics, options.bootstrap_resamples, options.bootstrap_seed, progress),
        slices, evaluation);
    std::vector<const std::vector<Point>*> shapes;
    for (const LandmarkFace& face : evaluation.outcomes) {
        shapes.push_back(&dataset.samples[face.sample].faces[face.face].landmarks);
    }
    evaluation.mean_shape = mean_shape(shapes);
    evaluation.over_time = landmarks_over_time(dataset, evaluation);
    add_warnings(evaluation);
    return evaluation;
}

}  // namespace fovea
