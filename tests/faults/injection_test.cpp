// The fault library itself: that what it is told to do happens.

#include <algorithm>

#include <catch2/catch.hpp>
#include <signal.h>

#include "tests/faults/fault_jobs.hpp"
#include "tests/faults/fault_outputs.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// fovea convert: reads annotations by a stream of C, looks at no image, writes a file.
struct Conversion {
    Conversion() { write_fault_inputs(folder.path()); }

    FaultRun run(const FaultStep* step) const {
        return run_with_fault(
            folder.path(),
            {"convert", "dlib:walk-in/faces.xml", "--to", "fovea", "--out", "walk-out/set.json"}, step);
    }
    FaultRun run(const std::string& text, const std::string& files) const {
        FaultStep step = FaultStep::parse(text);
        step.files = files;
        return run(&step);
    }
    std::string output() const {
        const FileSet files = read_file_set(folder.path() / "walk-out");
        return files.contains("set.json") ? files.at("set.json") : "";
    }

    TempDir folder;
};

bool saw(const FaultTrace& trace, const std::string& operation, const std::string& ending) {
    return std::any_of(trace.lines.begin(), trace.lines.end(), [&](const FaultTrace::Line& line) {
        return line.operation == operation && line.what.ends_with(ending);
    });
}

}  // namespace

TEST_CASE("the fault library sees the operations on the files that are named", "[faults]") {
    if (!can_inject_faults()) {
        WARN("not run: no library can be loaded before a sanitizer's");
        return;
    }
    const Conversion conversion;
    const FaultRun run = conversion.run(nullptr);
    CAPTURE(run.result.err);
    REQUIRE(run.result.exit_code == 0);
    CHECK_FALSE(conversion.output().empty());
    for (const char* operation : {"open", "read", "close"}) {
        CAPTURE(operation);
        CHECK(saw(run.trace, operation, "walk-in/faces.xml"));
    }
    for (const char* operation : {"open", "write", "sync", "close"}) {
        CAPTURE(operation);
        CHECK(saw(run.trace, operation, "walk-out/set.json.part"));
    }
    CHECK(saw(run.trace, "rename", "walk-out/set.json"));
    CHECK(saw(run.trace, "folder", "walk-out"));
    CHECK(run.trace.failed().empty());
    CHECK(std::none_of(run.trace.lines.begin(), run.trace.lines.end(), [](const FaultTrace::Line& line) {
        return line.what.find('/') != std::string::npos && line.what.find("walk-") == std::string::npos;
    }));
}

TEST_CASE("the fault library lets the operation fail that it was told, and no other", "[faults]") {
    if (!can_inject_faults()) {
        WARN("not run: no library can be loaded before a sanitizer's");
        return;
    }
    const Conversion conversion;
    REQUIRE(conversion.run(nullptr).result.exit_code == 0);
    const std::string expected = conversion.output();
    const auto failed = [&](const std::string& text, const std::string& files) {
        std::filesystem::remove_all(conversion.folder.path() / "walk-out");
        const FaultRun run = conversion.run(text, files);
        CAPTURE(text);
        CHECK(run.trace.failed().size() == 1);
        CHECK(std::count_if(run.trace.lines.begin(), run.trace.lines.end(),
                            [](const FaultTrace::Line& line) { return line.failed; }) == 1);
        return run.result;
    };
    const ProgramResult closed = failed("open:EACCES:1", "*faces.xml");
    CHECK(closed.exit_code == 1);
    CHECK_THAT(closed.err, Contains("faces.xml") && Contains("Permission denied"));
    const ProgramResult unread = failed("read:EIO:1", "*faces.xml");
    CHECK(unread.exit_code == 1);
    CHECK_THAT(unread.err, Contains("faces.xml") && Contains("Input/output error"));
    const ProgramResult full = failed("write:ENOSPC:1", "*set.json*");
    CHECK(full.exit_code == 1);
    CHECK_THAT(full.err, Contains("set.json") && Contains("No space left on device"));
    CHECK(conversion.output().empty());
    CHECK(failed("rename:EIO:1", "*set.json").exit_code == 1);
    CHECK(failed("sync:EIO:1", "*set.json*").exit_code == 1);
    // Operations that are tried again, or completed.
    for (const char* harmless : {"read:short:1", "read:EINTR:1"}) {
        CHECK(failed(harmless, "*faces.xml").exit_code == 0);
        CHECK(conversion.output() == expected);
    }
    CHECK(failed("write:short:1", "*set.json*").exit_code == 0);
    CHECK(conversion.output() == expected);
}

TEST_CASE("the fault library ends the program before, after or within an operation", "[faults]") {
    if (!can_inject_faults()) {
        WARN("not run: no library can be loaded before a sanitizer's");
        return;
    }
    const Conversion conversion;
    REQUIRE(conversion.run(nullptr).result.exit_code == 0);
    const std::size_t bytes = conversion.output().size();
    const auto left_by = [&](const std::string& text) {
        std::filesystem::remove_all(conversion.folder.path() / "walk-out");
        CHECK(conversion.run(text, "*walk-out/set.json*").result.exit_code == 128 + SIGKILL);
        return read_file_set(conversion.folder.path() / "walk-out");
    };
    CHECK(left_by("open:kill-before:1").empty());
    CHECK(left_by("open:kill-after:1").at("set.json.part").empty());
    CHECK(left_by("write:torn:1").at("set.json.part").size() == bytes / 2);
    CHECK(left_by("write:kill-after:1").at("set.json.part").size() == bytes);
    CHECK(left_by("rename:kill-before:1").contains("set.json.part"));
    CHECK(left_by("rename:kill-after:1").at("set.json").size() == bytes);
}

TEST_CASE("the fault library lets allocations and threads fail", "[faults]") {
    if (!can_inject_faults()) {
        WARN("not run: no library can be loaded before a sanitizer's");
        return;
    }
    const Conversion conversion;
    const FaultRun memory = conversion.run("allocate:ENOMEM:1", "*");
    CHECK(memory.trace.failed().size() == 1);
    CHECK(memory.result.exit_code == 1);
    CHECK_THAT(memory.result.err, Contains("not enough memory"));
}
