#include "lib/evaluate/detection/protocol_modes.hpp"

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

}  // namespace fovea
