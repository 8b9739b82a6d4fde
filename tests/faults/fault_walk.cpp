#include "tests/faults/fault_walk.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/faults/fault_check.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

// In what ways an operation fails; "+" = all that follow fail, too.
const std::map<std::string, std::vector<std::string>>& effects() {
    static const std::map<std::string, std::vector<std::string>> effects{
        {"open",
         {"EIO", "EMFILE", "EMFILE+", "ENFILE", "ENOMEM", "EACCES", "EINTR", "kill-before", "kill-after"}},
        {"read", {"EIO", "EIO+", "ENOMEM", "EINTR", "short"}},
        {"write", {"EIO", "ENOSPC", "ENOSPC+", "EINTR", "short", "torn", "kill-before", "kill-after"}},
        {"sync", {"EIO", "ENOSPC", "EINTR", "kill-before", "kill-after"}},
        {"rename", {"EIO", "ENOSPC", "EACCES", "kill-before", "kill-after"}},
        {"truncate", {"EIO", "kill-before", "kill-after"}},
        {"remove", {"EIO", "EACCES", "kill-before", "kill-after"}},
        {"close", {"EIO", "ENOSPC"}},
        {"folder", {"ENOSPC", "EACCES", "kill-before", "kill-after"}},
        {"stat", {"EIO", "ENOMEM", "EACCES"}},
        {"list", {"EIO", "EMFILE", "ENOMEM", "EACCES"}},
        {"lock", {"EIO", "EINTR", "ENOLCK"}},
        {"allocate", {"ENOMEM", "ENOMEM+"}},
        {"spawn", {"EAGAIN", "ENOMEM"}},
        {"thread", {"EAGAIN", "EAGAIN+"}},
    };
    return effects;
}

struct PlannedStep {
    std::size_t job;
    FaultStep step;
};

// Every n-th, so that `wanted` are left.
std::vector<PlannedStep> sample(const std::vector<PlannedStep>& all, std::size_t wanted) {
    if (wanted == 0 || wanted >= all.size()) return all;
    std::vector<PlannedStep> chosen;
    for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(all[i * all.size() / wanted]);
    return chosen;
}

std::vector<FaultJob> chosen_jobs(const FaultWalkOptions& options) {
    std::vector<FaultJob> jobs;
    for (const FaultJob& job : fault_jobs()) {
        const auto& names = options.jobs;
        if (names.empty() || std::find(names.begin(), names.end(), job.name) != names.end())
            jobs.push_back(job);
    }
    return jobs;
}

/// Calls `work(0) ... work(count - 1)`, several at a time.
void in_parallel(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(workers, count); ++i) {
        threads.emplace_back([&] {
            for (std::size_t task = next++; task < count; task = next++) work(task);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

class Walk {
  public:
    explicit Walk(const FaultWalkOptions& options)
        : options_(options), jobs_(chosen_jobs(options)), workers_(options.workers) {
        if (workers_ == 0) workers_ = std::max(1U, std::thread::hardware_concurrency());
    }

    FaultWalkResult walk() {
        plan();
        // Pieces of one job's steps; each has a folder of its own.
        constexpr std::size_t piece = 50;
        std::vector<std::vector<PlannedStep>> pieces;
        for (const PlannedStep& step : steps_) {
            const bool is_new =
                pieces.empty() || pieces.back().size() == piece || pieces.back().back().job != step.job;
            if (is_new) pieces.emplace_back();
            pieces.back().push_back(step);
        }
        in_parallel(pieces.size(), workers_, [&](std::size_t i) { do_piece(pieces[i]); });
        for (auto& [key, count] : counts_) result_.counts.push_back(count);
        return result_;
    }

  private:
    void plan() {
        std::vector<std::vector<FaultStep>> steps(jobs_.size());
        in_parallel(jobs_.size(), workers_, [&](std::size_t i) {
            const TempDir folder;
            steps[i] = fault_steps(FaultBench(jobs_[i], folder.path()).trace().counts());
        });
        std::vector<PlannedStep> all;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            for (const FaultStep& step : steps[i]) {
                if (options_.operation.empty() || step.operation == options_.operation)
                    all.push_back({i, step});
            }
        }
        steps_ = sample(all, options_.max_steps);
    }

    void do_piece(const std::vector<PlannedStep>& steps) {
        const TempDir folder;
        const FaultBench bench(jobs_[steps.front().job], folder.path());
        for (const PlannedStep& planned : steps) {
            const FaultBench::Verdict verdict = bench.try_step(planned.step);
            note({bench.job().name, planned.step, verdict.failed, verdict.complaint}, verdict.reached);
        }
    }

    void note(const FaultFinding& finding, bool reached) {
        const std::lock_guard lock(mutex_);
        FaultCount& count = counts_[{finding.job, finding.step.operation}];
        count.job = finding.job;
        count.operation = finding.step.operation;
        ++(reached ? count.steps : count.missed);
        if (finding.complaint.empty()) return;
        ++count.findings;
        result_.findings.push_back(finding);
        if (options_.found) options_.found(finding);
    }

    FaultWalkOptions options_;
    std::vector<FaultJob> jobs_;
    std::size_t workers_;
    std::vector<PlannedStep> steps_;
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, FaultCount> counts_;
    FaultWalkResult result_;
};

}  // namespace

std::size_t FaultWalkResult::steps() const {
    std::size_t sum = 0;
    for (const FaultCount& count : counts) sum += count.steps;
    return sum;
}

std::vector<FaultStep> fault_steps(const std::map<std::string, int>& operations) {
    std::vector<FaultStep> steps;
    for (const auto& [operation, count] : operations) {
        for (int number = 1; number <= count; ++number) {
            for (std::string effect : effects().at(operation)) {
                FaultStep& step = steps.emplace_back();
                step.is_lasting = effect.back() == '+';
                if (step.is_lasting) effect.pop_back();
                step.operation = operation;
                step.effect = effect;
                step.number = number;
            }
        }
    }
    return steps;
}

FaultWalkResult walk_faults(const FaultWalkOptions& options) {
    return Walk(options).walk();
}

}  // namespace fovea::test
