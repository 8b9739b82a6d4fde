#include "lib/dataset/opencv_list.hpp"

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Dataset read_lines(const std::string& lines) {
    const TempDir dir;
    return read_opencv_list(dir.write("info.dat", lines));
}

std::string refused_lines(const std::string& lines) {
    const TempDir dir;
    return error_of("opencv:" + dir.write("info.dat", lines).string());
}

}  // namespace

TEST_CASE("opencv: images with their boxes", "[dataset][opencv]") {
    const TempDir dir;
    const auto list = dir.write("cars/info.dat",
                                "img/a.png 2 10 20 30 40 1.5 -2 3 4\r\n\n# a comment\n"
                                "./img/b.png\t1\t0 0 100 40\nempty.png 0\n");
    const Dataset dataset = read_dataset("opencv:" + list.string());
    CHECK(dataset.format == "opencv");
    CHECK(images_of(dataset) == std::vector<std::string>{"img/a.png", "img/b.png", "empty.png"});
    REQUIRE(dataset.samples[0].faces.size() == 2);
    CHECK(dataset.samples[0].faces[0].box == Box{10, 20, 30, 40});
    CHECK(dataset.samples[0].faces[1].box == Box{1.5, -2, 3, 4});
    CHECK(dataset.samples[0].path == dir.path() / "cars/img/a.png");
    CHECK(dataset.samples[1].faces.at(0).box == Box{0, 0, 100, 40});
    CHECK(dataset.samples[2].annotated);
    CHECK(dataset.samples[2].faces.empty());
    CHECK(dataset.sources == std::vector<std::filesystem::path>{list});
    CHECK(dataset.warnings.empty());
    CHECK(read_dataset(list.string()).format == "opencv");
    std::filesystem::create_directories(dir.path() / "elsewhere");
    const std::string folder = (dir.path() / "elsewhere").string();
    const Dataset moved = read_dataset("opencv:" + list.string() + ",images=" + folder);
    CHECK(moved.samples[0].path == dir.path() / "elsewhere/img/a.png");
    CHECK(moved.samples[0].image == "img/a.png");
}

TEST_CASE("opencv: paths with blanks and numbers", "[dataset][opencv]") {
    const Dataset dataset = read_lines(
        "my photo.png 1 1 2 3 4\n"
        "photo 7 2 1 2 3 4 5 6 7 8\n"
        "3 1 9 9 5 5\n"      // the file's name is a number
        "a 2 b 1 5 6 7 8\n"  // no number stands before "b"
        "1 0\n"
        "last one 0\n");
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"my photo.png", "photo 7", "3", "a 2 b", "1", "last one"});
    CHECK(dataset.samples[0].faces.at(0).box == Box{1, 2, 3, 4});
    REQUIRE(dataset.samples[1].faces.size() == 2);
    CHECK(dataset.samples[1].faces[1].box == Box{5, 6, 7, 8});
    CHECK(dataset.samples[2].faces.at(0).box == Box{9, 9, 5, 5});
    CHECK(dataset.samples[3].faces.at(0).box == Box{5, 6, 7, 8});
    CHECK(dataset.samples[4].faces.empty());
    CHECK(dataset.samples[5].faces.empty());
}

TEST_CASE("opencv: an image of several lines", "[dataset][opencv]") {
    const Dataset dataset = read_lines("a.png 1 0 0 5 5\nb.png 0\na.png 2 0 0 5 5 1 1 5 5\n");
    CHECK(images_of(dataset) == std::vector<std::string>{"a.png", "b.png"});
    REQUIRE(dataset.samples[0].faces.size() == 2);
    CHECK(dataset.samples[0].faces[1].box == Box{1, 1, 5, 5});
    CHECK(warns(dataset, "1 box more than once"));
    CHECK(warns(dataset, "first: line 3"));
}

TEST_CASE("opencv: broken lists", "[dataset][opencv]") {
    CHECK_THAT(refused_lines(""), Contains("names no image"));
    CHECK_THAT(refused_lines("# nothing\n\n"), Contains("names no image"));
    CHECK_THAT(refused_lines("a.png\n"), Contains("info.dat:1:") && Contains("path n x y w h"));
    CHECK_THAT(refused_lines("a.png 0\nb.png 2 1 2 3 4\n"), Contains("info.dat:2:"));
    CHECK_THAT(refused_lines("a.png 1 1 2 3\n"), Contains("info.dat:1:"));
    CHECK_THAT(refused_lines("a.png 1 1 2 3 x\n"), Contains("info.dat:1:"));
    CHECK_THAT(refused_lines("a.png 1 1 2 3 nan\n"), Contains("info.dat:1:"));
    CHECK_THAT(refused_lines("a.png -1 1 2 3 4\n"), Contains("info.dat:1:"));
    CHECK_THAT(refused_lines("a.png 99999999999999999999 1 2 3 4\n"), Contains("info.dat:1:"));
    CHECK_THAT(refused_lines("a.png 1 1 2 0 4\n"), Contains("above 0"));
    CHECK_THAT(refused_lines("a.png 1 1 2 3 -4\n"), Contains("above 0"));
    CHECK_THAT(refused_lines("folder/ 1 1 2 3 4\n"), Contains("path of an image"));
    CHECK_THAT(refused_lines(std::string("a\0b", 3) + " 1 1 2 3 4\n"), Contains("path of an image"));
    CHECK(is_usage_error("opencv:/nowhere/info.dat"));
    const TempDir dir;
    CHECK(read_truncated("opencv:", dir, "info.dat", "a.png 2 10 20 30 40 1 2 3 4\nb c.png 1 1 2 3 4\n") >
          10);
}

TEST_CASE("opencv: other formats are not taken for such a list", "[dataset][opencv]") {
    CHECK(is_opencv_line("a.png 1 2 3 4 5"));
    CHECK_FALSE(is_opencv_line("a.png 0"));
    CHECK_FALSE(is_opencv_line("a.png 1 2 3 4"));
    CHECK_FALSE(is_opencv_line("a.gif 1 2 3 2 5 6 7 8 9 10 11 12"));  // MIT+CMU's six points
    CHECK_FALSE(is_opencv_line("a 1 2 3 1 5 6 7 8"));                 // CSU's coordinates
    const TempDir dir;
    const auto backgrounds = dir.write("bg.txt", "bg/a.png\n\n# none\nbg/b 1.png\n");
    const Dataset dataset = read_dataset(backgrounds.string());
    CHECK(dataset.format == "list");
    CHECK(images_of(dataset) == std::vector<std::string>{"bg/a.png", "bg/b 1.png"});
}
