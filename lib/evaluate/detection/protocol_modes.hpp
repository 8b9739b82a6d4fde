#pragma once

#include <vector>

#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// The modes of a protocol, the strict one first; none for those that have no numbers of their own.
std::vector<ProtocolMode> protocol_modes(DetectionProtocol protocol);

}  // namespace fovea
