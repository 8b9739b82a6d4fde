#include "lib/report/page/exhibits.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lib/evaluate/detection/match.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

/// The place of an exhibit: its image among the evaluation's, and the index of the face or detection in that
/// image. The order is by weight, then by place, so that equal evaluations show the same.
struct Place {
    double weight = 0;
    std::size_t image = 0;
    std::size_t index = 0;
};

std::vector<Place> heaviest(std::vector<Place> places, std::size_t limit) {
    const std::size_t count = std::min(limit, places.size());
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(),
                      [](const Place& a, const Place& b) {
                          return std::make_tuple(-a.weight, a.image, a.index) <
                                 std::make_tuple(-b.weight, b.image, b.index);
                      });
    places.resize(count);
    return places;
}

std::string face_note(const Face& face, bool ignored) {
    return std::string(ignored ? "face that does not count" : "face") + ", " + fixed(face.box.w, 0) + " × " +
           fixed(face.box.h, 0) + " px";
}

std::string detection_note(const ImageEvaluation& outcome, std::size_t i, bool is_alarm) {
    std::string note = "detection, score " + compact(outcome.detections[i].score);
    note += is_alarm                                         ? ", false positive"
            : outcome.outcomes[i] == DetectionMatch::ignored ? ", on an ignored face"
                                                             : ", hit";
    if (i < outcome.best_iou.size()) note += ", IoU " + fixed(outcome.best_iou[i], 2);
    return note;
}

std::vector<DrawnBox> all_boxes(const Sample& sample, const ImageEvaluation& outcome,
                                const ImageScores& scores, DrawnBox::Kind subject_kind, std::size_t subject) {
    std::vector<DrawnBox> boxes;
    for (std::size_t i = 0; i < sample.faces.size(); ++i) {
        const Face& face = sample.faces[i];
        const bool ignored = is_ignored(outcome, i);
        boxes.push_back({ignored ? DrawnBox::Kind::ignored_face : DrawnBox::Kind::face, face.box,
                         subject_kind == DrawnBox::Kind::face && i == subject, face_note(face, ignored)});
        if (std::isfinite(scores.found[i])) boxes.back().score = scores.found[i];
    }
    for (std::size_t i = 0; i < outcome.detections.size(); ++i) {
        const bool is_alarm = std::find(scores.alarms.begin(), scores.alarms.end(), i) != scores.alarms.end();
        boxes.push_back({DrawnBox::Kind::detection, outcome.detections[i].box,
                         subject_kind == DrawnBox::Kind::detection && i == subject,
                         detection_note(outcome, i, is_alarm), outcome.detections[i].score, is_alarm});
    }
    std::stable_partition(boxes.begin(), boxes.end(), [](const DrawnBox& box) { return !box.subject; });
    return boxes;
}

}  // namespace

std::vector<Exhibit> largest_misses(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                    const std::vector<ImageScores>& scores, double threshold,
                                    std::size_t limit, const std::set<std::string>& without_result) {
    std::vector<Place> places;
    for (std::size_t n = 0; n < scores.size(); ++n) {
        const ImageEvaluation& outcome = evaluation.image_outcomes[n];
        const Sample& sample = dataset.samples.at(outcome.sample);
        if (without_result.count(sample.image) != 0) continue;
        for (std::size_t i = 0; i < sample.faces.size(); ++i) {
            if (scores[n].found[i] >= threshold || is_ignored(outcome, i)) continue;
            places.push_back({sample.faces[i].box.area(), n, i});
        }
    }
    std::vector<Exhibit> exhibits;
    for (const Place& place : heaviest(std::move(places), limit)) {
        const ImageEvaluation& outcome = evaluation.image_outcomes[place.image];
        const Sample& sample = dataset.samples[outcome.sample];
        const Box& box = sample.faces[place.index].box;
        double best = 0;
        double score = 0;
        for (const Detection& detection : outcome.detections) {
            const double iou = intersection_over_union(box, detection.box);
            if (iou > best) {
                best = iou;
                score = detection.score;
            }
        }
        Exhibit exhibit{outcome.sample,
                        box,
                        all_boxes(sample, outcome, scores[place.image], DrawnBox::Kind::face, place.index),
                        {}};
        exhibit.facts.push_back(fixed(box.w, 0) + " × " + fixed(box.h, 0) + " px");
        exhibit.facts.push_back(best > 0 ? "nearest IoU " + fixed(best, 2) + ", score " + compact(score)
                                         : "nothing detected there");
        exhibits.push_back(std::move(exhibit));
    }
    return exhibits;
}

std::vector<Exhibit> highest_false_alarms(const Dataset& dataset, const DetectionEvaluation& evaluation,
                                          const std::vector<ImageScores>& scores, std::size_t limit) {
    std::vector<Place> places;
    for (std::size_t n = 0; n < scores.size(); ++n) {
        for (std::size_t a = 0; a < scores[n].alarms.size(); ++a)
            places.push_back({scores[n].false_positives[a], n, scores[n].alarms[a]});
    }
    std::vector<Exhibit> exhibits;
    for (const Place& place : heaviest(std::move(places), limit)) {
        const ImageEvaluation& outcome = evaluation.image_outcomes[place.image];
        const Sample& sample = dataset.samples.at(outcome.sample);
        const Detection& detection = outcome.detections[place.index];
        const double best = place.index < outcome.best_iou.size() ? outcome.best_iou[place.index] : 0;
        Exhibit exhibit{
            outcome.sample,
            detection.box,
            all_boxes(sample, outcome, scores[place.image], DrawnBox::Kind::detection, place.index),
            {}};
        exhibit.facts.push_back("score " + compact(detection.score));
        exhibit.facts.push_back(best > 0 ? "nearest face IoU " + fixed(best, 2) : "no face there");
        exhibits.push_back(std::move(exhibit));
    }
    return exhibits;
}

}  // namespace fovea::report
