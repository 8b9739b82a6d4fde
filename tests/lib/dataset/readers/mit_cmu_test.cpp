#include "lib/dataset/readers/mit_cmu.hpp"

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

// Eyes 10 apart at y = 20, mouth centre 8 below their middle: the eyes decide.
const std::string face_line = "110 20 120 20 115 24 112 28 115 28 118 28";

}  // namespace

TEST_CASE("MIT+CMU: box of a face from its points", "[dataset][mit-cmu]") {
    // Wide: side = 2.4 * 10 = 24; centre = (115, 20 + 0.42 * 8) = (115, 23.36).
    const Box wide = mit_cmu_face_box({{110, 20}, {120, 20}}, {115, 28});
    CHECK(wide.w == Approx(24));
    CHECK(wide.h == Approx(24));
    CHECK(wide.x == Approx(103));
    CHECK(wide.y == Approx(11.36));
    // Turned: eyes 3, 4 -> 5 apart, mouth 20 below: side = 2.4 * 0.85 * 20 = 40.8.
    const Box turned = mit_cmu_face_box({{100, 100}, {103, 104}}, {101.5, 122});
    CHECK(turned.w == Approx(40.8));
    CHECK(turned.centre().x == Approx(101.5));
    CHECK(turned.centre().y == Approx(110.4));
    // Upside down, as two faces of test-low/cards-perp-sml are: the same box as upright, mirrored.
    const Box upside_down = mit_cmu_face_box({{120, 20}, {110, 20}}, {115, 12});
    CHECK(upside_down.w == Approx(24));
    CHECK(upside_down.centre().y == Approx(16.64));
    CHECK(mit_cmu_face_box({{1, 1}, {1, 1}}, {1, 1}).area() == 0);
}

TEST_CASE("MIT+CMU: a folder with points", "[dataset][mit-cmu]") {
    const TempDir dir;
    for (const char* image : {"a.png", "b.pgm.gz", "c.png", "none10.png", "none2.gif"}) dir.write(image, "x");
    dir.write("groundtruth.txt", "#filename left-eye ...\r\nc.gif " + face_line + "\r\na.png " + face_line +
                                     "  \r\nb.gif " + face_line +
                                     "\r\nc.gif 210 20 220 20 215 24 212 28 215 28 218 28\r\nc.gif " +
                                     face_line + "\r\nlost.gif " + face_line);
    dir.write("facegroundtruth.txt", "a.png 1 2 3 4\n");
    const Dataset dataset = read_dataset("mit-cmu:" + dir.path().string());
    CHECK(dataset.format == "mit-cmu");
    // Order of first appearance, then what the file does not name; names resolved by stem.
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"c.png", "a.png", "b.pgm.gz", "lost.gif", "none2.gif", "none10.png"});
    CHECK(dataset.face_count() == 5);
    CHECK(dataset.has_ground_truth());
    for (const Sample& sample : dataset.samples) CHECK(sample.annotated);
    const Sample& first = dataset.samples.front();
    REQUIRE(first.faces.size() == 2);
    CHECK(first.faces[0].box.centre().x == Approx(115));
    CHECK(first.faces[1].box.centre().x == Approx(215));
    REQUIRE(first.faces[0].landmarks.size() == 6);
    CHECK(first.faces[0].landmarks[2] == Point{115, 24});
    CHECK(first.faces[0].landmarks[4] == Point{115, 28});
    CHECK(first.faces[0].eyes == Eyes{{110, 20}, {120, 20}});
    CHECK(dataset.samples[4].faces.empty());
    CHECK(dataset.sources == std::vector<fs::path>{dir.path() / "groundtruth.txt"});
    CHECK(warns(dataset, "none2.gif none10.png"));
    CHECK(warns(dataset, "1 face stands more than once"));
    CHECK(warns(dataset, "first: lost.gif"));

    // A file names its own images only.
    const Dataset file = read_dataset("mit-cmu:" + (dir.path() / "groundtruth.txt").string());
    CHECK(images_of(file) == std::vector<std::string>{"c.png", "a.png", "b.pgm.gz", "lost.gif"});
    CHECK(warns(file, "left out"));
}

TEST_CASE("MIT+CMU: boxes", "[dataset][mit-cmu]") {
    const TempDir dir;
    dir.write("a.png", "x");
    dir.write("facegroundtruth.txt", "a.gif 1 2 3 4\na.gif 1 2 3 5\n");
    const Dataset only = read_dataset("mit-cmu:" + dir.path().string());
    REQUIRE(only.samples.size() == 1);
    CHECK(only.samples[0].faces[0].box == Box{1, 2, 3, 4});
    CHECK(only.samples[0].faces[0].landmarks.empty());
    CHECK_FALSE(only.samples[0].faces[0].eyes);
    dir.write("groundtruth.txt", "a.gif " + face_line + "\n");
    CHECK(read_dataset("mit-cmu:" + dir.path().string()).face_count() == 1);
    const Dataset boxes = read_dataset("mit-cmu-boxes:" + dir.path().string());
    CHECK(boxes.face_count() == 2);
    CHECK(boxes.format == "mit-cmu-boxes");
    CHECK_THAT(error_of("mit-cmu-boxes:" + (dir.path() / "groundtruth.txt").string()),
               Catch::Contains("groundtruth.txt:1: cannot read") && Catch::Contains("x y width height"));
}

TEST_CASE("MIT+CMU: a folder of folders", "[dataset][mit-cmu]") {
    const TempDir dir;
    for (const char* folder : {"test", "test-low", "newtest10", "newtest2"}) {
        dir.write(std::string(folder) + "/a.gif", "x");
        dir.write(std::string(folder) + "/groundtruth.txt", "a.gif " + face_line + "\n");
    }
    dir.write("other/a.gif", "x");
    const Dataset dataset = read_dataset("mit-cmu:" + dir.path().string());
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"newtest2/a.gif", "newtest10/a.gif", "test/a.gif", "test-low/a.gif"});
    CHECK(dataset.samples[2].path == dir.path() / "test/a.gif");
    CHECK(dataset.sources.size() == 4);
}

TEST_CASE("MIT+CMU: broken files are refused with their line", "[dataset][mit-cmu]") {
    const TempDir dir;
    const auto message = [&](const std::string& text) {
        return error_of("mit-cmu:" + dir.write("groundtruth.txt", text).string());
    };
    const std::string good = "a.gif " + face_line + "\n";
    CHECK(message(good) == "read");
    CHECK_THAT(message("# c\n" + good + "b.gif 1 2 3\n"),
               Catch::Contains(
                   "groundtruth.txt:3: cannot read 'b.gif 1 2 3': expected an image and 12 coordinates"));
    CHECK_THAT(message(good + "b.gif 1 2 3 4\n"), Catch::Contains(":2:"));
    CHECK_THAT(message(good + "b.gif 1 2 3 4 5 6 7 8 9 10 11 x\n"), Catch::Contains(":2:"));
    CHECK_THAT(message(good + "b.gif 1 2 3 4 5 6 7 8 9 10 11 nan\n"), Catch::Contains(":2:"));
    CHECK_THAT(message(good + "b.gif 1 2 3 4 5 6 7 8 9 10 11 1e400\n"), Catch::Contains(":2:"));
    CHECK_THAT(message(good + "b.gif 1 2 3 4 5 6 7 8 9 10 11 12 13\n"), Catch::Contains(":2:"));
    CHECK_THAT(message("b.gif 5 5 5 5 5 5 5 5 5 5 5 5\n"),
               Catch::Contains(":1:") && Catch::Contains("different places"));
    CHECK_THAT(message(""), Catch::Contains("names no face"));
    CHECK_THAT(message("b.gif 1 2 -3 4\n"), Catch::Contains(":1:") && Catch::Contains("above 0"));
    CHECK_THAT(message("b.gif 1 2 3 0\n"), Catch::Contains("above 0"));
    CHECK_THAT(message("b.gif\n"), Catch::Contains(":1:"));
    dir.write("b.png", "x");
    CHECK_THAT(message("b.gif 1 2 3 4\nb.png 5 6 7 8\n"), Catch::Contains("both stand for"));
    CHECK(is_usage_error("mit-cmu:" + (dir.path() / "absent").string()));
    fs::remove(dir.path() / "groundtruth.txt");
    CHECK(is_usage_error("mit-cmu:" + dir.path().string()));
    CHECK_THAT(error_of("mit-cmu:" + dir.path().string()), Catch::Contains("groundtruth.txt"));

    CHECK(read_truncated("mit-cmu:", dir, "t.txt", good + "b.gif " + face_line + "\n") > 40);
}

TEST_CASE("MIT+CMU: the real set", "[dataset][mit-cmu][data]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const std::string folder = data + "/benchmark/mit-cmu";
    const Dataset both = read_dataset("mit-cmu:" + folder);
    CHECK(both.samples.size() == 65);
    CHECK(both.face_count() == 326);
    CHECK(both.samples.front().image == "test/voyager.png");
    CHECK(warns(both, "knex20.png knex42.png"));
    for (const Sample& sample : both.samples) CHECK(fs::is_regular_file(sample.path));
    CHECK(read_dataset(folder).format == "mit-cmu");

    const Dataset a = read_dataset("mit-cmu:" + folder + "/test");
    CHECK(a.samples.size() == 42);
    CHECK(a.face_count() == 169);
    const Dataset b = read_dataset("mit-cmu:" + folder + "/test-low");
    CHECK(b.samples.size() == 23);
    CHECK(b.face_count() == 157);
    CHECK(read_dataset("mit-cmu:" + folder + "/test/groundtruth.txt").samples.size() == 40);

    // The boxes that the folder also has were drawn by hand: other boxes, the same faces.
    const Dataset boxes = read_dataset("mit-cmu-boxes:" + folder);
    CHECK(boxes.samples.size() == 65);
    CHECK(boxes.face_count() == 326);
}
