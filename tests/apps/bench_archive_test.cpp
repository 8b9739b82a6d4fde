#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/archive_photos.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Photos : ArchivePhotos {
    ProgramResult bench(std::vector<std::string> flags) const {
        flags.insert(flags.begin(), {"bench", "archive", photos, "--model", model});
        return run_fovea(flags);
    }
};

}  // namespace

TEST_CASE("bench archive measures the CPU's row", "[cli][archive-bench]") {
    const Photos f;
    const ProgramResult result =
        f.bench({"--device", "cpu", "--row", "cpu,1080p", "--images", "3", "--repeat", "1", "--json", "--out",
                 f.path("out"), "--work", f.path("work")});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    REQUIRE(json["rows"].size() == 2);
    CHECK_THAT(json["rows"][0]["not_run"].get<std::string>(), Contains("GPU") || Contains("CPU"));
    const Json& row = json["rows"][1];
    CHECK(row["row"] == "cpu");
    CHECK(row["images"] == 3);
    CHECK(row["images_per_second"].get<double>() > 0);
    CHECK(row["runs"].size() == 1);
    CHECK(row["limit"]["of"] == "TurboJPEG, 2 threads");
    CHECK(row["limit"]["share"].get<double>() > 0);
    CHECK(row["timings"]["threads"] == 2);
    CHECK(row["peak_memory_bytes"].get<double>() > 1e6);
    for (const char* name : {"bench.json", "rows.csv", "bench.html", "bench.md", "archive.svg"})
        CHECK(std::filesystem::exists(f.folder.path() / "out" / name));
    CHECK(std::filesystem::exists(f.folder.path() / "work/fovea-archive/1920x1080/000/000002.jpg"));
}

TEST_CASE("bench archive shows what the program says when it fails", "[cli][archive-bench]") {
    const Photos f;
    check_failures_of_detect(f, [&](const std::string& model) {
        return run_fovea({"bench", "archive", f.photos, "--device", "cpu", "--row", "cpu", "--images", "1",
                          "--model", model});
    });
    const ProgramResult rows = f.bench({"--row", "1081p"});
    CHECK(rows.exit_code == 2);
    CHECK_THAT(rows.err, Contains("1081p"));
}
