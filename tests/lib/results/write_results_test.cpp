#include "lib/results/formats/write_results.hpp"

#include <algorithm>
#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/publish.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/formats/results_formats.hpp"
#include "lib/results/image_names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

Detection detection_of(const Box& box, double score) {
    Detection detection;
    detection.box = box;
    detection.score = score;
    return detection;
}

ImageResult result_of(const std::string& image, std::vector<Detection> detections) {
    ImageResult result;
    result.image = image;
    result.detections = std::move(detections);
    return result;
}

/// b before a, scores not sorted and tied; c was looked at, without success.
DetectionResults example() {
    DetectionResults results;
    results.images = {
        result_of("ev/b.jpg", {detection_of({1, 2, 3, 4}, 0.5), detection_of({5.25, 6, 7, 8}, 9),
                               detection_of({9, 9, 2, 2}, 0.5)}),
        result_of("ev/a.jpg", {detection_of({0, 0, 10, 10}, -1)}), result_of("ev/c.jpg", {})};
    return results;
}

Dataset dataset_of(const std::vector<std::string>& images) {
    Dataset dataset;
    dataset.name = "set";
    for (const std::string& image : images) {
        dataset.samples.emplace_back().image = image;
        dataset.samples.back().attributes = {{"id", std::to_string(100 + dataset.samples.size())}};
    }
    return dataset;
}

OutputFiles render(const DetectionResults& results, const Dataset* dataset, const std::string& format,
                   std::vector<std::string> expected_losses = {}) {
    std::vector<std::string> losses;
    OutputFiles files = render_results(results, dataset, format, losses);
    CHECK(losses == expected_losses);
    return files;
}

}  // namespace

TEST_CASE("results as text and VOC lines", "[convert]") {
    CHECK(render(example(), nullptr, "text").files[0].bytes ==
          "ev/b.jpg 1 2 3 4 0.5\nev/b.jpg 5.25 6 7 8 9\nev/b.jpg 9 9 2 2 0.5\nev/a.jpg 0 0 10 10 -1\n");
    // Inclusive pixels from 1: [1, 2, 3, 4] is 2 to 4 and 3 to 6.
    CHECK(render(example(), nullptr, "voc").files[0].bytes ==
          "ev/b 0.5 2 3 4 6\nev/b 9 6.25 7 12.25 14\nev/b 0.5 10 10 11 11\nev/a -1 1 1 10 10\n");
}

TEST_CASE("FDDB results follow the dataset, with a block for every image", "[convert]") {
    const Dataset dataset = dataset_of({"ev/a.jpg", "ev/b.jpg", "ev/c.jpg"});
    CHECK(render(example(), &dataset, "fddb").files[0].bytes ==
          "ev/a\n1\n0 0 10 10 -1\nev/b\n3\n1 2 3 4 0.5\n5.25 6 7 8 9\n9 9 2 2 0.5\nev/c\n0\n");
    std::vector<std::string> losses;
    CHECK_THROWS_AS(render_results(example(), nullptr, "fddb", losses), UsageError);

    // d has no record, b and c are not in the dataset; in results with a line a detection d had simply none.
    const Dataset other = dataset_of({"ev/d.jpg", "ev/a.jpg"});
    CHECK(render(example(), &other, "fddb",
                 {"2 images of the results are not in the dataset and left out.",
                  "1 image of the dataset has no result, which reads as no detection."})
              .files[0]
              .bytes == "ev/d\n0\nev/a\n1\n0 0 10 10 -1\n");
    DetectionResults lines = example();
    lines.records_every_image = false;
    render(lines, &other, "fddb", {"2 images of the results are not in the dataset and left out."});
    const Dataset foreign = dataset_of({"x.jpg"});
    CHECK_THROWS_WITH(render_results(example(), &foreign, "fddb", losses),
                      Contains("no image in common") && Contains("'ev/b.jpg'") && Contains("'x.jpg'"));
}

TEST_CASE("WIDER results: a file for every image, by falling score", "[convert]") {
    // 9, then both 0.5 in the order in which they were.
    const OutputFiles files = render(example(), nullptr, "wider");
    REQUIRE(files.is_folder);
    REQUIRE(files.files.size() == 3);
    CHECK(files.files[0].name == "ev/b.txt");
    CHECK(files.files[0].bytes == "b.jpg\n3\n5.25 6 7 8 9\n1 2 3 4 0.5\n9 9 2 2 0.5\n");
    CHECK(files.files[2].name == "ev/c.txt");
    CHECK(files.files[2].bytes == "c.jpg\n0\n");
}

TEST_CASE("COCO results: the dataset's ids, or numbers from 1 on with a warning", "[convert]") {
    const Dataset dataset = dataset_of({"ev/a.jpg", "ev/b.jpg", "ev/c.jpg"});
    const Json by_id = Json::parse(render(example(), &dataset, "coco").files[0].bytes);
    REQUIRE(by_id.size() == 4);
    CHECK(by_id[0].dump() == R"({"image_id":101,"category_id":1,"bbox":[0,0,10,10],"score":-1})");
    CHECK(by_id[2]["image_id"] == 102);
    CHECK(by_id[2]["bbox"][0] == 5.25);
    std::vector<std::string> losses;
    const Json counted = Json::parse(render_results(example(), nullptr, "coco", losses).files[0].bytes);
    REQUIRE(counted.size() == 4);
    CHECK(counted[0]["image_id"] == 1);  // ev/b.jpg, the first of the results
    CHECK(counted[3]["image_id"] == 2);
    REQUIRE_FALSE(losses.empty());
    CHECK_THAT(losses[0], Catch::Contains("counted from 1") && Catch::Contains("'ev/b.jpg' is 1"));
    CHECK(Json::parse(render({}, nullptr, "coco").files[0].bytes).empty());
}

TEST_CASE("JSON Lines: images without detections get their line where nothing was detected", "[convert]") {
    DetectionResults results = example();
    results.records_every_image = false;
    results.images.pop_back();
    const Dataset dataset = dataset_of({"ev/c.jpg", "ev/a.jpg", "ev/b.jpg"});
    const std::string text = render(results, &dataset, "jsonl").files[0].bytes;
    CHECK_THAT(text,
               Catch::StartsWith(
                   "{\"image\":\"ev/c.jpg\",\"status\":\"ok\",\"detections\":[]}\n{\"image\":\"ev/a.jpg\""));
    results.records_every_image = true;  // now nothing is known of c
    CHECK_THAT(render(results, &dataset, "jsonl", {"1 image of the dataset has no result and no line."})
                   .files[0]
                   .bytes,
               Catch::StartsWith("{\"image\":\"ev/a.jpg\""));
}

TEST_CASE("YOLO results: shares of the image, and the track behind the score", "[convert]") {
    // In 100 x 50 pixels: centre (20, 10), 20 x 10.
    DetectionResults results;
    results.images = {
        result_of("ev/a.jpg", {detection_of({10, 5, 20, 10}, 0.5), detection_of({0, 0, 100, 50}, 2)}),
        result_of("ev/b.jpg", {})};
    results.images[0].detections[1].details.edit().track = 7;
    std::vector<std::string> losses;
    CHECK_THROWS_WITH(render_results(results, nullptr, "yolo", losses),
                      Contains("'ev/a.jpg' is not known: name the dataset"));
    results.images[0].width = 100;
    results.images[0].height = 50;
    const OutputFiles files = render(results, nullptr, "yolo", {"1 image loses the size."});
    REQUIRE(files.is_folder);
    REQUIRE(files.files.size() == 2);
    CHECK(files.files[0].name == "ev/a.txt");
    CHECK(files.files[0].bytes == "0 0.2 0.2 0.2 0.2 0.5\n0 0.5 0.5 1 1 2 7\n");
    CHECK(files.files[1].name == "ev/b.txt");
    CHECK(files.files[1].bytes.empty());

    // The dataset tells the size, and reads the files again.
    Dataset dataset = dataset_of({"ev/a.jpg", "ev/b.jpg"});
    for (Sample& sample : dataset.samples) sample.size = ImageSize{100, 50};
    results.images[0].width = results.images[0].height = 0;
    const TempDir folder;
    losses.clear();
    publish(render_results(results, &dataset, "yolo", losses), (folder.path() / "labels").string(), true);
    const DetectionResults read = read_results("yolo:" + (folder.path() / "labels").string(), dataset);
    REQUIRE(read.images.size() == 2);
    REQUIRE(read.images[0].detections.size() == 2);
    CHECK(read.images[0].detections[0].box == Box{10, 5, 20, 10});
    CHECK(read.images[0].detections[0].score == 0.5);
    CHECK(read.images[0].detections[1].details->track == 7);

    // Readers cannot tell such scores from tracks.
    results.images[0].detections = {detection_of({10, 5, 20, 10}, 3), detection_of({0, 0, 9, 9}, 5)};
    losses.clear();
    render_results(results, &dataset, "yolo", losses);
    CHECK_THAT(losses.back(), Contains("take them for tracks"));
    results.images[0].detections[1].score = 3;
    losses.clear();
    render_results(results, &dataset, "yolo", losses);
    CHECK(std::none_of(losses.begin(), losses.end(), [](const std::string& sentence) {
        return sentence.find("tracks") != std::string::npos;
    }));
}

TEST_CASE("what results lose is told", "[convert]") {
    DetectionResults results = example();
    results.images[0].detections[0].details.edit().neighbors = 3;
    results.images[0].detections[0].details.edit().stage = 2;
    results.images[0].detections[1].details.edit().stage_sum = 2;
    results.images[0].detections[2].details.edit().landmarks = {{1, 1}};
    results.images[0].detections[0].details.edit().person = 6;
    results.images[0].detections[1].details.edit().apart = "blurred";
    results.images[0].detections[2].details.edit().distance = 4;
    results.images[0].detections[2].details.edit().track = 5;
    results.images[0].detections[2].details.edit().followed = 2;
    results.images[1].width = results.images[1].height = 9;
    results.images[2].status = "unreadable: broken";
    render(results, nullptr, "text",
           {"1 image was unreadable, which the format cannot tell from showing nothing.",
            "1 image loses the size.", "1 detection loses the number of neighbors.",
            "2 detections lose the stage and its sum.", "1 detection loses the landmarks.",
            "2 detections lose the number of the person.", "1 detection loses the identity and its distance.",
            "1 detection loses the number of its track.",
            "1 detection loses the frames since it was detected."});
    render(results, nullptr, "jsonl");
}

TEST_CASE("every format of results reads back what it says", "[convert]") {
    const TempDir folder;
    const std::string images = folder
                                   .write("images.json", R"({"images": [{"id": 1, "file_name": "ev/b.jpg"},
                                     {"id": 2, "file_name": "ev/a.jpg"}, {"id": 3, "file_name": "ev/c.jpg"}]})")
                                   .string();
    for (const std::string format : {"jsonl", "coco", "text"}) {
        CAPTURE(format);
        std::vector<std::string> losses;
        const auto file =
            folder.write(format, render_results(example(), nullptr, format, losses).files[0].bytes);
        const DetectionResults read =
            read_results(format + ":" + file.string() + (format == "coco" ? ",images=" + images : ""));
        REQUIRE(read.images.size() >= 2);
        CHECK(read.images[0].image == "ev/b.jpg");
        REQUIRE(read.images[0].detections.size() == 3);
        CHECK(read.images[0].detections[1].box == Box{5.25, 6, 7, 8});
        CHECK(read.images[0].detections[1].score == 9);
        CHECK(read.images[1].detections.size() == 1);
    }
}

TEST_CASE("results that a format cannot hold are refused", "[convert]") {
    for (const ResultsFormat& format : results_formats()) {
        if (!format.is_written()) continue;
        CAPTURE(format.name);
        const Dataset dataset = dataset_of({"a.jpg"});
        DetectionResults results;
        results.images = {result_of("a.jpg", {detection_of({0, 0, 1, 1}, 1)})};
        results.images[0].detections[0].details.edit().track = 1;
        results.images[0].width = results.images[0].height = 10;
        std::vector<std::string> losses;
        if (format.holds.make_table != nullptr) {
            CHECK_THROWS_AS(render_results(results, &dataset, format.name, losses), std::logic_error);
            continue;
        }
        CHECK_NOTHROW(render_results(results, &dataset, format.name, losses));
        results.images[0].detections[0].score = std::numeric_limits<double>::quiet_NaN();
        CHECK_THROWS_AS(render_results(results, &dataset, format.name, losses), Error);
        results.images[0].detections[0] = detection_of({0, std::numeric_limits<double>::infinity(), 1, 1}, 1);
        results.images[0].detections[0].details.edit().track = 1;
        CHECK_THROWS_AS(render_results(results, &dataset, format.name, losses), Error);
    }
    std::vector<std::string> losses;
    DetectionResults results;
    results.images = {result_of("a photo.jpg", {})};
    CHECK_THROWS_AS(render_results(results, nullptr, "voc", losses), Error);
    CHECK_NOTHROW(render_results(results, nullptr, "text", losses));
    results.images = {result_of("#a.jpg", {detection_of({0, 0, 1, 1}, 1)})};
    CHECK_THROWS_WITH(render_results(results, nullptr, "text", losses), Contains("begin with '#'"));
    results.images = {result_of("a.jpg", {}), result_of("a.png", {})};
    CHECK_THROWS_AS(render_results(results, nullptr, "voc", losses), Error);
    CHECK_THROWS_AS(render_results(results, nullptr, "wider", losses), Error);
    CHECK_THROWS_AS(render_results(results, nullptr, "feather", losses), UsageError);
}

TEST_CASE("names pair as they stand, else without folders and extensions", "[convert]") {
    NamePairing pairing = pair_names({"test/a.png", "test/b.png"}, {"./test//b.png", "c.png"});
    CHECK_FALSE(pairing.is_loose);
    CHECK(pairing.sample_of == std::vector<std::size_t>{1, no_image});
    pairing = pair_names({"m/a.png", "m\\a.png"}, {"m\\a.png", "m/a.png"});
    CHECK(pairing.sample_of == std::vector<std::size_t>{1, 0});
    pairing = pair_names({"test/a.png", "test/b.png"}, {"b.gif", "c.gif"});
    CHECK(pairing.is_loose);
    CHECK(pairing.sample_of == std::vector<std::size_t>{1, no_image});
    // 'a' could be either: no guess.
    pairing = pair_names({"x/a.png", "y/a.png"}, {"a.gif"});
    CHECK_FALSE(pairing.is_loose);
    CHECK(pairing.sample_of == std::vector<std::size_t>{no_image});
}
