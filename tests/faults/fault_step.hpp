#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace fovea::test {

/// One operation of a program that fails; see tests/support/fault_injection/fault_plan.hpp.
struct FaultStep {
    std::string operation;  ///< "read"
    std::string effect;     ///< "EIO", "short", "kill-after"
    int number = 1;         ///< which of the operations on files of the job, from 1
    bool is_lasting = false;
    std::string files = "*walk-*";  ///< pattern; without more, all files of a FaultJob
    int delay_milliseconds = 0;

    /// "read:EIO:3", or "read:EIO:3:lasting".
    std::string text() const;
    /// The reverse. \throws std::invalid_argument
    static FaultStep parse(const std::string& text);
    bool kills() const { return effect == "torn" || effect.rfind("kill", 0) == 0; }
};

/// The operations that the fault library saw in a run.
struct FaultTrace {
    struct Line {
        std::string operation;
        std::string what;  ///< a path, or an allocation's bytes
        bool failed = false;
    };
    std::vector<Line> lines;

    /// The paths of the operations that failed, or their bytes.
    std::vector<std::string> failed() const;
    std::map<std::string, int> counts() const;  ///< of each operation
};

struct FaultRun {
    ProgramResult result;
    FaultTrace trace;
    bool timed_out = false;
};

/// False in a build with sanitizers: their own library has to be loaded before all others.
bool can_inject_faults();

/// Runs fovea in a folder of its own with the fault library loaded; only files below the folder count.
/// \param step null to watch and disturb nothing
FaultRun run_with_fault(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                        const FaultStep* step);

}  // namespace fovea::test
