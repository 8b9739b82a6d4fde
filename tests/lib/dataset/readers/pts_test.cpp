#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string points(int count, const std::string& end = "\n") {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::to_string(i) + " " + std::to_string(100 - i) + ".5" + end;
    return text;
}

std::string read_one(const TempDir& dir, const std::string& text) {
    dir.write("a.pgm", "x");
    dir.write("a.pts", text);
    return error_of("pts:" + dir.path().string());
}

}  // namespace

TEST_CASE("pts: points beside images, with header and braces or bare", "[dataset][pts]") {
    const TempDir dir;
    dir.write("1.jpg", "x");
    dir.write("1.pts", "version: 1\nn_points:  68\n{\n" + points(68) + "}\n");
    dir.write("2.png", "x");
    dir.write("2.pts", points(68, "\r\n"));
    dir.write("10.pgm", "x");
    dir.write("10.pts", "version: 1\nn_points: 3\n{\n1 2\n-3.25\t7e0\n5 5\n}");
    dir.write("without.jpg", "x");
    const Dataset dataset = read_dataset("pts:" + dir.path().string());
    CHECK(dataset.format == "pts");
    CHECK(images_of(dataset) == std::vector<std::string>{"1.jpg", "2.png", "10.pgm"});
    CHECK(dataset.has_ground_truth());
    CHECK(warns(dataset, "1 image of the folder has no .pts file"));
    CHECK(dataset.sources.size() == 3);

    // Points 37 to 42 are 36...41: their mean 38.5; 43 to 48: 44.5.
    for (const std::size_t i : {0, 1}) {
        REQUIRE(dataset.samples[i].faces.size() == 1);
        const Face& face = dataset.samples[i].faces[0];
        REQUIRE(face.eyes);
        CHECK(face.eyes->left.x == Approx(38.5));
        CHECK(face.eyes->left.y == Approx(62));
        CHECK(face.eyes->right.x == Approx(44.5));
        CHECK(dataset.samples[i].eyes == face.eyes);
        CHECK(face.box == Box{0, 33.5, 67, 67});
        CHECK(face.landmarks.size() == 68);
        CHECK(face.landmarks[67] == Point{67, 33.5});
    }
    // Other numbers of points say nothing of eyes.
    const Face& three = dataset.samples[2].faces[0];
    CHECK_FALSE(three.eyes);
    CHECK(three.landmarks == std::vector<Point>{{1, 2}, {-3.25, 7}, {5, 5}});
    CHECK(three.box == Box{-3.25, 2, 8.25, 5});
}

TEST_CASE("pts: a few points among photographs make no landmark set", "[dataset][pts]") {
    const TempDir dir;
    dir.write("1.jpg", "x");
    dir.write("1_1.pts", points(68));
    dir.write("2.jpg", "x");
    // Half of the images have theirs.
    CHECK(read_dataset(dir.path().string()).format == "pts");
    dir.write("3.jpg", "x");
    const Dataset folder = read_dataset(dir.path().string());
    CHECK(folder.format == "folder");
    CHECK(images_of(folder) == std::vector<std::string>{"1.jpg", "2.jpg", "3.jpg"});
    CHECK(read_dataset("pts:" + dir.path().string()).samples.size() == 1);
}

TEST_CASE("pts: several faces in an image have numbered files", "[dataset][pts]") {
    // AFW of 300-W has them so: 1.jpg with 1_1.pts and 1_2.pts. 2_1.jpg is an image itself, whose points are
    // not those of 2.jpg.
    const TempDir dir;
    for (const char* image : {"1.jpg", "2.jpg", "2_1.jpg"}) dir.write(image, "x");
    dir.write("1_1.pts", "1 2\n3 4\n");
    dir.write("1_2.pts", points(68));
    dir.write("1_4.pts", "9 9\n");  // there is no third face
    dir.write("2.pts", "5 6\n7 8\n");
    dir.write("2_1.pts", "0 0\n1 1\n");
    const Dataset dataset = read_dataset("pts:" + dir.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"1.jpg", "2.jpg", "2_1.jpg"});
    REQUIRE(dataset.samples[0].faces.size() == 2);
    CHECK(dataset.samples[0].faces[0].landmarks == std::vector<Point>{{1, 2}, {3, 4}});
    CHECK(dataset.samples[0].faces[1].landmarks.size() == 68);
    CHECK(dataset.samples[0].faces[1].eyes);
    CHECK_FALSE(dataset.samples[0].eyes);  // of two faces
    REQUIRE(dataset.samples[1].faces.size() == 1);
    CHECK(dataset.samples[1].faces[0].landmarks[0] == Point{5, 6});
    REQUIRE(dataset.samples[2].faces.size() == 1);
    CHECK(dataset.sources.size() == 4);
}

TEST_CASE("pts: a folder with points is recognised without its format", "[dataset][pts]") {
    const TempDir dir;
    dir.write("1.jpg", "x");
    dir.write("1.pts", points(68));
    CHECK(read_dataset(dir.path().string()).format == "pts");
}

TEST_CASE("pts: broken files are refused with file, line and what was expected", "[dataset][pts]") {
    const TempDir dir;
    CHECK_THAT(read_one(dir, "version: 1\n{\n1 2\n3\n}\n"),
               Contains("a.pts:4: cannot read '3'") && Contains("a point, \"x y\""));
    CHECK_THAT(read_one(dir, "1 2\n3 x\n"), Contains("a.pts:2") && Contains("'3 x'"));
    CHECK_THAT(read_one(dir, "1 2 3\n"), Contains("a.pts:1"));
    CHECK_THAT(read_one(dir, "1 nan\n"), Contains("a.pts:1"));
    CHECK_THAT(read_one(dir, "1 1e300\n"), Contains("a.pts:1"));
    CHECK_THAT(read_one(dir, "version: 1\nn_points: 0\n{\n}\n"), Contains("holds no point"));
    CHECK_THAT(read_one(dir, ""), Contains("holds no point"));
    CHECK(read_one(dir, "1 2\n") == "read");
}

TEST_CASE("pts: folders without points are refused", "[dataset][pts]") {
    const TempDir dir;
    dir.write("a.jpg", "x");
    const std::string folder = "pts:" + dir.path().string();
    CHECK(is_usage_error(folder));
    CHECK_THAT(error_of(folder), Contains("no image with points beside it"));
    CHECK(is_usage_error("pts:" + dir.path().string() + "/a.jpg"));
    CHECK_THAT(error_of("pts:" + dir.path().string() + "/missing"), Contains("is not a folder"));
}

TEST_CASE("pts: the number of points must be the one stated", "[dataset][pts]") {
    const TempDir dir;
    CHECK(read_one(dir, "version: 1\nn_points: 3\n{\n" + points(3) + "}\n") == "read");
    CHECK_THAT(read_one(dir, "version: 1\nn_points: 68\n{\n" + points(67) + "}\n"),
               Contains("a.pts: n_points is 68, but the file holds 67 points"));
    CHECK_THAT(read_one(dir, "n_points: many\n{\n" + points(2) + "}\n"), Contains("a.pts:1:"));
}
