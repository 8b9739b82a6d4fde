#include "lib/dataset/stored_pixels.hpp"

#include <catch2/catch.hpp>
#include <turbojpeg.h>

#include "tests/lib/dataset/support.hpp"
#include "tests/support/encoders.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

// Stored with 40 columns and 24 rows.
constexpr ImageSize stored_size{40, 24}, turned_size{24, 40};

std::string photograph(int orientation) {
    const ByteVector jpeg = encode_jpeg(colour_picture(stored_size.width, stored_size.height), TJSAMP_420);
    const ByteVector bytes = with_exif(jpeg, make_exif(orientation, false));
    return {bytes.begin(), bytes.end()};
}

struct Annotated {
    std::string image;
    std::optional<ImageSize> size;  ///< stated
    Box box;
};

/// A COCO set of images that are there, one face each.
Dataset read_coco(const TempDir& dir, const std::vector<Annotated>& annotated) {
    std::string images, faces;
    for (std::size_t i = 0; i < annotated.size(); ++i) {
        const auto& [image, size, box] = annotated[i];
        const std::string id = std::to_string(i + 1), separator = i > 0 ? "," : "";
        images += separator + R"({"id":)" + id + R"(,"file_name":")" + image + "\"";
        if (size)
            images +=
                ",\"width\":" + std::to_string(size->width) + ",\"height\":" + std::to_string(size->height);
        images += "}";
        faces += separator + R"({"id":)" + id + R"(,"image_id":)" + id + R"(,"category_id":1,"bbox":[)" +
                 std::to_string(box.x) + "," + std::to_string(box.y) + "," + std::to_string(box.w) + "," +
                 std::to_string(box.h) + "]}";
    }
    const auto file = dir.write("set.json", R"({"images":[)" + images + R"(],"annotations":[)" + faces +
                                                R"(],"categories":[{"id":1,"name":"face"}]})");
    return read_dataset("coco:" + file.string() + ",images=" + dir.path().string());
}

Box box_of(const Dataset& dataset, std::size_t sample = 0) {
    return dataset.samples.at(sample).faces.at(0).box;
}

}  // namespace

TEST_CASE("annotations of stored pixels are turned with their pictures", "[dataset]") {
    const TempDir dir;
    // The stored box at (30, 2), 6 wide and 4 high, as it is displayed: by hand.
    const std::pair<int, Box> displayed[] = {{1, {30, 2, 6, 4}},  {2, {4, 2, 6, 4}},  {3, {4, 18, 6, 4}},
                                             {4, {30, 18, 6, 4}}, {5, {2, 30, 4, 6}}, {6, {18, 30, 4, 6}},
                                             {7, {18, 4, 4, 6}},  {8, {2, 4, 4, 6}}};
    for (const auto& [orientation, box] : displayed) {
        INFO("orientation " << orientation);
        dir.write("a.jpg", photograph(orientation));
        dir.write("b.jpg", photograph(6));
        // The second image says on which pixels the set was made.
        const Dataset dataset =
            read_coco(dir, {{"a.jpg", stored_size, {30, 2, 6, 4}}, {"b.jpg", stored_size, {30, 2, 6, 4}}});
        CHECK(box_of(dataset) == box);
        CHECK(dataset.samples[0].size == (orientation >= 5 ? turned_size : stored_size));
        CHECK(box_of(dataset, 1) == Box{18, 30, 4, 6});
        CHECK(warns(dataset, "made on stored pixels"));
    }
}

TEST_CASE("sizes and boxes say on which pixels an annotation was made", "[dataset]") {
    const TempDir dir;
    dir.write("a.jpg", photograph(6));
    dir.write("b.jpg", photograph(8));
    dir.write("plain.jpg", photograph(1));
    const Box wide{30, 2, 6, 4}, high{2, 30, 6, 4}, both{3, 4, 5, 6};
    // Made on the displayed pictures: nothing to say.
    Dataset dataset = read_coco(dir, {{"a.jpg", turned_size, high}, {"plain.jpg", stored_size, wide}});
    CHECK(box_of(dataset) == high);
    CHECK(box_of(dataset, 1) == wide);
    CHECK_FALSE(warns(dataset, "EXIF"));
    // The stored sizes, and boxes that may be on either.
    dataset = read_coco(dir, {{"a.jpg", stored_size, both}, {"plain.jpg", stored_size, wide}});
    CHECK(box_of(dataset) == Box{14, 3, 6, 5});
    CHECK(box_of(dataset, 1) == wide);
    CHECK(dataset.samples[0].size == turned_size);
    CHECK(warns(dataset, "of 1 photograph was made on stored pixels"));
    // The stored sizes, and boxes on displayed pixels: one of them says so for all.
    dataset = read_coco(dir, {{"a.jpg", stored_size, both}, {"b.jpg", stored_size, high}});
    CHECK(box_of(dataset) == both);
    CHECK(box_of(dataset, 1) == high);
    CHECK(dataset.samples[0].size == turned_size);
    CHECK(warns(dataset, "states the size of the stored pixels of 2 photographs"));
    // No sizes: the boxes alone.
    dataset = read_coco(dir, {{"a.jpg", std::nullopt, both}, {"b.jpg", std::nullopt, wide}});
    CHECK(box_of(dataset) == Box{14, 3, 6, 5});
    CHECK(box_of(dataset, 1) == Box{2, 4, 4, 6});
    CHECK_FALSE(dataset.samples[0].size);
    CHECK(warns(dataset, "of 2 photographs was made on stored pixels"));
    dataset = read_coco(dir, {{"a.jpg", std::nullopt, both}, {"b.jpg", std::nullopt, high}});
    CHECK(box_of(dataset) == both);
    CHECK_FALSE(warns(dataset, "EXIF"));
    // Nothing says it.
    dataset = read_coco(dir, {{"a.jpg", std::nullopt, both}, {"plain.jpg", std::nullopt, wide}});
    CHECK(box_of(dataset) == both);
    CHECK(warns(dataset, "EXIF turns 1 photograph for display; neither"));
    // Another size is no size of these pixels; files that are not there tell nothing.
    dataset = read_coco(dir, {{"a.jpg", ImageSize{80, 48}, wide}, {"absent.jpg", stored_size, wide}});
    CHECK(box_of(dataset) == wide);
    CHECK(box_of(dataset, 1) == wide);
    CHECK_FALSE(warns(dataset, "EXIF"));
    // Pictures as they are stored.
    DatasetOptions options;
    options.is_as_displayed = false;
    read_coco(dir, {{"a.jpg", stored_size, wide}});
    dataset = read_dataset("coco:" + (dir.path() / "set.json").string(), options);
    CHECK(box_of(dataset) == wide);
    CHECK_FALSE(warns(dataset, "EXIF"));
}

TEST_CASE("all marks of a face are turned", "[dataset]") {
    const TempDir dir;
    Dataset dataset;
    Sample sample;
    sample.image = "a.jpg";
    sample.path = dir.write("a.jpg", photograph(6));
    sample.size = stored_size;
    Face face;
    face.box = {30, 2, 6, 4};
    face.eyes = Eyes{{32, 3}, {34, 2}};
    face.landmarks = {{31, 5}};
    face.keypoints.edit() = {{{31, 5}, Keypoint::Visibility::visible},
                             {{0, 0}, Keypoint::Visibility::unlabelled}};
    face.ellipse = Ellipse{{33, 4}, 5, 2, 0.5};
    sample.faces = {face};
    sample.eyes = face.eyes;
    dataset.samples = {sample};
    turn_stored_annotations(dataset);
    const Face& turned = dataset.samples[0].faces[0];
    // Turned clockwise, the pixel (x, y) comes to (23 - y, x).
    CHECK(turned.eyes == Eyes{{20, 32}, {21, 34}});
    CHECK(dataset.samples[0].eyes == turned.eyes);
    CHECK(turned.landmarks == std::vector<Point>{{18, 31}});
    CHECK((*turned.keypoints)[0].point == Point{18, 31});
    CHECK((*turned.keypoints)[1].point == Point{0, 0});
    CHECK(turned.ellipse->centre == Point{19, 33});
    CHECK(turned.ellipse->major_radius == 5);
    // An axis that pointed along (cos 0.5, sin 0.5) points along (-sin 0.5, cos 0.5).
    CHECK(std::cos(2 * turned.ellipse->angle_rad) == Approx(std::cos(2 * (0.5 + 1.5707963267948966))));
    CHECK(std::sin(2 * turned.ellipse->angle_rad) == Approx(std::sin(2 * (0.5 + 1.5707963267948966))));
}

TEST_CASE("every format with EXIF orientation tells it from its beginning", "[dataset][image]") {
    const TempDir dir;
    const cv::Mat picture = colour_picture(40, 24);
    ByteVector exif = make_exif(6, true);
    ByteVector png = encode(".png", picture);
    const ByteVector chunk = png_chunk("eXIf", {exif.begin() + 6, exif.end()});
    png.insert(png.begin() + 33, chunk.begin(), chunk.end());
    const ByteVector tiff = make_tiff(40, 24, ByteVector(960), {{258, 8}, {262, 1}, {274, 6}});
    for (const auto& [name, bytes] : {std::pair<std::string, ByteVector>{"a.png", png}, {"a.tif", tiff}}) {
        INFO(name);
        dir.write(name, {bytes.begin(), bytes.end()});
        const Dataset dataset = read_coco(dir, {{name, stored_size, {30, 2, 6, 4}}});
        CHECK(box_of(dataset) == Box{18, 30, 4, 6});
        CHECK(dataset.samples[0].size == turned_size);
    }
}
