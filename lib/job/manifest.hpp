#pragma once

#include "lib/device/energy.hpp"
#include "lib/job/job_plan.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/landmark/crop_options.hpp"

namespace fovea {

/// {"kind", "format"}, and for boxes "size" and "margin".
Json crop_options_to_json(const CropOptions& options);

/// The manifest of a run: all that is needed to repeat it and to tell whether two runs did the same work.
///
/// "complete" says that no image is missing. "work" is all that decides the results, with its SHA-256.
/// "shard" is the part of the work, with the places of its images in the whole list ("positions": the first,
/// then the distances between neighbours). "detectors" holds the detectors, "landmarks" the landmark model
/// with the rule for each kind of boxes, and "truth_boxes" the results of the annotated boxes, if there are
/// some. "unreadable" and "skipped" name every image and input that has no result, with the reason.
///
/// The manifest also holds the effective configuration, SHA-256 of models, lists and results, versions,
/// decoder, device and counts. "timings" and "energy" hold what differs from run to run without meaning, each
/// detector's "engine" what differs from device to device. "error" is there only if a device failed. Paths of
/// results are relative to the manifest's folder. \param energy of this run \param feature_rows of all runs
/// \throws Error if a model or list cannot be read any more.
Json make_manifest(const DetectionJob& job, const JobPlan& plan, const DetectionJobResult& outcome,
                   const EnergyReading& energy, std::size_t feature_rows);

}  // namespace fovea
