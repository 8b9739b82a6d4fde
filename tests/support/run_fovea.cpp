#include "tests/support/run_program.hpp"

namespace fovea::test {

std::string fovea_program() {
    return FOVEA_PROGRAM;
}

ProgramResult run_fovea(std::vector<std::string> arguments, const ProgramOptions& options) {
    arguments.insert(arguments.begin(), fovea_program());
    return run_program(arguments, options);
}

ProgramResult run_lab_program(std::vector<std::string> arguments, const ProgramOptions& options) {
    arguments.insert(arguments.begin(), FOVEA_LAB_PROGRAM);
    return run_program(arguments, options);
}

}  // namespace fovea::test
