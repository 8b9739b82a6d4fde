#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

/// A grey picture of 6 x 4 pixels.
const std::string tile = "P5\n6 4\n255\n" + std::string(24, 'x');

}  // namespace

TEST_CASE("UIUC: cars of one scale, row before column", "[dataset][uiuc]") {
    const TempDir dir;
    for (const char* image : {"test-0.pgm", "test-1.png", "test-2.pgm", "test-12.pgm", "result-0.pgm"})
        dir.write(std::string("TestImages/") + image, "x");
    const fs::path file =
        dir.write("trueLocations.txt", "0: (48,26)\r\n1: (56,-10) ( 60 , 92 )(1,2)\n\n2:\n10:(3.5,4)\n");
    const Dataset dataset = read_dataset("uiuc:" + dir.path().string());
    CHECK(dataset.format == "uiuc");
    CHECK(dataset.root == dir.path() / "TestImages");
    CHECK(dataset.sources == std::vector<fs::path>{file});
    CHECK(images_of(dataset) == Names{"test-0.pgm", "test-1.png", "test-2.pgm", "test-10.pgm"});
    REQUIRE(dataset.samples[1].faces.size() == 3);
    CHECK(dataset.samples[0].faces[0].box == Box{26, 48, 100, 40});
    // Beyond the border, as the file says.
    CHECK(dataset.samples[1].faces[0].box == Box{-10, 56, 100, 40});
    CHECK(dataset.samples[1].faces[1].box == Box{92, 60, 100, 40});
    CHECK(dataset.samples[1].faces[2].box == Box{2, 1, 100, 40});
    CHECK(dataset.samples[2].faces.empty());
    CHECK(dataset.samples[2].annotated);
    CHECK(dataset.samples[3].faces[0].box == Box{4, 3.5, 100, 40});
    CHECK(dataset.warnings.size() == 2);
    CHECK(warns(dataset, "1 image of " + file.string() + " is not in '" +
                             (dir.path() / "TestImages").string() + "', first: test-10.pgm"));
    CHECK(warns(dataset, "1 image has no line in " + file.string() + " and is left out, first: test-12.pgm"));
    // Its folder or its first line tells the format; the folder above may be named, too.
    CHECK(read_dataset(dir.path().string()).format == "uiuc");
    CHECK(read_dataset(file.string()).format == "uiuc");
    CHECK(images_of(read_dataset("uiuc:" + file.string())) == images_of(dataset));
    DatasetOptions some;
    some.pattern = "test-1*";
    CHECK(images_of(read_dataset("uiuc:" + dir.path().string(), some)) == Names{"test-1.png", "test-10.pgm"});
}

TEST_CASE("UIUC: cars of all scales have a width", "[dataset][uiuc]") {
    const TempDir dir;
    dir.write("CarData/TestImages_Scale/test-0.pgm", "x");
    const fs::path file = dir.write("CarData/trueLocations_Scale.txt", "1:\n0: (10,-20,150) (30,40,75)\n");
    for (const std::string& specification :
         {"uiuc-scale:" + dir.path().string(), "uiuc:" + dir.path().string(), dir.path().string(),
          "uiuc:" + file.string(), "uiuc-scale:" + file.string()}) {
        CAPTURE(specification);
        const Dataset dataset = read_dataset(specification);
        CHECK(dataset.format == "uiuc-scale");
        CHECK(images_of(dataset) == Names{"test-1.pgm", "test-0.pgm"});
        CHECK(dataset.samples[1].path == dir.path() / "CarData/TestImages_Scale/test-0.pgm");
        REQUIRE(dataset.samples[1].faces.size() == 2);
        CHECK(dataset.samples[1].faces[0].box == Box{-20, 10, 150, 60});
        CHECK(dataset.samples[1].faces[1].box == Box{40, 30, 75, 30});
    }
    // uiuc: is the set of a single scale if both are there.
    dir.write("CarData/trueLocations.txt", "0: (1,2)\n");
    CHECK(read_dataset("uiuc:" + dir.path().string()).format == "uiuc");
    CHECK(read_dataset("uiuc-scale:" + dir.path().string()).format == "uiuc-scale");
    CHECK_THAT(error_of("uiuc-scale:" + (dir.path() / "CarData/trueLocations.txt").string()),
               Contains("is the single-scale set; write uiuc:"));
}

TEST_CASE("UIUC: images may be elsewhere or missing", "[dataset][uiuc]") {
    const TempDir dir;
    dir.write("elsewhere/test-0.pgm", "x");
    const std::string file = dir.write("trueLocations.txt", "0: (48,26)\n").string();
    const Dataset without = read_dataset("uiuc:" + file);
    CHECK(images_of(without) == Names{"test-0.pgm"});
    CHECK(warns(without, "there is no folder"));
    const Dataset with = read_dataset("uiuc:" + file + ",images=" + (dir.path() / "elsewhere").string());
    CHECK(with.samples[0].path == dir.path() / "elsewhere/test-0.pgm");
    CHECK(with.warnings.empty());
    DatasetOptions options;
    options.root = dir.path() / "elsewhere";
    CHECK(read_dataset("uiuc:" + file, options).samples[0].path == with.samples[0].path);
}

TEST_CASE("UIUC: a training tile shows one car or none", "[dataset][uiuc]") {
    const TempDir dir;
    for (const char* name : {"pos-0.pgm", "pos-10.pgm", "pos-2.pgm", "neg-0.pgm", "other.pgm"})
        dir.write(name, tile);
    const Dataset dataset = read_dataset("uiuc:" + dir.path().string());
    CHECK(dataset.format == "uiuc");
    CHECK(images_of(dataset) == Names{"neg-0.pgm", "pos-0.pgm", "pos-2.pgm", "pos-10.pgm"});
    CHECK(dataset.samples[0].annotated);
    CHECK(dataset.samples[0].faces.empty());
    REQUIRE(dataset.samples[3].faces.size() == 1);
    CHECK(dataset.samples[3].faces[0].box == Box{0, 0, 6, 4});
    CHECK(dataset.warnings.empty());
    // A folder of such names is not taken for the set unless that is said.
    CHECK(read_dataset(dir.path().string()).format == "folder");
    dir.write("pos-3.pgm", "P5\n6");
    const Dataset broken = read_dataset("uiuc:" + dir.path().string());
    CHECK_FALSE(broken.samples[3].annotated);
    CHECK(warns(broken, "1 tile cannot be read"));
    CHECK(warns(broken, "pos-3.pgm: "));
}

TEST_CASE("UIUC: broken lists are refused with their place", "[dataset][uiuc]") {
    const TempDir dir;
    const auto error = [&](const std::string& text) {
        return error_of("uiuc:" + dir.write("list.txt", text).string());
    };
    for (const char* line : {"0 (1,2)", "x: (1,2)", "-1: (1,2)", ": (1,2)", "0: 1,2", "0: (1,2", "0: (1)",
                             "0: ()", "0: (1,2,3,4)", "0: (1,a)", "0: (1,2) 3", "0: (1,,2)",
                             "99999999999: (1,2)", "0: (1e99,2)", "0: (nan,2)"}) {
        CAPTURE(line);
        CHECK_THAT(
            error("7: (1,2)\n" + std::string(line) + "\n"),
            Contains("list.txt:2: cannot read '" + std::string(line) + "': expected the cars of an image"));
    }
    CHECK_THAT(error("0: (1,2)\n1: (1,2,90)\n"),
               Contains("list.txt:2:") && Contains("as many numbers for each car as for the first one, 2"));
    CHECK_THAT(error("0: (1,2,0)\n"), Contains("list.txt:1:") && Contains("above 0"));
    CHECK_THAT(error("0: (1,2)\n3: (1,2)\n0: (5,6)\n"), Contains("list.txt:3") && Contains("list.txt:1"));
    CHECK_THAT(error("# nothing\n"), Contains("the file names no image"));
    CHECK(is_usage_error("uiuc:" + dir.path().string()));
    CHECK_THAT(error_of("uiuc:" + dir.path().string()), Contains("name the folder CarData"));
    CHECK_THAT(error_of("uiuc-scale:" + dir.path().string()), Contains("holds no trueLocations_Scale.txt"));
    CHECK(read_truncated("uiuc:", dir, "t.txt", "0: (48,26)\n1: (56,-10) (60,92)\n") >= 20);
}

TEST_CASE("UIUC: the real sets", "[dataset][uiuc]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const std::string cars = data + "/objects/uiuc-cars";
    const Dataset test = read_dataset(cars);
    CHECK(test.format == "uiuc");
    CHECK(test.samples.size() == 170);
    CHECK(test.face_count() == 200);
    CHECK(test.warnings.empty());
    std::size_t beyond_left = 0;
    for (const Sample& sample : test.samples) {
        CHECK(fs::is_regular_file(sample.path));
        for (const Face& car : sample.faces) beyond_left += car.box.x < 0 ? 1 : 0;
    }
    CHECK(beyond_left == 10);
    // "6: (56,-10) (60,92)"
    CHECK(test.samples[6].faces[0].box == Box{-10, 56, 100, 40});
    const Dataset tiles = read_dataset("uiuc:" + cars + "/CarData/TrainImages");
    CHECK(tiles.samples.size() == 1050);
    CHECK(tiles.face_count() == 550);
    CHECK(tiles.samples.back().image == "pos-549.pgm");
    CHECK(tiles.samples.back().faces[0].box == Box{0, 0, 100, 40});
}
