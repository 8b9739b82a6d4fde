#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "lib/files/command_files.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The lists, archives and images of a list are inputs of the command, the images while what is returned
/// lives.
/// \param images  must outlive it.
std::unique_ptr<NotedInputs> note_inputs(const ImageList& images);

/// A report is replaced by one of the same work, or if the user says so. Call it before the work.
/// \param file  report.json; it may be absent. \param work  the members of the new report that say what it is
/// of: {"configuration": ...}. Those of the file must be the same. \param overwrite --overwrite was given.
/// \param within  the file's member that holds them; empty: the file itself does.
/// \throws UsageError with the first difference if another report is there.
void refuse_other_report(const std::filesystem::path& file, const Json& work, bool overwrite,
                         const std::string& within = {});

}  // namespace fovea
