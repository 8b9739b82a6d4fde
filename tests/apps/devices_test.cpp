#include <cmath>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea {
namespace {

using Catch::Matchers::Contains;
using test::ProgramResult;
using test::run_fovea;

Json run_json(const std::vector<std::string>& arguments) {
    const ProgramResult result = run_fovea(arguments);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return Json::parse(result.out);
}

}  // namespace

TEST_CASE("devices says which of NVIDIA's libraries it found, or why not", "[cli]") {
    const Json json = run_json({"devices", "--json"});
    CHECK_FALSE(json.contains("measurements"));
    CHECK(json["cuda"].contains("architectures") == json["cuda"]["built"].get<bool>());
    CHECK((run_fovea({"devices"}).out.find("\nkernels built for compute capability ") != std::string::npos) ==
          json["cuda"]["built"].get<bool>());
    for (const char* name : {"nvml", "nvjpeg", "nvdec"}) {
        CAPTURE(name);
        const Json& library = json["nvidia"][name];
        CHECK(library["found"].get<bool>() == !library.contains("why_none"));
        CHECK(library.contains("file"));
        if (library.contains("why_none")) CHECK_FALSE(library["why_none"].get<std::string>().empty());
    }
    for (const Json& device : json["cuda"]["devices"]) {
        if (!json["nvidia"]["nvml"]["found"].get<bool>()) continue;
        for (const char* key : {"power_w", "power_limit_w", "temperature_c", "sm_clock_mhz",
                                "memory_clock_mhz", "memory_used_bytes", "ecc"}) {
            CAPTURE(key);
            CHECK(device["state"].contains(key));
        }
    }
    CHECK_THAT(run_fovea({"devices"}).out,
               Contains("\nnvml ") && Contains("\nnvjpeg ") && Contains("\nnvdec "));
}

TEST_CASE("devices measures the CPU, and GPUs where they are", "[cli]") {
    const Json json = run_json({"devices", "--measure", "--quick", "--repeat", "2", "--json"});
    const Json& measurements = json["measurements"];
    CHECK(measurements["quick"].get<bool>());
    CHECK_THAT(measurements["jpeg"].get<std::string>(), Contains("1920x1080"));
    CHECK_FALSE(measurements["host_simd"].get<std::string>().empty());
    std::set<std::string> names;
    for (const Json& figure : measurements["figures"]) {
        CAPTURE(figure.dump());
        names.insert(figure["device"].get<std::string>() + " " + figure["name"].get<std::string>());
        for (const char* value : {"median", "quartile_1", "quartile_3", "best"}) {
            CHECK(std::isfinite(figure[value].get<double>()));
            CHECK(figure[value].get<double>() > 0);
        }
        CHECK(figure["quartile_1"].get<double>() <= figure["median"].get<double>());
        CHECK(figure["median"].get<double>() <= figure["quartile_3"].get<double>());
        CHECK(figure["repetitions"].get<int>() >= 2);
        CHECK_FALSE(figure["unit"].get<std::string>().empty());
        CHECK_FALSE(figure["bounds"].get<std::string>().empty());
    }
    CHECK(names.size() == measurements["figures"].size());
    for (const char* name : {"cpu host_copy_1_thread", "cpu host_copy_all_threads", "cpu host_integer_add",
                             "cpu host_integer_multiply_add", "cpu jpeg_cpu"}) {
        CAPTURE(name);
        CHECK(names.count(name) == 1);
    }
    for (const Json& device : json["cuda"]["devices"]) {
        for (const char* name : {"upload_pinned", "download_pinned", "upload_pageable", "download_pageable",
                                 "image_upload", "device_copy", "launch", "launch_10", "graph_10",
                                 "integer_add", "integer_multiply_add", "shared_loads"}) {
            CAPTURE(device["device"].dump(), name);
            CHECK(names.count(device["device"].get<std::string>() + " " + name) == 1);
        }
    }
    if (json["cuda"]["devices"].empty()) {
        CHECK(names.size() == 5);
        CHECK_THAT(measurements["notes"].dump(), Contains("no GPU was measured"));
    }
}

TEST_CASE("devices shows the figures with what they bound", "[cli]") {
    const ProgramResult result = run_fovea({"devices", "--measure", "--quick", "--repeat", "1"});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("median") && Contains("bounds") && Contains("GB/s") &&
                               Contains("images/s") && Contains("integral images") &&
                               Contains("do not quote"));
}

TEST_CASE("devices refuses flags that mean nothing and images that are no JPEG", "[cli]") {
    CHECK(run_fovea({"devices", "--quick"}).exit_code == 2);
    CHECK(run_fovea({"devices", "--repeat", "3"}).exit_code == 2);
    CHECK(run_fovea({"devices", "--measure", "--repeat", "0"}).exit_code == 2);
    const test::TempDir folder;
    const std::string pgm = folder.write("a.pgm", test::edge_pgm(8, 8)).string();
    const ProgramResult result = run_fovea({"devices", "--measure", "--quick", "--image", pgm});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("a.pgm") && Contains("not a JPEG"));
    CHECK(result.out.empty());
}

}  // namespace fovea
