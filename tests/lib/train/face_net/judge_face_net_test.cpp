#include "lib/train/face_net/judge_face_net.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/detect/face_net_detector.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/train/face_net/face_net_report.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

FaceNetModel random_model() {
    return {"random", random_face_net({16, 16, 16}, 7), {}, {}};
}

/// A COCO file whose faces are every second detection that the network has in the images.
std::string dataset_of(const TempDir& folder, const FaceNetModel& model) {
    const FaceNetDetector detector(model);
    Json json{{"images", Json::array()}, {"annotations", Json::array()}};
    json["categories"] = {{{"id", 1}, {"name", "face"}}};
    for (int i = 1; i <= 3; ++i) {
        const GreyImage image = smooth_noise(150, 110, 6, static_cast<unsigned>(i));
        const std::string name = std::to_string(i) + ".pgm";
        folder.write(name, pgm_of(image));
        json["images"].push_back({{"id", i}, {"file_name", name}, {"width", 150}, {"height", 110}});
        const std::vector<Detection> faces = detector.detect({{image.view()}}, {})[0];
        for (std::size_t f = 0; f < faces.size(); f += 2) {
            const Box& box = faces[f].box;
            json["annotations"].push_back({{"id", json["annotations"].size() + 1},
                                           {"image_id", i},
                                           {"category_id", 1},
                                           {"bbox", {box.x, box.y, box.w, box.h}},
                                           {"area", box.w * box.h},
                                           {"iscrowd", 0},
                                           {"attributes", {{"pose", f % 4 == 0 ? "half" : "profile"}}}});
        }
    }
    folder.write("faces.json", json.dump());
    return "coco:" + (folder.path() / "faces.json").string();
}

}  // namespace

TEST_CASE("a network is judged on a dataset, and its score becomes a probability", "[face-net]") {
    const TempDir folder;
    FaceNetModel model = random_model();
    const std::string dataset = dataset_of(folder, model);
    std::size_t last = 0;
    const auto judgements = judge_face_net(model, {dataset}, 2, [&](std::size_t done, std::size_t all) {
        CHECK(done == last + 1);
        CHECK(all == 3);
        last = done;
    });
    CHECK(last == 3);
    REQUIRE(judgements.size() == 1);
    const DetectionEvaluation& evaluation = judgements[0].evaluation;
    CHECK(evaluation.name == "faces");
    CHECK(evaluation.images == 3);
    CHECK(evaluation.faces > 3);
    // Every face is a detection.
    CHECK(evaluation.value("detection_rate") == 1);
    CHECK_FALSE(model.score == FaceNetScore{});
    // The mean of the scores is the share that is right: a logistic fit has that property, but for its
    // smoothing.
    double sum = 0;
    std::size_t count = 0;
    for (const ImageResult& image : evaluation.results->images) {
        for (const Detection& detection : image.detections) sum += detection.score;
        count += image.detections.size();
    }
    CHECK(sum / static_cast<double>(count) ==
          Approx(static_cast<double>(evaluation.true_positives) / static_cast<double>(count)).margin(0.02));
    // The file's detector gives these scores.
    const FaceNetDetector detector(model);
    DetectorOptions options;
    options.min_score = 1e-6;
    const GreyImage image = smooth_noise(150, 110, 6, 1);
    const std::vector<Detection> found = detector.detect({{image.view()}}, options)[0];
    const std::vector<Detection>& judged = evaluation.results->images[0].detections;
    REQUIRE(found.size() >= judged.size());
    CHECK(found[0].score == Approx(judged[0].score).epsilon(1e-9));

    const Json json = face_net_judgement_to_json(judgements[0]);
    CHECK(json["images"] == 3);
    CHECK(json["average_precision"] == evaluation.value("average_precision"));

    FaceNetTrainResult result;
    result.model = model;
    result.model.training = {{"settings", {{"steps", 5}}}, {"data", Json::array()}};
    result.judgements = judgements;
    result.losses = {{100, 1.5, 0.8, 2}, {200, 1.2, 0.6, 2}};
    const auto report = folder.path() / "report";
    report::write_face_net_report(report, result);
    const std::string page = read_file(report / "training.html");
    CHECK_THAT(page, Contains("Photographs kept out") && Contains("Found at score") && Contains("profile"));
    CHECK_THAT(page, Contains("200 steps") && Contains("Reliability of scores: faces"));
    CHECK(Json::parse(read_file(report / "training.json")).contains("score"));
    CHECK(std::filesystem::exists(report / "reliability_1.svg"));
}

TEST_CASE("a network that is judged on nothing keeps its score", "[face-net]") {
    FaceNetModel model = random_model();
    CHECK(judge_face_net(model, {}, 1, {}).empty());
    CHECK(model.score == FaceNetScore{});
    const TempDir folder;
    FaceNetTrainResult result;
    result.model = model;
    result.model.training = {{"settings", Json::object()}, {"data", Json::array()}};
    report::write_face_net_report(folder.path() / "report", result);
    CHECK_THAT(read_file(folder.path() / "report" / "training.html"),
               Contains("No photographs were kept out"));
}
