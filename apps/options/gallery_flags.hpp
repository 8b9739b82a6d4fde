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
#include "lib/json/json_fwd.hpp"
#include "lib/recognise/enrolment.hpp"

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
    std::optional<std::size_t> max_unreadable;
};

/// \param gallery describes --gallery.
void add_gallery_job_flags(CLI::App& app, GalleryJobFlags& flags, const std::string& gallery);

/// Reads the images that the flags name. \throws as read_configured_dataset.
Dataset read_job_dataset(const GalleryJobFlags& flags);

/// \throws UsageError naming the flag that is wrong, or that is for a detector where none runs.
FaceFinderConfig face_finder_config(const GalleryJobFlags& flags);

/// The faces of a job as its manifest names them. \param finder LoadedFaceFinder::to_json.
Json finder_to_json(const GalleryJobFlags& flags, Json finder);

/// The exit code of a job that searched images for faces: inputs_skipped where one gave none,
/// pages of files were left out, or the dataset's folder holds pictures that are not read, unless
/// --max-unreadable allows it; a sentence on standard error says if it does not.
ExitCode exit_code_of(const GalleryJobFlags& flags, const Dataset& dataset,
                      const std::vector<FaceFailure>& failures, std::size_t pages_left_out,
                      bool is_interrupted);

/// Warns of images that gave no face: the first twenty with their reasons, and how many more there are.
/// Names the detector that finds faces in all poses if the shipped cascade found none in one of them.
void warn_failures(const std::vector<FaceFailure>& failures, const Dataset& dataset,
                   const FaceFinderConfig& finder);

/// Adds "failures", a list of {"image", "reason", "unreadable"}, and what the images' folder holds besides,
/// as add_left_out().
void add_failures(Json& manifest, const std::vector<FaceFailure>& failures, const Dataset& dataset);

}  // namespace fovea
