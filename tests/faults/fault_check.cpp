#include "tests/faults/fault_check.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <signal.h>

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

constexpr int killed = 128 + SIGKILL;

// Texts of exceptions that no user should see.
constexpr std::array<const char*, 8> raw_texts{
    "std::",      "basic_string", "terminate called", "filesystem error",
    "exception.", "bad_alloc",    "what():",          "vector::"};

// Errors that a file has for good; all others may pass.
bool is_lasting_of_file(const std::string& effect) {
    return effect == "EACCES" || effect == "ENOENT";
}

// A message about an operation on a file has to hold the file's name, or the name of the file that it is to
// become.
std::string name_in_message(const std::string& failed) {
    std::string name = fs::path(failed).filename().string();
    if (const std::size_t part = name.find(".part"); part != std::string::npos) name.erase(part);
    return name;
}

std::string check_message(const std::string& text, const std::vector<std::string>& failed) {
    if (text.find("fovea: error: ") == std::string::npos) return "there is no error message";
    for (const char* raw : raw_texts) {
        if (text.find(raw) != std::string::npos) return std::string("the message holds '") + raw + "'";
    }
    const auto is_named = [&](const std::string& file) {
        return file.find('/') == std::string::npos || text.find(name_in_message(file)) != std::string::npos;
    };
    if (!failed.empty() && std::none_of(failed.begin(), failed.end(), is_named))
        return "the message does not name " + name_in_message(failed.front());
    return "";
}

std::size_t unreadable_lines(const FileSet& files) {
    static const std::string mark = "\"status\":\"unreadable";
    std::size_t count = 0;
    for (const auto& [name, bytes] : files) {
        if (fs::path(name).extension() != ".jsonl") continue;
        for (std::size_t at = 0; (at = bytes.find(mark, at)) != std::string::npos; ++at) ++count;
    }
    return count;
}

std::string check_signal(const FaultStep& step, const ProgramResult& result) {
    const int signal = result.exit_code - 128;
    if (step.kills() && signal == SIGKILL) return "";
    // GDAL, which OpenCV asks about images of some formats, knows no other way out.
    const bool is_gdal = result.err.find("CPLMalloc(): Out of memory") != std::string::npos;
    return signal == SIGABRT && is_gdal ? ""
                                        : "it ended by signal " + std::to_string(signal) + ": " + result.err;
}

bool holds(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// A folder that may not be read is left out with all that is in it.
bool left_out(const ProgramResult& result) {
    return ((result.exit_code == 3 || result.exit_code == 0) && holds(result.err, "left out")) ||
           (result.exit_code == 0 && holds(result.err, "its images are missing"));
}

// An image that may not be read is recorded as such, or is told of as a failed enrolment.
bool is_refused(const ProgramResult& result) {
    return result.exit_code == 3 && holds(result.err, "permission denied");
}

// The page of a report says so where an image may not be read for its picture.
bool lacks_picture(const FaultStep& step, const std::string& name, const std::string& bytes) {
    return is_lasting_of_file(step.effect) && name.ends_with(".html") &&
           (holds(bytes, "<p>no picture: ") || holds(bytes, "No picture can be shown: ") ||
            holds(bytes, R"("unreadable":")"));
}

// The job has told that it was done without a file or folder, or does not know of it: a file that may not be
// looked at is not there. Its outputs are those of fewer inputs.
bool is_done_without(const FaultStep& step, const ProgramResult& result) {
    if (!is_lasting_of_file(step.effect)) return false;
    return left_out(result) || is_refused(result) || (result.exit_code == 0 && step.operation == "stat");
}

std::string check_skipped(const FaultStep& step, const ProgramResult& result, const FileSet& outputs) {
    if (!is_lasting_of_file(step.effect)) return "a passing error became a result: " + result.err;
    const std::size_t unreadable = unreadable_lines(outputs);
    if (unreadable == 1 || step.is_lasting || is_done_without(step, result)) return "";
    return std::to_string(unreadable) + " images are unreadable";
}

std::string check_error(const FaultStep& step, const FaultRun& run) {
    const ProgramResult& result = run.result;
    if (result.exit_code != 1 && result.exit_code != 2)
        return "it ended with " + std::to_string(result.exit_code);
    if (result.exit_code == 2 && !is_lasting_of_file(step.effect))
        return "a passing error is called wrong usage: " + result.err;
    const bool is_not_there = step.operation == "stat" && is_lasting_of_file(step.effect);
    const std::string bad =
        check_message(result.err, is_not_there ? std::vector<std::string>{""} : run.trace.failed());
    return bad.empty() ? "" : bad + ": " + result.err;
}

void prepare(const fs::path& folder, const std::vector<PreparingCommand>& commands) {
    for (const PreparingCommand& command : commands) {
        const FaultRun run = run_with_fault(folder, command.words, command.fault ? &*command.fault : nullptr);
        const int wanted = command.fault ? killed : 0;
        if (run.result.exit_code == wanted) continue;
        throw std::runtime_error("fovea " + command.words[0] + " ended with " +
                                 std::to_string(run.result.exit_code) + ": " + run.result.err);
    }
}

}  // namespace

FaultBench::FaultBench(const FaultJob& job, fs::path folder) : job_(job), folder_(std::move(folder)) {
    write_fault_inputs(folder_);
    fs::create_directories(out());
    prepare(folder_, job_.inputs);
    inputs_ = read_file_set(folder_ / "walk-in");
    prepare(folder_, job_.before);
    before_ = read_file_set(out());
    const FaultRun run = run_with_fault(folder_, job_.command, nullptr);
    expected_code_ = run.result.exit_code;
    trace_ = run.trace;
    if (expected_code_ != 0 || trace_.lines.empty())
        throw std::runtime_error(job_.name + " ended with " + std::to_string(expected_code_) + ": " +
                                 run.result.err);
    expected_ = comparable(read_file_set(out()), folder_);
}

FaultBench::Verdict FaultBench::try_step(const FaultStep& step) const {
    write_file_set(out(), before_);
    Verdict verdict;
    const FaultRun run = run_with_fault(folder_, job_.command, &step);
    verdict.first = run.result;
    const std::vector<std::string> failed = run.trace.failed();
    verdict.reached = !failed.empty();
    if (verdict.reached) verdict.failed = failed.front();
    const FileSet now = read_file_set(out());
    verdict.complaint = check_first(step, run, now);
    const FaultRun again = run_with_fault(folder_, job_.again, nullptr);
    verdict.second = again.result;
    // Other images would be other work; an image that is recorded as unreadable stays so.
    const bool is_without = is_done_without(step, run.result), has_unreadable = unreadable_lines(now) > 0;
    // A part ends with 0 all the same.
    const bool has_skipped = run.result.exit_code == 3 || (is_without && has_unreadable);
    if (verdict.complaint.empty() && (!is_without || has_unreadable))
        verdict.complaint = check_second(again.result, comparable(now, folder_), has_skipped);
    return verdict;
}

std::string FaultBench::check_first(const FaultStep& step, const FaultRun& run, const FileSet& now) const {
    const int code = run.result.exit_code;
    if (run.timed_out) return "it hangs";
    if (read_file_set(folder_ / "walk-in") != inputs_) return "an input was changed";
    if (const std::string lost = check_kept(step, run.result, now); !lost.empty()) return lost;
    if (code >= 128) return check_signal(step, run.result);
    if (code == expected_code_ && is_done_without(step, run.result)) return "";
    if (code == expected_code_) {
        FileSet outputs = comparable(now, folder_);
        for (auto& [name, bytes] : outputs) {
            if (lacks_picture(step, name, bytes)) bytes = expected_.at(name);
        }
        const std::string wrong = difference(expected_, outputs);
        return wrong.empty() ? "" : "it ended with " + std::to_string(code) + ", but " + wrong;
    }
    if (code == 3) return check_skipped(step, run.result, now);
    return check_error(step, run);
}

std::string FaultBench::check_kept(const FaultStep& step, const ProgramResult& result,
                                   const FileSet& now) const {
    const FileSet outputs = comparable(now, folder_);
    const auto is_there = [&](const std::string& ending) {
        for (const auto& [name, bytes] : now) {
            if (name.ends_with(ending)) return true;
        }
        return false;
    };
    // The list of a report's files is no result: it says what the next report clears.
    const auto listed = before_.find(".report-files");
    const std::string report_files = listed == before_.end() ? "" : '\0' + listed->second;
    for (const auto& [name, bytes] : before_) {
        const auto found = now.find(name);
        if (name == ".report-files" || name.ends_with(".journal") ||
            (found != now.end() && found->second == bytes))
            continue;
        const auto expected = expected_.find(name);
        const bool is_new =
            found != now.end() && expected != expected_.end() && outputs.at(name) == expected->second;
        if (is_new) continue;
        if (is_there(".journal")) continue;
        if (found != now.end() && lacks_picture(step, name, found->second)) continue;
        // A manifest goes before what it describes is replaced.
        if (name.ends_with("run.json") && found == now.end()) continue;
        // A report goes before the results that it describes are replaced.
        const bool is_report = report_files.find('\0' + name + '\0') != std::string::npos;
        if (job_.command[0] == "run" && found == now.end() && is_report) continue;
        if (found == now.end()) return "the earlier " + name + " is lost";
        if (name.ends_with(".fvg")) {
            if (gallery_faces(found->second).rfind(gallery_faces(bytes), 0) == 0) continue;
        } else if (is_done_without(step, result) ||
                   (result.exit_code == 3 && is_lasting_of_file(step.effect))) {
            continue;
        }
        return "the earlier " + name + " was damaged: it has " + std::to_string(found->second.size()) +
               " bytes of " + std::to_string(bytes.size());
    }
    return "";
}

std::string FaultBench::check_second(const ProgramResult& result, const FileSet& first_outputs,
                                     bool skipped) const {
    if (result.exit_code != expected_code_ && !(skipped && result.exit_code == 3))
        return "the repeated command ended with " + std::to_string(result.exit_code) + ": " + result.err;
    const FileSet outputs = comparable(read_file_set(out()), folder_);
    const bool still_skips = skipped && (result.exit_code == 3 || unreadable_lines(outputs) > 0);
    const std::string wrong = difference(still_skips ? first_outputs : expected_, outputs);
    return wrong.empty() ? "" : "after the repeated command " + wrong;
}

}  // namespace fovea::test
