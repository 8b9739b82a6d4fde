#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/files/shortage.hpp"
#include "lib/job/detection_files.hpp"
#include "lib/job/job_material.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// A file that a job writes.
struct EarlierOutput {
    JournalOutput output;
    /// The places of its SHA-256 in the manifest of a complete job, as JSON pointers: the first one counts
    /// that the manifest has.
    std::vector<std::string> sha256;
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

/// Checks, before anything is written, what becomes of an earlier job's results: a job that is resumed must
/// have been this one, and finished results are replaced by the same work, or if the user says so.
/// \param description job_fingerprint(). \param outputs what the job replaces, each with the flag that names
/// it. \param crops the folder of crops; empty: none are cut out. \throws UsageError
void check_earlier_results(const JobMaterial& job, const Json& description, const EarlierFiles& earlier,
                           const std::vector<PlannedOutput>& outputs,
                           const std::filesystem::path& crops = {});

/// Calls work(). A file that cannot be appended to is told with the way to go on. \throws what it throws
template <class Work>
auto with_way_to_resume(const Work& work) {
    try {
        return work();
    } catch (const AppendError& error) {
        throw Error(error.what() + std::string(" Free some space, or put right what the system complains of, "
                                               "and go on with --resume."));
    }
}

}  // namespace fovea
