#include "lib/evaluate/detection/protocol_modes.hpp"

#include "lib/evaluate/detection/detection_json.hpp"

namespace fovea {

std::vector<ProtocolMode> protocol_modes(DetectionProtocol protocol) {
    switch (protocol) {
        case DetectionProtocol::iou:
        case DetectionProtocol::mit_cmu:
            return {};
        case DetectionProtocol::wider:
            return {ProtocolMode::strict, ProtocolMode::port, ProtocolMode::corrected};
        case DetectionProtocol::face_eval:
            return {ProtocolMode::strict};
        default:
            return {ProtocolMode::strict, ProtocolMode::corrected};
    }
}

std::optional<double> without_ignored_faces(const DetectionEvaluation& evaluation, std::size_t number) {
    if (evaluation.ignored_but_counted == 0) return std::nullopt;
    const ProtocolNumber& in_modes = evaluation.protocol_numbers.at(number);
    for (const ModeValue& other : in_modes.other_modes) {
        if (other.mode == ProtocolMode::corrected) return other.value;
    }
    return in_modes.estimate.value;
}

std::string with_ignored_faces(const DetectionEvaluation& evaluation) {
    const std::string them = evaluation.faces_ignored == 1 ? "it" : "them";
    return "the " + mode_name(evaluation.options.mode) + " numbers of " +
           protocol_name(evaluation.options.protocol) + " count " +
           (evaluation.ignored_but_counted == evaluation.faces_ignored
                ? them
                : std::to_string(evaluation.ignored_but_counted) + " of them") +
           ", as pycocotools does, and all other numbers leave " + them + " out";
}

}  // namespace fovea
