#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// `fovea evaluate detection` on files of a folder of its own.
struct DetectionRuns {
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const {
        return folder.write(name, bytes).string();
    }

    ProgramResult run(const std::string& dataset, const std::string& results,
                      const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"evaluate", "detection", "--dataset",
                                           dataset,    "--results", results};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }
    /// The JSON that --json prints. \param exit_code that the program has to end with.
    Json printed(const std::string& dataset, const std::string& results, std::vector<std::string> more = {},
                 int exit_code = 0) const {
        more.push_back("--json");
        const ProgramResult result = run(dataset, results, more);
        INFO(result.err);
        REQUIRE(result.exit_code == exit_code);
        return Json::parse(result.out);
    }
    /// report.json of a report in the folder `out`.
    Json report(const std::string& dataset, const std::string& results, std::vector<std::string> more = {},
                const std::string& out = "report") const {
        more.insert(more.end(), {"--out", path(out), "--quiet", "--overwrite"});
        const ProgramResult result = run(dataset, results, more);
        INFO(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(read_bytes(path(out) + "/report.json"));
    }

    TempDir folder;
};

/// The row of a printed table that begins with `name`, with the lines below it that belong to it; one blank
/// between words. Empty if there is none.
inline std::string table_row(const std::string& text, const std::string& name) {
    const std::string with_break = "\n" + text;
    const std::size_t at = with_break.find("\n" + name + "  ");
    if (at == std::string::npos) return "";
    std::size_t end = with_break.find('\n', at + 1);
    while (end + 1 < with_break.size() && with_break[end + 1] == ' ') end = with_break.find('\n', end + 1);
    std::istringstream words(with_break.substr(at, end - at));
    std::string row;
    for (std::string word; words >> word;) row += (row.empty() ? "" : " ") + word;
    return row;
}

}  // namespace fovea::test
