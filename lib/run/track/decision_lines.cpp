#include "lib/run/track/decision_lines.hpp"

#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

Json to_json(const Box& box) {
    return Json::array({box.x, box.y, box.w, box.h});
}

constexpr NameTable<Track::State, 3> track_state_names{{"followed", "lost", "ended"},
                                                       "is no state of a track"};
constexpr NameTable<DetectorRun, 4> detector_run_names{{"none", "turn", "search", "cut"},
                                                       "is no detector's run"};
constexpr NameTable<JoinRound, 4> join_round_names{{"overlap", "weak", "motion", "alone"}, "is no round"};

Json to_json(const DecidedDetection& detected, bool is_new) {
    Json json{{"box", to_json(detected.detection.box)}, {"score", detected.detection.score}};
    json["by"] = is_new ? "new" : "way_back";
    if (!detected.joined) return json;
    json["by"] = join_round_names.name_of(detected.joined->round);
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
        if (decision.detector != DetectorRun::none)
            json["detector"] = detector_run_names.name_of(decision.detector);
        if (decision.expected) json["expected"] = to_json(*decision.expected);
        if (decision.flow) {
            json["flow"] = {{"agreement", decision.flow->agreement}};
            if (!decision.flow->is_lost()) json["flow"]["box"] = to_json(decision.flow->box);
        }
        if (decision.detected) json["detection"] = to_json(*decision.detected, !decision.expected);
        json["state"] = track_state_names.name_of(decision.state);
        if (!decision.why.empty()) json["why"] = decision.why;
        lines += compact_text(json) + "\n";
    }
    return lines;
}

}  // namespace fovea
