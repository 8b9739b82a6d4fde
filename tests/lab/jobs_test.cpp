#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/lab/kills.hpp"
#include "tests/lab/large_job.hpp"
#include "tests/support/archive_photos.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("the laboratory kills, tears, resumes and compares", "[lab]") {
    const ArchivePhotos f;
    const ProgramResult result = run_lab_program({"kills", f.photos, "--device", "cpu", "--threads", "2",
                                                  "--kills", "3", "--images", "8", "--seed", "5"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("lost or doubled: 0 of ") && Contains("3 kills"));
}

TEST_CASE("the laboratory kills a job that follows faces", "[lab]") {
    const TempDir dir;
    for (const char* clip : {"a", "b", "c"}) {
        for (int i = 0; i < 4; ++i)
            dir.write(std::string(clip) + "/" + std::to_string(i) + ".pgm", edge_pgm(120, 90));
    }
    const ProgramResult result = run_lab_program({"kills", "--track", dir.path().string(), "--device", "cpu",
                                                  "--threads", "2", "--kills", "3", "--seed", "5"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("lost or doubled: 0 of ") && Contains("3 kills"));
}

TEST_CASE("the laboratory watches memory beside a large image", "[lab]") {
    const ArchivePhotos f;
    const ProgramResult result = run_lab_program({"memory", f.photos, "--device", "cpu", "--threads", "2",
                                                  "--large", "600x500", "--images", "8", "--json"});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["images"] == 9);
    CHECK(json["large"] == Json({600, 500}));
    CHECK(json["passed"] == true);
    CHECK(json["peak_memory_bytes"].get<double>() > 1e6);
    CHECK(json["peak_memory_bytes"].get<double>() < json["allowed_bytes"].get<double>());
}

TEST_CASE("the laboratory shows what the program says when it fails", "[lab]") {
    const ArchivePhotos f;
    check_failures_of_detect(f, [&](const std::string& model) {
        return run_lab_program(
            {"memory", f.photos, "--device", "cpu", "--images", "1", "--large", "64x48", "--model", model});
    });
    const ProgramResult program =
        run_lab_program({"kills", f.photos, "--device", "cpu", "--program", f.path("none")});
    CHECK(program.exit_code == 2);
    CHECK_THAT(program.err, Contains("there is no ") && Contains("--program"));
}

TEST_CASE("a job passes only without losses and within its memory", "[lab]") {
    KillTestResult kills;
    CHECK(kills.passed());
    kills.lost = 1;
    CHECK_FALSE(kills.passed());
    kills = {};
    kills.different = 1;
    CHECK_FALSE(kills.passed());
    LargeJobResult job;
    job.peak_memory_bytes = LargeJobResult::allowed_bytes;
    CHECK(job.passed());
    ++job.peak_memory_bytes;
    CHECK_FALSE(job.passed());
}

TEST_CASE("lines that are lost or doubled are counted", "[lab]") {
    const std::string whole = "{\"image\":\"a\"}\n{\"image\":\"b\"}\n{\"image\":\"c\"}\n";
    const auto count = [&](const std::string& now) {
        const LineDifference difference = compare_lines(whole, now);
        return std::pair(difference.lost, difference.doubled);
    };
    CHECK(count(whole) == std::pair<std::size_t, std::size_t>(0, 0));
    CHECK(count("") == std::pair<std::size_t, std::size_t>(3, 0));
    CHECK(count("{\"image\":\"a\"}\n{\"image\":\"a\"}\n{\"image\":\"c\"}\n") ==
          std::pair<std::size_t, std::size_t>(1, 1));
    // A torn line is none of an image.
    CHECK(count("{\"image\":\"a\"}\n{\"image\":\"b\"}\n{\"image\":") ==
          std::pair<std::size_t, std::size_t>(1, 1));
}
