#include <fstream>
#include <iterator>
#include <limits>

#include <fovea/evaluate.hpp>

#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

using api::AnnotatedImage;
using api::Dataset;
using api::Evaluation;
using api::EvaluationOptions;
using api::ImageResult;
using api::Results;

const std::string coco = R"({
    "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 90}, {"id": 2, "file_name": "b.jpg", "width": 50, "height": 50}],
    "categories": [{"id": 1, "name": "face"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
                    {"id": 2, "image_id": 1, "category_id": 1, "bbox": [60, 60, 20, 20], "area": 400, "iscrowd": 0},
                    {"id": 3, "image_id": 2, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0}]})";

std::vector<AnnotatedImage> two_images() {
    return {{"a.jpg", {100, 90}, {{{10, 10, 20, 20}}, {{60, 60, 20, 20}}}},
            {"b.jpg", {50, 50}, {{{10, 10, 20, 20}}}}};
}

/// A hit, a false alarm, a hit: recall 1/3 at precision 1, then 2/3 at precision 2/3.
std::vector<ImageResult> three_detections() {
    return {{"a.jpg", {100, 90}, {{{10, 10, 20, 20}, 0.9}, {{0, 60, 20, 20}, 0.8}}},
            {"b.jpg", {50, 50}, {{{10, 10, 20, 20}, 0.7}}}};
}

}  // namespace

TEST_CASE("boxes in memory are evaluated with values by hand", "[api]") {
    const Evaluation evaluation =
        api::evaluate(Dataset(two_images()), Results(three_detections()), {.resamples = 0});
    CHECK(evaluation.protocol == "iou");
    CHECK(evaluation.images == 2);
    CHECK(evaluation.images_missing == 0);
    CHECK(evaluation.faces == 3);
    CHECK(evaluation.detections == 3);
    CHECK(evaluation.true_positives == 2);
    CHECK(evaluation.false_positives == 1);
    CHECK(evaluation.number("average_precision").value == Approx(1 / 3.0 + 1 / 3.0 * 2 / 3));
    CHECK(evaluation.number("average_precision").is_higher_better == true);
    CHECK_FALSE(evaluation.number("average_precision").interval);
    CHECK(evaluation.number("detection_rate").value == Approx(2 / 3.0));
    CHECK(evaluation.number("detection_rate").is_share);
    REQUIRE(evaluation.curve.size() == 3);
    CHECK(evaluation.curve[1].threshold == 0.8);
    CHECK(evaluation.curve[1].true_positives == 1);
    CHECK(evaluation.curve[1].false_positives == 1);
    CHECK(evaluation.curve[2].recall == Approx(2 / 3.0));
    CHECK(evaluation.curve[2].precision == Approx(2 / 3.0));
    CHECK_THROWS_WITH(evaluation.number("averge_precision"),
                      "the evaluation has no number 'averge_precision' (did you mean 'average_precision'?)");

    // Ignored faces are neither missed nor false alarms; an image without a result is missing.
    std::vector<AnnotatedImage> truth = two_images();
    truth[0].faces[0].ignore = true;
    const std::vector<ImageResult> one{three_detections()[0]};
    const Evaluation part = api::evaluate(Dataset(truth), Results(one), {.resamples = 0});
    CHECK(part.faces == 2);
    CHECK(part.true_positives == 0);
    CHECK(part.false_positives == 1);
    CHECK(part.images_missing == 1);
    CHECK_FALSE(part.warnings.empty());
}

TEST_CASE("files are evaluated as the same boxes in memory", "[api]") {
    const TempDir folder;
    const Dataset dataset("coco:" + folder.write("coco.json", coco).string());
    CHECK(dataset.format() == "coco");
    CHECK(dataset.size() == 2);
    CHECK(dataset.face_count() == 3);
    CHECK(dataset.image(0).name == "a.jpg");
    CHECK(dataset.image(0).size == api::Size{100, 90});
    CHECK(dataset.image(0).faces.at(1).box == api::Box{60, 60, 20, 20});
    CHECK_THROWS_AS(dataset.image(2), std::out_of_range);
    CHECK(Dataset("coco:" + (folder.path() / "coco.json").string(), {.pattern = "b*"}).size() == 1);

    const auto file = folder.path() / "results.jsonl";
    api::write_results(file, three_detections());
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    CHECK(text.starts_with(
        R"({"image":"a.jpg","width":100,"height":90,"status":"ok","detections":[{"box":[10,10,20,20],"score":0.9},)"));
    const Results results(file.string(), dataset);
    REQUIRE(results.size() == 2);
    CHECK(results.image(1).detections == three_detections()[1].detections);

    for (const std::string protocol : {"iou", "coco", "auto"}) {
        const EvaluationOptions options{.protocol = protocol, .resamples = 200};
        const Evaluation of_files = api::evaluate(dataset, results, options);
        CHECK(of_files.protocol == (protocol == "iou" ? "iou" : "coco"));
        const Evaluation of_memory = api::evaluate(Dataset(two_images()), Results(three_detections()),
                                                   {.protocol = of_files.protocol, .resamples = 200});
        REQUIRE(of_files.numbers.size() == of_memory.numbers.size());
        for (std::size_t i = 0; i < of_files.numbers.size(); ++i) {
            CAPTURE(of_files.numbers[i].key);
            CHECK(of_files.numbers[i].value == of_memory.numbers[i].value);
            CHECK(of_files.numbers[i].interval == of_memory.numbers[i].interval);
        }
        CHECK(of_files.number("average_precision").interval);
        if (protocol != "iou") CHECK(of_files.number("coco.ap_50").value == Approx(0.5545).margin(5e-4));
    }
}

TEST_CASE("a line of results holds all that a detection has, in the program's form", "[api]") {
    ImageResult result{"é.jpg", {3, 2}, {{{0.1, 1, 2, 3}, 1e-7, {{1, 2.5}}, 4, 5, 6}}, {}};
    CHECK(
        api::json_line(result) ==
        R"({"image":"é.jpg","width":3,"height":2,"status":"ok","detections":[{"box":[0.1,1,2,3],"score":1e-07,)"
        R"("track":5,"followed":6,"neighbors":4,"landmarks":[[1,2.5]]}]})");
    result.detections[0].score = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(api::json_line(result), api::Error);
    CHECK(api::json_line({"a", {}, {}, "truncated"}) ==
          R"({"image":"a","status":"unreadable: truncated","detections":[]})");
    const std::vector<ImageResult> lost{{"a", {}, {}, "truncated"}};
    CHECK(Results(lost).image(0).unreadable == "truncated");
}

TEST_CASE("datasets, results and options that cannot be are refused", "[api]") {
    const Dataset dataset(two_images());
    const Results results(three_detections());
    CHECK_THROWS_WITH(Dataset(std::vector<AnnotatedImage>{{}}), "an image of the dataset has no name");
    CHECK_THROWS_WITH(Dataset(std::vector<AnnotatedImage>{{"a"}, {"a"}}),
                      "the image 'a' stands twice in the dataset");
    CHECK_THROWS_WITH(Dataset(std::vector<AnnotatedImage>{{"a", {}, {{{0, 0, -1, 1}}}}}),
                      Catch::StartsWith("a face of the image 'a' has a box"));
    CHECK_THROWS_WITH(Results(std::vector<ImageResult>{{"a"}, {"a"}}),
                      "the image 'a' stands twice in the results");
    CHECK_THROWS_WITH(Results(std::vector<ImageResult>{{}}), "an image of the results has no name");
    CHECK_THROWS_WITH(api::evaluate(dataset, results, {.protocol = "ciou"}),
                      Catch::StartsWith("there is no protocol 'ciou'"));
    CHECK_THROWS_WITH(api::evaluate(dataset, results, {.mode = "lax"}),
                      Catch::Contains("there is no mode 'lax'"));
    CHECK_THROWS_WITH(api::evaluate(dataset, results, {.iou_threshold = 0}),
                      Catch::Contains("iou_threshold"));
    CHECK_THROWS_WITH(api::evaluate(dataset, results, {.resamples = -1}),
                      Catch::Contains("bootstrap_resamples"));
    CHECK_THROWS_AS(api::evaluate(Dataset(std::vector<AnnotatedImage>{{"c.jpg"}}), results), api::Error);
    CHECK_THROWS_AS(Dataset("coco:no.json"), api::UsageError);
    CHECK_THROWS_AS(Results("no.jsonl", dataset), api::UsageError);
}

}  // namespace fovea::test
