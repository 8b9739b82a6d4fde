#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

// The module for Python: a wheel is made of the build, installed into an environment of its own, and tested
// there by tests/python.
namespace fovea::test {
namespace {

namespace fs = std::filesystem;

const std::string python = FOVEA_PYTHON_EXECUTABLE;

/// False, and reported as not run, where the module or what its tests need is not there.
bool can_run() {
    if (python.empty()) {
        WARN("not run: the build has no module for Python (FOVEA_PYTHON)");
        return false;
    }
    const ProgramResult found = run_program({python, "-c", "import numpy, pandas, pip, venv"});
    if (found.exit_code == 0) return true;
    WARN("not run: " << python << " lacks what the tests need: " << found.err);
    return false;
}

ProgramResult run_checked(const std::vector<std::string>& command, const ProgramOptions& options = {}) {
    const ProgramResult result = run_program(command, options);
    INFO(result.out + result.err);
    REQUIRE(result.exit_code == 0);
    return result;
}

fs::path make_wheel(const fs::path& out) {
    std::string name = run_checked({python, test::source_file("apps/python/make_wheel.py"), "--build",
                                    FOVEA_BUILD_FOLDER, "--out", out.string()})
                           .out;
    while (!name.empty() && name.back() == '\n') name.pop_back();
    REQUIRE(fs::is_regular_file(name));
    return name;
}

}  // namespace

TEST_CASE("a wheel of the build does in Python what the program does", "[python][cli]") {
    if (!can_run()) return;
    const TempDir folder;
    const fs::path wheel = make_wheel(folder.path() / "wheels");
    CHECK(fs::file_size(wheel) <= 25'000'000);
    CHECK(fs::file_size(make_wheel(folder.path() / "again")) == fs::file_size(wheel));

    const fs::path environment = folder.path() / "environment";
    run_checked({python, "-m", "venv", "--system-site-packages", "--without-pip", environment.string()});
    const std::string own = (environment / "bin/python").string();
    run_checked({python, "-m", "pip", "--python", own, "--disable-pip-version-check", "install", "--no-index",
                 wheel.string()});

    const ProgramResult tests =
        run_program({own, "-m", "unittest", "discover", "-s", test::source_file("tests/python"), "-t",
                     test::source_file("tests/python"), "-v"},
                    {.input = {},
                     .environment = {{"FOVEA_MODELS", ""}, {"PYTHONDONTWRITEBYTECODE", "1"}},
                     .folder = folder.path(),
                     .timeout = std::chrono::minutes(10)});
    INFO(tests.out + tests.err);
    CHECK(tests.exit_code == 0);
    std::smatch ran;
    REQUIRE(std::regex_search(tests.err, ran, std::regex("Ran ([0-9]+) tests? in")));
    CHECK(std::stoi(ran[1]) >= 20);
    if (tests.err.find("skipped=") != std::string::npos)
        WARN("not run: some tests of Python: " << tests.err.substr(tests.err.rfind("\nOK")));
}

}  // namespace fovea::test
