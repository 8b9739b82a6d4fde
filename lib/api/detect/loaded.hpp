#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <fovea/detect.hpp>
#include <tbb/task_arena.h>

#include "lib/config/config.hpp"
#include "lib/core/types.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/job/loaded_detector.hpp"

namespace fovea::api {

/// The configuration of a run with these options. \throws UsageError naming the option and its range.
RunConfig config_of(const DetectorOptions& options);

/// A detector as the program loads it, with a landmarker if landmarks are wanted.
struct Detector::Loaded {
    explicit Loaded(const RunConfig& config);

    const LoadedDetector& detector() const { return detectors.front(); }
    const LandmarkStage* landmarks() const { return stage ? &*stage : nullptr; }
    /// Runs work with the number of threads that the options ask for.
    void run(const std::function<void()>& work) const { arena.execute(work); }

    RunConfig config;
    std::vector<LoadedDetector> detectors;  ///< exactly one
    std::optional<LoadedLandmarker> landmarker;
    std::optional<LandmarkStage> stage;
    mutable tbb::task_arena arena;
};

}  // namespace fovea::api
