#include <turbojpeg.h>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/image_size.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/support/encoders.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const ByteVector& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::string picture(const std::string& extension, int width, int height) {
    return text_of(encode(extension, grey_picture(width, height)));
}

std::string refused(const std::string& labels) {
    const TempDir dir;
    dir.write("a.pgm", picture(".pgm", 8, 4));
    dir.write("a.txt", labels);
    return error_of("yolo:" + dir.path().string());
}

}  // namespace

TEST_CASE("yolo: shares of the image's sides become pixels", "[dataset][yolo]") {
    const TempDir dir;
    dir.write("images/val/a.png", picture(".png", 200, 100));
    dir.write("labels/val/a.txt", "0 0.5 0.5 0.25 0.5\n0 0.05 0.1 0.1 0.2\n");
    dir.write("images/val/b.jpg", "no image");  // nothing to scale there, so nobody looks
    dir.write("images/val/c.jpg", "no image");
    dir.write("labels/val/c.txt", "0 0.5 0.5 1 1\n");
    const Dataset dataset = read_dataset("yolo:" + dir.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"val/a.png", "val/b.jpg", "val/c.jpg"});
    const std::vector<Face>& faces = dataset.samples[0].faces;
    REQUIRE(faces.size() == 2);
    // Centre (100, 50), 50 x 50 pixels; centre (10, 10), 20 x 20.
    CHECK(faces[0].box == Box{75, 25, 50, 50});
    CHECK(faces[1].box.x == Approx(0).margin(1e-12));
    CHECK(faces[1].box.w == Approx(20));
    CHECK(dataset.samples[0].size == ImageSize{200, 100});
    CHECK(dataset.samples[1].annotated);
    CHECK(dataset.samples[1].faces.empty());
    CHECK(warns(dataset, "1 image has no file of labels"));
    CHECK_FALSE(dataset.samples[2].annotated);
    CHECK(warns(dataset, "1 image cannot be read"));
    CHECK(warns(dataset, "val/c.jpg: "));
    CHECK(read_dataset(dir.path().string()).format == "yolo");
}

TEST_CASE("yolo: labels beside images, in parallel folders below, and classes", "[dataset][yolo]") {
    const TempDir dir;
    dir.write("train/images/a.pgm", picture(".pgm", 10, 10));
    dir.write("train/labels/a.txt", "1 0.5 0.5 0.2 0.2\n0 0.5 0.5 1 1\n");
    dir.write("b.pgm", picture(".pgm", 10, 20));
    dir.write("b.txt", "1 0.5 0.5 0.2 0.2\n");
    const std::string all = "yolo:" + dir.path().string();
    CHECK_THAT(error_of(all), Contains("several classes") && Contains("class=NUMBER: 0, 1"));
    CHECK_THAT(error_of(all + ",class=2"), Contains("they have: 0, 1"));
    const Dataset dataset = read_dataset(all + ",class=1");
    CHECK(images_of(dataset) == std::vector<std::string>{"b.pgm", "train/images/a.pgm"});
    CHECK(dataset.face_count() == 2);
    CHECK(dataset.samples[0].faces[0].box == Box{4, 8, 2, 4});
    CHECK(read_dataset(all + ",class=0").face_count() == 1);
}

TEST_CASE("yolo: broken labels", "[dataset][yolo]") {
    CHECK(refused("0 0.5 0.5 1 1\n") == "read");
    CHECK(refused("") == "read");
    CHECK_THAT(refused("0 0.5 0.5 1\n"), Contains("a.txt:1:"));
    CHECK_THAT(refused("0 0.5 0.5 1 1 0.1 0.1 0.2 0.2\n"), Contains("outlines"));
    CHECK_THAT(refused("0 0.5 0.5 1 nan\n"), Contains("a.txt:1:"));
    CHECK_THAT(refused("0 0.5 0.5 1 1\n0 100 50 20 20\n"), Contains("a.txt:2:") && Contains("from 0 to 1"));
    CHECK_THAT(refused("0 0.5 0.5 -0.1 1\n"), Contains("from 0 to 1"));
    CHECK_THAT(refused("face 0.5 0.5 1 1\n"), Contains("a.txt:1:"));
    CHECK_THAT(refused("0.5 0.5 0.5 1 1\n"), Contains("a class"));
    const TempDir dir;
    dir.write("a.pgm", "x");
    CHECK_THAT(error_of("yolo:" + dir.path().string()), Contains("no image with labels"));
}

TEST_CASE("The size of an image is that of the decoded one", "[dataset][image]") {
    const TempDir dir;
    const ByteVector jpeg = encode_jpeg(colour_picture(13, 7), TJSAMP_420);
    const std::vector<std::pair<std::string, ByteVector>> files{
        {"plain.jpg", jpeg},
        {"turned.jpg", with_exif(jpeg, make_exif(6, true))},
        {"mirrored.jpg", with_exif(jpeg, make_exif(2, false))},
        {"a.png", encode(".png", colour_picture(13, 7))},
        {"a.pgm", encode(".pgm", grey_picture(13, 7))},
        {"a.bmp", encode(".bmp", colour_picture(13, 7))},
        {"a.tif", encode(".tiff", grey_picture(13, 7))},
        {"a.jpg.gz", gzip(with_exif(jpeg, make_exif(6, true)))},
    };
    for (const auto& [name, bytes] : files) {
        INFO(name);
        const auto path = dir.write(name, text_of(bytes));
        const bool turned = name == "turned.jpg" || name == "a.jpg.gz";
        CHECK(read_image_size(path) == (turned ? ImageSize{7, 13} : ImageSize{13, 7}));
        const GreyImage image = read_grey_image(path);
        CHECK(read_image_size(path) == ImageSize{image.width, image.height});
    }
    DecodeOptions stored;
    stored.apply_exif_orientation = false;
    CHECK(read_image_size(dir.path() / "turned.jpg", stored) == ImageSize{13, 7});
    DecodeOptions small;
    small.max_pixels = 90;
    CHECK_THROWS_AS(read_image_size(dir.path() / "plain.jpg", small), ImageError);
    CHECK_THROWS_AS(read_image_size(dir.write("text.jpg", "text")), ImageError);
    CHECK_THROWS_AS(read_image_size(dir.path() / "absent.jpg"), ImageError);
    // Cut off behind the header: the size is still known.
    CHECK(read_image_size(dir.write("c.bmp", text_of(encode(".bmp", colour_picture(13, 7))).substr(0, 60))) ==
          ImageSize{13, 7});
    CHECK_THROWS_AS(read_image_size(dir.write("d.jpg", text_of(jpeg).substr(0, 20))), ImageError);
}

namespace {

/// Labels in two files, of images of 100 x 100 pixels.
Dataset labelled(const std::string& a, const std::string& b) {
    const TempDir dir;
    dir.write("a.pgm", picture(".pgm", 100, 100));
    dir.write("b.pgm", picture(".pgm", 100, 100));
    dir.write("a.txt", a);
    dir.write("b.TXT", b);
    return read_dataset("yolo:" + dir.path().string());
}

std::vector<Point> rounded(std::vector<Point> points) {
    for (Point& point : points)
        point = {std::round(point.x * 1000) / 1000, std::round(point.y * 1000) / 1000};
    return points;
}

const std::vector<Point> five_points{{40, 40}, {60, 40}, {50, 52}, {42, 62}, {58, 62}};
constexpr const char* box_of_five = "0 0.5 0.5 0.4 0.5";
constexpr const char* of_two = " 0.40 0.40 0.60 0.40 0.50 0.52 0.42 0.62 0.58 0.62\n";
constexpr const char* of_three = " 0.40 0.40 2 0.60 0.40 2 0.50 0.52 2.0 0.42 0.62 2 0.58 0.62 2\n";

}  // namespace

TEST_CASE("spellings: YOLO labels with points", "[dataset][yolo][spelling]") {
    for (const char* const points : {of_two, of_three}) {
        CAPTURE(points);
        // Some faces may have a box alone.
        const Dataset dataset = labelled(std::string(box_of_five) + points + "0 0.8 0.2 0.1 0.1\n",
                                         std::string("1e0 0.5 0.5 0.4 0.5\n").replace(0, 3, "0.0"));
        REQUIRE(dataset.face_count() == 3);
        CHECK(rounded(dataset.samples[0].faces[0].landmarks) == five_points);
        CHECK(dataset.samples[0].faces[0].box == Box{30, 25, 40, 50});
        CHECK_FALSE(dataset.samples[0].faces[0].keypoints.is_set());
        CHECK(dataset.samples[0].faces[1].landmarks.empty());
        CHECK(dataset.warnings.empty());
    }
    // Points that are hidden, and points that are not known, in both ways.
    const Dataset hidden =
        labelled("0 0.5 0.5 0.4 0.5 0.40 0.40 2 0.60 0.40 1 0.50 0.52 2 0.42 0.62 2 0.58 0.62 2\n", "");
    CHECK(hidden.samples[0].faces[0].landmarks.size() == 5);
    CHECK(hidden.samples[0].faces[0].keypoints->at(1).visibility == Keypoint::Visibility::hidden);
    for (const char* const unknown : {" 0.40 0.40 -1 -1 0.50 0.52 0.42 0.62 0.58 0.62\n",
                                      " 0.40 0.40 0 0 0.50 0.52 0.42 0.62 0.58 0.62\n",
                                      " 0.40 0.40 2 0 0 0 0.50 0.52 2 0.42 0.62 2 0.58 0.62 2\n",
                                      " 0.40 0.40 2 -1 -1 0 0.50 0.52 2 0.42 0.62 2 0.58 0.62 2\n"}) {
        CAPTURE(unknown);
        const Dataset dataset = labelled(std::string(box_of_five) + unknown, "");
        const Face& face = dataset.samples[0].faces.at(0);
        CHECK(face.landmarks.empty());
        REQUIRE(face.keypoints.is_set());
        CHECK(face.keypoints->size() == 5);
        CHECK(face.keypoints->at(1).visibility == Keypoint::Visibility::unlabelled);
        CHECK(warns(dataset, "1 face has some points only"));
    }
    // Both 2 and 3 divide the numbers of six points; every third one tells whether it is a visibility.
    std::string many_two = box_of_five, many_three = box_of_five;
    for (int i = 0; i < 6; ++i) {
        const std::string point = " 0." + std::to_string(35 + 5 * i) + " 0." + std::to_string(62 - 5 * i);
        many_two += point;
        many_three += point + " 2";
    }
    CHECK(labelled(many_two + "\n", "").samples[0].faces.at(0).landmarks.size() == 6);
    CHECK(labelled(many_three + "\n", "").samples[0].faces.at(0).landmarks.size() == 6);
}

TEST_CASE("spellings: YOLO labels that are outlines are refused", "[dataset][yolo][spelling]") {
    const auto error = [](const std::string& labels) {
        try {
            labelled(labels, "");
        } catch (const Error& refused) {
            return std::string(refused.what());
        }
        return std::string("read");
    };
    for (const char* const outline :
         {"0 0.1 0.1 0.5 0.1 0.5 0.5 0.1 0.5\n",                                // a rectangle
          "0 0.3 0.3 0.5 0.3 0.5 0.5 0.3 0.5\n",                                // another, about the middle
          "0 0.5 0.5 0.6 0.5 0.6 0.6\n",                                        // a triangle
          "0 0.5 0.3 0.65 0.35 0.7 0.5 0.65 0.65 0.5 0.7 0.35 0.65 0.3 0.5\n",  // round, from the top
          "0 0.45 0.55 0.52 0.5 0.6 0.52 0.58 0.6 0.5 0.62\n",
          "0 0.9 0.9 0.95 0.9 0.95 0.95 0.9 0.95\n0 0.5 0.5 0.6 0.5 0.6 0.6 0.5 0.6\n",
          "0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2\n0 0.1 0.1 0.2 0.1 0.2 0.2\n"}) {  // of several numbers of
                                                                                // points
        CAPTURE(outline);
        CHECK_THAT(error(outline), Contains("a.txt:") && Contains("outlines"));
    }
    // A column more is no point, nor do all lines have as many.
    CHECK_THAT(error("0 0.5 0.5 0.4 0.5 0.9\n"), Contains("a.txt:1:"));
    CHECK_THAT(error(std::string(box_of_five) + of_two + box_of_five + of_three), Contains("a.txt:2:"));
    CHECK_THAT(error(std::string(box_of_five) + " 40 40 60 40 50 52 42 62 58 62\n"), Contains("from 0 to 1"));
}
