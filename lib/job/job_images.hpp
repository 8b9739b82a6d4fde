#pragma once

#include <optional>

#include "lib/config/config.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/inputs/shard.hpp"
#include "lib/job/detection_files.hpp"
#include "lib/job/journal/journal.hpp"

namespace fovea {

/// Reads the dataset of a configuration and logs its warnings. \param image  says if pictures are turned by
/// EXIF
/// \throws UsageError if none is configured; what read_dataset and dataset_of_files throw.
Dataset read_configured_dataset(const DatasetConfig& config, const ImageConfig& image = {});

/// The treatment of the files of an earlier job.
enum class ExistingResults {
    /// complete results of the same work are replaced; others, and those of an interrupted job, are not: that
    /// is an error
    replace_own,
    resume,     ///< the job goes on where an interrupted one of the same work ended
    overwrite,  ///< they are replaced
};

/// The images of a job.
struct JobImages {
    std::optional<Dataset> dataset{};  ///< annotated sets; nothing for plain images
    ImageList images;                  ///< those that this job goes through: of a shard its own
    std::optional<Shard> shard{};
    /// The state that an earlier job of the same files left, if it is to be resumed; without its images.
    std::optional<ResumeState> earlier{};

    const Dataset* annotated() const { return dataset ? &*dataset : nullptr; }
    static JobImages of(Dataset dataset);
};

/// Reads the images of a configuration and logs what is wrong with them. A list that an interrupted job has
/// in its journal is taken from there, so that what came or went meanwhile changes nothing.
/// \throws UsageError if none are configured, or if files of an interrupted job would be lost; what
/// read_dataset and read_image_list throw.
JobImages read_job_images(const RunConfig& config, const DetectionFiles& files,
                          ExistingResults earlier = ExistingResults::overwrite,
                          const std::optional<Shard>& shard = {});

}  // namespace fovea
