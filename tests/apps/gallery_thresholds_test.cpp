#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/apps/gallery_people.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("identify goes by the recogniser's thresholds, and those are of a search", "[cli][gallery][far]") {
    const People f;
    // At a FAR of 2 % any distance is near enough, at 0.01 % none is.
    RecogniserConfig config = load_recogniser("lbp-unweighted");
    config.name = "mine";
    config.thresholds = {};
    config.thresholds.points = {{0.02, 1e9, 1}, {0.0001, 0, 0}};
    config.thresholds.origin = "pairs of nobody";
    const auto recogniser = f.folder.write("mine.json", recogniser_config_to_json(config).dump()).string();
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery, {"--recogniser", recogniser}).exit_code == 0);
    const auto identify = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--json", "--overwrite", "--out", f.path("r.jsonl")});
        return f.identify(gallery, more);
    };
    const auto outcome = [&](const std::vector<std::string>& more) {
        const ProgramResult result = identify(more);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(result.out);
    };
    // One stranger in a thousand among 6 faces: a pair's rate is 0.00017, and 0.0001 is the next stricter
    // one.
    const Json standard = outcome({});
    CHECK(standard["identified"] == 0);
    CHECK(standard["nearest_only"] == 6);
    CHECK(standard["threshold"]["distance"] == 0.0);
    CHECK(standard["threshold"]["pair_far"] == 0.0001);
    CHECK(standard["threshold"]["search_far"].get<double>() == Approx(0.0006).epsilon(0.001));
    CHECK(standard["rank1"] == 1.0);
    for (const ImageResult& result : read_results(f.path("r.jsonl")).images) {
        CHECK(result.detections.at(0).details->identity.empty());
        CHECK(result.detections[0].details->distance.has_value());
        CHECK(result.detections[0].details->candidates.size() == 3);
    }
    const Json wide = outcome({"--far", "0.2"});  // of a pair 0.0365
    CHECK(wide["identified"] == 6);
    CHECK(wide["nearest_only"] == 0);
    CHECK(wide["threshold"]["pair_far"] == 0.02);
    const Json all = outcome({"--far", "1"});
    CHECK(all["identified"] == 6);
    CHECK(all["threshold"]["distance"].is_null());
    const ProgramResult strict = identify({"--far", "0.00001"});
    CHECK(Json::parse(strict.out)["identified"] == 0);
    CHECK_THAT(strict.err, Contains("no threshold of 'mine' is strict enough"));
    CHECK_THAT(
        f.identify(gallery, {"--overwrite", "--out", f.path("r.jsonl")}).out,
        Contains("0 identified and 6 nearest only (nobody is near enough) among 6 faces of 3 subjects") &&
            Contains("threshold: 0; of strangers, at most 0.06 % are named by a search among 6 faces") &&
            Contains("pairs of nobody"));
    CHECK(identify({"--far", "0"}).exit_code == 2);
    CHECK(identify({"--far", "1.5"}).exit_code == 2);
    CHECK_THAT(identify({"--far", "0.1", "--threshold", "5"}).err, Contains("exclude each other"));
    CHECK(Json::parse(read_bytes(f.path("r.run.json")))["counts"]["nearest_only"] == 6);
}

TEST_CASE("without known thresholds everybody is named, and the program says so", "[cli][gallery][far]") {
    const People f;
    RecogniserConfig config = load_recogniser("lbp-unweighted");
    config.thresholds = {};
    config.name = "old";
    const auto recogniser = f.folder.write("old.json", recogniser_config_to_json(config).dump()).string();
    const std::string gallery = f.path("g");
    REQUIRE(f.enroll(gallery, {"--recogniser", recogniser}).exit_code == 0);
    const ProgramResult result = f.identify(gallery, {"--json", "--overwrite", "--out", f.path("r.jsonl")});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, Contains("no threshold of the recogniser 'old' is known, so strangers are named"));
    CHECK(Json::parse(result.out)["identified"] == 6);
    const ProgramResult asked =
        f.identify(gallery, {"--far", "0.01", "--overwrite", "--out", f.path("r.jsonl")});
    CHECK(asked.exit_code == 2);
    CHECK_THAT(asked.err, Contains("--far: no threshold of the recogniser 'old' is known"));
    CHECK(f.identify(gallery, {"--threshold", "1e9", "--overwrite", "--out", f.path("r.jsonl")}).exit_code ==
          0);

    // A gallery of the recogniser that ships, made before it had thresholds, takes those that ship.
    config.name = "lbp-unweighted";
    const auto before = f.folder.write("before.json", recogniser_config_to_json(config).dump()).string();
    REQUIRE(f.enroll(f.path("b"), {"--recogniser", before}).exit_code == 0);
    const Json known = Json::parse(
        f.identify(f.path("b"), {"--json", "--overwrite", "--out", f.path("r.jsonl")}).out)["threshold"];
    CHECK(known["distance"].get<double>() > 0);
    CHECK(known["search_far"].get<double>() <= 0.001);
}
