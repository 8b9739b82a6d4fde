#pragma once

#include <filesystem>

#include "lib/core/job_hooks.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/report/browse/browse_archive.hpp"

namespace fovea::report {

/// The side of a face in a sprite in pixels, and the faces in a row of it, and in a column.
constexpr int browse_side = 64;
constexpr int browse_per_row = 16;

/// Goes through the photographs of an archive once, several at a time: cuts out the faces, and notes dates
/// and addresses. An image that cannot be read, or is not in the list, becomes unreadable; its faces have
/// no picture then. \param page the folder from which addresses count. \param crops a new file of JPEGs,
/// which write_sprites() reads. \throws UsageError if no image of the archive is in the list; Error if the
/// file cannot be written; ShortageError; what `progress` throws.
void cut_faces(BrowseArchive& archive, const ImageList& images, const DecodeOptions& options,
               const std::filesystem::path& page, const std::filesystem::path& crops,
               const CountProgress& progress = {});

/// Writes sprites of faces, row by row: "tiles/0000.jpg", ... of all in the archive's order, and
/// "covers/0000.jpg", ... of those that stand for people. \param folder has both sub-folders.
/// \throws Error; what `progress` throws.
void write_sprites(const BrowseArchive& archive, const std::filesystem::path& crops,
                   const std::filesystem::path& folder, const CountProgress& progress = {});

}  // namespace fovea::report
