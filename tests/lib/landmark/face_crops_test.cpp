#include "lib/landmark/face_crops.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/job/stages/crop_writer.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Names = std::vector<std::string>;

namespace {

// All landmarks of an eye at its centre.
Detection with_eyes(double left_x, double left_y, double right_x, double right_y) {
    Detection detection;
    std::vector<Point>& landmarks = detection.details.edit().landmarks;
    landmarks.assign(68, {-50, -50});
    for (std::size_t i = 36; i < 42; ++i) landmarks[i] = {left_x, left_y};
    for (std::size_t i = 42; i < 48; ++i) landmarks[i] = {right_x, right_y};
    return detection;
}

Dataset dataset_of(const std::filesystem::path& root, const Names& images) {
    Dataset dataset;
    dataset.root = root;
    for (const std::string& image : images) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = image;
        sample.path = root / image;
    }
    return dataset;
}

}  // namespace

TEST_CASE("the eyes of landmarks are the means about them", "[landmark][face-crop]") {
    std::vector<Point> points(68);
    for (std::size_t i = 0; i < 6; ++i) {
        points[36 + i] = {10.0 + static_cast<double>(i), 20};
        points[42 + i] = {40, 20 + 2 * static_cast<double>(i)};
    }
    CHECK(eyes_of_landmarks(points) == CropEyes{{12.5, 20}, {40, 25}});
    CHECK(eyes_of_landmarks(std::vector<Point>{{9, 2}, {7, 2}, {1, 3}, {3, 3}, {5, 6}}) ==
          CropEyes{{2, 3}, {8, 2}});
    CHECK_FALSE(eyes_of_landmarks({}));
    CHECK_FALSE(eyes_of_landmarks(std::vector<Point>(67)));
    // A device takes the eyes from integers in quarters of pixels.
    std::vector<std::int32_t> positions;
    for (Point& point : points) {
        for (double* value : {&point.x, &point.y}) {
            positions.push_back(static_cast<std::int32_t>(positions.size() * 7919 % 4001) - 900);
            *value = positions.back() / 4.0;
        }
    }
    CHECK(eyes_of_landmarks(points) == eyes_of_positions(positions.data(), eye_landmarks(68), 4));
}

TEST_CASE("crops follow the detections; faces without eyes have none", "[landmark][face-crop]") {
    const GreyImage image = noise(150, 160, 9);
    const std::vector<Detection> detections{with_eyes(30, 45, 100, 45), Detection{},
                                            with_eyes(50, 50, 50, 50), with_eyes(32, 47, 102, 47)};
    const std::vector<GreyImage> crops = face_crops(image.view(), detections);
    REQUIRE(crops.size() == 4);
    CHECK(crops[1].empty());
    CHECK(crops[2].empty());
    REQUIRE((crops[0].width == 130 && crops[0].height == 150));
    REQUIRE(crops[3].pixels.size() == 130 * 150);
    for (const auto& [x, y] : {std::pair{0, 0}, {129, 149}, {30, 45}, {77, 3}}) {
        CHECK(crops[0].view()(x, y) == image.view()(x, y));
        CHECK(crops[3].view()(x, y) == image.view()(x + 2, y + 2));
    }
    const CropGeometry small{{8, 4}, {{1, 1}, {5, 1}}};
    const auto tiny = face_crops(image.view(), detections, small);
    CHECK(tiny[0].pixels.size() == 32);
    CHECK(tiny[0].view()(1, 1) == image.view()(30, 45));
    CHECK(tiny[0].view()(5, 1) == image.view()(100, 45));
    CHECK_THROWS_AS(face_crops(image.view(), {}, {{0, 0}, {}}), std::invalid_argument);
}

TEST_CASE("stems of crops are unique and lead nowhere else", "[landmark][face-crop]") {
    CHECK(crop_stems({"a.jpg", "b/c.png", "b/d"}) == Names{"a", "b/c", "b/d"});
    CHECK(crop_stems({"a.jpg", "a.png", "b.png"}) == Names{"a.jpg", "a.png", "b"});
    CHECK(crop_stems({"../../etc/x.jpg", "/etc/y.jpg", "./z.jpg", "..", ""}) ==
          Names{"etc/x", "etc/y", "z", "image", "image_"});
    // Backslashes lead out of a folder where they are separators.
    CHECK(crop_stems({"..\\x.jpg", "a\\b.jpg", "\\y.jpg"}) == Names{".._x", "a\\b", "_y"});
    CHECK(crop_stems({"a.jpg", "a.jpg", "a.jpg"}) == Names{"a.jpg", "a.jpg_", "a.jpg__"});
    CHECK(crop_stems({"photo.1.jpg", "photo.2.jpg"}) == Names{"photo.1", "photo.2"});
    CHECK(crop_stems({".hidden", "x/.jpg"}) == Names{".hidden", "x/.jpg"});
    CHECK(crop_stems({}).empty());
    // Names that file systems or people cannot bear.
    CHECK(crop_stems({"a\nb\tc.jpg", "a_b_c.jpg"}) == Names{"a_b_c.jpg", "a_b_c.jpg_"});
    const std::string umlauts = "\xC3\xA4" + std::string(99, 'x');
    const Names long_names = crop_stems({umlauts + umlauts + "1.jpg", umlauts + umlauts + "2.jpg"});
    CHECK(long_names[0] != long_names[1]);
    for (const std::string& name : long_names) {
        CHECK(name.size() < 200);
        CHECK(name.starts_with(umlauts + "\xC3\xA4xxx"));
    }
    // Cut between characters: the 160th byte is the second of one.
    const std::string odd = crop_stems({"x" + std::string(79, 'y') + std::string(80, 'z') +
                                        [] {
                                            std::string tail;
                                            for (int i = 0; i < 40; ++i) tail += "\xC3\xA4";
                                            return tail;
                                        }()})
                                .at(0);
    CHECK(is_utf8(odd));
}

TEST_CASE("crops are written into folders that are made, and read back", "[landmark][face-crop]") {
    const TempDir folder;
    const Dataset dataset = dataset_of(folder.path() / "in", {"one.jpg", "sub/two.jpg", "../three.jpg"});
    const GreyImage image = noise(150, 160, 9);
    const ImageList images = ImageList::of(dataset);
    CropWriter writer(folder.path() / "crops", images);
    CHECK(std::filesystem::is_directory(folder.path() / "crops"));
    CHECK(writer.write_aligned(0, image.view(), {with_eyes(30, 45, 100, 45)}) == Names{"one-1.png"});
    CHECK(writer.write_aligned(1, image.view(), {Detection{}, with_eyes(35, 50, 80, 60)}) ==
          Names{"", "sub/two-2.png"});
    CHECK(writer.write_aligned(2, image.view(), {with_eyes(30, 45, 100, 45), with_eyes(1, 2, 3, 4)}) ==
          Names{"three-1.png", "three-2.png"});
    CHECK(writer.write_aligned(2, image.view(), {}).empty());
    const auto out = folder.path() / "crops";
    const GreyImage read = read_grey_image(out / "one-1.png");
    CHECK(read.pixels == face_crops(image.view(), std::vector{with_eyes(30, 45, 100, 45)})[0].pixels);
    CHECK_FALSE(std::filesystem::exists(out / "sub/two-1.png"));
    CHECK(std::filesystem::is_regular_file(out / "sub/two-2.png"));
    CHECK(std::filesystem::is_regular_file(out / "three-2.png"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out/three-1.png"));
}

TEST_CASE("crops do not overwrite images of the dataset, nor files in the place of folders",
          "[landmark][face-crop]") {
    const TempDir folder;
    folder.write("in/a-1.png", "an image");
    folder.write("in/a-2.png", "another file");
    const Dataset dataset = dataset_of(folder.path() / "in", {"a.png", "a-1.png"});
    const GreyImage image = noise(150, 160, 9);
    const ImageList images = ImageList::of(dataset);
    InputFiles inputs;
    add_inputs(images, inputs);
    CropWriter writer({folder.path() / "in", inputs}, images);
    CHECK_THROWS_WITH(writer.write_aligned(0, image.view(), {with_eyes(30, 45, 100, 45)}),
                      Contains("a-1.png") && Contains("input"));
    folder.write("x.pgm", "P5 1 1 255 a");
    CHECK(writer.write_aligned(0, image.view(), {Detection{}, with_eyes(30, 45, 100, 45)}) ==
          Names{"", "a-2.png"});
    CHECK(read_grey_image(folder.path() / "in/a-2.png").width == 130);
    CHECK(std::filesystem::file_size(folder.path() / "in/a-1.png") == 8);
    CHECK_THROWS_AS(CropWriter(folder.path() / "x.pgm", images), UsageError);
    CHECK_THROWS_AS(CropWriter(folder.path() / "x.pgm/crops", images), UsageError);
}

TEST_CASE("a mean shape's eyes are carried into the image by all landmarks", "[landmark][face-crop]") {
    // A shape turned by a right angle, doubled and moved: (x, y) becomes (50 - 2 y, 20 + 2 x).
    std::vector<float> shape;
    std::vector<Point> landmarks;
    for (int i = 0; i < 68; ++i) {
        const float x = static_cast<float>(i * 37 % 64), y = static_cast<float>(i * 11 % 32);
        shape.insert(shape.end(), {x, y});
        landmarks.push_back({50 - 2 * static_cast<double>(y), 20 + 2 * static_cast<double>(x)});
    }
    const auto exact = eyes_of_landmarks(landmarks);
    const auto fitted = fitted_eyes(landmarks, shape);
    REQUIRE(fitted);
    CHECK(fitted->left.x == Approx(exact->left.x));
    CHECK(fitted->right.y == Approx(exact->right.y));
    // One eye that is off by 34 pixels moves the fitted ones by far less than itself.
    for (std::size_t i = 36; i < 42; ++i) landmarks[i].x += 34;
    const auto disturbed = fitted_eyes(landmarks, shape);
    CHECK(std::abs(disturbed->left.x - exact->left.x) < 8);
    CHECK_FALSE(fitted_eyes(landmarks, std::vector<float>(10)));
    CHECK_FALSE(fitted_eyes(landmarks, std::vector<float>(136, 1.0F)));
}
