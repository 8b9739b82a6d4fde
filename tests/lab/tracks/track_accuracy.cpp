#include "tests/lab/tracks/track_accuracy.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/evaluate/detection/overlap_pairs.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"

namespace fovea {
namespace {

constexpr double min_hit_iou = 0.2;
constexpr double min_learned_iou = 0.3;

/// A face that is hidden is neither missed nor is a box on it false.
std::vector<Face> faces_to_find(const std::vector<TrueFace>& truth) {
    std::vector<Face> faces;
    for (const TrueFace& true_face : truth) {
        faces.push_back(true_face.face);
        faces.back().ignore = true_face.visible < min_visible;
    }
    return faces;
}

double normalised_error(const Face& face, const std::vector<Point>& landmarks) {
    double sum = 0;
    for (std::size_t i = 0; i < landmarks.size(); ++i) sum += distance(face.landmarks[i], landmarks[i]);
    const LandmarkNormaliser normaliser = normalisers_for(face.landmarks.size(), false).front();
    return sum / static_cast<double>(landmarks.size()) / normaliser_length(normaliser, face);
}

bool lies_on_a_face(const Box& box, const std::vector<Face>& faces) {
    return std::any_of(faces.begin(), faces.end(), [&](const Face& face) {
        return intersection_over_union(face.box, box) > min_hit_iou;
    });
}

double share_of(double part, std::size_t whole) {
    return whole == 0 ? 0 : part / static_cast<double>(whole);
}

void add_identities(const JudgedRun& run, TrackAccuracy& accuracy) {
    struct Seen {
        std::set<int> tracks;
        int last = 0;
    };
    std::map<std::pair<std::size_t, int>, Seen> faces;
    for (const JudgedFace& face : run.faces) {
        if (!face.is_found()) continue;
        Seen& seen = faces[{face.clip, face.face}];
        accuracy.switches += seen.last != 0 && seen.last != face.track;
        seen.last = face.track;
        seen.tracks.insert(face.track);
    }
    std::size_t tracks = 0;
    for (const auto& [face, seen] : faces) tracks += seen.tracks.size();
    accuracy.tracks_per_face = share_of(static_cast<double>(tracks), faces.size());
}

std::optional<double> ratio_to(const JudgedRun& run, const JudgedRun& every_frame) {
    double own = 0, other = 0;
    for (std::size_t i = 0; i < run.faces.size(); ++i) {
        if (!run.faces[i].is_hit || !every_frame.faces[i].is_hit) continue;
        own += run.faces[i].nme;
        other += every_frame.faces[i].nme;
    }
    if (!(other > 0)) return std::nullopt;
    return own / other;
}

}  // namespace

void judge_clip(const Clip& clip, std::size_t number, const FoundFaces& found, const BoxOffsets& boxes,
                JudgedRun& run) {
    for (std::size_t f = 0; f < clip.frames.size(); ++f) {
        const std::vector<Face> faces = faces_to_find(clip.truth[f]);
        std::vector<Detection> moved = found[f];
        for (Detection& detection : moved) detection.box = in_convention(detection.box, boxes);
        const std::vector<OverlapPair> pairs = overlap_pairs(faces, moved, min_hit_iou);
        for (std::size_t i = 0; i < faces.size(); ++i) {
            if (faces[i].ignore) continue;
            JudgedFace& judged = run.faces.emplace_back();
            judged.clip = number;
            judged.frame = f;
            judged.face = clip.truth[f][i].number;
            const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                           [&](const OverlapPair& other) { return other.face == i; });
            if (pair == pairs.end()) continue;
            const DetectionDetails& details = *moved[pair->detection].details;
            judged.is_hit = true;
            judged.iou = pair->iou;
            judged.nme = normalised_error(faces[i], details.landmarks);
            judged.track = details.track.value_or(0);
            judged.followed = details.followed.value_or(0);
        }
        run.false_boxes +=
            static_cast<std::size_t>(std::count_if(moved.begin(), moved.end(), [&](const Detection& box) {
                return !lies_on_a_face(box.box, faces);
            }));
    }
    run.frames += clip.frames.size();
}

BoxOffsets learned_offsets(std::span<const Clip> clips) {
    BoxOffsets sum;
    std::size_t count = 0;
    for (const Clip& clip : clips) {
        for (std::size_t f = 0; f < clip.frames.size(); ++f) {
            const std::vector<Face> faces = faces_to_find(clip.truth[f]);
            for (const OverlapPair& pair : overlap_pairs(faces, clip.detections[f], min_learned_iou)) {
                const Box& truth = faces[pair.face].box;
                const Box& box = clip.detections[f][pair.detection].box;
                sum.left += (truth.x - box.x) / box.w;
                sum.right += (truth.x + truth.w - box.x - box.w) / box.w;
                sum.top += (truth.y - box.y) / box.h;
                sum.bottom += (truth.y + truth.h - box.y - box.h) / box.h;
                ++count;
            }
        }
    }
    if (count == 0) {
        throw Error(
            "the detector finds none of the faces that were drawn, so there is nothing to follow; "
            "choose another detector or dataset");
    }
    const auto pairs = static_cast<double>(count);
    return {sum.left / pairs, sum.right / pairs, sum.top / pairs, sum.bottom / pairs};
}

Box in_convention(const Box& box, const BoxOffsets& offsets) {
    return {box.x + offsets.left * box.w, box.y + offsets.top * box.h,
            box.w * (1 + offsets.right - offsets.left), box.h * (1 + offsets.bottom - offsets.top)};
}

TrackAccuracy accuracy_of(const JudgedRun& run, const JudgedRun* every_frame) {
    TrackAccuracy accuracy;
    accuracy.faces = run.faces.size();
    std::vector<double> errors;
    std::size_t found = 0;
    for (const JudgedFace& face : run.faces) {
        if (!face.is_hit) continue;
        found += face.is_found();
        accuracy.iou += face.iou;
        accuracy.nme += face.nme;
        errors.push_back(face.nme);
    }
    accuracy.found = share_of(static_cast<double>(found), run.faces.size());
    accuracy.iou = share_of(accuracy.iou, errors.size());
    accuracy.nme = share_of(accuracy.nme, errors.size());
    accuracy.median_nme = median_time(errors);
    if (every_frame != nullptr) accuracy.nme_ratio = ratio_to(run, *every_frame);
    accuracy.false_boxes = share_of(static_cast<double>(run.false_boxes), run.frames);
    add_identities(run, accuracy);
    return accuracy;
}

std::vector<DriftPoint> drift_of(const JudgedRun& run, const JudgedRun& every_frame) {
    std::map<int, DriftPoint> points;
    for (std::size_t i = 0; i < run.faces.size(); ++i) {
        const JudgedFace& face = run.faces[i];
        if (!face.is_hit || !every_frame.faces[i].is_hit) continue;
        DriftPoint& point = points[face.followed];
        point.followed = face.followed;
        ++point.faces;
        point.iou += face.iou;
        point.nme += face.nme;
        point.nme_of_every_frame += every_frame.faces[i].nme;
    }
    std::vector<DriftPoint> drift;
    for (auto& [followed, point] : points) {
        point.iou = share_of(point.iou, point.faces);
        point.nme = share_of(point.nme, point.faces);
        point.nme_of_every_frame = share_of(point.nme_of_every_frame, point.faces);
        drift.push_back(point);
    }
    return drift;
}

}  // namespace fovea
