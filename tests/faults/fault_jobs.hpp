#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/fault_step.hpp"

namespace fovea::test {

using Words = std::vector<std::string>;

/// A command with its fault, if it is to have one.
struct PreparingCommand {
    Words words;
    std::optional<FaultStep> fault{};
};

/// A small job that is done hundreds of times, each time with another fault. It runs in a folder of its own,
/// reads files below walk-in (write_fault_inputs) and writes files below walk-out.
struct FaultJob {
    std::string name;
    Words command;
    Words again;                             ///< does what is left to do after the command has failed
    std::vector<PreparingCommand> inputs{};  ///< make files in walk-in, besides those that all jobs have
    std::vector<PreparingCommand> before{};  ///< make what lies in walk-out before the command
};

const std::vector<FaultJob>& fault_jobs();

/// Images of all formats, a list and an archive of them, annotations, models, subjects.
void write_fault_inputs(const std::filesystem::path& folder);

}  // namespace fovea::test
