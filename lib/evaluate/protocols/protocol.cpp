#include "lib/evaluate/protocols/protocol.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/evaluate/detection/protocol_modes.hpp"

namespace fovea {

std::unique_ptr<ProtocolEvaluation> evaluate_protocol(const std::vector<ProtocolImage>& images,
                                                      const DetectionEvaluationOptions& options,
                                                      ProtocolMode mode) {
    const std::vector<ProtocolMode> modes = protocol_modes(options.protocol);
    if (!modes.empty() && std::find(modes.begin(), modes.end(), mode) == modes.end()) {
        std::string names;
        for (const ProtocolMode known : modes) names += (names.empty() ? "" : " or ") + mode_name(known);
        throw UsageError("the protocol " + protocol_name(options.protocol) + " has no mode '" +
                         mode_name(mode) + "': use " + names);
    }
    switch (options.protocol) {
        case DetectionProtocol::iou:
        case DetectionProtocol::mit_cmu:
            return nullptr;
        case DetectionProtocol::s_eyes:
            return evaluate_s_eyes(images, mode);
        case DetectionProtocol::fddb:
            return evaluate_fddb(images, mode);
        case DetectionProtocol::wider:
            return evaluate_wider(images, mode);
        case DetectionProtocol::voc2007:
            return evaluate_voc(images, mode, 2007);
        case DetectionProtocol::voc2010:
            return evaluate_voc(images, mode, 2010);
        case DetectionProtocol::coco:
            return evaluate_coco(images, mode);
        case DetectionProtocol::oks:
            return evaluate_oks(images, mode, options.oks_sigmas);
        case DetectionProtocol::face_eval:
            return evaluate_face_eval(images);
        case DetectionProtocol::uiuc:
            return evaluate_uiuc(images, mode, false);
        case DetectionProtocol::uiuc_scale:
            return evaluate_uiuc(images, mode, true);
    }
    return nullptr;
}

}  // namespace fovea
