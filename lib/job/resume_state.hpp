#pragma once

#include <optional>

#include "lib/job/detection_job.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// Finds what an interrupted job left in the files. \return nothing if there is nothing to resume, or nothing
/// is to be resumed. \throws UsageError if results of an interrupted job would be lost, or if the results to
/// be resumed are not as a job left them; what recover_job throws.
std::optional<ResumeState> find_resume_state(const DetectionFiles& files, ExistingResults wanted);

/// A job that has finished.
struct FinishedJob {
    Json work;                    ///< {"work": its description, "shard": "2/8" or null}, as job_fingerprint()
    std::filesystem::path crops;  ///< the folder of its crops; empty if it cut out none
};

/// The job whose complete results the files are; nothing if they are not, byte for byte, the results of a
/// finished job. Crops are not compared.
std::optional<FinishedJob> find_finished_job(const DetectionFiles& files);

}  // namespace fovea
