#pragma once

#include <optional>

#include "lib/job/detection_job.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// What an earlier job left in its files, if it is to be gone on with.
struct EarlierJob {
    Json description;  ///< as describe_job() makes it
    std::optional<ImageList>
        images;  ///< those in its journal; nothing if the job is complete and has none any more
    JournalMark mark;
};

/// \return nothing if the files hold nothing to go on with, or it is not to be. \throws UsageError if results of an
///         interrupted job would be lost, or if those to go on with are not what a job has left; what recover_job throws.
std::optional<EarlierJob> find_earlier_job(const DetectionFiles& files, EarlierWork wanted);

}  // namespace fovea
