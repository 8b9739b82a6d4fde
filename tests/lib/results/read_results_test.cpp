#include "lib/results/formats/read_results.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_encodings.hpp"

using Catch::Contains;
using fovea::Box;
using fovea::ImageResult;
using fovea::read_results;

namespace {

// The message with which reading a file of these bytes fails.
std::string failure(const std::string& bytes, const std::string& format = "jsonl:") {
    const fovea::test::TempDir folder;
    const std::string path = folder.write("results", bytes).string();
    try {
        read_results(format + path);
    } catch (const fovea::UsageError& error) {
        return std::string("wrong usage: ") + error.what();
    } catch (const fovea::Error& error) {
        return error.what();
    }
    return "no error";
}

const std::string good_line = R"({"image":"a.png","width":4,"height":5,"detections":[]})"
                              "\n";

}  // namespace

TEST_CASE("JSON Lines read back to the lines they were", "[results]") {
    const fovea::test::TempDir folder;
    const std::string lines =
        R"({"image":"b.png","width":64,"height":48,"status":"ok","detections":[)"
        R"({"box":[0.1,-2.5,24,24.25],"score":-0.5,"track":0,"followed":1,"neighbors":0,"stage":-1,"stage_sum":3.25,"yaw":-12.5,"sharpness":80,)"
        R"("landmarks":[[1,2],[3.5,4]],"apart":"small"},)"
        R"({"box":[1,2,3,4],"score":1,"person":1,"identity":"Ann","distance":0.125,)"
        R"("candidates":[{"identity":"Ann","image":"g/1.png","distance":0.125},{"image":"2.png","distance":3}],"crop":"b-2.jpg"}]})"
        "\n"
        R"({"image":"a.png","status":"unreadable: empty file","detections":[]})"
        "\n";
    const std::string path = folder.write("r.jsonl", lines).string();
    const std::vector<ImageResult> results = read_results(path).images;
    REQUIRE(results.size() == 2);
    CHECK(results[0].image == "b.png");
    CHECK(results[0].width == 64);
    CHECK(results[0].detections.at(0).details->track == 0);
    CHECK(results[0].detections.at(0).details->followed == 1);
    CHECK(results[0].detections.at(0).details->stage == -1);
    CHECK(results[0].detections.at(0).details->yaw == -12.5);
    CHECK(results[0].detections.at(0).details->sharpness == 80);
    CHECK(results[0].detections.at(0).details->apart == "small");
    CHECK_FALSE(results[0].detections.at(0).details->person.has_value());
    CHECK(results[0].detections.at(0).details->identity.empty());
    CHECK_FALSE(results[0].detections.at(0).details->distance.has_value());
    CHECK(results[0].detections.at(1).details->person == 1);
    CHECK(results[0].detections.at(1).details->apart.empty());
    CHECK(results[0].detections.at(1).details->identity == "Ann");
    CHECK(results[0].detections.at(1).details->distance == 0.125);
    CHECK(results[0].detections.at(1).details->candidates ==
          std::vector<fovea::IdentityCandidate>{{"Ann", "g/1.png", 0.125}, {"", "2.png", 3}});
    CHECK(results[0].crops == std::vector<std::string>{"", "b-2.jpg"});
    CHECK(results[1].status == "unreadable: empty file");
    CHECK_FALSE(results[1].ok());
    std::string again;
    for (const ImageResult& result : results) again += fovea::to_json_line(result) + "\n";
    CHECK(again == lines);
}

TEST_CASE("JSON Lines may have a byte order mark, blank lines, \\r\\n and further keys", "[results]") {
    const fovea::test::TempDir folder;
    const std::string path =
        folder
            .write("r",
                   "\xEF\xBB\xBF\r\n"
                   R"({"image":"a","detections":[{"box":[1,2,3,4],"score":1,"extra":{}}],)"
                   R"("time":3})"
                   "\r\n\r\n")
            .string();
    const std::vector<ImageResult> results = read_results(path).images;
    REQUIRE(results.size() == 1);
    CHECK(results[0].detections.at(0).box == Box{1, 2, 3, 4});
}

TEST_CASE("Broken JSON Lines are named by file, line, text and expectation", "[results]") {
    const auto detection = [](const std::string& fields) {
        return good_line + R"({"image":"b","detections":[{)" + fields + "}]}\n";
    };
    const std::string missing = failure(detection(R"("score":1)"));
    CHECK_THAT(missing, Contains("results:2: ") && Contains(R"('detections[0]' has no "box")") &&
                            Contains(R"(the line is '{"image":"b")"));
    CHECK_THAT(
        failure(detection(R"("box":[1,2,3],"score":1)")),
        Contains("'detections[0].box' must be four numbers [x, y, width, height], but is a list of 3"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,"4"],"score":1)")), Contains("must be four numbers"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4])")), Contains(R"('detections[0]' has no "score")"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":"high")")),
               Contains(R"(score' must be a number, but is the string "high")"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":null)")),
               Contains("must be a number, but is null"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":true)")),
               Contains("must be a number, but is true"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":NaN)")),
               Contains("NaN and Infinity are not JSON"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":-Infinity)")), Contains("results:2"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1e999)")), Contains("results:2"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"neighbors":-1)")), Contains("integer from 0"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"track":-1)")), Contains("integer from 0"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"followed":0)")), Contains("integer from 1"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"neighbors":1.5)")), Contains("integer"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"landmarks":[[1,2,3]])")),
               Contains("landmarks[0]' must be two numbers [x, y], but is a list of 3"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"person":0)")), Contains("integer from 1"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"person":"Ann")")), Contains("integer from 1"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"apart":true)")),
               Contains("apart' must be a string, but is true"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"identity":7)")),
               Contains("identity' must be a string, but is 7"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"distance":"far")")),
               Contains("distance' must be a number, but is the string \"far\""));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"candidates":[{"image":"a"}])")),
               Contains(R"(candidates[0]' has no "distance")"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"candidates":[{"distance":1}])")),
               Contains(R"(candidates[0]' has no "image")"));
    CHECK_THAT(failure(detection(R"("box":[1,2,3,4],"score":1,"candidates":{})")),
               Contains("candidates' must be a list, but is an object"));
    CHECK(failure(detection(R"("box":[1,2,3,4],"score":1,"identity":null)")) == "no error");

    CHECK_THAT(failure("[1,2]\n"), Contains("results:1: the JSON must be an object with \"image\""));
    CHECK_THAT(failure("hello\n"), Contains("expected one JSON object per line"));
    CHECK_THAT(failure(R"({"detections":[]})"), Contains("there is no \"image\""));
    CHECK_THAT(failure(R"({"image":7,"detections":[]})"), Contains("'image' must be a string, but is 7"));
    CHECK_THAT(failure(R"({"image":"","detections":[]})"), Contains("'image' must be the path of an image"));
    CHECK_THAT(failure(R"({"image":"a"})"), Contains("there is no \"detections\""));
    CHECK_THAT(failure(R"({"image":"a","detections":{}})"), Contains("'detections' must be a list"));
    CHECK_THAT(failure(R"({"image":"a","detections":[1]})"),
               Contains("'detections[0]' must be an object with \"box\", but is 1"));
    CHECK_THAT(failure(R"({"image":"a","width":-1,"detections":[]})"),
               Contains("'width' must be an integer from 0"));
    CHECK_THAT(failure(R"({"image":"a","status":"bad","detections":[]})"),
               Contains("'status' must be \"ok\" or") && Contains("\"bad\""));
    CHECK_THAT(
        failure(R"({"image":"a","status":"unreadable: x","detections":[{"box":[1,2,3,4],"score":1}]})"),
        Contains("unreadable and yet has detections"));
    CHECK(failure(R"({"image":"a","status":"unreadable: x"})") == "no error");
    CHECK_THAT(failure("{\"image\":\"a\xFF\",\"detections\":[]}\n"), Contains("results:1"));
}

TEST_CASE("A last line that was cut off is told from a wrong one", "[results]") {
    CHECK_THAT(failure(good_line + R"({"image":"b","detec)"),
               Contains("results:2: the last line is cut off"));
    CHECK_THAT(failure(good_line + R"({"image":"b","detec)" + "\n"),
               !Contains("cut off") && Contains("results:2"));
    // Complete without its newline: nothing is lost.
    CHECK(failure(good_line + R"({"image":"b","detections":[]})") == "no error");
}

TEST_CASE("An image has one record in JSON Lines", "[results]") {
    const fovea::test::TempDir folder;
    const std::string first = folder.write("1.jsonl", good_line).string();
    const std::string second = folder.write("2.jsonl", "\n" + good_line).string();
    CHECK_THROWS_WITH(
        read_results(first + "," + second),
        Contains("2.jsonl:2: the image 'a.png' has a record already, at ") && Contains("1.jsonl:1"));
    CHECK_THAT(failure(good_line + good_line), Contains("results:2"));
}

TEST_CASE("Text results: names with blanks, comments, images in order of first appearance", "[results]") {
    const fovea::test::TempDir folder;
    const std::string first = folder
                                  .write("1.txt",
                                         "# name x y w h score\n"
                                         "z/my photo.jpg 1 2 3 4 0.5\r\n"
                                         "\n"
                                         "  a.jpg\t-1.5  2e0 +3 4.25 -7   \n"
                                         "z/my photo.jpg 5 6 7 0 1e-3\n")
                                  .string();
    const std::string second = folder.write("2.txt", "a.jpg 9 9 9 9 9\nb 1 1 1 1 1").string();
    const std::vector<ImageResult> results = read_results(first + "," + second).images;
    REQUIRE(results.size() == 3);
    CHECK(results[0].image == "z/my photo.jpg");
    REQUIRE(results[0].detections.size() == 2);
    CHECK(results[0].detections[0].box == Box{1, 2, 3, 4});
    CHECK(results[0].detections[0].score == 0.5);
    CHECK(results[0].detections[1].box == Box{5, 6, 7, 0});
    CHECK(results[1].image == "a.jpg");
    REQUIRE(results[1].detections.size() == 2);
    CHECK(results[1].detections[0].box == Box{-1.5, 2, 3, 4.25});
    CHECK(results[1].detections[1].score == 9);
    CHECK(results[2].image == "b");
    // The places of the detections among all, file after file.
    CHECK(results[0].places == std::vector<std::uint32_t>{0, 2});
    CHECK(results[1].places == std::vector<std::uint32_t>{1, 3});
    CHECK(results[2].places == std::vector<std::uint32_t>{4});

    CHECK_THAT(failure("a.jpg 1 2 3 4\n", ""), Contains("results:1: expected NAME X Y WIDTH HEIGHT SCORE") &&
                                                   Contains("the line is 'a.jpg 1 2 3 4'"));
    CHECK_THAT(failure("a 1 2 3 4 5\na 1 2 three 4 5\n", ""),
               Contains("results:2: ") && Contains("WIDTH is 'three'"));
    CHECK_THAT(failure("a 1 2 3 4 nan\n", ""), Contains("SCORE is 'nan', which is not a finite number"));
    CHECK_THAT(failure("a 1 2 3 4 1e999\n", ""), Contains("SCORE"));
    CHECK_THAT(failure("a 1 2 3 4 5x\n", ""), Contains("SCORE is '5x'"));
    CHECK_THAT(failure("a 1 2 3 4 +-5\n", ""), Contains("SCORE is '+-5'"));
    CHECK_THAT(failure("a 1 2 3 4 +\n", ""), Contains("SCORE is '+'"));
    CHECK_THAT(failure("a 1 2 -3 4 5\n", ""), Contains("not negative"));
}

TEST_CASE("COCO results with file names", "[results]") {
    const fovea::test::TempDir folder;
    const std::string path =
        folder
            .write("r.json",
                   R"([ {"image_id":"b.jpg","category_id":1,"bbox":[1,2,3,4],"score":0.5},
                        {"image_id":"a.jpg","category_id":1,"bbox":[5,6,7,8],"score":1},
                        {"image_id":"b.jpg","category_id":1,"bbox":[9,9,9.5,9],"score":-2,"segmentation":[[1,2]]} ])")
            .string();
    const std::vector<ImageResult> results = read_results(path).images;
    REQUIRE(results.size() == 2);
    CHECK(results[0].image == "b.jpg");
    REQUIRE(results[0].detections.size() == 2);
    CHECK(results[0].detections[1].box == Box{9, 9, 9.5, 9});
    CHECK(results[0].detections[1].score == -2);
    CHECK(results[1].image == "a.jpg");
    CHECK(read_results("coco:" + folder.write("none", "[]").string()).images.empty());

    const std::string ok = R"({"image_id":"b.jpg","bbox":[1,2,3,4],"score":0.5},)";
    CHECK_THAT(failure("[" + ok + R"({"image_id":"b","bbox":[1,2,3],"score":0.5}])", ""),
               Contains("record 2") && Contains("bbox is [1,2,3], expected [x, y, width, height]"));
    CHECK_THAT(failure("[" + ok + R"({"image_id":"b","bbox":[1,2,3,4]}])", ""), Contains("score is missing"));
    CHECK_THAT(failure("[" + ok + R"({"bbox":[1,2,3,4],"score":1}])", ""), Contains("image_id is missing"));
    CHECK_THAT(failure("[" + ok + "3]", ""), Contains("record 2") && Contains("expected an object"));
    CHECK_THAT(failure("[" + ok + "[]]", ""), Contains("record 2") && Contains("expected an object"));
    CHECK_THAT(failure("[" + ok + "\n{\"image_id\":\"b\",\"bbox\":[1,NaN", ""),
               Contains("results:2: expected COCO results"));
    CHECK_THAT(failure("[" + ok, ""), Contains("results:1: expected COCO results"));
    CHECK_THAT(failure("7", "coco:"), Contains("expected a list of results"));
    CHECK_THAT(failure(R"({"images":[],"annotations":[]})", ""), Contains("as a COCO data set is"));
}

TEST_CASE("COCO results with integer ids need the list of images", "[results]") {
    const fovea::test::TempDir folder;
    const std::string results =
        folder.write("r.json", R"([{"image_id":42,"bbox":[1,2,3,4],"score":0.5}])").string();
    const auto with_list = [&](const std::string& list) {
        return "coco:" + results + ",images=" + folder.write("gt.json", list).string();
    };
    CHECK_THROWS_WITH(read_results(results),
                      Contains("image_id is 42") && Contains("images=GROUND_TRUTH.json"));
    const std::vector<ImageResult> read =
        read_results(with_list(R"({"images":[{"id":7,"file_name":"x"},{"id":42,"file_name":"dir/a.jpg"}]})"))
            .images;
    REQUIRE(read.size() == 1);
    CHECK(read[0].image == "dir/a.jpg");
    CHECK_THROWS_WITH(read_results(with_list(R"({"images":[]})")),
                      Contains("42, which is not in the given list"));
    CHECK_THROWS_WITH(read_results(with_list("[]")), Contains("gt.json: expected a COCO data set"));
    CHECK_THROWS_WITH(read_results(with_list("{\n\n!")), Contains("gt.json:3: "));
    CHECK_THROWS_WITH(read_results(with_list(R"({"images":[{"id":1}]})")),
                      Contains("images[0]: file_name is missing") && Contains("{\"id\": number or text"));
    CHECK_THROWS_WITH(
        read_results(with_list(R"({"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}]})")),
        Contains("id 1 stands twice"));
}

TEST_CASE("Specifications of results", "[results]") {
    const fovea::test::TempDir folder;
    CHECK(read_results(folder.write("empty", "").string()).images.empty());
    CHECK(read_results(folder.write("comma, colon: text", "a 1 2 3 4 5\n").string()).images.size() == 1);
    // A comma of a name and one of a list.
    const std::string first = folder.write("one,two.txt", "a 1 2 3 4 5\n").string();
    const std::string second = folder.write("three.txt", "b 1 2 3 4 5\n").string();
    CHECK(read_results("text:" + first + "," + second).images.size() == 2);
    CHECK(read_results("text:" + second + "," + first).images.size() == 2);
    CHECK_THROWS_WITH(read_results("text:" + first + ",four.txt"), Contains("'four.txt'"));
    CHECK_THROWS_AS(read_results((folder.path() / "absent").string()), fovea::UsageError);
    CHECK_THROWS_AS(read_results(folder.path().string()), fovea::UsageError);
    CHECK_THROWS_AS(read_results(""), fovea::UsageError);
    CHECK_THROWS_WITH(read_results("xls:x"), Contains("'xls'") && Contains("jsonl, coco, text"));
    CHECK_THROWS_AS(read_results("text:a,images=b"), fovea::UsageError);
    CHECK_THAT(failure("a 1 2 3 4 5\n", "jsonl:"), Contains("results:1: expected one JSON object per line"));
}

TEST_CASE("The meaning of an absent image depends on the format", "[results]") {
    const fovea::test::TempDir folder;
    const std::string lines = folder.write("r.jsonl", good_line).string();
    const std::string coco =
        folder.write("r.json", R"([{"image_id":"b","bbox":[1,2,3,4],"score":1}])").string();
    const std::string text = folder.write("r.txt", "c 1 2 3 4 5\n").string();
    const std::string empty = folder.write("empty", "\n").string();
    CHECK(read_results(lines).records_every_image);
    CHECK_FALSE(read_results(coco).records_every_image);
    CHECK_FALSE(read_results(text).records_every_image);
    CHECK_FALSE(read_results("coco:" + folder.write("none", "[]").string()).records_every_image);
    // A run that was interrupted before its first image leaves an empty file.
    CHECK(read_results(empty).records_every_image);
    CHECK(read_results("jsonl:" + empty).records_every_image);
    CHECK_FALSE(read_results("text:" + empty).records_every_image);
    CHECK_FALSE(read_results(lines + "," + text).records_every_image);
}

TEST_CASE("spellings: JSON Lines", "[results][spelling]") {
    const auto detection = [](const std::string& fields) {
        const fovea::test::TempDir folder;
        const std::string line =
            R"({"image":"a","status":null,"width":640.0,"detections":[{"box":[1,2,3.0,4e0],"score":1)" +
            fields + "}]}\n";
        const std::vector<ImageResult> results = read_results(folder.write("r", line).string()).images;
        REQUIRE(results.size() == 1);
        CHECK(results[0].width == 640);
        return results[0].detections.at(0);
    };
    CHECK(detection(R"(,"track":7.0)").details->track == 7);
    for (const char* const optional :
         {"track", "followed", "neighbors", "stage", "stage_sum", "yaw", "sharpness", "landmarks", "ellipse",
          "person", "apart", "identity", "distance", "candidates", "crop"}) {
        CAPTURE(optional);
        CHECK(detection(",\"" + std::string(optional) + "\":null").box == Box{1, 2, 3, 4});
    }
    const fovea::test::TempDir folder;
    const std::string negative = R"({"image":"a","detections":[{"box":[1,2,-3,4],"score":1}]})";
    CHECK(read_results(folder.write("n", negative).string()).images.at(0).detections.at(0).box ==
          Box{1, 2, -3, 4});
    for (const fovea::test::Encoded& encoded : fovea::test::encodings_of(R"({"image":"a","detections":[]})"
                                                                         "\n")) {
        INFO(encoded.name);
        CHECK(read_results(folder.write("r", encoded.bytes).string()).images.at(0).image == "a");
    }
}
