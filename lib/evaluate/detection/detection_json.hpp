#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The `detection` object of report.json: every number of the evaluation but the outcomes of single images.
///
/// Rates are in [0, 1] and finite; what is undefined (a threshold that does not exist, an interval that was
/// not computed) is left out. The curve is given by falling threshold and thinned by thin_roc to
/// `max_roc_points` ("roc_thresholds" is the number of points before); all other numbers come from the whole
/// curve.
Json detection_evaluation_to_json(const DetectionEvaluation& evaluation, std::size_t max_roc_points = 5000);

/// The protocol's own numbers by key, each with "KEY_ci95" and, where another mode gives another value,
/// "KEY_strict", "KEY_port" or "KEY_corrected" beside it; what is undefined is left out.
Json protocol_numbers_to_json(const DetectionEvaluation& evaluation);

/// The protocol in one sentence for people: the rule with its numbers, the matching, the treatment of ignored
/// faces.
std::string protocol_description(const DetectionEvaluationOptions& options);

/// The protocol's one name, in configurations, flags and report.json: "iou", "mit-cmu", "s-eyes", "fddb",
/// "wider", "voc2007", "voc2010", "coco", "oks", "face-eval", "uiuc", "uiuc-scale".
std::string protocol_name(DetectionProtocol protocol);

/// "strict", "port" or "corrected".
std::string mode_name(ProtocolMode mode);

/// Every mode, in the order of the enumeration.
inline constexpr std::array all_modes{ProtocolMode::strict, ProtocolMode::port, ProtocolMode::corrected};

/// The program or paper that a mode follows, in words: "the official MATLAB program (eval_tools)".
std::string mode_origin(DetectionProtocol protocol, ProtocolMode mode);

/// Every protocol, in the order of the enumeration.
inline constexpr std::array all_protocols{
    DetectionProtocol::iou,       DetectionProtocol::mit_cmu, DetectionProtocol::s_eyes,
    DetectionProtocol::fddb,      DetectionProtocol::wider,   DetectionProtocol::voc2007,
    DetectionProtocol::voc2010,   DetectionProtocol::coco,    DetectionProtocol::oks,
    DetectionProtocol::face_eval, DetectionProtocol::uiuc,    DetectionProtocol::uiuc_scale};

}  // namespace fovea
