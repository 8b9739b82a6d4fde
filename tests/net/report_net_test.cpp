// Every number of a dozen reports, held against what was stored: a change of how reports are made must not
// change one digit. After a wanted change, the files are written anew:
//   FOVEA_STORE_NUMBERS=tests/data/numbers scripts/run-tests.sh '[net]'

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/results/results.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/lib/train/mct/mct_workshop.hpp"
#include "tests/net/report_schema.hpp"
#include "tests/net/stored_numbers.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

namespace fs = std::filesystem;

const std::string photographs = "/usr/share/doc/libdlib19.1/examples";

bool has_photographs() {
    const bool is_there = fs::exists(photographs + "/faces/training.xml");
    if (!is_there) WARN("not run: the example photographs of libdlib19.1 are not installed");
    return is_there;
}

std::string configuration(const std::string& name) {
    return (test::source_dir() / "configs" / (name + ".json")).string();
}

void run(const std::vector<std::string>& command, const ProgramOptions& options = {}) {
    const ProgramResult result = run_fovea(command, options);
    CAPTURE(command, result.err);
    REQUIRE(result.exit_code == 0);
}

/// Those of report.json (or another file) and of numbers.csv beside it.
Numbers numbers_of(const fs::path& folder, const std::string& file = "report.json") {
    if (file == "report.json") {
        CAPTURE(folder);
        CHECK(schema_fault(folder / file).value_or("") == "");
    }
    Numbers numbers = numbers_of_json(Json::parse(read_bytes(folder / file)));
    if (fs::exists(folder / "numbers.csv"))
        numbers.merge(numbers_of_table(read_bytes(folder / "numbers.csv")));
    return numbers;
}

void hold(const std::string& name, const Numbers& numbers) {
    if (const char* const folder = std::getenv("FOVEA_STORE_NUMBERS"))
        write_numbers(fs::path(folder) / (name + ".txt"), numbers);
    const Numbers stored = read_numbers(test::source_dir() / "tests/data/numbers" / (name + ".txt"));
    INFO(name);
    CHECK(stored.size() > 20);
    CHECK(differences(stored, numbers) == "");
}

void run_and_hold(const std::string& name) {
    const TempDir folder;
    const fs::path out = folder.path() / name;
    run({"run", configuration(name), "--out", out.string(), "--quiet", "--device", "cpu"});
    hold(name, numbers_of(out));
}

/// Results as a tracker might give them for a dataset with tracks: boxes that are moved, one of `period` that
/// is missing, and a number that changes every 200 frames.
std::string made_up_tracks(const Dataset& dataset, int period) {
    std::string lines;
    int box = 0;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        ImageResult frame;
        frame.image = dataset.samples[i].image;
        for (const Face& face : dataset.samples[i].faces) {
            if (++box % period == 0) continue;
            Detection& found = frame.detections.emplace_back();
            found.box = face.box;
            found.box.x += box * 13 % 11 * 0.02 * found.box.w;
            found.score = box % 100 / 100.0;
            const int number = std::stoi(*find_attribute(face.attributes, "track"));
            found.details.edit().track = number + static_cast<int>(i / 200) * 1000;
        }
        lines += to_json_line(frame) + "\n";
    }
    return lines;
}

}  // namespace

TEST_CASE("a report that breaks the schema is told", "[net]") {
    if (!has_photographs()) return;
    const TempDir folder;
    const std::string out = (folder.path() / "report").string();
    run({"run", "--dataset", "dlib:" + photographs + "/faces/testing.xml", "--model", "mct", "--out", out,
         "--quiet", "--device", "cpu"});
    const fs::path report = fs::path(out) / "report.json";
    if (!schema_fault(report)) {
        WARN("not run: python3-fastjsonschema is not installed");
        return;
    }
    CHECK(schema_fault(report) == "");
    for (const char* pointer : {"/version", "/detection/faces", "/detection/quantities/f1/better"}) {
        Json broken = Json::parse(read_bytes(report));
        broken[Json::json_pointer(pointer)] = "x";
        CAPTURE(pointer);
        CHECK(schema_fault(folder.write("broken.json", broken.dump())) != "");
    }
}

TEST_CASE("the demonstration's numbers are those stored", "[net]") {
    if (!has_photographs()) return;
    const TempDir folder;
    const std::string out = (folder.path() / "demo").string();
    ProgramOptions options;
    options.environment["FOVEA_DEMO_PHOTOS"] = photographs;
    run({"run", configuration("demo"), "--out", out, "--quiet", "--device", "cpu"}, options);
    hold("demo", numbers_of(out));
    hold("demo-identification", numbers_of(fs::path(out) / "identification"));
    const std::string comparison = (folder.path() / "comparison").string();
    run({"compare", out + ":mct", out + ":wild", "--out", comparison, "--quiet"});
    hold("comparison", numbers_of(comparison, "compare.json"));
}

TEST_CASE("the numbers of landmarks are those stored", "[net]") {
    if (!has_photographs()) return;
    const TempDir folder;
    const std::string out = (folder.path() / "landmarks").string();
    run({"run", "--dataset", "dlib:" + photographs + "/faces/testing_with_face_landmarks.xml", "--landmarks",
         "helen", "--model", "wild", "--out", out, "--quiet", "--device", "cpu"});
    hold("landmarks", numbers_of(out));
}

TEST_CASE("the numbers of a training are those stored", "[net]") {
    const MctWorkshop workshop;
    const std::string report = workshop.path("report");
    REQUIRE(workshop.train({"--out", workshop.path("m.json"), "--report", report}).exit_code == 0);
    hold("training", numbers_of(report, "training.json"));
}

TEST_CASE("the numbers of the benchmark sets are those stored", "[net]") {
    if (fovea_data().empty()) return;
    for (const char* name : {"mit-cmu", "helen", "lfw", "orl", "scrapshots"}) run_and_hold(name);
}

TEST_CASE("the numbers of tracks are those stored", "[net]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const TempDir folder;
    const std::string video = "mot:" + data + "/video/ltft-annotations/terminal_3.txt,video=terminal_3.mp4";
    const Dataset dataset = read_dataset(video);
    const fs::path first = folder.write("first.jsonl", made_up_tracks(dataset, 7));
    const fs::path second = folder.write("second.jsonl", made_up_tracks(dataset, 11));
    const std::string out = (folder.path() / "report").string();
    run({"evaluate", "tracks", "--dataset", video, "--results", first.string(), second.string(), "--out", out,
         "--quiet"});
    hold("tracks", numbers_of(out));
}
