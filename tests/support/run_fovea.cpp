#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"

namespace fovea::test {

std::string fovea_program() {
    return FOVEA_PROGRAM;
}

ProgramResult run_fovea(std::vector<std::string> arguments, const ProgramOptions& options) {
    arguments.insert(arguments.begin(), fovea_program());
    return run_program(arguments, options);
}

std::string refusal_of(const std::vector<std::string>& arguments, const ProgramOptions& options) {
    const ProgramResult result = run_fovea(arguments, options);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    return result.err;
}

}  // namespace fovea::test
