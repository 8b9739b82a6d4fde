#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/report/page/verdicts.hpp"

namespace fovea {

/// The verdicts in an outcome's "requirements", "no_worse_than" and "gate".
std::vector<report::Verdict> verdicts_of(const Json& outcome);

/// The verdicts of a command's gates as JUnit's XML, which CI systems show as tests: one suite with a case
/// for each requirement and each number that an earlier report judged; a failure says what was measured.
/// \param outcome what the command prints with --json: "command", "requirements", "no_worse_than", "gate".
std::string junit_xml(const Json& outcome);

/// Checks the file of --junit before the work. \throws UsageError if it cannot be written, or another kind of
/// file has its name.
void check_junit_file(const std::optional<std::string>& file);

/// Writes the file of --junit, if it is named, but not after an interruption, as nothing was judged.
/// \throws Error if it cannot be written.
void write_junit(const std::optional<std::string>& file, const Json& outcome);

}  // namespace fovea
