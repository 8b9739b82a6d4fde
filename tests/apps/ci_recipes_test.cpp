// The recipes for CI systems in lib/evaluate/README.md: their commands run as a job's shell runs them.
#include <filesystem>
#include <sstream>

#include "lib/files/file.hpp"
#include "tests/apps/detection_runs.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// The commands of the indented recipe that follows a text of the guide: what stands behind "- run: " or, of
/// a program, behind "- ", with the lines that continue it.
std::vector<std::string> commands_after(const std::string& text) {
    const std::string guide = read_bytes(test::source_dir() / "lib/evaluate/README.md");
    const std::size_t at = guide.find(text);
    REQUIRE(at != std::string::npos);
    std::istringstream lines(guide.substr(guide.find("\n    ", at)));
    std::vector<std::string> commands;
    bool is_open = false;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.starts_with("    ")) {
        line.erase(0, line.find_first_not_of(' '));
        const std::size_t begin = line.find("run: ");
        if (begin != std::string::npos) line = "- " + line.substr(begin + 5);
        const bool is_command =
            line.starts_with("- fovea ") || line.starts_with("- cp ") || line.starts_with("- cat ");
        if (is_command) {
            commands.push_back(line.substr(2));
        } else if (is_open && !line.starts_with("- ") && line.find(": ") == std::string::npos) {
            commands.back() += " " + line;
        }
        is_open = is_command || (is_open && line.find(": ") == std::string::npos);
    }
    return commands;
}

/// A job's folder with new results, a baseline and a dataset in the place of MIT+CMU.
struct CiJob {
    DetectionRuns runs;
    std::string dataset = "fovea:" + runs.write("set.json", R"({"format": "fovea-dataset", "version": 1,
        "name": "s", "root": ".", "images": [
            {"image": "a.jpg", "annotated": true, "faces": [{"box": [0, 0, 20, 20]}]},
            {"image": "b.jpg", "annotated": true, "faces": [{"box": [5, 5, 30, 30]}]}]})");
    std::string results = runs.write(
        "new.jsonl", R"({"image":"a.jpg","status":"ok","detections":[{"box":[0,0,20,20],"score":0.9}]}
{"image":"b.jpg","status":"ok","detections":[{"box":[5,5,30,30],"score":0.8}]}
)");

    ProgramResult shell(std::string command) const {
        const std::string place = "mit-cmu:DIR";
        if (const std::size_t at = command.find(place); at != std::string::npos)
            command.replace(at, place.size(), dataset);
        return run_program({"/bin/sh", "-ec",
                            "cd \"$1\"; export PATH=\"$2:$PATH\" GITHUB_STEP_SUMMARY=summary.md "
                            "CI_COMMIT_SHORT_SHA=4f1c2d7\n" +
                                command,
                            "sh", runs.folder.path().string(),
                            fs::path(fovea_program()).parent_path().string()});
    }
};

}  // namespace

TEST_CASE("the recipe for GitLab gates and leaves its verdicts", "[cli][gate][documents]") {
    const CiJob job;
    job.runs.report(job.dataset, job.results, {}, "baseline");
    const std::vector<std::string> commands = commands_after("On GitLab:");
    REQUIRE(commands.size() == 1);
    CHECK_THAT(commands[0], Contains("--junit verdicts.xml") && Contains("--tolerance 0.01"));
    const ProgramResult result = job.shell(commands[0]);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(read_bytes(job.runs.path("verdicts.xml")), Contains("<testsuite"));
    // Worse results fail the job.
    job.runs.write("new.jsonl", R"({"image":"a.jpg","status":"ok","detections":[]})"
                                "\n");
    fs::remove_all(job.runs.path("report"));
    CHECK(job.shell(commands[0]).exit_code == 4);
}

TEST_CASE("the recipe for GitHub gates and shows its tables", "[cli][gate][documents]") {
    const CiJob job;
    const std::vector<std::string> commands = commands_after("On GitHub, steps of a job");
    REQUIRE(commands.size() == 2);
    for (const std::string& command : commands) {
        const ProgramResult result = job.shell(command);
        INFO(command << "\n" << result.err);
        CHECK(result.exit_code == 0);
    }
    CHECK_THAT(read_bytes(job.runs.path("summary.md")), Contains("recall@16fp") && Contains("| Number |"));
}

TEST_CASE("the recipe for runs over time keeps each report", "[cli][trend][documents]") {
    const CiJob job;
    job.runs.report(job.dataset, job.results);
    fs::create_directory(job.runs.path("reports"));
    const std::vector<std::string> commands = commands_after("with a cache that keeps `reports/`:");
    REQUIRE(commands.size() == 2);
    for (const std::string& command : commands) {
        const ProgramResult result = job.shell(command);
        INFO(command << "\n" << result.err);
        CHECK(result.exit_code == 0);
    }
    CHECK(fs::exists(job.runs.path("public/trend.html")));
}
