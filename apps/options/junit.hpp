#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/report/page/verdicts.hpp"

namespace fovea {

/// The verdicts of an outcome's "requirements", "no_worse_than" and "gate".
std::vector<report::Verdict> verdicts_of(const Json& outcome);

/// The verdicts of a command's gates as JUnit's XML, which CI systems show as tests: one suite, a case for
/// each requirement and for each number that was judged by an earlier report; a failure says what was
/// measured. \param outcome  as the command prints it with --json: "command", "requirements",
/// "no_worse_than", "gate"
std::string junit_xml(const Json& outcome);

/// Before the work. \throws UsageError if the file cannot be written there, or something else has its name
/// that is no file of this kind
void check_junit_file(const std::optional<std::string>& file);

/// Writes the file, if one is named. After an interruption nothing was judged, and no file is written.
/// \throws Error if it cannot be written
void write_junit(const std::optional<std::string>& file, const Json& outcome);

}  // namespace fovea
