#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/fault_jobs.hpp"

namespace fovea::test {

/// A step that went wrong.
struct FaultFinding {
    std::string job;
    FaultStep step;
    std::string failed;  ///< the file whose operation failed
    std::string complaint;
};

/// The steps of a job with one kind of operation.
struct FaultCount {
    std::string job;
    std::string operation;
    std::size_t steps = 0;   ///< that took place
    std::size_t missed = 0;  ///< whose operation did not come: their number depends on the time, too
    std::size_t findings = 0;
};

struct FaultWalkResult {
    std::vector<FaultCount> counts;
    std::vector<FaultFinding> findings;
    std::size_t steps() const;
};

struct FaultWalkOptions {
    std::vector<std::string> jobs;  ///< names; empty = all
    std::string operation;          ///< only these; empty = all
    std::size_t max_steps = 0;      ///< of all jobs together, evenly spread, the same each time; 0 = all
    std::size_t workers = 0;        ///< jobs at a time; 0 = processors
    std::function<void(const FaultFinding&)> found{};  ///< is told at once
};

/// Lets every operation of the jobs fail, one a run, in every way that such an operation can.
FaultWalkResult walk_faults(const FaultWalkOptions& options);

/// The steps of a job whose undisturbed run does so many operations of each kind.
std::vector<FaultStep> fault_steps(const std::map<std::string, int>& operations);

}  // namespace fovea::test
