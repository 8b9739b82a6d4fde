#include "tests/faults/fault_step.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/sanitizers.hpp"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_run{60};
constexpr const char* trace_name = "trace";
// Allocations of so many bytes: pictures, blocks of files, tables. Smaller ones are made by the thousand.
constexpr int min_bytes = 8192;

FaultTrace read_trace(const fs::path& file) {
    FaultTrace trace;
    std::ifstream stream(file);
    for (std::string text; std::getline(stream, text);) {
        FaultTrace::Line& line = trace.lines.emplace_back();
        line.failed = text.rfind("! ", 0) == 0;
        if (line.failed) text.erase(0, 2);
        const std::size_t blank = text.find(' ');
        line.operation = text.substr(0, blank);
        line.what = blank == std::string::npos ? "" : text.substr(blank + 1);
    }
    return trace;
}

}  // namespace

std::string FaultStep::text() const {
    return operation + ":" + effect + ":" + std::to_string(number) + (is_lasting ? ":lasting" : "");
}

FaultStep FaultStep::parse(const std::string& text) {
    std::istringstream stream(text);
    FaultStep step;
    std::string number, lasting;
    std::getline(stream, step.operation, ':');
    std::getline(stream, step.effect, ':');
    std::getline(stream, number, ':');
    std::getline(stream, lasting);
    step.is_lasting = lasting == "lasting";
    if (step.effect.empty() || (!lasting.empty() && !step.is_lasting)) throw std::invalid_argument(text);
    step.number = std::stoi(number);
    return step;
}

std::vector<std::string> FaultTrace::failed() const {
    std::vector<std::string> failed;
    for (const Line& line : lines) {
        if (line.failed) failed.push_back(line.what);
    }
    return failed;
}

std::map<std::string, int> FaultTrace::counts() const {
    std::map<std::string, int> counts;
    for (const Line& line : lines) ++counts[line.operation];
    return counts;
}

bool can_inject_faults() {
    return !has_sanitizer;
}

FaultRun run_with_fault(const fs::path& folder, const std::vector<std::string>& arguments,
                        const FaultStep* step) {
    const fs::path trace = folder / trace_name;
    fs::remove(trace);
    ProgramOptions options;
    options.folder = folder;
    options.timeout = longest_run;
    // Names are relative in the commands, and absolute where the system is asked for an open file.
    options.environment = {{"LD_PRELOAD", FOVEA_FAULT_LIBRARY},
                           {"FOVEA_FAULT_TRACE", trace.string()},
                           {"FOVEA_FAULT_FILES", step != nullptr ? step->files : FaultStep{}.files},
                           {"FOVEA_FAULT_BYTES", std::to_string(min_bytes)}};
    if (step != nullptr) {
        options.environment["FOVEA_FAULT_OPERATION"] = step->operation;
        options.environment["FOVEA_FAULT_EFFECT"] = step->effect;
        options.environment["FOVEA_FAULT_NUMBER"] = std::to_string(step->number);
        options.environment["FOVEA_FAULT_LASTING"] = step->is_lasting ? "1" : "0";
        options.environment["FOVEA_FAULT_DELAY"] = std::to_string(step->delay_milliseconds);
    }
    const auto start = std::chrono::steady_clock::now();
    FaultRun run;
    run.result = run_fovea(arguments, options);
    run.timed_out = std::chrono::steady_clock::now() - start >= longest_run;
    run.trace = read_trace(trace);
    return run;
}

}  // namespace fovea::test
