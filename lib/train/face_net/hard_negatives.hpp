#pragma once

#include <cstddef>
#include <vector>

#include "kernels/face_net/face_net.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/train/face_net/crop_drawer.hpp"

namespace fovea {

class FieldVisitor;

/// How a training looks for places that its network takes for faces, and how often it shows them.
struct HardNegativeSettings {
    double share = 0;             ///< of the crops; 0: nothing is looked for
    std::size_t interval = 5000;  ///< steps between two searches
    /// Expected IoU from which a place counts.
    double min_score = 0.15;
    std::size_t max_places = 8192;  ///< those of the highest scores are kept
};

/// The fields, with their ranges: see FieldVisitor.
void describe(FieldVisitor& visitor, HardNegativeSettings& mining);
void describe(FieldVisitor& visitor, HardNegative& place);

/// The places that a network takes for faces in photographs whose faces are all annotated. A place that a
/// face or an ignored box covers by a fifth is none. The result depends neither on processor nor threads.
/// \param hooks are asked now and then whether to stop. \return by falling score, of equal ones in the order
/// of the photographs. \throws JobCancelled
std::vector<HardNegative> find_hard_negatives(const FaceNet& net,
                                              const std::vector<PhotographSource>& sources,
                                              const HardNegativeSettings& settings, const JobHooks& hooks);

}  // namespace fovea
