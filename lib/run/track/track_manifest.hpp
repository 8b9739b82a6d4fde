#pragma once

#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_plan.hpp"

namespace fovea {

/// Sets what was found: the sequences, the counts, and the unreadable images. \param skipped_files inputs
/// that are not read.
void set_found(Json& manifest, const TrackJobResult& outcome, std::size_t skipped_files);
/// The files with their SHA-256. \throws Error if one cannot be read.
Json files_to_json(const TrackFolder& folder);

/// Writes run.json: the configuration, the models and results with their SHA-256, what was counted, and how
/// long it took. \throws Error if a file cannot be read or written.
void write_track_manifest(const TrackJob& job, const TrackPlan& plan, const TrackJobResult& outcome);

}  // namespace fovea
