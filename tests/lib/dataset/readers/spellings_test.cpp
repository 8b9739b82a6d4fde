// The rule for all readers (lib/dataset/README.md): one table for each, every spelling × what it means.
#include <map>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/text_encodings.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* spellings = "0 or 1, true or false, yes or no";

/// A set with one face says this of it.
struct Read {
    bool is_ignored = false;
    std::string mark;  ///< an attribute; "-" if it is absent

    friend bool operator==(const Read&, const Read&) = default;
};

Read read_face(const std::string& specification, const std::string& attribute) {
    const Dataset dataset = read_dataset(specification);
    const Face& face = dataset.samples.at(0).faces.at(0);
    const std::string* const mark = find_attribute(face.attributes, attribute);
    return {face.ignore, mark == nullptr ? "-" : *mark};
}

std::string voc_file(const std::string& object, const std::string& size = "") {
    return "<annotation><filename>a.jpg</filename>" + size + "<object><name>face</name>" + object +
           "<bndbox><xmin>1.0</xmin><ymin>+1</ymin><xmax>1e1</xmax><ymax> 20 </ymax></bndbox></object>"
           "</annotation>";
}

}  // namespace

TEST_CASE("spellings: VOC", "[dataset][voc][spelling]") {
    const TempDir dir;
    const auto written = [&](const std::string& object, const std::string& size = "") {
        return "voc:" + dir.write("a.XML", voc_file(object, size)).string();
    };
    const std::map<std::string, bool> difficult{
        {"", false}, {"0", false},  {"0.0", false}, {"false", false}, {"No", false}, {"Unspecified", false},
        {"1", true}, {"1.0", true}, {" 1 ", true},  {"True", true},   {"YES", true}};
    for (const auto& [text, is_difficult] : difficult) {
        CAPTURE(text);
        const std::string file = written("<difficult>" + text + "</difficult>");
        CHECK(read_face(file, "difficult") == Read{is_difficult, is_difficult ? "yes" : "-"});
        CHECK(read_dataset(file).samples[0].faces[0].box == Box{0, 0, 10, 20});
    }
    CHECK_THAT(error_of(written("<difficult>maybe</difficult>")),
               Contains("a.XML:1:") && Contains(spellings) && Contains("maybe"));
    const std::map<std::string, std::string> truncated{
        {"0", "-"}, {"1", "yes"},         {"false", "-"}, {"0.35", "0.35"}, {"heavily", "heavily"},
        {"", "-"},  {"Unspecified", "-"}, {"2", "2"}};
    for (const auto& [text, kept] : truncated) {
        CAPTURE(text);
        CHECK(read_face(written("<truncated>" + text + "</truncated>"), "truncated") == Read{false, kept});
        CHECK(read_face(written("<occluded>" + text + "</occluded>"), "occluded") == Read{false, kept});
    }
    CHECK(read_face(written("<pose>unspecified</pose>"), "pose").mark == "-");
    CHECK(read_face(written("<pose>12</pose>"), "pose").mark == "12");
    const auto size = [&](const std::string& width, const std::string& height) {
        return read_dataset(
                   written("", "<size><width>" + width + "</width><height>" + height + "</height></size>"))
            .samples[0]
            .size;
    };
    CHECK(size("640.0", "4.8e2") == ImageSize{640, 480});
    for (const char* const unknown : {"", "0", "-1", "640.5", "wide", "1e99"})
        CHECK_FALSE(size(unknown, "480"));
    CHECK_FALSE(read_dataset(written("", "<size><depth>3</depth></size>")).samples[0].size);
    for (const Encoded& encoded : encodings_of(voc_file(""))) {
        INFO(encoded.name);
        const auto file = dir.write("b/a.xml", encoded.bytes);
        CHECK(read_dataset(file.string()).format == "voc");
        CHECK(read_dataset(file.parent_path().string()).face_count() == 1);
    }
}

TEST_CASE("spellings: dlib", "[dataset][dlib][spelling]") {
    const TempDir dir;
    const auto text = [&](const std::string& attributes) {
        return "<dataset><images><image file='a.jpg' width='wide'><box top='1.0' left='+2' width='3e0' "
               "height='4' " +
               attributes + "/></image></images></dataset>";
    };
    const auto written = [&](const std::string& attributes) {
        return "dlib:" + dir.write("t.xml", text(attributes)).string();
    };
    const std::map<std::string, bool> ignore{{"", false},   {"0", false},    {"0.0", false}, {"no", false},
                                             {"1", true},   {" 1", true},    {"1.0", true},  {"TRUE", true},
                                             {"yes", true}, {"FALSE", false}};
    for (const auto& [spelling, is_ignored] : ignore) {
        CAPTURE(spelling);
        const std::string file = written("ignore='" + spelling + "'");
        CHECK(read_face(file, "").is_ignored == is_ignored);
        CHECK(read_dataset(file).samples[0].faces[0].box == Box{2, 1, 3, 4});
    }
    CHECK_THAT(error_of(written("ignore='2'")), Contains("t.xml:1:") && Contains(spellings));
    for (const char* const optional :
         {"pose", "truncated", "difficult", "occluded", "blurred", "age", "gender"}) {
        CAPTURE(optional);
        CHECK(error_of(written(optional + std::string("='any thing'"))) == "read");
    }
    for (const Encoded& encoded : encodings_of(text(""))) {
        INFO(encoded.name);
        CHECK(read_dataset(dir.write("u.xml", encoded.bytes).string()).face_count() == 1);
    }
}

TEST_CASE("spellings: COCO", "[dataset][coco][spelling]") {
    const TempDir dir;
    const auto text = [](const std::string& id, const std::string& image_id, const std::string& more = "",
                         const std::string& of_image = "") {
        return R"({"images":[{"id":)" + id + R"(,"file_name":"a.jpg")" + of_image +
               R"(}],"categories":[{"id":"c","name":"face"},{"id":2,"name":null}],"annotations":[{"image_id":)" +
               image_id + R"(,"category_id":"c","bbox":[1,2,3,4.0])" + more + "}]}";
    };
    const auto written = [&](const std::string& bytes) {
        return "coco:" + dir.write("gt.json", bytes).string();
    };
    // The id as the attribute has it, and as annotations may write it.
    const std::vector<std::array<std::string, 3>> ids{
        {"1", "1", "1"},
        {"1.0", "1", "1"},
        {"1", "1.0", "1"},
        {"1", "1e0", "1"},
        {"1", "\"1\"", "1"},
        {"\"1\"", "1", "1"},
        {"-7", "-7.0", "-7"},
        {"0", "0", "0"},
        {"\"uav_1\"", "\"uav_1\"", "uav_1"},
        {"\"001\"", "\"001\"", "001"},
        {"\"001\"", "1", "001"},
        {"12", "\"012\"", "12"},
        {"1.5", "1.5", "1.5"},
        {"18446744073709551615", "18446744073709551615", "18446744073709551615"},
        {"123456789012345678901234", "123456789012345678901234", "123456789012345678901234"},
        {"\"\\u4E2D\"", "\"\\u4E2D\"", "\u4E2D"}};
    for (const auto& [id, image_id, kept] : ids) {
        CAPTURE(id, image_id);
        const Dataset dataset = read_dataset(written(text(id, image_id)));
        CHECK(dataset.samples[0].attributes == std::vector<Attribute>{{"id", kept}});
        CHECK(dataset.face_count() == 1);
    }
    CHECK_THAT(error_of(written(text("1", "2"))), Contains("image_id is 2"));
    CHECK_THAT(error_of(written(text("\"b\"", "\"a\""))), Contains("image_id is a,"));
    CHECK_THAT(error_of(written(text("18446744073709551615", "18446744073709551614"))),
               Contains("image_id is 18446744073709551614"));
    CHECK_THAT(error_of(written(text("null", "1"))), Contains("images[0]: id is null"));
    CHECK_THAT(error_of(written(text("\"\"", "1"))), Contains("images[0]: id is \"\""));

    const std::map<std::string, bool> marks{{"0", false},       {"1", true},      {"true", true},
                                            {"false", false},   {"1.0", true},    {"0.0", false},
                                            {"null", false},    {"\"1\"", true},  {"\"0\"", false},
                                            {"\"True\"", true}, {"\"no\"", false}};
    for (const auto& [mark, is_set] : marks) {
        CAPTURE(mark);
        CHECK(read_dataset(written(text("1", "1", R"(,"iscrowd":)" + mark))).samples[0].faces[0].crowd ==
              is_set);
        CHECK(read_face(written(text("1", "1", R"(,"ignore":)" + mark)), "ignore") ==
              Read{is_set, is_set ? "1" : "-"});
    }
    for (const char* const other : {"2", "0.5", "\"maybe\"", "\"\"", "[1]", "{}"}) {
        CAPTURE(other);
        CHECK_THAT(error_of(written(text("1", "1", R"(,"iscrowd":)" + std::string(other)))),
                   Contains("annotations[0]: iscrowd is ") && Contains(spellings));
    }
    for (const char* const optional :
         {R"("id":null)", R"("id":true)", R"("id":"x")", R"("id":[1])", R"("area":null)",
          R"("keypoints":null)", R"("attributes":[1,2])", R"("attributes":null)", R"("segmentation":"none")",
          R"("score":"high")"}) {
        CAPTURE(optional);
        const Dataset dataset = read_dataset(written(text("1", "1", "," + std::string(optional))));
        CHECK(dataset.face_count() == 1);
        CHECK_FALSE(dataset.samples[0].faces[0].area);
    }
    CHECK_THAT(error_of(written(text("1", "1", R"(,"area":"large")"))), Contains("area is \"large\""));
    const auto size = [&](const std::string& width) {
        return read_dataset(written(text("1", "1", "", R"(,"height":480.0,"width":)" + width)))
            .samples[0]
            .size;
    };
    for (const char* const same : {"640", "640.0", "6.4e2", "\"640\"", "\"640.0\""})
        CHECK(size(same) == ImageSize{640, 480});
    for (const char* const unknown : {"0", "null", "-1", "640.5", "\"wide\"", "[640]", "1e99", "true"}) {
        CAPTURE(unknown);
        CHECK_FALSE(size(unknown));
    }
    CHECK(warns(read_dataset(written(text("1", "1", "", R"(,"height":480,"width":"wide")"))),
                "1 image has a width or height that is no number of pixels"));
    for (const Encoded& encoded : encodings_of(text("1", "1"))) {
        INFO(encoded.name);
        CHECK(read_dataset(dir.write("gt.json", encoded.bytes).string()).format == "coco");
    }
}

TEST_CASE("spellings: categories of COCO", "[dataset][coco][spelling]") {
    const TempDir dir;
    const auto gt = dir.write("gt.json", R"({"images":[{"id":1,"file_name":"a.jpg"}],
        "categories":[{"id":"person","name":"people"},{"id":3.0,"name":7},{"id":"cat"}],
        "annotations":[{"image_id":1,"category_id":"person","bbox":[0,0,1,1]},{"image_id":1,"category_id":3,"bbox":[0,0,2,2]},
                       {"image_id":1,"category_id":"cat","bbox":[0,0,3,3]},{"image_id":1,"category_id":"9","bbox":[0,0,4,4]}]})");
    const std::string file = "coco:" + gt.string();
    CHECK_THAT(error_of(file), Contains("category=*: 7, 9, people, cat"));
    const std::map<std::string, double> width{{"person", 1}, {"people", 1}, {"3", 2},
                                              {"7", 2},      {"cat", 3},    {"9", 4}};
    for (const auto& [category, w] : width) {
        CAPTURE(category);
        const Dataset dataset = read_dataset(file + ",category=" + category);
        REQUIRE(dataset.face_count() == 1);
        CHECK(dataset.samples[0].faces[0].box.w == w);
    }
    // Those that are listed; texts have numbers that no other category has.
    const Dataset all = read_dataset(file + ",category=*");
    REQUIRE(all.categories.size() == 3);
    CHECK(all.categories[0].id == 3);
    CHECK(all.categories[1].id == 10);
    CHECK(all.categories[1].text_id == "person");
    CHECK(all.categories[2].id == 11);
    CHECK(all.face_count() == 3);
    CHECK(*find_attribute(all.samples[0].faces[0].attributes, "category_id") == "10");
}

TEST_CASE("spellings: WIDER FACE", "[dataset][wider][spelling]") {
    const TempDir dir;
    const auto written = [&](const std::string& text) {
        return "wider:" + dir.write("list.txt", text).string();
    };
    const auto face = [](const std::string& more) {
        return "e/a.jpg\r\n1.0\r\n1 +2 3.0 4e0" + more + "\r\n";
    };
    const std::vector<std::array<std::string, 3>> attributes{
        {" 0 0 0 0 0 0", "clear", "no"},        {" 2 0 0 1 0 0", "heavy", "yes"},
        {" 2.0 0 0 1e0 0 0", "heavy", "yes"},   {" 3 0 0 0 0 0", "3", "no"},
        {" ? 0 0 -1 0 0", "?", "-1"},           {"", "-", "-"},
        {" 0 0 0 0 0 0 extra 7", "clear", "no"}};
    for (const auto& [columns, blur, invalid] : attributes) {
        CAPTURE(columns);
        CHECK(read_face(written(face(columns)), "blur") == Read{false, blur});
        CHECK(read_face(written(face(columns)), "invalid") == Read{false, invalid});
        CHECK(read_dataset(written(face(columns))).samples[0].faces[0].box == Box{1, 2, 3, 4});
    }
    CHECK_THAT(error_of(written("a.jpg\n1\n1 2 3 x 0 0 0 0 0 0\n")), Contains("list.txt:3:"));
    for (const Encoded& encoded : encodings_of(face(" 0 0 0 0 0 0"), true)) {
        INFO(encoded.name);
        CHECK(read_dataset(dir.write("list.txt", encoded.bytes).string()).format == "wider");
    }
}

TEST_CASE("spellings: FDDB", "[dataset][fddb][spelling]") {
    const TempDir dir;
    const auto written = [&](const std::string& text) {
        return "fddb:" + dir.write("list.txt", text).string();
    };
    for (const char* const row :
         {"3 2 0 10 20 1", "3.0 2e0 -0 +10 20 1.0", "3 2 0 10 20  true", "3 2 0 10 20 1 1"}) {
        CAPTURE(row);
        for (const char* const count : {"1", "1.0", "+1", "01"}) {
            const Dataset dataset =
                read_dataset(written(std::string("2002/a\n") + count + "\n" + row + "\n"));
            CHECK(dataset.samples[0].image == "2002/a.jpg");
            CHECK(dataset.samples[0].faces.at(0).ellipse == Ellipse{{10, 20}, 3, 2, 0});
        }
    }
    dir.write("image-sizes.txt", "2002/a 640.0 +480\n");
    CHECK(read_dataset(written("2002/a\n0\n")).samples[0].size == ImageSize{640, 480});
}

TEST_CASE("spellings: LFW", "[dataset][lfw][spelling]") {
    const TempDir dir;
    const auto pairs = [&](const std::string& text) {
        return images_of(
            read_dataset("lfw:" + dir.path().string() + ",pairs=" + dir.write("p.txt", text).string()));
    };
    using Names = std::vector<std::string>;
    const Names plain{"A/A_0001.jpg", "A/A_0002.jpg", "B/B_0012.jpg"};
    for (const char* const text :
         {"1\nA\t1\t2\nA\t1\tB\t12\n", "1\nA 1 2\nA 1 B 12\n", "1.0\r\nA\t1.0\t002\r\nA\t1\tB\t12.0\r\n",
          "\xEF\xBB\xBF"
          "1\t1\nA\t1\t2\t\nA\t1\t\tB\t12\n",
          "1\n\nA 1\t2\nA\t1 B 12\n"}) {
        CAPTURE(text);
        CHECK(pairs(text) == plain);
    }
    CHECK(pairs("1\nAnn Bo\t1\t2\nAnn Bo\t1\tC D 3\t4\n") ==
          Names{"Ann Bo/Ann Bo_0001.jpg", "Ann Bo/Ann Bo_0002.jpg", "C D 3/C D 3_0004.jpg"});
    CHECK(pairs("1\nA\t10000\t2\nA\t2\tB\t3\n").front() == "A/A_10000.jpg");
}

TEST_CASE("spellings: lists of OpenCV, of cars and points", "[dataset][spelling]") {
    const TempDir dir;
    for (const char* const line : {"a.jpg 1 1 2 3 4", "a.jpg 1.0 +1 2.0 3e0 4", "a.jpg\t01 1 2 3 4\t"}) {
        CAPTURE(line);
        const Dataset dataset = read_dataset("opencv:" + dir.write("info.dat", line).string());
        CHECK(dataset.samples.at(0).image == "a.jpg");
        CHECK(dataset.samples[0].faces.at(0).box == Box{1, 2, 3, 4});
    }
    for (const char* const line : {"7: (1,2)", "7.0: (1.0, +2)", "+7 : ( 1 , 2e0 )"}) {
        CAPTURE(line);
        const Dataset dataset = read_dataset("uiuc:" + dir.write("trueLocations.txt", line).string());
        CHECK(dataset.samples.at(0).image == "test-7.pgm");
        CHECK(dataset.samples[0].faces.at(0).box == Box{2, 1, 100, 40});
    }
    dir.write("p/a.jpg", "x");
    for (const char* const header :
         {"version: 1\nn_points: 2\n{\n", "n_points : 2.0\r\n{\r\n", "n_points:+2\n{\n", ""}) {
        CAPTURE(header);
        dir.write("p/a.PTS", std::string(header) + "1.0 +2\n3e0\t4\n");
        const Dataset dataset = read_dataset("pts:" + (dir.path() / "p").string());
        CHECK(dataset.samples.at(0).faces.at(0).landmarks == std::vector<Point>{{1, 2}, {3, 4}});
    }
    CHECK(read_dataset((dir.path() / "p").string()).format == "pts");
}

TEST_CASE("spellings: MOTChallenge", "[dataset][mot][spelling]") {
    const TempDir dir;
    const auto face = [&](const std::string& line) {
        const Dataset dataset =
            read_dataset("mot:" + dir.write("t.txt", line + "\n").string() + ",video=a.mp4");
        REQUIRE(dataset.samples.size() == 2);
        return dataset.samples[1].faces.at(0);
    };
    for (const char* const line :
         {"2,3,5,6,7,8,1", "2.0,3e0,+5,6,7,8,1.0", "2,3,5,6,7,8,1,", "2,3,5,6,7,8,1,1,",
          "2,3,5,6,7,8,1,1,0.5,", "2,3,5,6,7,8,1,1.0,half", "2,3,5,6,7,8,1,1,", "2,3,5,6,7,8,1,-1,-1,n/a",
          "2,3,5,6,7,8,1,-1,,-1", "2 3 5 6 7 8 1 1 -", "2, 3, 5, 6, 7, 8, 1\r"}) {
        CAPTURE(line);
        const Face read = face(line);
        CHECK(read.box == Box{5, 6, 7, 8});
        CHECK(read.attributes == std::vector<Attribute>{{"track", "3"}});
        CHECK_FALSE(read.ignore);
    }
    CHECK(face("2,3,5,6,7,8,0,1,visible").ignore);
    CHECK(face("2,3,5,6,7,8,1,2.0,1,").ignore);  // a class that is a distractor
}

TEST_CASE("spellings: the project's own JSON", "[dataset][fovea][spelling]") {
    const TempDir dir;
    const auto read = [&](const std::string& of_image, const std::string& of_face) {
        return read_dataset(
            "fovea:" +
            dir.write(
                   "d.json",
                   R"({"format":"fovea-dataset","version":1,"name":"n","root":"r","images":[{"image":"a.jpg",)" +
                       of_image + R"("annotated":true,"faces":[{"box":[1,2,3,4])" + of_face + "}]}]}")
                .string());
    };
    CHECK(read(R"("size":[640.0,4.8e2],)", "").samples[0].size == ImageSize{640, 480});
    CHECK(read(R"("subject":null,"eyes":null,)", R"(,"area":null)").face_count() == 1);
    for (const char* const mark : {"true", "1", "1.0", "\"yes\""})
        CHECK(read("", R"(,"ignore":)" + std::string(mark)).samples[0].faces[0].ignore);
    CHECK_THAT(error_of("fovea:" +
                        dir.write("e.json", R"({"format":"fovea-dataset","version":1,"name":"n","root":"r",
        "images":[{"image":"a.jpg","annotated":true,"faces":[{"box":[1,2,3,4],"ignore":"maybe"}]}]})")
                            .string()),
               Contains("ignore") && Contains(spellings));
    CHECK(read("", R"(,"attributes":{"a":1.0,"b":true,"c":null,"d":"x","e":[1]})")
              .samples[0]
              .faces[0]
              .attributes == std::vector<Attribute>{{"a", "1.0"}, {"b", "true"}, {"d", "x"}, {"e", "[1]"}});
}

TEST_CASE("lists are read in every encoding", "[dataset][spelling]") {
    const TempDir dir;
    const std::string text = "# photographs\r\n\r\nd/a b.JPG\r\n\u00E9.jpg\r\n";
    for (const Encoded& encoded : encodings_of(text, true)) {
        INFO(encoded.name);
        CHECK(images_of(read_dataset(dir.write("list.txt", encoded.bytes).string())) ==
              std::vector<std::string>{"d/a b.JPG", "\u00E9.jpg"});
    }
    CHECK(images_of(read_dataset(dir.write("list.txt", "a.jpg\rb.jpg\r").string())).size() == 2);
    CHECK_THAT(error_of(dir.write("list.txt", std::string("\xFF\xFE\x61\x00\x62", 5)).string()),
               Contains("list.txt' is UTF-16"));
}
