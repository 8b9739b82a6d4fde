#include <algorithm>
#include <limits>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/dataset/fovea_json.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

Dataset example() {
    Dataset dataset;
    dataset.format = "mit-cmu";
    dataset.name = "mit-cmu:/data/\xC3\xA9";
    dataset.root = "/data";
    Sample one;
    one.image = "test/a.png";
    one.path = "/data/test/a.png";
    one.annotated = true;
    Face face;
    face.box = {0.1, 1.0 / 3, 24, 2.5};
    face.eyes = Eyes{{1, 2}, {3, 4}};
    face.landmarks = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12.25}};
    Face ignored;
    ignored.box = {-5, 0, 10, 10};
    ignored.ignore = true;
    one.faces = {face, ignored};
    Sample two;
    two.image = "elsewhere.jpg";
    two.path = "/photos/elsewhere.jpg";
    two.subject = "ann";
    two.eyes = Eyes{{10.5, 20}, {30, 21}};
    Sample three;
    three.image = "empty.jpg";
    three.path = "/data/empty.jpg";
    three.annotated = true;
    dataset.samples = {one, two, three};
    return dataset;
}

Json coco_json(const Dataset& dataset, std::vector<std::string>& losses,
               const ImageSizeLookup& size_of = {}) {
    return Json::parse(render_dataset(dataset, "coco", size_of, losses).files.at(0).bytes);
}

std::string error_of_json(const std::string& text) {
    const TempDir dir;
    return error_of("fovea:" + dir.write("t.json", text).string());
}

std::string with_image(const std::string& image) {
    return R"({"format": "fovea-dataset", "version": 1, "name": "n", "root": "/r", "images": [)" + image +
           "]}";
}

}  // namespace

TEST_CASE("faces count where the ground truth is complete", "[dataset]") {
    Dataset dataset = example();
    CHECK(dataset.has_ground_truth());
    CHECK(dataset.face_count() == 1);  // of two, one is marked ignore
    dataset.samples[1].faces = dataset.samples[0].faces;
    CHECK(dataset.face_count() == 1);  // the second image is not annotated
    for (Sample& sample : dataset.samples) sample.annotated = false;
    CHECK_FALSE(dataset.has_ground_truth());
    CHECK(dataset.face_count() == 0);
}

TEST_CASE("own JSON: what is written", "[dataset][convert]") {
    CHECK(dataset_to_fovea_json(example()).dump() ==
          "{\"format\":\"fovea-dataset\",\"version\":1,\"name\":\"mit-cmu:/data/\xC3\xA9\",\"root\":\"/"
          "data\",\"images\":["
          "{\"image\":\"test/a.png\",\"annotated\":true,\"faces\":["
          "{\"box\":[0.1,0.3333333333333333,24.0,2.5],\"eyes\":[1.0,2.0,3.0,4.0],"
          "\"landmarks\":[[1.0,2.0],[3.0,4.0],[5.0,6.0],[7.0,8.0],[9.0,10.0],[11.0,12.25]]},"
          "{\"box\":[-5.0,0.0,10.0,10.0],\"ignore\":true}]},"
          "{\"image\":\"elsewhere.jpg\",\"path\":\"/photos/elsewhere.jpg\",\"subject\":\"ann\","
          "\"eyes\":[10.5,20.0,30.0,21.0],\"annotated\":false,\"faces\":[]},"
          "{\"image\":\"empty.jpg\",\"annotated\":true,\"faces\":[]}]}");
}

TEST_CASE("own JSON: there and back is exact", "[dataset][convert]") {
    const Dataset before = example();
    const std::string text = dataset_to_fovea_json(before).dump(2);
    const Dataset after = dataset_from_fovea_json(Json::parse(text), "text");
    CHECK(dataset_to_fovea_json(after).dump(2) == text);
    CHECK(after.format == "fovea");
    CHECK(after.name == before.name);
    CHECK(after.root == before.root);
    REQUIRE(after.samples.size() == 3);
    CHECK(after.samples[0].faces[0].box == before.samples[0].faces[0].box);
    CHECK(after.samples[0].faces[0].eyes == before.samples[0].faces[0].eyes);
    CHECK(after.samples[0].faces[0].landmarks == before.samples[0].faces[0].landmarks);
    CHECK(after.samples[0].faces[1].ignore);
    CHECK(after.samples[0].path == "/data/test/a.png");
    CHECK(after.samples[1].path == "/photos/elsewhere.jpg");
    CHECK(after.samples[1].subject == "ann");
    CHECK(after.samples[1].eyes == before.samples[1].eyes);
    CHECK_FALSE(after.samples[1].annotated);
    CHECK(after.samples[2].annotated);
    CHECK(after.face_count() == 1);
}

TEST_CASE("own JSON: read as a dataset, found beside its images", "[dataset][convert]") {
    const TempDir dir;
    Dataset dataset = example();
    dataset.root = "pictures";
    dataset.samples[0].path = "pictures/test/a.png";
    dataset.samples[2].path = "pictures/empty.jpg";
    const auto file = dir.write("set.json", "\xEF\xBB\xBF  " + dataset_to_fovea_json(dataset).dump());
    const Dataset read = read_dataset(file.string());
    REQUIRE(read.format == "fovea");
    CHECK(read.name == file.string());
    CHECK(read.root == dir.path() / "pictures");
    CHECK(read.samples[0].path == dir.path() / "pictures/test/a.png");
    CHECK(read.samples[1].path == "/photos/elsewhere.jpg");
    CHECK(read.sources == std::vector<fs::path>{file});
    CHECK(read_dataset(file.string(), {.pattern = {}, .limit = 0, .root = "/x"}).samples[2].path ==
          "/x/empty.jpg");
}

TEST_CASE("own JSON: broken files are refused with their place", "[dataset][convert]") {
    const std::string good = R"({"image": "a", "annotated": true, "faces": [{"box": [1, 2, 3, 4]}]})";
    CHECK(error_of_json(with_image(good)) == "read");
    CHECK_THAT(error_of_json("{\n\"format\": \"fovea-dataset\",\n]"),
               Catch::Contains("t.json:3: cannot read ']'"));
    CHECK_THAT(error_of_json("{"), Catch::Contains("t.json:1:"));
    CHECK_THAT(error_of_json(""), Catch::Contains("t.json:1: cannot read 'end of file'"));
    CHECK_THAT(error_of_json("[1e999]"), Catch::Contains("the number 1e999 is too large"));
    CHECK_THAT(error_of_json("[]"), Catch::Contains("fovea-dataset"));
    CHECK_THAT(error_of_json(R"({"images": []})"), Catch::Contains("a dataset of COCO is read as coco:FILE"));
    CHECK_THAT(error_of_json(R"({"format": "fovea-dataset", "version": 2})"),
               Catch::Contains("version") && Catch::Contains("newer release"));
    CHECK_THAT(error_of_json(R"({"format": "fovea-dataset", "version": 1})"), Catch::Contains("\"name\""));
    CHECK_THAT(error_of_json(with_image(good + "," + good)),
               Catch::Contains("'images[1].image' must be an image that was not named before"));
    CHECK_THAT(error_of_json(with_image("")), Catch::Contains("names no image"));
    CHECK_THAT(error_of_json(with_image("7")),
               Catch::Contains("'images[0]' must be an object with \"image\", but is 7"));
    CHECK_THAT(error_of_json(with_image(R"({"image": "a", "faces": []})")), Catch::Contains("annotated"));
    CHECK_THAT(error_of_json(with_image(R"({"image": "", "annotated": true, "faces": []})")),
               Catch::Contains("'images[0].image' must be the path of an image"));
    CHECK_THAT(error_of_json(with_image(R"({"image": "a", "annotated": 2, "faces": []})")),
               Catch::Contains("true or false"));
    CHECK_THAT(error_of_json(with_image(R"({"image": "a", "annotated": true, "faces": [], "x": 1})")),
               Catch::Contains("unknown key 'images[0].x'"));
    const auto face = [](const std::string& inner) {
        return error_of_json(with_image(R"({"image": "a", "annotated": true, "faces": [{)" + inner + "}]}"));
    };
    CHECK_THAT(face(R"("box": [1, 2, 3])"),
               Catch::Contains("'images[0].faces[0].box' must be a box [x, y, w, h], but is a list of 3"));
    CHECK_THAT(face(R"("box": [1, 2, 3, "4"])"), Catch::Contains("[x, y, w, h]"));
    CHECK_THAT(face(R"("box": [1, 2, 3, 4e20])"), Catch::Contains("10 million"));
    CHECK_THAT(face(R"("box": [1, 2, 3, 4], "eyes": [1])"), Catch::Contains(".eyes' must be"));
    CHECK_THAT(face(R"("box": [1, 2, 3, 4], "landmarks": [[1, 2], [3]])"),
               Catch::Contains(".landmarks[1]' must be"));

    const TempDir dir;
    const std::string text = dataset_to_fovea_json(example()).dump();
    CHECK(read_truncated("fovea:", dir, "t.json", text) == text.size());
}

TEST_CASE("own JSON: what JSON cannot hold is refused", "[dataset][convert]") {
    Dataset dataset = example();
    dataset.samples[0].faces[0].box.x = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(dataset_to_fovea_json(dataset), Error);
    std::vector<std::string> losses;
    CHECK_THROWS_AS(coco_json(dataset, losses), Error);
    dataset = example();
    dataset.samples[2].image = "caf\xE9";
    CHECK_THROWS_WITH(dataset_to_fovea_json(dataset), Catch::Contains("caf\\xE9"));
    CHECK_THROWS_AS(coco_json(dataset, losses), Error);
}

TEST_CASE("COCO: what is written, and what is lost", "[dataset][convert]") {
    std::vector<std::string> losses;
    const Json json = coco_json(example(), losses, [](const Sample& sample) -> std::optional<ImageSize> {
        if (sample.image == "elsewhere.jpg") return std::nullopt;
        return ImageSize{640, 480};
    });
    CHECK(json.dump() ==
          "{\"info\":{\"description\":\"mit-cmu:/data/\xC3\xA9\"},\"images\":["
          "{\"id\":1,\"file_name\":\"test/a.png\",\"width\":640,\"height\":480},"
          "{\"id\":2,\"file_name\":\"elsewhere.jpg\",\"width\":0,\"height\":0},"
          "{\"id\":3,\"file_name\":\"empty.jpg\",\"width\":640,\"height\":480}],\"annotations\":["
          "{\"id\":1,\"image_id\":1,\"category_id\":1,\"bbox\":[0.1,0.3333333333333333,24.0,2.5],\"area\":60."
          "0,\"iscrowd\":0,"
          "\"keypoints\":[1.0,2.0,2,3.0,4.0,2,5.0,6.0,2,7.0,8.0,2,9.0,10.0,2,11.0,12.25,2],\"num_keypoints\":"
          "6},"
          "{\"id\":2,\"image_id\":1,\"category_id\":1,\"bbox\":[-5.0,0.0,10.0,10.0],\"area\":100.0,"
          "\"iscrowd\":0,\"ignore\":1,"
          "\"keypoints\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],\"num_keypoints\":0}],"
          "\"categories\":[{\"id\":1,\"name\":\"face\",\"supercategory\":\"person\",\"keypoints\":[\"left_"
          "eye\",\"right_eye\","
          "\"nose\",\"left_mouth_corner\",\"mouth_centre\",\"right_mouth_corner\"],\"skeleton\":[]}]}");
    REQUIRE(losses.size() == 6);
    CHECK(losses[0] == "1 image has width and height 0 because the size is not known.");
    CHECK(losses[1] == "1 image is not annotated; COCO cannot tell that from showing no face.");
    CHECK_THAT(losses[2], Catch::Contains("1 face carries \"ignore\": 1"));
    CHECK_THAT(losses[3], Catch::Contains("the subject"));
    CHECK_THAT(losses[4], Catch::Contains("image loses the eyes"));
    CHECK_THAT(losses[5], Catch::Contains("face loses the eyes"));
}

TEST_CASE("COCO: keypoints need one number of landmarks", "[dataset][convert]") {
    Dataset dataset = example();
    dataset.samples[0].faces[1].landmarks = {{1, 1}};
    std::vector<std::string> losses;
    const Json mixed = coco_json(dataset, losses);
    CHECK_FALSE(mixed["annotations"][0].contains("keypoints"));
    CHECK_FALSE(mixed["categories"][0].contains("keypoints"));
    CHECK(std::any_of(losses.begin(), losses.end(), [](const std::string& sentence) {
        return sentence.starts_with("2 faces lose the landmarks: they differ in number");
    }));

    dataset = example();
    dataset.format = "dlib";
    dataset.samples[0].faces[0].landmarks.assign(68, {1, 2});
    const Json points = coco_json(dataset, losses);
    CHECK(points["categories"][0]["keypoints"].size() == 68);
    CHECK(points["categories"][0]["keypoints"][67] == "point_67");
    CHECK(points["annotations"][0]["keypoints"].size() == 204);

    // Nothing to lose, nothing said.
    Dataset plain;
    plain.name = "n";
    Sample sample;
    sample.image = "a.jpg";
    sample.annotated = true;
    plain.samples = {sample};
    losses.clear();
    const Json empty = coco_json(plain, losses, [](const Sample&) { return ImageSize{1, 1}; });
    CHECK(losses.empty());
    CHECK(empty["annotations"].dump() == "[]");
}
