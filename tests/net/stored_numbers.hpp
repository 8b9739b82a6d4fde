#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea::test {

/// The numbers of a report by their paths, as texts with all digits: "value", or "value low high" where an
/// interval stands beside it. A path into a long list names a member of all its elements, and the text is
/// their count and the SHA-256 of their values.
using Numbers = std::map<std::string, std::string>;

/// All numbers and truth values of a report's JSON, but for those that differ from run to run (times, paths)
/// and those that stand there twice: the first of several detectors.
Numbers numbers_of_json(const Json& report);

/// Those of a table with a row per number: subject, key, value, low, high.
Numbers numbers_of_table(const std::string& csv);

/// A number per line, in the order of their paths. \throws Error as the files do.
Numbers read_numbers(const std::filesystem::path& file);
void write_numbers(const std::filesystem::path& file, const Numbers& numbers);

/// The differences, a line for each number; empty if there are none.
std::string differences(const Numbers& expected, const Numbers& found);

}  // namespace fovea::test
