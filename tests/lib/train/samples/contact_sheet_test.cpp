#include "lib/train/samples/contact_sheet.hpp"

#include <catch2/catch.hpp>

#include "lib/image/read_grey.hpp"
#include "tests/lib/train/samples/support.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("A contact sheet shows samples in a grid", "[samples][contact-sheet]") {
    const WindowSamples samples = samples_of({2, 1}, {{1, 2}, {3, 4}, {5, 6}});
    const GreyImage sheet = contact_sheet(samples, {10, 2, 1, 1});
    CHECK(sheet.width == 7);                                                     // 1 + 2 + 1 + 2 + 1
    CHECK(sheet.height == 5);                                                    // 1 + 1 + 1 + 1 + 1
    const std::vector<std::uint8_t> expected{255, 255, 255, 255, 255, 255, 255,  //
                                             255, 1,   2,   255, 3,   4,   255,  //
                                             255, 255, 255, 255, 255, 255, 255,  //
                                             255, 5,   6,   255, 255, 255, 255,  //
                                             255, 255, 255, 255, 255, 255, 255};
    CHECK(sheet.pixels == expected);
    const GreyImage large = contact_sheet(samples, {2, 20, 0, 2});  // the samples 0 and 1
    CHECK(large.width == 8);
    CHECK(large.height == 2);
    CHECK(large.pixels == std::vector<std::uint8_t>{1, 1, 2, 2, 3, 3, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4});
    const GreyImage one = contact_sheet(samples, {1, 20, 0, 1});
    CHECK(one.pixels == std::vector<std::uint8_t>{1, 2});
}

TEST_CASE("A contact sheet becomes a PNG", "[samples][contact-sheet]") {
    const TempDir dir;
    WindowSamples samples{{24, 20}, std::vector<std::uint8_t>(24 * 20 * 900, 7), {}, {"a"}};
    samples.source.assign(900, 0);
    const auto file = dir.path() / "sheet.png";
    write_contact_sheet(file, samples);
    const GreyImage sheet = read_grey_image(file);
    CHECK(sheet.width == 2 + 20 * 26);
    CHECK(sheet.height == 2 + 20 * 22);  // 400 of 900
    CHECK(sheet.pixels == contact_sheet(samples).pixels);
}

TEST_CASE("Contact sheets that are not possible", "[samples][contact-sheet]") {
    const WindowSamples samples = samples_of({2, 1}, {{1, 2}});
    const auto refused = [&](const ContactSheetOptions& options) {
        return message_of([&] { contact_sheet(samples, options); });
    };
    CHECK_THAT(refused({0, 20, 2, 1}), Contains("at least one sample"));
    CHECK_THAT(refused({1, 0, 2, 1}), Contains("'columns'"));
    CHECK_THAT(refused({1, 20, -1, 1}), Contains("'gap'"));
    CHECK_THAT(refused({1, 20, 2, 17}), Contains("'enlargement'"));
    CHECK_THAT(message_of([] { contact_sheet({{2, 1}, {}, {}, {}}); }), Contains("at least one sample"));
    WindowSamples large{{1024, 1024}, std::vector<std::uint8_t>(std::size_t{1} << 20), {0}, {"a"}};
    CHECK_THAT(message_of([&] { contact_sheet(large, {1, 1, 0, 16}); }), Contains("100 million"));
}
