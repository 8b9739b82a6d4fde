#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// The modes of a protocol, the strict one first; none for those that have no numbers of their own.
std::vector<ProtocolMode> protocol_modes(DetectionProtocol protocol);

/// The corrected value of a protocol's number that counts ignored faces, without them; nothing where it
/// counts none or is undefined. \param evaluation in all modes.
std::optional<double> without_ignored_faces(const DetectionEvaluation& evaluation, std::size_t number);

/// Which numbers count the ignored faces: a clause, for an evaluation some of whose numbers do.
std::string with_ignored_faces(const DetectionEvaluation& evaluation);

}  // namespace fovea
