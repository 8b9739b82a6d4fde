#pragma once

#include <string>
#include <vector>

namespace fovea::test {

/// A run of fovea with the most memory that its process had resident at any time.
struct MeasuredRun {
    int exit_code = -1;  ///< 128 + the signal's number if one ended the program
    double peak_mebibytes = 0;
    std::string err;  ///< standard error
};

/// Runs the fovea that was built with the tests to its end; its standard output goes nowhere.
MeasuredRun run_measured(const std::vector<std::string>& arguments);

/// A job may have so much resident with --memory-limit 256M: the limit is kept but for about a sixth.
constexpr double max_peak_mebibytes_at_256 = 300;

}  // namespace fovea::test
