#include "lib/run/run.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/page_view.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

constexpr const char* manifest_name = "run.json";

struct Job {
    Job() {
        folder.write("set/a.pgm", edge_pgm(40, 30));
        const auto list =
            folder.write("set/faces.xml",
                         "<?xml version='1.0' encoding='UTF-8'?>\n<dataset>\n<images>\n"
                         "<image file='a.pgm'><box top='0' left='10' width='20' height='20'/></image>\n"
                         "</images>\n</dataset>\n");
        config.dataset.path = "dlib:" + list.string();
        config.detectors.push_back({"edge", folder.write("edge.xml", edge_cascade()).string(), {}});
        config.output = (folder.path() / "out").string();
    }
    std::filesystem::path file(const std::string& name) const { return folder.path() / "out" / name; }

    TempDir folder;
    RunConfig config;
};

}  // namespace

TEST_CASE("the limit of threads holds in every stage of a run", "[pipeline]") {
    Job job;
    job.config.threads = 1;
    std::vector<std::pair<std::string, std::size_t>> allowed;
    JobHooks hooks;
    hooks.stage = [&](const std::string& stage) {
        allowed.emplace_back(stage,
                             tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
    };
    run_pipeline(job.config, hooks);
    REQUIRE(allowed.size() >= 4);
    CHECK(allowed.back().first == "writing the report");
    for (const auto& [stage, threads] : allowed) {
        CAPTURE(stage);
        CHECK(threads == 1);
    }
}

TEST_CASE("a link to a recognition that was interrupted leads to a page that says so", "[pipeline]") {
    Job job;
    for (const char* name : {"people/ann/1.pgm", "people/ann/2.pgm", "people/bob/1.pgm", "people/bob/2.pgm"})
        job.folder.write(name, edge_pgm(130, 150));
    const std::string people = "folder:" + (job.folder.path() / "people").string();
    job.config.recognition.recognisers = {"lbp"};
    job.config.recognition.finder.source = FaceSource::image;
    job.config.recognition.gallery = people;
    job.config.recognition.probes = {people};
    std::atomic<bool> cancel = false;
    JobHooks hooks;
    hooks.cancel = &cancel;
    hooks.stage = [&](const std::string& stage) { cancel = cancel || stage == "describing faces"; };
    CHECK(run_pipeline(job.config, hooks).exit_code == ExitCode::interrupted);
    CHECK(page_view(read_bytes(job.file("report.html")))["related"][0]["address"] ==
          "identification/report.html");
    const std::string page = read_bytes(job.file("identification/report.html"));
    CHECK(page.find("it was interrupted") != std::string::npos);
    CHECK(page_view(page)["related"][0]["address"] == "../report.html");
    CHECK_FALSE(std::filesystem::exists(job.file("identification/report.json")));

    CHECK(run_pipeline(job.config, {}).exit_code == ExitCode::done);
    CHECK(read_bytes(job.file("identification/report.html")).find("it was interrupted") == std::string::npos);
}

TEST_CASE("no older manifest stands beside new results", "[pipeline]") {
    Job job;
    job.folder.write(std::string("out/") + manifest_name, "{}");
    JobHooks hooks;
    bool there_while_detecting = true;
    hooks.progress = [&](const JobProgress&) {
        there_while_detecting = std::filesystem::exists(job.file(manifest_name));
    };
    run_pipeline(job.config, hooks);
    CHECK_FALSE(there_while_detecting);
    CHECK(std::filesystem::exists(job.file(manifest_name)));
}

TEST_CASE("results that are all called \"results\" are named after their folders", "[pipeline]") {
    const TempDir folder;
    std::vector<std::string> files;
    for (const char* name : {"old/results.jsonl", "new/results.jsonl", "new/results.txt"})
        files.push_back(folder.write(name, "").string());
    const auto names = [&](std::vector<std::string> specifications) {
        std::string text;
        for (const NamedResults& named : name_results(specifications)) text += named.name + " ";
        return text;
    };
    CHECK(names({files[0], "jsonl:" + files[1]}) == "old new ");
    CHECK(names({files[0], files[1], files[2]}) == "old results results-2 ");
    CHECK(names({files[0]}) == "results ");
}

TEST_CASE("a manifest speaks for the bytes that it was written with only", "[pipeline]") {
    Job job;
    run_pipeline(job.config, {});
    const std::string results = job.file("results.jsonl").string();
    const Json manifest = Json::parse(read_bytes(job.file(manifest_name)));
    CHECK(find_manifest(results) == manifest);
    CHECK(find_manifest("jsonl:" + results) == manifest);
    CHECK(name_results({results, results})[1].name == "edge-2");
    // Results of one detector with other settings are named after their file.
    const std::string other = job.file("edge125.jsonl").string();
    std::filesystem::copy_file(results, other);
    Json of_other = manifest;
    of_other["detectors"][0]["results"] = "edge125.jsonl";
    {
        std::ofstream file(job.file("edge125.run.json"));
        file << of_other.dump();
    }
    CHECK(name_results({other})[0].name == "edge");
    CHECK(name_results({results, other})[0].name == "edge");
    CHECK(name_results({results, other})[1].name == "edge125");

    const auto without = [&](const char* key) {
        Json changed = manifest;
        changed["detectors"][0].erase(key);
        return changed;
    };
    for (const Json& broken : {without("name"), without("results"), without("results_sha256"),
                               Json{{"detectors", {"text", 1, nullptr, Json::array()}}},
                               Json{{"detectors", "text"}}, Json::array({1}), Json("text")}) {
        CAPTURE(broken.dump());
        job.folder.write(std::string("out/") + manifest_name, broken.dump());
        CHECK(find_manifest(results).is_null());
        CHECK(name_results({results})[0].name == "results");
    }
    // An entry that is none does not hide one that is.
    Json mixed = manifest;
    mixed["detectors"].insert(mixed["detectors"].begin(), Json("text"));
    job.folder.write(std::string("out/") + manifest_name, mixed.dump());
    CHECK(find_manifest(results) == mixed);

    job.folder.write("out/results.jsonl", read_bytes(results) + "\n");
    CHECK(find_manifest(results).is_null());
}
