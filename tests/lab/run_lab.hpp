#pragma once

#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace fovea::test {

/// Runs the fovea-lab that was built with the tests.
inline ProgramResult run_lab_program(std::vector<std::string> arguments, const ProgramOptions& options = {}) {
    arguments.insert(arguments.begin(), FOVEA_LAB_PROGRAM);
    return run_program(arguments, options);
}

}  // namespace fovea::test
