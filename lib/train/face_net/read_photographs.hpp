#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json.hpp"
#include "lib/results/tally.hpp"
#include "lib/train/face_net/face_net_config.hpp"
#include "lib/train/face_net/face_net_trainer.hpp"

namespace fovea {

struct ReadPhotographs {
    std::vector<PhotographSource> sources;  ///< as configured
    Json manifest = Json::array();          ///< of each: dataset, images, sha256, and faces
    std::vector<UnreadableImage> unreadable;
    std::size_t images = 0;  ///< of all datasets, also unreadable ones
    InputFiles inputs;       ///< the files of the datasets
};

/// Reads the photographs that a configuration names. \param threads that decode; 0 = all cores.
/// \param progress called with the images done and all of them; may throw to stop.
/// \throws UsageError for datasets that cannot be read; Error if no photograph shows a face.
ReadPhotographs read_photographs(const FaceNetTrainConfig& config, int threads,
                                 const CountProgress& progress = {});

}  // namespace fovea
