#include "lib/evaluate/unit_record.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/three_people.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

UnitRecord written_and_read(const TempDir& folder, const std::string& text) {
    REQUIRE_FALSE(text.empty());
    return read_unit_record(folder.write("units.jsonl", text));
}

const PairedNumber& estimate(const std::vector<PairedNumber>& estimates, const std::string& key) {
    for (const PairedNumber& entry : estimates) {
        if (entry.quantity.key == key) return entry;
    }
    FAIL("no " + key);
    return estimates.front();
}

VerificationEvaluation verification(const std::string& name, std::vector<double> scores) {
    std::vector<VerificationPair> pairs;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        pairs.push_back({scores[i], i % 2 == 0, static_cast<std::int32_t>(i / 4)});
    }
    VerificationOptions options;
    options.bootstrap_resamples = 0;
    VerificationEvaluation evaluation = evaluate_verification(pairs, options, name);
    evaluation.units_sha256 = "these";
    return evaluation;
}

LandmarkEvaluation landmarks(const std::string& name, std::vector<double> errors) {
    LandmarkEvaluation evaluation;
    evaluation.name = name;
    evaluation.units_sha256 = "faces";
    evaluation.normalisers = {LandmarkNormaliser::box_diagonal};
    for (std::size_t i = 0; i < errors.size(); ++i) {
        LandmarkFace face;
        face.unit = static_cast<std::uint32_t>(i);
        face.lengths = {10};
        if (std::isfinite(errors[i])) face.distances = {errors[i], errors[i]};
        face.found.resize(face.distances.size());
        evaluation.outcomes.push_back(face);
    }
    return evaluation;
}

}  // namespace

TEST_CASE("pairs of a record are resampled together", "[evaluate][units]") {
    const TempDir folder;
    const double failed = std::nan("");
    const std::vector<VerificationEvaluation> both{
        verification("good", {0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, failed}),
        verification("bad", {0.9, 0.1, 0.8, 0.2, 0.3, 0.7, 1.0 / 3, 0.6})};
    const UnitRecord record = written_and_read(folder, verification_units_text(both));
    CHECK(record.kind == "verification");
    CHECK(record.units_sha256 == "these");
    REQUIRE(record.verification.size() == 2);
    REQUIRE(record.verification[1].pairs.size() == 8);
    CHECK(record.verification[1].pairs[6].score == 1.0 / 3);
    CHECK(record.verification[1].pairs[6].same);
    CHECK(record.verification[1].pairs[6].fold == 1);
    CHECK(std::isnan(record.verification[0].pairs[7].score));

    const auto differences = paired_units(record, 0, record, 1, 200, 1);
    // 12 of 16 pairs of a genuine and an impostor are in order: 0.3 is above two of the four, a third two,
    // too.
    CHECK(*estimate(differences, "verification.auc").first == 1.0);
    CHECK(*estimate(differences, "verification.auc").second == 0.75);
    CHECK(*estimate(differences, "verification.auc").difference == -0.25);
    CHECK(estimate(differences, "verification.auc").ci95.has_value());
    // One against itself differs by nothing, in every resample.
    for (const PairedNumber& same : paired_units(record, 1, record, 1, 200, 1)) {
        CAPTURE(same.quantity.key);
        if (!same.difference || !same.ci95) continue;
        CHECK(*same.difference == 0);
        CHECK((*same.ci95)[0] == 0);
        CHECK((*same.ci95)[1] == 0);
    }
}

TEST_CASE("probes of a record are resampled together, of open sets, too", "[evaluate][units]") {
    const TempDir folder;
    const IdentificationSet set = three_people();
    IdentificationOptions options;
    options.bootstrap_resamples = 0;
    const std::vector<IdentificationEvaluation> both{
        evaluate_identification(set, {3, 3, {0.9, 0.1, 0.2, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1}}, options, "half"),
        evaluate_identification(set, {3, 3, {0.9, 0.1, 0.2, 0.4, 0.5, 0.4, 0.3, 0.2, 0.1}}, options, "all")};
    const UnitRecord record = written_and_read(folder, identification_units_text(both));
    REQUIRE(record.identification.size() == 2);
    CHECK(record.units_sha256.size() == 64);
    CHECK(record.identification[0].gallery_subjects == 3);
    CHECK(record.identification[0].searches[1].greater == 1);
    CHECK(record.identification[0].searches[1].mate_score == 0.5);
    CHECK_FALSE(record.identification[0].searches[2].mated);
    const auto differences = paired_units(record, 0, record, 1, 100, 1);
    CHECK(*estimate(differences, "identification.rank1").first == 0.5);
    CHECK(*estimate(differences, "identification.rank1").second == 1.0);
    bool open_set = false;
    for (const PairedNumber& entry : differences) {
        open_set = open_set || entry.quantity.key.starts_with("identification.open_set.fnir_at_fpir_");
    }
    CHECK(open_set);
}

TEST_CASE("faces of a record are resampled together", "[evaluate][units]") {
    const TempDir folder;
    const std::vector<LandmarkEvaluation> both{landmarks("a", {1, 2, 3, INFINITY}),
                                               landmarks("b", {1, 2, 5, 4})};
    const UnitRecord record = written_and_read(folder, landmark_units_text(both, {"a", "b"}));
    const auto differences = paired_units(record, 0, record, 1, 100, 1);
    CHECK(*estimate(differences, "landmarks.pixels.mean").first == 2);
    CHECK(*estimate(differences, "landmarks.pixels.mean").second == 3);
    CHECK(*estimate(differences, "landmarks.nme.box_diagonal.mean").second == Approx(0.3));
    CHECK(*estimate(differences, "landmarks.missed_rate").difference == -0.25);
    for (const PairedNumber& entry : differences)
        CHECK(entry.quantity.key.find(".ced_") == std::string::npos);
}

TEST_CASE("evaluations of other units have no record in common", "[evaluate][units]") {
    const TempDir folder;
    std::vector<VerificationEvaluation> both{verification("a", {0.9, 0.1}), verification("b", {0.8, 0.2})};
    const UnitRecord these = written_and_read(folder, verification_units_text(both));
    both[1].units_sha256 = "those";
    CHECK(verification_units_text(both).empty());
    both[0].units_sha256 = both[1].units_sha256 = "";
    CHECK(verification_units_text(both).empty());
    both[0].units_sha256 = both[1].units_sha256 = "those";
    const UnitRecord those = written_and_read(folder, verification_units_text(both));
    CHECK_THROWS_AS(paired_units(these, 0, those, 0, 10, 1), Error);
}

TEST_CASE("a broken record of units names its line", "[evaluate][units]") {
    const TempDir folder;
    const std::string text = verification_units_text({verification("a", {0.9, 0.1})});
    const std::string header = text.substr(0, text.find('\n') + 1);
    const auto error = [&](const std::string& changed, const std::string& message) {
        const auto file = folder.write("broken.jsonl", changed);
        CHECK_THROWS_WITH(read_unit_record(file), Contains(message));
    };
    error("", "is empty");
    error("{}\n", ":1: there is no \"format\"");
    error("[1\n", ":1: ");
    error(header + "5\n", ":2: the JSON must be an object with \"same\"");
    error(header + R"({"same": 1, "fold": 0, "scores": [1]})" + "\n", "'same' must be true or false");
    error(header + R"({"same": true, "fold": -1, "scores": [1]})" + "\n", ":2: ");
    error(header + R"({"same": true, "fold": 0, "scores": [1, 2]})" + "\n",
          "'scores' must be a list of 1, but is a list of 2");
    error(header + R"({"same": true, "fold": 0, "scores": ["x"]})" + "\n", ":2: ");
    error(R"({"format": "fovea-units", "version": 2, "kind": "verification"})" + std::string("\n"),
          "'version' must be 1, but is 2");
    error(R"({"format": "fovea-units", "version": 1, "kind": "dancing", "units_sha256": ""})" +
              std::string("\n"),
          "'kind' must be landmarks, verification or identification");
    const std::string probes =
        R"({"format":"fovea-units","version":1,"kind":"identification","units_sha256":"x","evaluations":[{"name":"a","subjects":2}]})"
        "\n";
    error(probes + R"({"mated": true, "searches": [[1, -1, 0, 1]]})" + "\n",
          "'searches[0][1]' must be an integer from 0 to 2");
    const std::string faces =
        R"({"format":"fovea-units","version":1,"kind":"landmarks","units_sha256":"x","evaluations":[{"name":"a","normalisers":["box_diagonal"]}]})"
        "\n";
    error(faces + R"({"unit": 1, "lengths": [1], "distances": [[1]]})" + "\n",
          "'unit' must be the number of this image or the next, but is 1");
    error(faces + R"({"unit": 0, "lengths": [], "distances": [[1]]})" + "\n", "'lengths'");
    error(faces + R"({"unit": 0, "lengths": [1], "distances": [[]]})" + "\n",
          "'distances[0]' must be null, or a list of at least one number");
    error(faces + R"({"unit": 0, "lengths": [1], "distances": [[-1]]})" + "\n",
          "'distances[0][0]' must be at least 0, but is -1");
    error(faces, "holds no unit");
    CHECK_THROWS_AS(read_unit_record(folder.path() / "nowhere"), UsageError);
}
