#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/job/detection_job.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// A file that a job writes, with the SHA-256 that its manifest has of it when it is complete (null: none).
struct EarlierOutput {
    JournalOutput output;
    std::function<const Json&(const Json& manifest)> sha256;
};

/// The files that an earlier job may have left.
struct EarlierFiles {
    std::filesystem::path results;  ///< the first of the outputs
    std::filesystem::path journal;  ///< empty: none can be there
    std::filesystem::path manifest;
    std::vector<EarlierOutput> outputs;
    bool has_marks = true;  ///< the journal says how far the outputs have come; else it has its head alone

    static EarlierFiles of(const DetectionFiles& files);
};

/// Finds what an interrupted job left in the files. \return nothing if there is nothing to resume, or nothing
/// is to be resumed. \throws UsageError if results of an interrupted job would be lost, or if the results to
/// be resumed are not as a job left them; what recover_job throws.
std::optional<ResumeState> find_resume_state(const EarlierFiles& files, ExistingResults wanted);

/// A job that has finished.
struct FinishedJob {
    Json work;                    ///< {"work": its description, "shard": "2/8" or null}, as job_fingerprint()
    std::filesystem::path crops;  ///< the folder of its crops; empty if it cut out none
};

/// The job whose complete results the files are; nothing if they are not, byte for byte, the results of a
/// finished job. Crops are not compared.
std::optional<FinishedJob> find_finished_job(const EarlierFiles& files);

/// Refuses to go on with the results of another job than this one. \param description as job_fingerprint().
/// \param results names the earlier job's, for the message. \throws UsageError
void check_is_same_job(const JobImages& images, const Json& description,
                       const std::filesystem::path& results);

/// Refuses to replace what a finished job has left. \param difference of that job's work and this one's;
/// empty: it is not known. \param flag the flag that names the output: "--out". \throws UsageError always.
[[noreturn]] void refuse_finished_results(const std::filesystem::path& there, const std::string& difference,
                                          const std::string& flag);

}  // namespace fovea
