#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"

namespace fovea::test {

/// Runs the program and requires that it refuses these arguments with exit code 2. \return its message.
inline std::string refusal_of(const std::vector<std::string>& arguments, const ProgramOptions& options = {}) {
    const ProgramResult result = run_fovea(arguments, options);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    return result.err;
}

}  // namespace fovea::test
