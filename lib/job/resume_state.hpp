#pragma once

#include <optional>

#include "lib/job/detection_job.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// \return nothing if the files hold nothing to go on with, or it is not to be. \throws UsageError if results
/// of an interrupted job would be lost, or if those to go on with are not what a job has left; what
/// recover_job throws.
std::optional<ResumeState> find_resume_state(const DetectionFiles& files, ExistingResults wanted);

/// A job that has finished.
struct FinishedJob {
    Json work;                    ///< {"work": its description, "shard": "2/8" or null}, as job_fingerprint()
    std::filesystem::path crops;  ///< the folder of its crops; empty if it cut out none
};

/// The job that the files are the complete results of. Nothing if they are not, byte for byte, what a job has
/// finished; crops are not looked at.
std::optional<FinishedJob> find_finished_job(const DetectionFiles& files);

}  // namespace fovea
