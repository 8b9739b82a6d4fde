#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/common_options.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/recognise/enrolment.hpp"
#include "lib/run/recognition/face_finder.hpp"

namespace fovea {

/// The flags that `enroll` and `identify` have in common: images, faces in them, a gallery.
struct GalleryJobFlags {
    std::string dataset;
    DatasetFlags images;
    std::string gallery;
    FaceFinderFlags finder;
    bool all_faces = false;
    std::optional<std::string> device;
    std::optional<int> threads;
    std::optional<UnreadableLimit> max_unreadable;
};

/// \param gallery the help of --gallery.
void add_gallery_job_flags(CLI::App& app, GalleryJobFlags& flags, const std::string& gallery);

/// Reads the images that the flags name. \throws as read_configured_dataset().
Dataset read_job_dataset(const GalleryJobFlags& flags);

/// The configuration of a job's face finder. \throws UsageError naming a flag that is wrong, or that is for a
/// detector although none runs.
FaceFinderConfig face_finder_config(const GalleryJobFlags& flags);

/// The exit code of a job that searched images for faces. It is inputs_skipped if an image gave no face,
/// pages of files were left out, or the dataset's folder has pictures that are not read, unless
/// --max-unreadable allows it; a sentence on standard error says if it does not.
ExitCode exit_code_of(const GalleryJobFlags& flags, const Dataset& dataset,
                      const std::vector<FaceFailure>& failures, std::size_t pages_left_out,
                      bool is_interrupted);

/// Warns of images that gave no face: the first twenty with their reasons, and the number of others. If the
/// shipped cascade found no face in one of them, it names the detector that finds faces in all poses.
void warn_failures(const std::vector<FaceFailure>& failures, const Dataset& dataset,
                   const FaceFinderConfig& finder);

/// The parts of a manifest that `enroll` and `identify` have in common, without counts: how faces were found,
/// recogniser, dataset, "failures" (a list of {"image", "reason", "unreadable"}), the other files of the
/// images' folder, and the time.
ManifestRecord gallery_job_manifest(const std::string& command, const GalleryJobFlags& flags,
                                    const Dataset& dataset, const LoadedFaceFinder& finder,
                                    const Recogniser& recogniser, const std::vector<FaceFailure>& failures,
                                    double seconds);

}  // namespace fovea
