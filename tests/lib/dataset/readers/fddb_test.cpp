#include <cmath>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* two_images =
    "2002/08/11/big/img_591\n1\n10 5 0 100 50  1\n"
    "2002/08/26/big/img_265\n2\n10 5 1.5707963267948966 100 50 1\n10 5 0.5235987755982988 20 30 1\n";

std::string refused(const std::string& text) {
    const TempDir dir;
    return error_of("fddb:" + dir.write("list.txt", text).string());
}

}  // namespace

TEST_CASE("The bounding box of an ellipse", "[dataset][fddb]") {
    // Half width sqrt(a^2 cos^2 + b^2 sin^2), half height sqrt(a^2 sin^2 + b^2 cos^2), a = 10, b = 5.
    const double pi = std::acos(-1.0);
    CHECK(bounding_box({{100, 50}, 10, 5, 0}) == Box{90, 45, 20, 10});
    // At 30 degrees cos^2 = 3/4, sin^2 = 1/4: sqrt(75 + 6.25) = 9.01388, sqrt(25 + 18.75) = 6.61438.
    for (const double angle : {pi / 6, -pi / 6, pi / 6 - pi}) {
        const Box box = bounding_box({{20, 30}, 10, 5, angle});
        CHECK(box.x == Approx(20 - 9.0138782).epsilon(1e-7));
        CHECK(box.y == Approx(30 - 6.6143783).epsilon(1e-7));
        CHECK(box.w == Approx(2 * 9.0138782).epsilon(1e-7));
        CHECK(box.h == Approx(2 * 6.6143783).epsilon(1e-7));
    }
    CHECK(bounding_box({{7, 8}, 3, 3, 1.234}).w == Approx(6));
}

TEST_CASE("fddb: ellipses, their boxes, and the fold of the file", "[dataset][fddb]") {
    const TempDir dir;
    const auto file = dir.write("FDDB-folds/FDDB-fold-03-ellipseList.txt", two_images);
    dir.write("originalPics/x.jpg", "x");
    const Dataset dataset = read_dataset("fddb:" + file.string());
    CHECK(dataset.format == "fddb");
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"2002/08/11/big/img_591.jpg", "2002/08/26/big/img_265.jpg"});
    CHECK(dataset.samples[0].path == dir.path() / "originalPics/2002/08/11/big/img_591.jpg");
    CHECK(dataset.samples[0].attributes == std::vector<Attribute>{{"fold", "3"}});
    CHECK(dataset.face_count() == 3);
    CHECK(dataset.samples[0].faces[0].ellipse == Ellipse{{100, 50}, 10, 5, 0});
    CHECK(dataset.samples[0].faces[0].box == Box{90, 45, 20, 10});
    const Box upright = dataset.samples[1].faces[0].box;
    CHECK(upright.x == Approx(95));
    CHECK(upright.y == Approx(40));
    CHECK(upright.w == Approx(10));
    CHECK(upright.h == Approx(20));
    // The folder, and the list without its format.
    CHECK(read_dataset(dir.path().string() + "/FDDB-folds").format == "fddb");
    CHECK(images_of(read_dataset("fddb:" + dir.path().string())) == images_of(dataset));
    CHECK(read_dataset(file.string()).format == "fddb");
    const Dataset elsewhere = read_dataset("fddb:" + file.string() + ",images=" + dir.path().string());
    CHECK(elsewhere.samples[0].path == dir.path() / "2002/08/11/big/img_591.jpg");
}

TEST_CASE("fddb: several lists, and names that say no fold", "[dataset][fddb]") {
    const TempDir dir;
    const auto first = dir.write("FDDB-fold-10-ellipseList.txt", "a\n0\n\nb.png\r\n1\r\n4 3 -1 5 6 1\r\n");
    const auto second = dir.write("mine.txt", two_images);
    const Dataset dataset = read_dataset("fddb:" + first.string() + "," + second.string());
    CHECK(images_of(dataset) == std::vector<std::string>{"a.jpg", "b.png", "2002/08/11/big/img_591.jpg",
                                                         "2002/08/26/big/img_265.jpg"});
    CHECK(*find_attribute(dataset.samples[1].attributes, "fold") == "10");
    CHECK(dataset.samples[2].attributes.empty());
    CHECK(dataset.samples[0].annotated);
    CHECK(dataset.samples[0].faces.empty());
    CHECK_THAT(error_of("fddb:" + second.string() + "," + second.string()),
               Contains("mine.txt:1:") && Contains("mine.txt:1 too"));
}

TEST_CASE("fddb: broken lists", "[dataset][fddb]") {
    CHECK_THAT(refused("a\nb\n"), Contains("list.txt:2: cannot read 'b'") && Contains("number of lines"));
    CHECK_THAT(refused("a\n-1\n"), Contains("list.txt:2:"));
    CHECK_THAT(refused("a\n"), Contains("list.txt:1:") && Contains("end"));
    CHECK_THAT(refused("a\n2\n1 1 0 1 1 1\n"), Contains("list.txt:2:") && Contains("1 line is left"));
    CHECK_THAT(refused("a\n99999999999999999999999\n1 1 0 1 1 1\n"), Contains("list.txt:2:"));
    CHECK_THAT(refused("a\n1\n1 1 0 1 1\n"), Contains("list.txt:3:") && Contains("an ellipse"));
    CHECK_THAT(refused("a\n1\n1 1 0 nan 1 1\n"), Contains("list.txt:3:"));
    CHECK_THAT(refused("a\n1\n1 0 0 1 1 1\n"), Contains("list.txt:3:") && Contains("above 0"));
    CHECK_THAT(refused("a\n1\n1 1 0 1 1x 1\n"), Contains("list.txt:3:"));
    CHECK_THAT(refused("# nothing\n"), Contains("names no image"));
    const TempDir dir;
    CHECK(read_truncated("fddb:", dir, "t.txt", two_images) > 50);
    CHECK_THAT(error_of("fddb:" + dir.path().string()), Contains("ellipseList.txt"));
    CHECK_THAT(error_of("fddb:" + (dir.path() / "t.txt").string() + ",pictures=x"),
               Contains("'pictures=x'") && Contains("images=DIR"));
    CHECK_THAT(error_of("fddb:" + (dir.path() / "t.txt").string() + ",images=absent"), Contains("'absent'"));
    CHECK(is_usage_error("fddb:absent"));
}

TEST_CASE("fddb: the sizes of images from a list", "[dataset][fddb]") {
    const TempDir dir;
    const std::string list = dir.write("list.txt", two_images).string();
    const auto sizes_of = [](const std::string& specification) {
        std::vector<std::optional<ImageSize>> sizes;
        for (const Sample& sample : read_dataset(specification).samples) sizes.push_back(sample.size);
        return sizes;
    };
    const std::vector<std::optional<ImageSize>> unknown(2);
    CHECK(sizes_of("fddb:" + list) == unknown);
    // Names have an extension or none.
    const std::string text =
        "2002/08/26/big/img_265.jpg 450 300\nother 1 2\n2002/08/11/big/img_591  279\t410\n";
    const std::string sizes = dir.write("sizes.txt", text).string();
    const std::vector<std::optional<ImageSize>> both{ImageSize{279, 410}, ImageSize{450, 300}};
    CHECK(sizes_of("fddb:" + list + ",sizes=" + sizes) == both);
    CHECK(read_dataset("fddb:" + list + ",sizes=" + sizes).sources.size() == 2);
    // Beside the list it need not be named.
    dir.write("image-sizes.txt", text);
    CHECK(sizes_of("fddb:" + list) == both);
    const std::string one = dir.write("one.txt", "2002/08/26/big/img_265 450 300\n").string();
    CHECK(sizes_of("fddb:" + list + ",sizes=" + one) ==
          std::vector<std::optional<ImageSize>>{std::nullopt, ImageSize{450, 300}});

    const auto wrong = [&](const std::string& lines) {
        return error_of("fddb:" + list + ",sizes=" + dir.write("wrong.txt", lines).string());
    };
    for (const char* const line :
         {"a 300\n", "a 300 0\n", "a 300 x\n", "a 300 4.5\n", "a -3 450\n", "300\n"}) {
        CAPTURE(line);
        CHECK_THAT(wrong(line), Contains("wrong.txt:1:") && Contains("name width height"));
    }
    CHECK_THAT(wrong("x 1 2\n"), Contains("none of the dataset's 2 images"));
    // One face's centre is (100, 50), the others' (100, 50) and (20, 30).
    CHECK_THAT(wrong("2002/08/11/big/img_591 60 110\n"),
               Contains("wrong.txt: by these sizes 1 face lies outside") &&
                   Contains("\"name width height\", in this order"));
    CHECK(sizes_of("fddb:" + list +
                   ",sizes=" + dir.write("small.txt", "2002/08/11/big/img_591 60 40\n").string())[0] ==
          ImageSize{60, 40});  // outside either way
    CHECK_THAT(wrong(""), Contains("none of the dataset's 2 images"));
    CHECK_THAT(error_of("fddb:" + list + ",sizes=" + (dir.path() / "gone.txt").string()),
               Contains("gone.txt"));
}

TEST_CASE("fddb: the distributed list", "[dataset][fddb]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const std::string file = data + "/lists/fddb/FDDB-all-ellipseList.txt";
    const Dataset dataset = read_dataset("fddb:" + file);
    CHECK(dataset.samples.size() == 2845);
    CHECK(dataset.face_count() == 5171);
    CHECK(read_dataset(data + "/lists/fddb").face_count() == 5171);
    // The sizes of the folds, as the published results per fold have them.
    std::vector<int> sizes(11);
    for (const Sample& sample : dataset.samples) {
        REQUIRE(find_attribute(sample.attributes, "fold") != nullptr);
        ++sizes[static_cast<std::size_t>(std::stoi(*find_attribute(sample.attributes, "fold")))];
    }
    CHECK(sizes == std::vector<int>{0, 290, 285, 274, 302, 298, 302, 279, 276, 259, 280});
    const Face& face = dataset.samples[0].faces[0];
    CHECK(face.ellipse == Ellipse{{269.6934, 161.7812}, 123.5833, 85.5495, 1.265839});
    // A list that lacks an image is not divided: where its folds end is not known.
    const TempDir dir;
    std::string text;
    {
        std::ifstream stream(file);
        text.assign(std::istreambuf_iterator<char>(stream), {});
    }
    const Dataset part =
        read_dataset("fddb:" + dir.write("part.txt", text.substr(text.find("2002/08/26"))).string());
    CHECK(part.samples.size() == 2844);
    CHECK(part.samples[0].attributes.empty());
}
