#pragma once

#include <string>

#include "tests/faults/fault_jobs.hpp"
#include "tests/faults/fault_outputs.hpp"

namespace fovea::test {

/// A job in a folder of its own, with what an undisturbed run of it does.
class FaultBench {
  public:
    /// Makes the inputs and runs the job undisturbed. \throws std::runtime_error if that does not work.
    FaultBench(const FaultJob& job, std::filesystem::path folder);

    const FaultJob& job() const { return job_; }
    /// The undisturbed run.
    const FaultTrace& trace() const { return trace_; }

    struct Verdict {
        bool reached = false;   ///< the operation took place
        std::string complaint;  ///< what is wrong; empty if nothing is
        std::string failed;     ///< the file whose operation failed, the first if there were several
        ProgramResult first;    ///< the disturbed run
        ProgramResult second;   ///< what went on with it
    };
    /// Runs the job with a fault, looks at what is left, and lets it be completed.
    Verdict try_step(const FaultStep& step) const;

  private:
    std::string check_first(const FaultStep& step, const FaultRun& run, const FileSet& now) const;
    std::string check_kept(const FaultStep& step, const ProgramResult& result, const FileSet& now) const;
    std::string check_second(const ProgramResult& result, const FileSet& first_outputs, bool skipped) const;
    std::filesystem::path out() const { return folder_ / "walk-out"; }

    FaultJob job_;
    std::filesystem::path folder_;
    FileSet inputs_;
    FileSet before_;    // in walk-out
    FileSet expected_;  // comparable, in walk-out
    int expected_code_ = 0;
    FaultTrace trace_;
};

}  // namespace fovea::test
