#pragma once

#include <filesystem>
#include <string>

#include "lib/core/job_hooks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/report/browse/browse_archive.hpp"

namespace fovea::report {

/// Writes the page on which people look at the faces of an archive: a folder with index.html, scripts of
/// data and sprites, which browsers open from disk. The files take their places when all are complete; those
/// of an earlier page go.
/// \param results a file of JSON Lines. \param images that the results are of.
/// \return what the page shows. \throws UsageError, Error as cut_faces(); Error if a line is broken or the
/// folder cannot be written; JobCancelled.
BrowseArchive write_browse_page(const std::filesystem::path& results, const KnownPeople& known,
                                const ImageList& images, const DecodeOptions& options,
                                const std::string& title, const OutputFolder& folder,
                                const JobHooks& hooks = {});

}  // namespace fovea::report
