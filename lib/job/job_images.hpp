#pragma once

#include <optional>

#include "lib/config/config.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/inputs/shard.hpp"
#include "lib/job/detection_files.hpp"
#include "lib/job/journal/journal.hpp"

namespace fovea {

/// Reads the dataset of a configuration and logs its warnings. \param image says if EXIF turns pictures.
/// \throws UsageError if none is configured; what read_dataset and dataset_of_files throw.
Dataset read_configured_dataset(const DatasetConfig& config, const ImageConfig& image = {});

/// How a job treats the files of an earlier job.
enum class ExistingResults {
    /// Complete results of the same work are replaced. It is an error if there are results of other work or
    /// of an interrupted job.
    replace_own,
    resume,     ///< the job goes on where an interrupted one of the same work ended
    overwrite,  ///< they are replaced
};

/// The images of a job.
struct JobImages {
    std::optional<Dataset> dataset{};  ///< annotated sets; nothing for plain images
    ImageList images;                  ///< the images that this job goes through: a shard has its own
    std::optional<Shard> shard{};
    /// The state that an earlier job of the same files left, if it is to be resumed; without its images.
    std::optional<ResumeState> earlier{};

    const Dataset* annotated() const { return dataset ? &*dataset : nullptr; }
    static JobImages of(Dataset dataset);
};

/// Logs what was left out of a list of images: the number of files and the first reasons.
void warn_skipped(const std::vector<SkippedInput>& skipped);

/// The images of a configuration, without an annotated dataset. \throws UsageError if none are configured.
ImageListRequest image_list_request(const RunConfig& config);

/// Reads the images of a configuration and logs what is wrong with them. A resumed job takes the list from
/// its journal, so that files that came or went meanwhile change nothing.
/// \param earlier find_resume_state(). \param results names that job's, for messages. \param shard the images
/// of another shard are left out.
/// \throws UsageError if none are configured; what read_dataset and read_image_list throw.
JobImages read_job_images(const RunConfig& config, std::optional<ResumeState> earlier,
                          const std::filesystem::path& results, const std::optional<Shard>& shard = {});

}  // namespace fovea
