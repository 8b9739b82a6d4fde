#include "lib/evaluate/record.hpp"

#include <catch2/catch.hpp>
#include <tbb/global_control.h>

#include "lib/core/error.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/evaluate/protocols/detection_json.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Everything that a face, an image and a result may hold, with numbers that have no short decimal form.
EvaluationCase full_case() {
    EvaluationCase example = worked_example();
    example.dataset.format = "list";
    example.dataset.root = "/data/set";
    for (Sample& sample : example.dataset.samples) sample.path = example.dataset.root / sample.image;
    Sample& a = example.dataset.samples[0];
    a.size = ImageSize{640, 480};
    a.attributes = {{"fold", "3"}, {"event", "0--\"Parade\""}};
    a.faces[0].box = {1.0 / 3, -0.1, 10 + 1e-13, 10};
    a.faces[0].ellipse = Ellipse{{5.25, 1e-7}, 6, 4, 1.2345678901234567};
    a.faces[0].area = 77.7;
    a.faces[0].eyes = Eyes{{1, 2}, {3, 4.5}};
    a.faces[0].landmarks = {{1, 2}, {0.1 + 0.2, 4}};
    a.faces[0].attributes = {{"blur", "heavy"}, {"blur", "again"}};
    a.faces.push_back(ignored_face(300, 0, 20, 20));
    a.faces.back().crowd = true;
    example.results.images[0].detections[0].score = 0.1 + 0.8;
    example.results.images[0].detections[0].details.edit().landmarks = {{1.5, 2}, {3, 4}};
    example.add_sample("gone.png", {face(0, 0, 9, 9)});  // the results lack it
    example.dataset.samples.back().path = "/elsewhere/gone.png";
    example.add("broken.png", {face(0, 0, 9, 9)}, {});
    example.dataset.samples.back().path = "/data/set/broken.png";
    example.results.images.back().status = "unreadable: truncated";
    example.results.images.back().width = example.results.images.back().height = 0;
    example.add_result("not-annotated.png", {detection(1, 0, 0, 5, 5)});
    return example;
}

DetectionEvaluation evaluate_again(const EvaluationRecord& record, std::size_t detector,
                                   const DetectionEvaluationOptions& options) {
    const EvaluationRecord::Detector& recorded = record.detectors.at(detector);
    DetectionEvaluation evaluation =
        evaluate_detection(record.dataset, recorded.results, options, recorded.name);
    evaluation.images_extra = recorded.images_extra;
    evaluation.warnings = recorded.warnings;
    return evaluation;
}

std::string numbers(const DetectionEvaluation& evaluation) {
    return detection_evaluation_to_json(evaluation).dump();
}

}  // namespace

TEST_CASE("an evaluation made again from its record is the same to the last bit", "[evaluate][record]") {
    const EvaluationCase example = full_case();
    const DetectionEvaluation first = example.evaluate();
    REQUIRE(first.images_missing == 1);
    REQUIRE(first.images_unreadable == 1);
    REQUIRE(first.images_extra == 1);
    const TempDir folder;
    const std::string text = evaluation_record_text(example.dataset, {first});
    const EvaluationRecord record = read_evaluation_record(folder.write("evaluated.jsonl", text));

    REQUIRE(record.detectors.size() == 1);
    const DetectionEvaluation again = evaluate_again(record, 0, record.detectors[0].options);
    CHECK(numbers(again) == numbers(first));
    CHECK(again.warnings == first.warnings);
    REQUIRE(again.image_outcomes.size() == first.image_outcomes.size());
    for (std::size_t i = 0; i < first.image_outcomes.size(); ++i) {
        CHECK(again.image_outcomes[i].best_iou == first.image_outcomes[i].best_iou);
        CHECK(again.image_outcomes[i].outcomes == first.image_outcomes[i].outcomes);
        CHECK(again.image_outcomes[i].face_match == first.image_outcomes[i].face_match);
        CHECK(again.image_outcomes[i].status == first.image_outcomes[i].status);
    }
    // Nothing of the inputs was lost: the record of the record is the record.
    CHECK(evaluation_record_text(record.dataset, {again}) == text);
    const Sample& a = record.dataset.samples[0];
    CHECK(a.size == ImageSize{640, 480});
    CHECK(a.attributes == example.dataset.samples[0].attributes);
    CHECK(a.faces[0].box == example.dataset.samples[0].faces[0].box);
    CHECK(a.faces[0].ellipse == example.dataset.samples[0].faces[0].ellipse);
    CHECK(a.faces[0].area == 77.7);
    CHECK(a.faces[0].landmarks == example.dataset.samples[0].faces[0].landmarks);
    CHECK(a.faces[2].crowd);
    CHECK(a.faces[2].ignore);
    CHECK(record.dataset.samples[3].path == "/elsewhere/gone.png");
    CHECK(record.dataset.samples[4].path == "/data/set/broken.png");
}

TEST_CASE("a record holds the faces once and the detections of every detector", "[evaluate][record]") {
    EvaluationCase example = full_case();
    std::vector<DetectionEvaluation> evaluations{example.evaluate()};
    example.results.images[0].detections.pop_back();
    example.options.iou_threshold = 0.7;
    example.options.bootstrap_seed = 18446744073709551615u;
    evaluations.push_back(example.evaluate());
    evaluations[1].name = "other";
    const TempDir folder;
    const std::string text = evaluation_record_text(example.dataset, evaluations);
    {
        const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        CHECK(evaluation_record_text(example.dataset, evaluations) == text);
    }
    const EvaluationRecord record = read_evaluation_record(folder.write("evaluated.jsonl", text));
    REQUIRE(record.detectors.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(numbers(evaluate_again(record, i, record.detectors[i].options)) == numbers(evaluations[i]));
    }
    CHECK(record.detectors[1].name == "other");
    CHECK(record.detectors[1].options.bootstrap_seed == 18446744073709551615u);
}

TEST_CASE("a record keeps the order of VOC's results", "[evaluate][record]") {
    EvaluationCase example;
    example.options.protocol = DetectionProtocol::voc2010;
    example.add("a.png", {face(0, 0, 10, 10)}, {detection(0.5, 50, 0, 10, 10)});
    example.add("b.png", {face(0, 0, 10, 10)}, {detection(0.5, 0, 0, 10, 10)});
    example.add_sample("c.png", {});
    example.results.images[0].places = {1};
    example.results.images[1].places = {0};
    const DetectionEvaluation first = example.evaluate();
    CHECK(first.protocol_numbers.at(0).estimate.value == 0.5);  // 0.25 in the images' order
    const TempDir folder;
    const std::string text = evaluation_record_text(example.dataset, {first});
    const auto read = [&](const std::string& bytes) {
        return read_evaluation_record(folder.write("r.jsonl", bytes));
    };
    const EvaluationRecord record = read(text);
    const DetectionEvaluation again = evaluate_again(record, 0, record.detectors[0].options);
    CHECK(numbers(again) == numbers(first));
    CHECK(evaluation_record_text(record.dataset, {again}) == text);
    // Other protocols have no use for it.
    example.options.protocol = DetectionProtocol::iou;
    CHECK(evaluation_record_text(example.dataset, {example.evaluate()}).find("places") == std::string::npos);

    const auto refused = [&](const std::string& places) {
        std::string broken = text;
        const std::size_t at = broken.find("\"places\":[[1]]");
        REQUIRE(at != std::string::npos);
        try {
            read(broken.replace(at, 14, "\"places\":" + places));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("read");
    };
    for (const char* const places :
         {"3", "[]", "[3]", "[[1,2]]", "[[-1]]", "[[4294967296]]", "[[1],[1]]", "[[1.5]]"}) {
        CAPTURE(places);
        CHECK_THAT(refused(places), Contains("r.jsonl:2: 'places") && Contains("must be"));
    }
    CHECK(refused("[[]]") == "read");
}

TEST_CASE("results without records of images stay complete", "[evaluate][record]") {
    EvaluationCase example;
    example.add("a.png", {face(0, 0, 10, 10)}, {detection(1, 0, 0, 10, 10)});
    example.add_sample("b.png", {face(0, 0, 10, 10)});
    example.results.records_every_image = false;  // nothing was detected in b.png
    const DetectionEvaluation first = example.evaluate();
    REQUIRE(first.images_missing == 0);
    const TempDir folder;
    const EvaluationRecord record =
        read_evaluation_record(folder.write("r.jsonl", evaluation_record_text(example.dataset, {first})));
    CHECK(numbers(evaluate_again(record, 0, record.detectors[0].options)) == numbers(first));
}

TEST_CASE("a broken record is refused with its line", "[evaluate][record]") {
    const EvaluationCase example = worked_example();
    const std::string text = evaluation_record_text(example.dataset, {example.evaluate()});
    const TempDir folder;
    const auto message = [&](const std::string& broken) -> std::string {
        try {
            read_evaluation_record(folder.write("r.jsonl", broken));
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const std::size_t at = changed.find(from);
        REQUIRE(at != std::string::npos);
        return changed.replace(at, from.size(), to);
    };
    CHECK_THAT(message(""), Contains("is empty"));
    CHECK_THAT(message(text.substr(0, text.size() - 20)), Contains("r.jsonl:4: expected a JSON object"));
    CHECK_THAT(message(replaced("\"version\":1", "\"version\":2")),
               Contains("r.jsonl:1") && Contains("'version' must be 1, but is 2"));
    CHECK_THAT(message(replaced("fovea-evaluated", "other")),
               Contains("r.jsonl:1: 'format' must be \"fovea-evaluated\""));
    CHECK_THAT(
        message(replaced("\"protocol\":\"iou\"", "\"protocol\":\"none\"")),
        Contains("'detectors[0].options.protocol' must be ") && Contains("but is the string \"none\""));
    CHECK_THAT(message(replaced("[0,0,10,10]", "[0,0,10]")),
               Contains("r.jsonl:2: 'faces[0].box' must be [x, y, width, height], but is a list of 3"));
    CHECK_THAT(message(replaced("\"results\":[", "\"results\":[null,")), Contains("for each of 1 detector"));
    CHECK_THROWS_AS(read_evaluation_record(folder.path() / "none.jsonl"), UsageError);
}
