#include <catch2/catch.hpp>

#include "tests/faults/fault_walk.hpp"

using namespace fovea::test;

namespace {

/// Walks and fails the test with the command that shows what went wrong. Makes fewer steps than there are,
/// evenly spread and the same each time; scripts/test.sh --faults makes all of them.
void walk(const std::vector<std::string>& jobs, const std::string& operation, std::size_t steps) {
    if (!can_inject_faults()) {
        WARN("not run: no library can be loaded before a sanitizer's");
        return;
    }
    FaultWalkOptions options;
    options.jobs = jobs;
    options.operation = operation;
    options.max_steps = steps;
    const FaultWalkResult result = walk_faults(options);
    for (const FaultFinding& finding : result.findings) {
        FAIL_CHECK("fovea_fault_walk " << finding.job << " --step " << finding.step.text() << " ("
                                       << finding.failed << "): " << finding.complaint);
    }
    // Threads and times decide which operations come, and how many; most of them always do.
    CHECK(result.steps() > steps / 2);
}

}  // namespace

TEST_CASE("whatever operation fails, no result is lost, doubled or wrong", "[faults]") {
    walk({}, "", 100);
}

TEST_CASE("a finished job stays what it is when it cannot be read", "[faults]") {
    walk({"detect-complete"}, "read", 24);
}

TEST_CASE("an archive that cannot be read ends the job, wherever libarchive meets the error", "[faults]") {
    walk({"detect-zip"}, "read", 60);
}

TEST_CASE("no memory and no thread make no image unreadable and end no program suddenly", "[faults]") {
    walk({"detect-folder", "detect-tar"}, "allocate", 24);
    walk({"detect-folder", "detect-tar"}, "thread", 8);
    walk({"track", "track-over"}, "thread", 8);
}
