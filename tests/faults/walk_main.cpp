// fovea_fault_walk: lets every file operation, allocation and thread of small jobs fail, and looks at what
// the program does.

#include <iostream>

#include <CLI/CLI.hpp>

#include "tests/faults/fault_check.hpp"
#include "tests/faults/fault_walk.hpp"

using namespace fovea::test;

namespace {

// One step, with all that it prints; its folder stays.
int show_step(const std::string& name, const std::string& text, const std::string& keep) {
    for (const FaultJob& job : fault_jobs()) {
        if (job.name != name) continue;
        std::filesystem::remove_all(keep);
        std::filesystem::create_directories(keep);
        const FaultBench bench(job, std::filesystem::canonical(keep));
        const FaultBench::Verdict verdict = bench.try_step(FaultStep::parse(text));
        std::cout << "failed: " << (verdict.reached ? verdict.failed : "nothing") << "\nexit code "
                  << verdict.first.exit_code << "\n"
                  << verdict.first.out << verdict.first.err << "repeated: exit code "
                  << verdict.second.exit_code << "\n"
                  << verdict.second.out << verdict.second.err
                  << (verdict.complaint.empty() ? "as it should be" : "WRONG: " + verdict.complaint) << "\n";
        return verdict.complaint.empty() ? 0 : 1;
    }
    std::cerr << "there is no job '" << name << "'\n";
    return 2;
}

int list_operations(const std::string& name, const std::string& keep) {
    for (const FaultJob& job : fault_jobs()) {
        if (job.name != name) continue;
        std::filesystem::create_directories(keep);
        const FaultBench bench(job, std::filesystem::canonical(keep));
        for (const FaultTrace::Line& line : bench.trace().lines)
            std::cout << line.operation << " " << line.what << "\n";
        return 0;
    }
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Lets every operation of small jobs fail, one a run, and checks what the program makes of it.");
    FaultWalkOptions options;
    std::string step;
    std::string keep = "fault-step";
    bool trace = false;
    app.add_option("jobs", options.jobs, "Jobs, e.g. detect-folder (default: all)");
    app.add_option("--operation", options.operation, "Only such operations, e.g. read");
    app.add_option("--sample", options.max_steps, "So many steps, evenly spread (default: all)");
    app.add_option("--workers", options.workers, "Runs at a time (default: one a processor)");
    app.add_option("--step", step, "One step of one job, e.g. read:EIO:3; shows all that it prints");
    app.add_option("--keep", keep, "Folder in which --step and --trace work, and which stays");
    app.add_flag("--trace", trace, "List what an undisturbed run of one job does");
    CLI11_PARSE(app, argc, argv);
    if (trace && options.jobs.size() == 1) return list_operations(options.jobs[0], keep);
    if (!step.empty() && options.jobs.size() == 1) return show_step(options.jobs[0], step, keep);

    options.found = [&](const FaultFinding& finding) {
        std::cout << finding.job << " " << finding.step.text() << " (" << finding.failed
                  << "): " << finding.complaint << "\n    again: " << argv[0] << " " << finding.job
                  << " --step " << finding.step.text() << std::endl;
    };
    const FaultWalkResult result = walk_faults(options);
    for (const FaultCount& count : result.counts) {
        std::cout << count.job << " " << count.operation << ": " << count.steps << " steps, " << count.missed
                  << " did not come, " << count.findings << " wrong\n";
    }
    std::cout << result.steps() << " steps, " << result.findings.size() << " wrong\n";
    return result.findings.empty() ? 0 : 1;
}
