// Programs that are started with few descriptors, or without standard input, output or error.

#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/faults/fault_jobs.hpp"
#include "tests/faults/fault_outputs.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea::test;

namespace {

namespace fs = std::filesystem;

/// fovea from a shell that did something first. \param first e.g. "exec >&-"
ProgramResult run_after(const std::string& first, const fs::path& folder, const Words& arguments) {
    Words command{"/bin/sh", "-c", first + "; exec \"$0\" \"$@\"", fovea_program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProgramOptions options;
    options.folder = folder;
    return run_program(command, options);
}

// Standard input, output and error are bits 0, 1 and 2.
std::string closing(int descriptors) {
    std::string text = "true";
    if ((descriptors & 1) != 0) text += "; exec <&-";
    if ((descriptors & 2) != 0) text += "; exec >&-";
    if ((descriptors & 4) != 0) text += "; exec 2>&-";
    return text;
}

const FaultJob& job_called(const std::string& name) {
    for (const FaultJob& job : fault_jobs()) {
        if (job.name == name) return job;
    }
    throw std::invalid_argument(name);
}

}  // namespace

TEST_CASE("no output takes the place of a closed standard input, output or error", "[faults]") {
    // Each of these warns, prints an outcome, and has a file to write to when that happens.
    for (const char* name : {"detect-folder", "detect-over", "enroll-more", "evaluate-over", "merge-over"}) {
        const FaultJob& job = job_called(name);
        const TempDir folder;
        write_fault_inputs(folder.path());
        folder.write("walk-in/photos/broken.png", "no picture");
        folder.write("walk-in/more/s09/broken.png", "no picture");
        for (const PreparingCommand& command : job.inputs) run_after("true", folder.path(), command.words);
        for (const PreparingCommand& command : job.before) run_after("true", folder.path(), command.words);
        const fs::path out = folder.path() / "walk-out";
        const FileSet before = read_file_set(out);
        const ProgramResult usual = run_after("true", folder.path(), job.command);
        CAPTURE(name, usual.err);
        REQUIRE((usual.exit_code == 0 || usual.exit_code == 3));
        const FileSet expected = comparable(read_file_set(out), folder.path());
        for (int closed = 1; closed < 8; ++closed) {
            write_file_set(out, before);
            const ProgramResult result = run_after(closing(closed), folder.path(), job.command);
            CAPTURE(closed, result.err);
            // Text that cannot be printed is reported, and costs no file.
            CHECK(result.exit_code == ((closed & 2) != 0 ? 1 : usual.exit_code));
            CHECK(difference(expected, comparable(read_file_set(out), folder.path())) == "");
        }
    }
}

TEST_CASE("too few descriptors make no image unreadable", "[faults]") {
    const TempDir folder;
    write_fault_inputs(folder.path());
    for (int i = 0; i < 200; ++i)
        folder.write("walk-in/photos/" + std::to_string(i) + ".pgm", edge_pgm(40 + i % 7, 30));
    const fs::path out = folder.path() / "walk-out";
    Words command = job_called("detect-folder").command;
    *std::next(std::find(command.begin(), command.end(), "--threads")) = "64";
    const ProgramResult usual = run_after("true", folder.path(), command);
    CAPTURE(usual.err);
    REQUIRE(usual.exit_code == 0);
    const FileSet expected = comparable(read_file_set(out), folder.path());
    for (const char* limit : {"12", "16", "24", "40"}) {
        CAPTURE(limit);
        fs::remove_all(out);
        const ProgramResult limited = run_after(std::string("ulimit -n ") + limit, folder.path(), command);
        CAPTURE(limited.err);
        CHECK((limited.exit_code == 0 || limited.exit_code == 1));
        Words resumed = command;
        resumed.push_back("--resume");
        const ProgramResult again = run_after("true", folder.path(), resumed);
        CAPTURE(again.err);
        CHECK(again.exit_code == 0);
        CHECK(difference(expected, comparable(read_file_set(out), folder.path())) == "");
    }
}
