// COCO results: ids and names of images, and boxes that other programs' filters make.
#include <array>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/formats/write_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_encodings.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

using Ids = std::array<std::string, 3>;

/// Four faces in three images; \param crowd the second one's iscrowd.
std::string truth(const Ids& ids, const std::string& crowd = "0") {
    const std::array<std::pair<std::string, std::string>, 4> faces{{{ids[0], "[0,0,40,40]"},
                                                                    {ids[0], "[100,0,40,40]"},
                                                                    {ids[1], "[0,0,40,40]"},
                                                                    {ids[2], "[10,10,60,60]"}}};
    std::string annotations;
    for (std::size_t i = 0; i < faces.size(); ++i) {
        annotations += (i == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(i + 1) +
                       R"(,"image_id":)" + faces[i].first + R"(,"category_id":1,"bbox":)" + faces[i].second +
                       R"(,"area":1600,"iscrowd":)" + (i == 1 ? crowd : "0") + "}";
    }
    return R"({"images":[{"id":)" + ids[0] + R"(,"file_name":"v/a.jpg"},{"id":)" + ids[1] +
           R"(,"file_name":"v/b.jpg"},{"id":)" + ids[2] +
           R"(,"file_name":"v/c.jpg"}],"categories":[{"id":1,"name":"face"}],"annotations":[)" + annotations +
           "]}";
}

/// \param more records behind the four
std::string detections(const Ids& images, const std::string& more = "") {
    const std::array<std::array<std::string, 3>, 4> found{{{images[0], "[4,0,40,40]", "0.9"},
                                                           {images[0], "[110,0,40,40]", "0.8"},
                                                           {images[1], "[0,0,40,40]", "0.7"},
                                                           {images[2], "[10,10,60,50]", "0.6"}}};
    std::string records;
    for (const auto& [image, box, score] : found) {
        records += (records.empty() ? "{" : ",{") + image + R"(,"category_id":1,"bbox":)" + box +
                   R"(,"score":)" + score + "}";
    }
    return "[" + records + more + "]";
}

Ids by_id(const Ids& ids) {
    Ids images;
    for (std::size_t i = 0; i < ids.size(); ++i) images[i] = "\"image_id\":" + ids[i];
    return images;
}

struct Evaluated {
    std::map<std::string, double> numbers;
    std::vector<std::string> warnings;  ///< of reading
};

Evaluated evaluated(const std::string& ground_truth, const std::string& results) {
    const TempDir dir;
    const Dataset dataset = read_dataset("coco:" + dir.write("gt.json", ground_truth).string());
    DetectionResults read = read_results("coco:" + dir.write("dt.json", results).string(), dataset);
    DetectionEvaluationOptions options;
    options.protocol = DetectionProtocol::coco;
    options.mode = ProtocolMode::strict;
    const DetectionEvaluation evaluation = evaluate_protocol_only(dataset, read, options, "x");
    Evaluated result{{}, read.warnings};
    for (const ProtocolNumber& number : evaluation.protocol_numbers)
        result.numbers[number.estimate.quantity.key] = number.estimate.value.value_or(-1);
    return result;
}

}  // namespace

TEST_CASE("COCO: ids are numbers or texts, and pycocotools' numbers follow", "[results][coco][spelling]") {
    // pycocotools 2.0.11: ap, ap_50, ar_100 of each pair of files.
    const std::vector<std::pair<Ids, Ids>> sets{
        {{"1", "2", "10"}, {"1", "2", "10"}},
        {{"1.0", "2.0", "10.0"}, {"1", "2", "10"}},
        {{"1", "2", "10"}, {"1e0", "2.0", "1e1"}},
        {{"\"uav_1\"", "\"uav_2\"", "\"uav_10\""}, {"\"uav_1\"", "\"uav_2\"", "\"uav_10\""}},
        {{"\"001\"", "\"002\"", "\"010\""}, {"\"001\"", "\"002\"", "\"010\""}},
        {{"0.5", "1.5", "-2"}, {"0.5", "1.5", "-2.0"}},
        {{"123456789012345678901234", "123456789012345678901235", "1"},
         {"123456789012345678901234", "123456789012345678901235", "1"}},
        // pycocotools refuses these; one reading is left.
        {{"1", "2", "10"}, {"\"1\"", "\"2\"", "\"10\""}},
        {{"\"1\"", "\"2\"", "\"10\""}, {"1", "2", "10"}},
        {{"\"001\"", "\"002\"", "\"010\""}, {"1", "2", "10"}},
        {{"1", "2", "10"}, {"\"001\"", "\"002\"", "\"010\""}},
        {{"18446744073709551615", "18446744073709551614", "9007199254740993"},
         {"18446744073709551615", "18446744073709551614", "9007199254740993"}},
        // A name in the place of an id.
        {{"1", "2", "10"}, {"\"v/a.jpg\"", "\"v\\\\b.jpg\"", "\"./v/c.jpg\""}},
    };
    for (const auto& [given, found] : sets) {
        CAPTURE(given[0], given[1], found[0], found[1]);
        const Evaluated result = evaluated(truth(given), detections(by_id(found)));
        CHECK(result.numbers.at("ap") == Approx(0.5772277227722772).epsilon(1e-14));
        CHECK(result.numbers.at("ap_50") == Approx(1.0).epsilon(1e-14));
        CHECK(result.numbers.at("ar_100") == Approx(0.675).epsilon(1e-14));
        CHECK(result.warnings.empty());
    }
    for (const char* const crowd : {"1", "true", "1.0", "\"1\"", "\"yes\""}) {
        CAPTURE(crowd);
        CHECK(
            evaluated(truth({"1", "2", "10"}, crowd), detections(by_id({"1", "2", "10"}))).numbers.at("ap") ==
            Approx(0.717079207920792).epsilon(1e-14));
    }
}

TEST_CASE("COCO: widths and heights below 0 count as pycocotools counts them", "[results][coco][spelling]") {
    // pycocotools 2.0.11: the area w * h is that of no range where one side is negative.
    const std::vector<std::pair<std::string, double>> boxes{{"[10,10,-60,50]", 0.5772277227722772},
                                                            {"[10,10,60,-50]", 0.5772277227722772},
                                                            {"[10,10,-60,-60]", 0.4399009900990099},
                                                            {"[70,70,-60,-60]", 0.4399009900990099}};
    for (const auto& [box, ap] : boxes) {
        CAPTURE(box);
        const Evaluated result =
            evaluated(truth({"1", "2", "10"}),
                      detections(by_id({"1", "2", "10"}),
                                 R"(,{"image_id":10,"category_id":1,"bbox":)" + box + R"(,"score":0.95})"));
        CHECK(result.numbers.at("ap") == Approx(ap).epsilon(1e-14));
        REQUIRE(result.warnings.size() == 1);
        CHECK_THAT(result.warnings[0], Contains("1 result has a width or height below 0"));
    }
}

TEST_CASE("COCO: a file_name goes before an image_id of another image", "[results][coco]") {
    // The ids are those of other images than the names: of the set's second, third and first.
    const auto named = [](const std::string& id, const std::string& name) {
        return "\"image_id\":" + id + R"(,"file_name":")" + name + "\"";
    };
    const double right = 0.5772277227722772;
    const std::string ground_truth = truth({"1", "2", "10"});
    const auto check = [&](const Ids& images, const std::string& warning) {
        CAPTURE(images[0], images[1], images[2]);
        const Evaluated result = evaluated(ground_truth, detections(images));
        CHECK(result.numbers.at("ap") == Approx(right).epsilon(1e-14));
        REQUIRE(result.warnings.size() == (warning.empty() ? 0U : 1U));
        if (!warning.empty()) CHECK_THAT(result.warnings[0], Contains(warning));
    };
    const std::string all =
        "4 of 4 results name one image by file_name and another one by image_id, first record 1";
    check({named("2", "v/a.jpg"), named("10", "v/b.jpg"), named("1", "v/c.jpg")}, all);
    // ultralytics writes names without folders; other folders may stand there, too.
    check({named("2", "a.jpg"), named("10", "b.png"), named("1", "c")}, all);
    check({named("2", "/data/v/a.jpg"), named("10", "v\\\\b.jpg"), named("1", "./v//c.jpg")}, all);
    check({named("2.0", "a.jpg"), named("\"10\"", "b.jpg"), named("\"v/a.jpg\"", "c.jpg")}, all);
    // An id that is none of the set's.
    check({named("77", "a.jpg"), named("\"x\"", "b.jpg"), named("78", "c.jpg")}, all);
    check({named("1", "a.jpg"), named("2", "b.jpg"), named("1", "c.jpg")}, "1 of 4 results");
    // They agree, or one alone says something.
    check({named("1", "a.jpg"), named("2", "v/b.jpg"), named("10", "c.jpg")}, "");
    check({named("1", "elsewhere.jpg"), named("2", ""), "\"image_id\":10,\"file_name\":null"}, "");
    check({R"("file_name":"v/a.jpg")", R"("file_name":"b.jpg","image_id":null)", R"("file_name":"c.jpg")"},
          "");

    // Without a set the name says all; with a list of images it goes before the id.
    const TempDir dir;
    const std::string results =
        dir.write("r.json", R"([{"image_id":7,"file_name":"m\\a.jpg","bbox":[1,2,3,4],"score":0.5}])")
            .string();
    CHECK(read_results(results).images.at(0).image == "m\\a.jpg");
    const std::string list =
        dir.write("l.json", R"({"images":[{"id":7,"file_name":"b.jpg"},{"id":"8","file_name":"m/a.jpg"}]})")
            .string();
    const DetectionResults by_list = read_results("coco:" + results + ",images=" + list);
    CHECK(by_list.images.at(0).image == "m/a.jpg");
    CHECK(by_list.warnings.size() == 1);
}

TEST_CASE("COCO: of two images of one stem a file_name means the one in its folder", "[results][coco]") {
    const TempDir dir;
    const Dataset dataset = read_dataset(
        "coco:" +
        dir.write("gt.json", R"({"images":[{"id":1,"file_name":"a/1.jpg"},{"id":2,"file_name":"b/1.jpg"}]})")
            .string());
    const auto image_of = [&](const std::string& fields) {
        return read_results(
                   "coco:" + dir.write("r.json", "[{" + fields + R"(,"bbox":[1,2,3,4],"score":1}])").string(),
                   dataset)
            .images.at(0)
            .image;
    };
    CHECK(image_of(R"("image_id":2,"file_name":"a/1.jpg")") == "a/1.jpg");
    CHECK(image_of(R"("image_id":2,"file_name":"/x/a/1.png")") == "a/1.jpg");
    // It fits both, so that the id tells.
    CHECK(image_of(R"("image_id":2,"file_name":"1.jpg")") == "b/1.jpg");
}

TEST_CASE("COCO: categories may have texts for ids", "[results][coco][spelling]") {
    const TempDir dir;
    const Dataset dataset =
        read_dataset("coco:" + dir.write("gt.json", R"({"images":[{"id":1,"file_name":"a.jpg"}],
            "categories":[{"id":"f","name":"face"},{"id":"cat","name":"cat"}],
            "annotations":[{"image_id":1,"category_id":"f","bbox":[0,0,1,1]}]})")
                                   .string());
    const DetectionResults results = read_results(
        "coco:" + dir.write("r.json", R"([{"image_id":1,"category_id":"f","bbox":[1,2,3,4],"score":1},
            {"image_id":1,"category_id":"cat","bbox":[1,2,3,4],"score":1},
            {"image_id":1,"category_id":1,"bbox":[1,2,3,4],"score":1},
            {"image_id":1,"category_id":null,"bbox":[1,2,3,4],"score":1}])")
                      .string(),
        dataset);
    CHECK(results.images.at(0).detections.size() == 2);
    REQUIRE(results.warnings.size() == 1);
    CHECK_THAT(results.warnings[0], Contains("2 of 4 results have a category_id that is not"));
}

TEST_CASE("COCO: results are written with the set's ids", "[results][coco][convert]") {
    const TempDir dir;
    const Dataset dataset =
        read_dataset("coco:" + dir.write("gt.json", truth({"\"u\\\"1\"", "7", "-2.0"})).string());
    DetectionResults results;
    for (const Sample& sample : dataset.samples) {
        results.images.emplace_back().image = sample.image;
        results.images.back().detections.push_back({{1, 2, 3, 4}, 0.5});
    }
    std::vector<std::string> losses;
    const Json written = Json::parse(render_results(results, &dataset, "coco", losses).files.at(0).bytes);
    CHECK(written[0]["image_id"] == "u\"1");
    CHECK(written[1]["image_id"] == 7);
    CHECK(written[2]["image_id"] == -2);
}

TEST_CASE("COCO: results are read in every encoding", "[results][coco][spelling]") {
    const TempDir dir;
    for (const Encoded& encoded : encodings_of(R"([{"image_id":"\u00E9.jpg","bbox":[1,2,3,4],"score":1}])")) {
        INFO(encoded.name);
        CHECK(read_results(dir.write("r.json", encoded.bytes).string()).images.at(0).image == "\u00E9.jpg");
    }
}
