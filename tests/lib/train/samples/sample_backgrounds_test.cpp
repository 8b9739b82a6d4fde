#include "lib/train/samples/sample_backgrounds.hpp"

#include <catch2/catch.hpp>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/train/samples/support.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("Backgrounds are read and reduced", "[samples][backgrounds]") {
    const TempDir dir;
    dir.write("a.pgm", pgm_of(noise(30, 20, 1)));
    dir.write("b.pgm", "no image");
    dir.write("c.pgm", pgm_of(noise(81, 10, 2)));
    const Dataset dataset = read_dataset("folder:" + dir.path().string());
    const SampleBackgrounds all = read_backgrounds(dataset, {10, 40, 2, {}});
    REQUIRE(all.images.size() == 2);
    CHECK(all.images[0].pixels == noise(30, 20, 1).pixels);
    CHECK(all.images[1].width == 27);  // by 3
    CHECK(all.images[1].height == 3);
    REQUIRE(all.unreadable.size() == 1);
    CHECK(all.unreadable[0].image == "b.pgm");
    CHECK(read_backgrounds(dataset, {1, 640, 1, {}}).images.size() == 1);
    const Dataset broken = read_dataset("image:" + (dir.path() / "b.pgm").string());
    CHECK_THAT(message_of([&] { read_backgrounds(broken); }),
               Contains("None of the 1 background") && Contains("b.pgm: "));
}

TEST_CASE("Images are reduced to means of blocks", "[samples][backgrounds]") {
    const GreyImage image{5, 4, {1, 2, 10, 20, 99, 3, 4, 30, 41, 99, 5, 5, 6, 6, 99, 5, 6, 6, 6, 99}};
    const GreyImage half = reduced(image, 2);
    CHECK(half.width == 2);
    // 10 / 4 = 2.5, 101 / 4 = 25.25, 21 / 4 = 5.25, 24 / 4 = 6.
    CHECK(half.pixels == std::vector<std::uint8_t>{3, 25, 5, 6});
    const GreyImage point = reduced({3, 1, {1, 2, 6}}, 7);
    CHECK(point.width == 1);
    CHECK(point.height == 1);
    CHECK(point.pixels == std::vector<std::uint8_t>{3});
}

TEST_CASE("Pieces of backgrounds lie in them and differ", "[samples][backgrounds]") {
    GreyImage image{200, 100, {}};
    for (int i = 0; i < 100 * 200; ++i) image.pixels.push_back(static_cast<std::uint8_t>(i % 200 + 20));
    const std::vector<GreyImage> images{image};
    std::set<int> lengths, begins;
    CounterRandom random(1);
    for (int i = 0; i < 100; ++i) {
        const WindowPlane piece = random_piece(images, {10, 10}, random);
        const double length = (piece[9] - piece[0]) / 9 * 10;  // pixels of the image that it covers
        CHECK(length >= 9.9);
        CHECK(length <= 100.1);
        CHECK(piece[0] >= 20);
        CHECK(piece[9] <= 219);
        lengths.insert(static_cast<int>(length / 10));
        begins.insert(static_cast<int>(piece[0] / 20));
    }
    CHECK(lengths.size() > 6);
    CHECK(begins.size() > 6);
    // A small image is enlarged.
    const std::vector<GreyImage> small{{2, 2, {0, 0, 100, 100}}};
    const WindowPlane enlarged = random_piece(small, {4, 4}, random);
    CHECK(enlarged[0] == 0);
    CHECK(enlarged[15] == 100);
}
