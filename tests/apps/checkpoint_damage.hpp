#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// A checkpoint with one flipped bit, or without its end, is refused, and nothing is written.
/// \param file the checkpoint of an interrupted training. \param model that the training would write.
/// \param resume runs the training with --resume.
inline void check_damage_is_noticed(const std::string& file, const std::string& model,
                                    const std::function<ProgramResult()>& resume) {
    const std::string whole = read_file(file);
    const std::size_t line = whole.find('\n');
    REQUIRE(line < 200);
    const auto refused = [&](const std::string& bytes) {
        write_file(file, bytes);
        const ProgramResult result = resume();
        CAPTURE(result.err);
        CHECK(result.exit_code == 1);
        CHECK_THAT(result.err, Catch::Contains(file) && Catch::Contains("is damaged"));
        CHECK_FALSE(std::filesystem::exists(model));
        CHECK(read_file(file) == bytes);
    };
    // In the first line, behind it, in the middle and in the last byte.
    for (const std::size_t at :
         {std::size_t{0}, line - 1, line, line + 1, whole.size() / 2, whole.size() - 1}) {
        CAPTURE(at);
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        refused(damaged);
    }
    refused(whole.substr(0, whole.size() / 2));
    // Earlier versions wrote it without the first line.
    refused(whole.substr(line + 1));
    write_file(file, whole);
}

using TrainingRun =
    std::function<ProgramResult(const std::vector<std::string>& flags, const ProgramOptions& options)>;

/// A training whose report fails at its end keeps the model and the checkpoint, and goes on to the report;
/// one that would find no gnuplot at its end does not begin.
/// \param report, checkpoint, model names in the folder. \param train runs the training with all three and
/// these flags.
inline void check_failed_report_costs_nothing(const TempDir& folder, const ProgramOptions& options,
                                              const std::string& report, const std::string& checkpoint,
                                              const std::string& model, const TrainingRun& train) {
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    ProgramOptions without_gnuplot = options;
    without_gnuplot.environment["PATH"] = path("nowhere");
    const ProgramResult unready = train({}, without_gnuplot);
    CAPTURE(unready.err);
    CHECK(unready.exit_code == 1);
    CHECK_THAT(unready.err, Catch::Contains("gnuplot, which was not found") && !Catch::Contains("written"));
    CHECK_FALSE(std::filesystem::exists(path(model)));

    // No file takes the place of a folder.
    folder.write(report + "/training.json/in-the-way", "");
    const ProgramResult failed = train({}, options);
    CAPTURE(failed.err);
    CHECK(failed.exit_code == 1);
    CHECK_THAT(failed.err, Catch::Contains(path(model) + " is written, but not the report") &&
                               Catch::Contains("training.json") &&
                               Catch::Contains(path(checkpoint) + " stays: --resume"));
    REQUIRE(std::filesystem::exists(path(model)));
    REQUIRE(std::filesystem::exists(path(checkpoint)));
    const std::string written = read_file(path(model));
    std::filesystem::remove_all(folder.path() / report);

    const ProgramResult resumed = train({"--resume"}, options);
    CAPTURE(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK(read_file(path(model)) == written);
    CHECK(std::filesystem::exists(path(report + "/training.html")));
    CHECK_FALSE(std::filesystem::exists(path(checkpoint)));
}

}  // namespace fovea::test
