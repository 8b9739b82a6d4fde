#pragma once

#include <filesystem>
#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Refuses to replace a report of other work, unless the user allows it. Call it before the work.
/// \param file report.json; it may be absent. \param work members of the new report that identify its work:
/// {"configuration": ...}; the file must have equal ones. \param overwrite --overwrite was given.
/// \param within the file's member that holds them; empty: the file itself holds them.
/// \throws UsageError with the first difference if a report of other work is there.
void refuse_other_report(const std::filesystem::path& file, const Json& work, bool overwrite,
                         const std::string& within = {});

}  // namespace fovea
