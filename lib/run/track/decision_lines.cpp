#include "lib/run/track/decision_lines.hpp"

#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

Json to_json(const Box& box) {
    return Json::array({box.x, box.y, box.w, box.h});
}

const char* name_of(Track::State state) {
    switch (state) {
        case Track::State::followed:
            return "followed";
        case Track::State::lost:
            return "lost";
        case Track::State::ended:
            return "ended";
    }
    return "";
}

const char* name_of(DetectorRun run) {
    switch (run) {
        case DetectorRun::none:
            return "";
        case DetectorRun::turn:
            return "turn";
        case DetectorRun::search:
            return "search";
        case DetectorRun::cut:
            return "cut";
    }
    return "";
}

const char* name_of(JoinRound round) {
    switch (round) {
        case JoinRound::overlap:
            return "overlap";
        case JoinRound::weak:
            return "weak";
        case JoinRound::motion:
            return "motion";
        case JoinRound::alone:
            return "alone";
    }
    return "";
}

Json to_json(const DecidedDetection& detected, bool is_new) {
    Json json{{"box", to_json(detected.detection.box)}, {"score", detected.detection.score}};
    json["by"] = detected.joined ? name_of(detected.joined->round) : is_new ? "new" : "way_back";
    if (detected.joined)
        json[is_by_overlap(detected.joined->round) ? "iou" : "distance"] = detected.joined->measure;
    return json;
}

}  // namespace

std::string decision_lines(const ImageResult& frame, std::span<const TrackDecision> decisions) {
    std::string lines;
    for (const TrackDecision& decision : decisions) {
        Json json{{"image", frame.image}};
        if (frame.frame) {
            json["frame"] = frame.frame->number;
            json["time"] = frame.frame->seconds;
        }
        json["face"] = decision.face;
        if (decision.number > 0) json["track"] = decision.number;
        if (decision.detector != DetectorRun::none) json["detector"] = name_of(decision.detector);
        if (decision.expected) json["expected"] = to_json(*decision.expected);
        if (decision.flow) {
            json["flow"] = {{"agreement", decision.flow->agreement}};
            if (!decision.flow->is_lost()) json["flow"]["box"] = to_json(decision.flow->box);
        }
        if (decision.detected) json["detection"] = to_json(*decision.detected, !decision.expected);
        json["state"] = name_of(decision.state);
        if (!decision.why.empty()) json["why"] = decision.why;
        lines += compact_text(json) + "\n";
    }
    return lines;
}

}  // namespace fovea
