#pragma once

#include <filesystem>
#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A report is replaced by one of the same work, or if the user says so. Call it before the work.
/// \param file  report.json; it may be absent. \param work  the members of the new report that say what it is
/// of: {"configuration": ...}. Those of the file must be the same. \param overwrite --overwrite was given.
/// \param within  the file's member that holds them; empty: the file itself does.
/// \throws UsageError with the first difference if another report is there.
void refuse_other_report(const std::filesystem::path& file, const Json& work, bool overwrite,
                         const std::string& within = {});

}  // namespace fovea
