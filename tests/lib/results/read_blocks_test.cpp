#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"

using Catch::Contains;
using fovea::Box;
using fovea::Dataset;
using fovea::DetectionResults;
using fovea::Ellipse;
using fovea::read_results;
using fovea::test::TempDir;

namespace {

std::string failure(const std::string& format, const std::string& bytes) {
    const TempDir folder;
    try {
        read_results(format + folder.write("results", bytes).string());
    } catch (const fovea::Error& error) {
        return error.what();
    }
    return "no error";
}

Dataset dataset_of(const std::vector<std::pair<std::string, std::string>>& images_and_ids) {
    Dataset dataset;
    for (const auto& [image, id] : images_and_ids) {
        dataset.samples.emplace_back().image = image;
        if (!id.empty()) dataset.samples.back().attributes.push_back({"id", id});
    }
    return dataset;
}

}  // namespace

TEST_CASE("FDDB results: boxes and ellipses, in the order written", "[results][fddb]") {
    const TempDir folder;
    const auto file = folder.write("fold-01-out.txt",
                                   "2002/08/11/big/img_591\n2\n1 2 3 4.5 0.25\n188 75 154 196 0.999738\n"
                                   "2002/08/26/big/img_265\n0\nwith blank.png\n1\n10 5 0 100 50 -1e3\n");
    for (const std::string format : {"fddb:", ""}) {
        const DetectionResults results = read_results(format + file.string());
        CHECK(results.records_every_image);
        REQUIRE(results.images.size() == 3);
        CHECK(results.images[0].image == "2002/08/11/big/img_591.jpg");
        REQUIRE(results.images[0].detections.size() == 2);
        CHECK(results.images[0].detections[0].box == Box{1, 2, 3, 4.5});
        CHECK(results.images[0].detections[0].score == 0.25);
        CHECK_FALSE(results.images[0].detections[0].details->ellipse);
        CHECK(results.images[0].detections[1].score == 0.999738);
        CHECK(results.images[1].image == "2002/08/26/big/img_265.jpg");
        CHECK(results.images[1].detections.empty());
        CHECK(results.images[2].image == "with blank.png");
        const fovea::Detection& found = results.images[2].detections.at(0);
        CHECK(found.details->ellipse == Ellipse{{100, 50}, 10, 5, 0});
        CHECK(found.box == Box{90, 45, 20, 10});
        CHECK(found.score == -1000);
    }
    const auto other = folder.write("fold-02-out.txt", "b\n1\n1 2 3 4 5\n");
    CHECK(read_results("fddb:" + file.string() + "," + other.string()).images.size() == 4);
    CHECK_THROWS_WITH(read_results("fddb:" + other.string() + "," + other.string()),
                      Contains("'b.jpg' has a record already") && Contains("fold-02-out.txt:1"));
}

TEST_CASE("Broken FDDB results", "[results][fddb]") {
    CHECK_THAT(failure("fddb:", "a\n1\n1 2 3 4 nan\n"), Contains("results:3: ") && Contains("finite"));
    CHECK_THAT(failure("fddb:", "a\n1\n1 2 3 4 inf\n"), Contains("results:3: "));
    CHECK_THAT(failure("fddb:", "a\n1\n10 5 0 1 2 nan\n"), Contains("results:3: "));
    CHECK_THAT(failure("fddb:", "a\n1\n1 2 3 4\n"), Contains("results:3: ") && Contains("score"));
    CHECK_THAT(failure("fddb:", "a\n1\n1 2 3 4 5 6 7\n"), Contains("results:3: "));
    CHECK_THAT(failure("fddb:", "a\n1\n1 2 -3 4 5\n"), Contains("not negative"));
    CHECK_THAT(failure("fddb:", "a\n1\n-1 2 0 4 5 6\n"), Contains("not negative"));
    CHECK_THAT(failure("fddb:", "a\n2\n1 2 3 4 5\n"), Contains("results:2: ") && Contains("1 line is left"));
    CHECK_THAT(failure("fddb:", "a\nb\n"), Contains("results:2: "));
    CHECK_THAT(failure("fddb:", "a\n"), Contains("results:1: "));
}

TEST_CASE("FDDB results of a published detector", "[results][fddb]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    std::string files;
    for (int fold = 1; fold <= 10; ++fold) {
        files += (fold == 1 ? "fddb:" : ",") + std::string(data) + "/lists/fddb/mtcnn/fold-" +
                 (fold < 10 ? "0" : "") + std::to_string(fold) + "-out.txt";
    }
    const DetectionResults results = read_results(files);
    CHECK(results.images.size() == 2845);
    std::size_t detections = 0;
    for (const auto& image : results.images) detections += image.detections.size();
    // Each image has two lines beside its detections, and the ten files have 10574 lines.
    CHECK(detections == 10574 - 2 * 2845);
    const Dataset dataset = fovea::read_dataset("fddb:" + std::string(data) + "/lists/fddb");
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        REQUIRE(results.images[i].image == dataset.samples[i].image);
    }
}

TEST_CASE("WIDER FACE results: a folder for each event", "[results][wider]") {
    const TempDir folder;
    folder.write("pred/0--Parade/0_Parade_a_10.txt", "0_Parade_a_10.jpg\n0\n");
    // Unsorted scores stay as they are.
    folder.write("pred/0--Parade/0_Parade_a_2.txt", "0_Parade_a_2\n2\n1 2 3 4 0.1\n5 6 7 8 0.9\n");
    folder.write("pred/1--Rain/c.txt", "1--Rain/c.jpg\r\n1\r\n1 2 3 4 5e-1\r\n");
    const std::string path = (folder.path() / "pred").string();
    for (const std::string format : {"wider:", ""}) {
        const DetectionResults results = read_results(format + path);
        REQUIRE(results.images.size() == 3);
        CHECK(results.records_every_image);
        CHECK(results.images[0].image == "0--Parade/0_Parade_a_2.jpg");
        REQUIRE(results.images[0].detections.size() == 2);
        CHECK(results.images[0].detections[0].score == 0.1);
        CHECK(results.images[0].detections[1].box == Box{5, 6, 7, 8});
        CHECK(results.images[1].image == "0--Parade/0_Parade_a_10.jpg");
        CHECK(results.images[1].detections.empty());
        CHECK(results.images[2].image == "1--Rain/c.jpg");
    }
    const auto refused = [&](const std::string& text) -> std::string {
        folder.write("bad/e/x.txt", text);
        try {
            read_results("wider:" + (folder.path() / "bad").string());
        } catch (const fovea::Error& error) {
            return error.what();
        }
        return "no error";
    };
    CHECK(refused("x.jpg\n0\n") == "no error");
    CHECK_THAT(refused("y.jpg\n0\n"), Contains("x.txt:1: ") && Contains("the image 'x'"));
    CHECK_THAT(refused("x.jpg\n1\n1 2 3 4 nan\n"), Contains("x.txt:3: "));
    CHECK_THAT(refused("x.jpg\n1\n1 2 3 4 5 6\n"), Contains("x.txt:3: "));
    CHECK_THAT(refused("x.jpg\n0\nx.jpg\n0\n"), Contains("x.txt:3: ") && Contains("one image"));
    CHECK_THAT(refused(""), Contains("x.txt: the file is empty"));
    CHECK_THROWS_AS(read_results("wider:" + (folder.path() / "bad" / "e").string()), fovea::UsageError);
    CHECK_THROWS_AS(read_results("wider:" + (folder.path() / "absent").string()), fovea::UsageError);
}

TEST_CASE("VOC results: corners become a box from 0", "[results][voc]") {
    const TempDir folder;
    const auto file =
        folder.write("comp4_det_test_face.txt",
                     "000004 0.702732 1 1 20 10\n000006 0.870849 3.5 4 3.5 4\r\n000004 -1 2 2 3 3\n");
    const DetectionResults results = read_results("voc:" + file.string());
    CHECK_FALSE(results.records_every_image);
    REQUIRE(results.images.size() == 2);
    CHECK(results.images[0].image == "000004.jpg");
    CHECK(results.images[0].detections[0].box == Box{0, 0, 20, 10});
    CHECK(results.images[0].detections[0].score == 0.702732);
    CHECK(results.images[0].detections[1].box == Box{1, 1, 2, 2});
    CHECK(results.images[1].detections[0].box == Box{2.5, 3, 1, 1});
    CHECK_THAT(failure("voc:", "a 0.5 1 1 2 2\nb nan 1 1 2 2\n"),
               Contains("results:2: ") && Contains("finite"));
    CHECK_THAT(failure("voc:", "a 0.5 1 1 2\n"), Contains("results:1: expected ID SCORE XMIN"));
    CHECK_THAT(failure("voc:", "a 0.5 5 1 2 2\n"), Contains("not below"));
}

TEST_CASE("Names in results are those of the dataset", "[results]") {
    const TempDir folder;
    const auto fddb = folder.write("fddb", "x/a\n0\nx/b\n0\nx/c\n0\nx/d.png\n0\n");
    const Dataset dataset =
        dataset_of({{"x/a.png", "42"}, {"x/b.png", "7"}, {"x/b.tif", ""}, {"y/c.png", "none"}});
    const DetectionResults results = read_results("fddb:" + fddb.string(), dataset);
    REQUIRE(results.images.size() == 4);
    CHECK(results.images[0].image == "x/a.png");
    // Two images of that stem, or none: as without the dataset.
    CHECK(results.images[1].image == "x/b.jpg");
    CHECK(results.images[2].image == "x/c.jpg");
    CHECK(results.images[3].image == "x/d.png");

    const auto coco = folder.write("coco", R"([{"image_id":42,"bbox":[1,2,3,4],"score":0.5}])");
    CHECK(read_results("coco:" + coco.string(), dataset).images.at(0).image == "x/a.png");
    CHECK(read_results(coco.string(), dataset).images.at(0).image == "x/a.png");
    const auto other = folder.write("other", R"([{"image_id":43,"bbox":[1,2,3,4],"score":0.5}])");
    CHECK_THROWS_WITH(read_results(other.string(), dataset), Contains("43, which is not in the given list"));
    CHECK_THROWS_WITH(read_results(other.string(), dataset_of({{"a", ""}})),
                      Contains("images=GROUND_TRUTH.json"));
    // A list that is named counts, not the dataset.
    const auto list = folder.write("list", R"({"images":[{"id":42,"file_name":"other.jpg"}]})");
    CHECK(read_results("coco:" + coco.string() + ",images=" + list.string(), dataset).images.at(0).image ==
          "other.jpg");
}

TEST_CASE("Ellipses survive in JSON Lines", "[results]") {
    const TempDir folder;
    const std::string line =
        R"({"image":"a","status":"ok","detections":[{"box":[90,45,20,10],"score":1,"ellipse":[100,50,10,5,-0.5]}]})";
    const DetectionResults results = read_results(folder.write("r.jsonl", line + "\n").string());
    CHECK(results.images.at(0).detections.at(0).details->ellipse == Ellipse{{100, 50}, 10, 5, -0.5});
    CHECK(to_json_line(results.images[0]) == line);
    CHECK_THAT(
        failure("jsonl:", R"({"image":"a","detections":[{"box":[1,2,3,4],"score":1,"ellipse":[1,2,3,4]}]})"
                          "\n"),
        Contains("ellipse' must be five numbers [x, y, major radius"));
}
