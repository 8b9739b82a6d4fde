#include "lib/run/track/track_summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/json/json.hpp"

namespace fovea {
namespace {

double distance_of(const Point& a, const Point& b) {
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    return std::sqrt(x * x + y * y);
}

Json best_to_json(const BestFace& best, const std::string& crop) {
    Json json;
    json["image"] = best.image;
    if (best.frame) {
        json["frame"] = best.frame->number;
        json["time"] = best.frame->seconds;
    }
    json["box"] = {best.box.x, best.box.y, best.box.w, best.box.h};
    json["score"] = best.score;
    json["size"] = best.size;
    json["frontal"] = best.frontal;
    json["sharpness"] = best.sharpness;
    json["quality"] = best.quality;
    if (!crop.empty()) json["crop"] = crop;
    return json;
}

void extend(std::vector<FrameSpan>& spans, bool goes_on, const FrameSpan& frame) {
    if (!goes_on) {
        spans.push_back(frame);
        return;
    }
    spans.back().last = frame.last;
    spans.back().to = frame.to;
}

}  // namespace

double quality_of_face(const BestFace& face) {
    constexpr double large = 100, sharp = 100;
    return std::clamp(face.score, 0.0, 1.0) * face.frontal * std::min(1.0, face.size / large) *
           (face.sharpness / (face.sharpness + sharp));
}

double frontal_measure(const std::vector<Point>& landmarks) {
    constexpr std::size_t nose_tip = 30, first_corner = 36, second_corner = 45;
    if (landmarks.size() != 68) return 1;
    const double first = distance_of(landmarks[nose_tip], landmarks[first_corner]);
    const double second = distance_of(landmarks[nose_tip], landmarks[second_corner]);
    const double larger = std::max(first, second);
    return larger > 0 ? std::min(first, second) / larger : 0;
}

Json to_json(const TrackSummary& summary) {
    Json json;
    json["track"] = summary.track;
    json["sequence"] = summary.sequence;
    json["first_image"] = summary.first_image;
    json["last_image"] = summary.last_image;
    if (summary.first && summary.last) {
        json["first_frame"] = summary.first->number;
        json["last_frame"] = summary.last->number;
        json["first_time"] = summary.first->seconds;
        json["last_time"] = summary.last->seconds;
        json["seconds_on_screen"] = summary.seconds;
    }
    json["frames"] = summary.frames;
    json["detections"] = summary.detections;
    json["mean_score"] = summary.score_sum / static_cast<double>(std::max<std::size_t>(1, summary.frames));
    if (!summary.identity.empty()) json["identity"] = summary.identity;
    if (summary.distance) json["distance"] = *summary.distance;
    if (summary.best) json["best"] = best_to_json(*summary.best, summary.crop);
    return json;
}

void FaceStrip::add(ShownFace face) {
    faces_.push_back(std::move(face));
    if (faces_.size() <= max_faces) return;
    // Every second one stays, and half as many come.
    std::size_t kept = 1;
    for (std::size_t i = 2; i < faces_.size(); i += 2) faces_[kept++] = std::move(faces_[i]);
    faces_.resize(kept);
    stride_ *= 2;
}

void TrackGatherer::add(const ImageResult& frame) {
    const std::size_t place = frames_++;
    if (frame.frame) {
        if (shown_since_) last_duration_ = frame.frame->seconds - *shown_since_;
        show(last_duration_);
        shown_since_ = frame.frame->seconds;
    }
    on_screen_.clear();
    const auto at = static_cast<double>(place);
    const double time = frame.frame ? frame.frame->seconds : at;
    // How long it is shown, the next frame tells.
    const FrameSpan now{place, place, time, frame.frame ? time : at + 1};
    for (const Detection& face : frame.detections) {
        const int number = face.details->track.value();
        TrackSummary& track = tracks_[number];
        if (track.frames == 0) {
            track.track = number;
            track.sequence = sequence_;
            track.first_image = frame.image;
            track.first = frame.frame;
        }
        const bool goes_on = !track.spans.empty() && track.spans.back().last + 1 == place;
        extend(track.spans, goes_on, now);
        if (!face.details->followed) {
            extend(track.detected,
                   goes_on && !track.detected.empty() && track.detected.back().last + redetect_ >= place,
                   now);
        }
        track.last_image = frame.image;
        track.last = frame.frame;
        ++track.frames;
        if (!face.details->followed) ++track.detections;
        track.score_sum += face.score;
        on_screen_.push_back(number);
    }
}

void TrackGatherer::show(double seconds) {
    for (const int number : on_screen_) {
        TrackSummary& track = tracks_[number];
        track.seconds += seconds;
        FrameSpan& seen = track.spans.back();
        seen.to = *shown_since_ + seconds;
        if (!track.detected.empty() && track.detected.back().last == seen.last)
            track.detected.back().to = seen.to;
    }
}

const BestFace* TrackGatherer::best_of(int track) const {
    const auto found = tracks_.find(track);
    return found == tracks_.end() || !found->second.best ? nullptr : &*found->second.best;
}

void TrackGatherer::set_best(int track, BestFace face) {
    tracks_[track].best = std::move(face);
}

std::vector<TrackSummary> TrackGatherer::take() {
    if (shown_since_) show(last_duration_);
    std::vector<TrackSummary> tracks;
    for (auto& [number, track] : tracks_) {
        // Times of frames are rounded to microseconds, and so are their sums.
        track.seconds = std::round(track.seconds * 1e6) / 1e6;
        tracks.push_back(std::move(track));
    }
    tracks_.clear();
    on_screen_.clear();
    return tracks;
}

}  // namespace fovea
