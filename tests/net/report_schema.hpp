#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fovea::test {

/// The reason for which a report.json breaks lib/report/write/report.schema.json; empty if it keeps to it.
/// None where Debian's fastjsonschema is not installed.
std::optional<std::string> schema_fault(const std::filesystem::path& report);

}  // namespace fovea::test
