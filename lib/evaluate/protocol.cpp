#include "lib/evaluate/protocol.hpp"

namespace fovea {

std::unique_ptr<ProtocolEvaluation> evaluate_protocol(const std::vector<ProtocolImage>& images,
                                                      const DetectionEvaluationOptions& options,
                                                      ProtocolMode mode) {
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
    }
    return nullptr;
}

}  // namespace fovea
