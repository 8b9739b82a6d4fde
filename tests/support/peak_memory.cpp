#include "tests/support/peak_memory.hpp"

#include "lib/process/child_process.hpp"
#include "tests/support/run_program.hpp"

namespace fovea::test {

MeasuredRun run_measured(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{fovea_program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildProcess program(command);
    const ChildResult result = program.wait();
    return {result.exit_code, static_cast<double>(result.peak_memory_bytes) / (1 << 20), result.error_text};
}

}  // namespace fovea::test
