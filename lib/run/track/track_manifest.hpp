#pragma once

#include <optional>

#include "lib/run/track/sequence_run.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_job.hpp"

namespace fovea {

/// The parts of the manifest of a job that ran.
struct TrackManifestFacts {
    const TrackJob& job;
    const TrackingRules& rules;
    const std::optional<BoxRule>& boxes;
    const TrackJobResult& outcome;
    const TrackFolder& folder;
    bool on_gpu = false;
    int threads = 1;
};

/// Writes run.json: the configuration, the models and results with their SHA-256, what was counted, and how
/// long it took. \throws Error if a file cannot be read or written.
void write_track_manifest(const TrackManifestFacts& facts);

}  // namespace fovea
