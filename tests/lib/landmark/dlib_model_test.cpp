// Files of dlib's shape_predictor: written by hand, by dlib itself, and by those who mean harm.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "kernels/landmark/find_landmarks.hpp"
#include "lib/core/error.hpp"
#include "lib/files/dlib/packed_reader.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "tests/reference/dlib_landmarks.hpp"
#include "tests/support/dlib_models.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string bytes_of(std::initializer_list<int> values) {
    std::string bytes;
    for (const int value : values) bytes += static_cast<char>(value);
    return bytes;
}

std::vector<std::int32_t> found(const LandmarkModel& model, const GreyImage& image,
                                const std::vector<Rect>& boxes) {
    std::vector<LandmarkTask> tasks;
    for (const Rect& box : boxes) tasks.push_back({0, box});
    std::vector<std::int32_t> positions(boxes.size() * model.initial_shape.size());
    const ImageView<const std::uint8_t> view = image.view();
    find_landmarks(model, make_landmark_tables(model), {&view, 1}, tasks, positions.data());
    return positions;
}

// The error of a file, or "none".
std::string problem(std::string_view bytes) {
    try {
        parse_dlib_model(bytes, "face.dat");
        return "none";
    } catch (const Error& error) {
        REQUIRE_THAT(error.what(), Contains("face.dat is not a landmark model") && Contains("at offset "));
        return error.what();
    }
}

// An Error, or a model that can be evaluated.
void survive(std::string_view bytes) {
    static const GreyImage image = noise(40, 30, 3);
    LandmarkModel model;
    try {
        model = parse_dlib_model(bytes, "face.dat");
    } catch (const Error&) {
        return;
    }
    check_landmark_model(model);
    if (model.trees() > 1000 || model.points > 100) return;
    found(model, image,
          {{5, 4, 20, 20}, {-7, 3, 60, 9}, {0, 0, 1, 1}, {3, 3, 9, 9}, {4, 3, 8, 8}, {5, 5, 5, 5}});
}

// Two points, the corners of the box. The first cascade compares the grey values under them, the second looks
// 0.4 right of the first, in the direction and scale of the shape as it is by then.
DlibModel two_points() {
    DlibModel model;
    model.initial_shape = {0, 0, 1, 1};
    DlibCascade first;
    first.trees = {{{{0, 1, 50}}, {{0.5F, 0, 0, 0}, {0, 0, -0.5F, 0}}}};
    first.anchors = {0, 1};
    first.deltas = {{0, 0}, {0, 0}};
    DlibCascade second;
    second.trees = {{{{0, 1, 99.5F}}, {{0, 0, 0, 0.5F}, {0, 0, 0, -0.25F}}}};
    second.anchors = {0, 0};
    second.deltas = {{0.4F, 0}, {0, 0}};
    model.cascades = {first, second};
    return model;
}

}  // namespace

TEST_CASE("dlib's encoding of numbers, by the bytes that dlib writes", "[landmark][dlib]") {
    const std::vector<std::pair<std::int64_t, std::string>> integers{
        {1, bytes_of({0x01, 0x01})},
        {0, bytes_of({0x01, 0x00})},
        {-300, bytes_of({0x82, 0x2c, 0x01})},
        {std::numeric_limits<std::int64_t>::max(),
         bytes_of({0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})}};
    for (const auto& [value, bytes] : integers) {
        CHECK(dlib_integer(value) == bytes);
        PackedReader reader(bytes, "face.dat", fail_to_read_landmarks);
        CHECK(reader.integer("a number") == value);
        CHECK(reader.left() == 0);
    }
    const std::vector<std::pair<float, std::string>> reals{
        {1.5F, bytes_of({0x01, 0xc0, 0x81, 0x07})},
        {0.0F, bytes_of({0x01, 0x00, 0x01, 0x28})},
        {-0.1F, bytes_of({0x83, 0xcd, 0xcc, 0xcc, 0x81, 0x1b})}};
    for (const auto& [value, bytes] : reals) {
        CHECK(dlib_real(value) == bytes);
        PackedReader reader(bytes, "face.dat", fail_to_read_landmarks);
        CHECK(reader.real("a number") == value);
        CHECK(reader.left() == 0);
    }
    for (const float value :
         {std::numeric_limits<float>::max(), std::numeric_limits<float>::min(), 1e-45F, -1e-40F, 16777217.0F,
          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 3.1415927F}) {
        const std::string bytes = dlib_real(value);
        CHECK(PackedReader(bytes, "face.dat", fail_to_read_landmarks).real("a number") == value);
    }
    const std::string nan = dlib_real(std::nanf(""));
    CHECK(std::isnan(PackedReader(nan, "face.dat", fail_to_read_landmarks).real("a number")));
    // Mantissas and exponents that no float has: rounded, or 0, or infinite.
    const auto real = [](std::int64_t mantissa, std::int64_t exponent) {
        const std::string bytes = dlib_integer(mantissa) + dlib_integer(exponent);
        return PackedReader(bytes, "face.dat", fail_to_read_landmarks).real("a number");
    };
    CHECK(real(16777217, 0) == 16777216.0F);
    CHECK(real(1, -30000) == 0);
    CHECK(std::isinf(real(1, 31999)));
    CHECK(real(3, 200) == std::numeric_limits<float>::infinity());
    CHECK(real(3, -150) == 3 * std::ldexp(1.0F, -149) / 2 + 0);
    CHECK_THROWS_WITH(real(1, 32768), Contains("beyond 16 bits"));
}

TEST_CASE("numbers that cannot be are refused", "[landmark][dlib]") {
    const auto reading = [](const std::string& bytes) {
        PackedReader reader(bytes, "face.dat", fail_to_read_landmarks);
        return reader.integer("a number");
    };
    CHECK_THROWS_WITH(reading(""), Contains("offset 0") && Contains("ends within a number"));
    CHECK_THROWS_WITH(reading(bytes_of({0x01})), Contains("offset 1") && Contains("ends within"));
    CHECK_THROWS_WITH(reading(bytes_of({0x04, 1, 2, 3})), Contains("offset 4") && Contains("ends within"));
    CHECK_THROWS_WITH(reading(bytes_of({0x00, 1})), Contains("cannot be one"));
    CHECK_THROWS_WITH(reading(bytes_of({0x09, 1, 1, 1, 1, 1, 1, 1, 1, 1})), Contains("cannot be one"));
    CHECK_THROWS_WITH(reading(bytes_of({0x11, 1})), Contains("cannot be one"));
    CHECK_THROWS_WITH(reading(bytes_of({0x08, 0, 0, 0, 0, 0, 0, 0, 0x80})), Contains("beyond 63 bits"));
}

TEST_CASE("a model of two points, evaluated by hand", "[landmark][dlib]") {
    const LandmarkModel model = parse_dlib_model(dlib_bytes(two_points()), "face.dat");
    CHECK(model.points == 2);
    CHECK(model.depth == 1);
    CHECK(model.subpixels == 1);
    REQUIRE(model.cascades.size() == 2);
    CHECK(model.cascades[0].trees == 1);
    CHECK(model.cascades[0].splits == std::vector<LandmarkSplit>{{0, 1, 50}});
    CHECK(model.cascades[1].splits == std::vector<LandmarkSplit>{{0, 1, 99}});
    CHECK(model.cascades[1].pixels == std::vector<LandmarkPixel>{{0.4F, 0, 0}, {0, 0, 0}});
    CHECK(model.leaf_stride() == 16);

    // The box's corners are (10, 20) and (20, 40).
    const Rect box{10, 20, 11, 21};
    GreyImage image{50, 50, std::vector<std::uint8_t>(2500)};
    const auto at = [&](int x, int y) -> std::uint8_t& {
        return image.pixels[static_cast<std::size_t>(y) * 50 + static_cast<std::size_t>(x)];
    };
    using Positions = std::vector<std::int32_t>;
    // 151 - 100 > 50: the first point moves half a box to the right. From (0,0)-(1,1) to (0.5,0)-(1,1) is a
    // turn and scale of (0.5 + i) / (1 + i) = 0.75 + 0.25 i, so that 0.4 to the right is (0.3, 0.1): pixel
    // (18, 22).
    at(10, 20) = 151;
    at(20, 40) = 100;
    at(18, 22) = 100;
    CHECK(found(model, image, {box}) == Positions{15, 20, 20, 50});
    at(18, 22) = 99;
    CHECK(found(model, image, {box}) == Positions{15, 20, 20, 35});
    at(15, 20) = 1;
    at(18, 22) = 101;
    CHECK(found(model, image, {box}) == Positions{15, 20, 20, 50});
    at(18, 22) = 100;
    CHECK(found(model, image, {box}) == Positions{15, 20, 20, 35});
    // 150 - 100 is not above 50: the other point moves to the left; (0.5 + i) / (1 + i) again, from (0, 0):
    // (13, 22).
    at(10, 20) = 150;
    CHECK(found(model, image, {box}) == Positions{10, 20, 15, 35});
    at(13, 22) = 250;
    CHECK(found(model, image, {box}) == Positions{10, 20, 15, 50});
}

TEST_CASE("one point, no trees, no cascades", "[landmark][dlib]") {
    const GreyImage image = noise(30, 30, 1);
    DlibModel none;
    none.initial_shape = {0.5F, 0.25F};
    CHECK(found(parse_dlib_model(dlib_bytes(none), "a"), image, {{10, 10, 11, 21}}) ==
          std::vector<std::int32_t>{15, 15});
    // A cascade without trees, and one of a tree without splits: its leaf is added whatever the image.
    none.cascades.resize(2);
    none.cascades[1].trees = {{{}, {{0.5F, -0.25F}}}};
    const LandmarkModel model = parse_dlib_model(dlib_bytes(none), "a");
    CHECK(model.depth == 0);
    CHECK(found(model, image, {{10, 10, 11, 21}}) == std::vector<std::int32_t>{20, 10});
}

TEST_CASE("trees that are less deep than others get the same depth", "[landmark][dlib]") {
    DlibModel model = two_points();
    // Beside a tree of one split, one of none and one of three.
    model.cascades[0].trees.push_back({{}, {{0, 0.125F, 0, 0}}});
    model.cascades[0].trees.push_back({{{0, 1, 300}, {0, 1, -1}, {0, 1, 0}},
                                       {{9, 9, 9, 9}, {9, 9, 9, 9}, {0, 0, 0.25F, 0}, {0, 0, 0.5F, 0}}});
    const LandmarkModel read = parse_dlib_model(dlib_bytes(model), "a");
    CHECK(read.depth == 2);
    CHECK(read.cascades[0].trees == 3);
    const GreyImage bright{50, 50, std::vector<std::uint8_t>(2500, 200)};
    const std::vector<std::int32_t> expected = DlibLandmarks([&] {
                                                   DlibModel absolute = model;
                                                   absolute.cascades[0].deltas[1] = {1, 1};
                                                   return absolute;
                                               }())
                                                   .find(test::DlibImage(bright.view()), {10, 20, 9, 17});
    CHECK(found(read, bright, {{10, 20, 9, 17}}) == expected);
    // All differences are 0, so that the three trees add (-0.5 to x1), (0.125 to y0) and (0.5 to x1); the
    // second cascade takes 0.25 from y1. Corners (10, 20) and (18, 36).
    CHECK(expected == std::vector<std::int32_t>{10, 22, 18, 32});
}

TEST_CASE("thresholds that are not numbers, or beyond all differences", "[landmark][dlib]") {
    DlibModel model = two_points();
    const auto threshold = [&](float value) {
        model.cascades[0].trees[0].splits[0].threshold = value;
        return int{parse_dlib_model(dlib_bytes(model), "a").cascades[0].splits[0].threshold};
    };
    CHECK(threshold(std::nanf("")) == 255);
    CHECK(threshold(std::numeric_limits<float>::infinity()) == 255);
    CHECK(threshold(-std::numeric_limits<float>::infinity()) == -256);
    CHECK(threshold(1e30F) == 255);
    CHECK(threshold(-255.5F) == -256);
    CHECK(threshold(254.99F) == 254);
    CHECK(threshold(-0.0F) == 0);
    CHECK(threshold(-1e-30F) == -1);
}

TEST_CASE("what dlib writes is read, and gives dlib's points", "[landmark][dlib]") {
    const GreyImage image = smooth_noise(160, 120, 2, 5);
    const std::vector<RandomModel> kinds{
        {1, 3, 4, 2, 6, 0.1},   {3, 3, 4, 3, 9, 0.1},    {5, 2, 5, 0, 3, 0.1},     {5, 3, 6, 1, 1, 0.1},
        {5, 4, 8, 4, 40, 0.05}, {68, 2, 5, 5, 60, 0.05}, {7, 2, 4, 6, 30, 0.1},    {3, 0, 0, 0, 0, 0.1},
        {4, 2, 0, 0, 2, 0.1},   {9, 12, 3, 2, 20, 0.02}, {17, 1, 40, 3, 300, 0.01}};
    std::uint32_t seed = 0;
    std::size_t compared = 0;
    for (int round = 0; round < 6; ++round) {
        for (const RandomModel& kind : kinds) {
            const DlibModel made = random_dlib_model(kind, ++seed);
            const DlibLandmarks dlib(made);
            const std::string bytes = dlib.bytes();
            const LandmarkModel model = parse_dlib_model(bytes, "face.dat");
            CAPTURE(seed, kind.points, kind.depth, kind.trees);
            REQUIRE(model.points == kind.points);
            REQUIRE(model.cascades.size() == made.cascades.size());
            std::vector<Rect> boxes{{40, 30, 60, 60},    {-30, -20, 50, 70}, {140, 100, 60, 60},
                                    {50, 50, 1, 1},      {20, 40, 2, 3},     {-500, 700, 90, 90},
                                    {-50, -60, 400, 300}};
            for (int i = 0; i < 9; ++i) boxes.push_back({20 + 7 * i, 60 - 5 * i, 30 + 11 * i, 40 + 3 * i});
            const std::vector<std::int32_t> ours = found(model, image, boxes);
            for (std::size_t b = 0; b < boxes.size(); ++b) {
                CAPTURE(boxes[b].x, boxes[b].y, boxes[b].width, boxes[b].height);
                const auto first = ours.begin() + static_cast<std::ptrdiff_t>(b * 2 * model.points);
                REQUIRE(std::vector<std::int32_t>(first, first + 2 * model.points) ==
                        dlib.find(test::DlibImage(image.view()), boxes[b]));
                ++compared;
            }
            // The writer of these tests writes what dlib writes.
            DlibModel relative = made;
            for (std::size_t c = 0; c < made.cascades.size(); ++c) {
                for (std::size_t p = 0; p < made.cascades[c].anchors.size(); ++p) {
                    const LandmarkPixel& pixel = model.cascades[c].pixels[p];
                    relative.cascades[c].anchors[p] = pixel.anchor;
                    relative.cascades[c].deltas[p] = {pixel.dx, pixel.dy};
                }
            }
            REQUIRE((bytes == dlib_bytes(relative)));
        }
    }
    CHECK(compared == 6 * 11 * 16);
}

TEST_CASE("a file that ends early is refused wherever it ends", "[landmark][dlib]") {
    for (const DlibModel& model : {two_points(), random_dlib_model({3, 2, 2, 2, 4, 0.1}, 7)}) {
        const std::string bytes = dlib_bytes(model);
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            CAPTURE(length);
            // Memory of its own, so that a sanitizer sees any look beyond.
            const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
            REQUIRE(problem({part.data(), part.size()}) != "none");
        }
        REQUIRE(problem(bytes) == "none");
        CHECK_THAT(problem(bytes + '\0'), Contains("the model ends, but the file continues for 1 byte"));
        CHECK_THAT(problem(bytes + bytes), Contains("the model ends"));
    }
}

TEST_CASE("changed bytes give an error or a model that can be evaluated", "[landmark][dlib]") {
    std::mt19937 random(11);
    for (const DlibModel& model : {two_points(), random_dlib_model({3, 2, 3, 2, 4, 0.1}, 8),
                                   random_dlib_model({1, 1, 2, 5, 3, 0.1}, 9)}) {
        const std::string bytes = dlib_bytes(model);
        for (int i = 0; i < 4000; ++i) {
            std::string changed = bytes;
            const int flips = 1 + static_cast<int>(random() % 4);
            for (int f = 0; f < flips; ++f) {
                changed[random() % changed.size()] = static_cast<char>(random() & 0xFF);
            }
            survive(changed);
        }
    }
}

TEST_CASE("absurd numbers in every place of a file", "[landmark][dlib]") {
    const std::vector<std::int64_t> absurd{-1,
                                           0,
                                           1,
                                           2,
                                           3,
                                           7,
                                           63,
                                           65535,
                                           65536,
                                           1 << 20,
                                           -65536,
                                           32000,
                                           32002,
                                           2147483648,
                                           -2147483648LL,
                                           1LL << 40,
                                           1LL << 62,
                                           std::numeric_limits<std::int64_t>::max(),
                                           -std::numeric_limits<std::int64_t>::max()};
    const std::vector<std::string> numbers = dlib_numbers(two_points());
    std::size_t refused = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (const std::int64_t value : absurd) {
            std::vector<std::string> changed = numbers;
            changed[i] = dlib_integer(value);
            const std::string bytes = joined(changed);
            survive(bytes);
            if (problem(bytes) != "none") ++refused;
        }
    }
    CHECK(refused > numbers.size() * absurd.size() / 4);

    const auto replaced = [&](std::size_t place, std::int64_t value) {
        std::vector<std::string> changed = numbers;
        changed[place] = dlib_integer(value);
        return problem(joined(changed));
    };
    // The version, the shape's rows and columns, its four coordinates of two numbers each, the cascades,
    // trees, splits.
    CHECK_THAT(replaced(0, 2), Contains("offset 0") && Contains("version 2"));
    CHECK_THAT(replaced(1, -3), Contains("3 coordinates"));
    CHECK_THAT(replaced(1, 4), Contains("-4 x 1"));
    CHECK_THAT(replaced(1, -(1LL << 40)), Contains("more than the rest of the file can hold"));
    CHECK_THAT(replaced(2, -2), Contains("4 x 2"));
    CHECK_THAT(replaced(4, 32002), Contains("the initial shape is not a finite number"));
    CHECK_THAT(replaced(11, 1LL << 62), Contains("the number of cascades") && Contains("more than the rest"));
    CHECK_THAT(replaced(11, -1), Contains("the number of cascades, -1, below 0"));
    CHECK_THAT(replaced(12, 1LL << 33), Contains("the number of trees") && Contains("more than the rest"));
    CHECK_THAT(replaced(13, 2), Contains("2 splits") && Contains("2^depth - 1"));
    CHECK_THAT(replaced(14, 2), Contains("a split looks at pixel 2 of 2"));
    CHECK_THAT(replaced(15, 65536), Contains("pixel 65536"));
    CHECK_THAT(replaced(15, -1), Contains("pixel -1"));
    CHECK_THAT(replaced(18, 3), Contains("3 leaves, not 2"));
    CHECK_THAT(replaced(19, -2), Contains("a leaf has 2 coordinates, not the shape's 4"));
}

TEST_CASE("broken models are refused with what is wrong", "[landmark][dlib]") {
    const auto changed = [](const std::function<void(DlibModel&)>& change) {
        DlibModel model = two_points();
        change(model);
        return problem(dlib_bytes(model));
    };
    CHECK_THAT(changed([](DlibModel& m) { m.initial_shape = {}; }), Contains("0 coordinates"));
    CHECK_THAT(changed([](DlibModel& m) { m.initial_shape.assign(8194, 0.5F); }),
               Contains("8194 coordinates"));
    CHECK_THAT(changed([](DlibModel& m) { m.cascades[0].trees[0].leaves[1][3] = std::nanf(""); }),
               Contains("a leaf is not a finite number"));
    CHECK_THAT(changed([](DlibModel& m) {
                   m.cascades[1].trees[0].leaves[0][0] = std::numeric_limits<float>::infinity();
               }),
               Contains("a leaf is not a finite number"));
    CHECK_THAT(changed([](DlibModel& m) { m.cascades[1].deltas[0].second = std::nanf(""); }),
               Contains("a pixel's offset is not a finite number"));
    CHECK_THAT(changed([](DlibModel& m) { m.cascades[1].anchors[1] = 2; }), Contains("landmark 2 of 2"));
    CHECK_THAT(changed([](DlibModel& m) { m.cascades[1].anchors[1] = -1; }), Contains("landmark -1 of 2"));
    CHECK_THAT(changed([](DlibModel& m) { m.cascades[1].deltas.pop_back(); }),
               Contains("the number of offsets of pixels, 1, where 2 are expected"));
    CHECK_THAT(changed([](DlibModel& m) {
                   m.cascades[0].anchors.clear();
                   m.cascades[0].deltas.clear();
               }),
               Contains("a split looks at pixel 1 of 0"));
    // Deep trees beside many flat ones would take far more memory than the file.
    CHECK_THAT(changed([](DlibModel& m) {
                   DlibTree deep;
                   deep.splits.resize((1 << 12) - 1);
                   deep.leaves.assign(1 << 12, {0, 0, 0, 0});
                   m.cascades[0].trees.push_back(deep);
                   for (int i = 0; i < 5000; ++i) m.cascades[1].trees.push_back({{}, {{0, 0, 0, 0}}});
               }),
               Contains("differ too much in depth"));
    for (const std::string& text : {std::string("hello, world: this is no model"), std::string(1000, '\0'),
                                    std::string(1000, '\x01'), std::string(1000, '\xff')}) {
        CHECK(problem(text) != "none");
    }
}

TEST_CASE("values beyond all measure are evaluated, too", "[landmark][dlib]") {
    DlibModel model = two_points();
    const float most = std::numeric_limits<float>::max();
    model.cascades[0].trees[0].leaves = {{most, -most, most, most}, {most, -most, -most, most}};
    model.cascades[0].trees.push_back(model.cascades[0].trees[0]);
    survive(dlib_bytes(model));
    const GreyImage image = noise(40, 30, 3);
    // Infinite, or no number: at the ends of the range.
    for (const std::int32_t position :
         found(parse_dlib_model(dlib_bytes(model), "a"), image, {{10, 10, 20, 20}})) {
        CHECK(std::abs(position) == 1 << 30);
    }
}

TEST_CASE("a landmark model that is not there, empty, or a folder", "[landmark][dlib]") {
    const TempDir folder;
    CHECK_THROWS_AS(read_landmark_model(folder.path() / "none.dat"), UsageError);
    CHECK_THROWS_AS(read_landmark_model(folder.path()), UsageError);
    CHECK_THROWS_WITH(read_landmark_model(folder.write("empty.dat", "")), Contains("empty.dat"));
    const auto file = folder.write("good.dat", dlib_bytes(two_points()));
    CHECK(read_landmark_model(file).points == 2);
    CHECK(find_landmark_model(file.string()) == file);
    CHECK_THROWS_WITH(find_landmark_model((folder.path() / "none.dat").string()), Contains("check the path"));
    CHECK_THROWS_WITH(find_landmark_model("no_such_model"), Contains("libdlib-data"));
    folder.write("landmarks/tiny.dat", dlib_bytes(two_points()));
    ::setenv("FOVEA_MODELS", folder.path().c_str(), 1);
    const auto by_name = find_landmark_model("tiny");
    ::unsetenv("FOVEA_MODELS");
    CHECK(by_name == folder.path() / "landmarks/tiny.dat");
}
