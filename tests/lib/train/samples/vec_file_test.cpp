#include "lib/train/samples/vec_file.hpp"

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "tests/lib/train/samples/support.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

using namespace std::string_literals;

/// Two samples of 3x2 pixels, by hand: 0 to 5, and 250 to 255.
const std::string two_samples = "\x02\0\0\0"s + "\x06\0\0\0"s + "\0\0\0\0"s +    // 2, 6, 0, 0
                                "\0"s + "\0\0\x01\0\x02\0\x03\0\x04\0\x05\0"s +  //
                                "\0"s + "\xFA\0\xFB\0\xFC\0\xFD\0\xFE\0\xFF\0"s;

std::string header(std::uint32_t count, std::uint32_t pixels) {
    std::string bytes;
    for (const std::uint32_t number : {count, pixels, 0u}) {
        for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i) & 255);
    }
    return bytes;
}

std::string refused(const std::string& bytes, Size window = {3, 2}, std::size_t max_samples = 0) {
    const TempDir dir;
    const auto file = dir.write("cars.vec", bytes);
    return message_of([&] { read_vec(file, window, {max_samples, 1}); });
}

WindowSamples many_samples(Size window, std::size_t count) {
    WindowSamples samples{window, {}, {}, {"all"}};
    for (std::size_t i = 0; i < count * pixels_of(window); ++i) {
        samples.pixels.push_back(static_cast<std::uint8_t>(i * i / 7));
    }
    samples.source.assign(count, 0);
    return samples;
}

}  // namespace

TEST_CASE("vec: samples are read and written byte for byte", "[samples][vec]") {
    const TempDir dir;
    const auto file = dir.write("cars.vec", two_samples);
    const WindowSamples samples = read_vec(file, {3, 2});
    CHECK(samples.window == Size{3, 2});
    CHECK(samples.pixels == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255});
    CHECK(samples.sources == std::vector<std::string>{"cars.vec#000000", "cars.vec#000001"});
    CHECK(samples.source == std::vector<std::uint32_t>{0, 1});
    const auto copy = dir.path() / "copy.vec";
    write_vec(copy, samples);
    CHECK(read_file(copy) == two_samples);
    CHECK_FALSE(std::filesystem::exists(dir.path() / "copy.vec.part"));
    // The window is not in the file.
    CHECK(read_vec(file, {2, 3}).pixels == samples.pixels);
}

TEST_CASE("vec: several samples of one source, and the first ones only", "[samples][vec]") {
    const TempDir dir;
    const auto file = dir.path() / "cars.vec";
    write_vec(file, many_samples({4, 2}, 7));
    const WindowSamples samples = read_vec(file, {4, 2}, {5, 3});
    CHECK(samples.source == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
    CHECK(samples.sources.size() == 2);
    CHECK_THROWS_AS(read_vec(file, {4, 2}, {5, 0}), UsageError);
    VecReader reader(file, {4, 2}, 100);
    CHECK(reader.count() == 7);
}

TEST_CASE("vec: a file of more than a block", "[samples][vec]") {
    const TempDir dir;
    const auto file = dir.path() / "many.vec";
    const WindowSamples samples = many_samples({24, 24}, 3000);  // 3.5 MB
    write_vec(file, samples);
    CHECK(std::filesystem::file_size(file) == 12 + 3000 * (1 + 2 * 576));
    CHECK(read_vec(file, {24, 24}).pixels == samples.pixels);
    write_vec(file, {{24, 24}, {}, {}, {}});
    CHECK(read_file(file) == header(0, 576));
    CHECK(read_vec(file, {24, 24}).count() == 0);
}

TEST_CASE("vec: an unfinished file leaves the older one", "[samples][vec]") {
    const TempDir dir;
    const auto file = dir.write("cars.vec", two_samples);
    {
        VecWriter writer(file, {3, 2});
        writer.add(std::vector<std::uint8_t>(6));
    }
    CHECK(read_file(file) == two_samples);
    CHECK_FALSE(std::filesystem::exists(dir.path() / "cars.vec.part"));
    CHECK_THROWS_AS(VecWriter(dir.path() / "x.vec", {0, 2}), UsageError);
    CHECK_THROWS_AS(VecWriter(dir.path() / "nowhere/x.vec", {3, 2}), Error);
}

TEST_CASE("vec: files that are cut off or no .vec files", "[samples][vec]") {
    CHECK(refused(two_samples) == "done");
    CHECK_THAT(refused(""), Contains("cars.vec") && Contains("0 bytes") && Contains("header of 12"));
    CHECK_THAT(refused(two_samples.substr(0, 11)), Contains("11 bytes"));
    CHECK_THAT(refused(two_samples.substr(0, 12)), Contains("cut off in sample 0"));
    CHECK_THAT(refused(two_samples.substr(0, 37)),
               Contains("cut off in sample 1") && Contains("read the first 1 sample only"));
    CHECK(refused(two_samples.substr(0, 37), {3, 2}, 1) == "done");
    CHECK_THAT(refused(two_samples + "x"), Contains("27 bytes") && Contains("read the first 2 samples only"));
    CHECK(refused(two_samples + "x", {3, 2}, 2) == "done");
    CHECK_THAT(refused(header(0xFFFFFFFF, 6) + two_samples.substr(12)), Contains("counts -1 samples"));
    CHECK_THAT(refused(header(0x7FFFFFFF, 6) + two_samples.substr(12)),
               Contains("2147483647 samples") && Contains("cut off in sample 2"));
    CHECK_THAT(refused(header(2, 0xFFFFFFFA)), Contains("-6 pixels"));
    CHECK_THAT(refused(header(2, 0)), Contains("0 pixels"));
    CHECK_THAT(refused(header(1, 0x7FFFFFFF)), Contains("2,147,483,647 pixels"));
    const TempDir dir;
    CHECK_THAT(message_of([&] { read_vec(dir.path(), {3, 2}); }), Contains("no plain file"));
    CHECK_THROWS_AS(read_vec(dir.path() / "none.vec", {3, 2}), UsageError);
}

TEST_CASE("vec: grey levels outside of 0 to 255 are named", "[samples][vec]") {
    std::string bytes = two_samples;
    bytes[12 + 13 + 1 + 2 * 4 + 1] = '\x01';  // 254 + 256
    CHECK_THAT(refused(bytes), Contains("sample 1, pixel 4") && Contains("value 510"));
    bytes = two_samples;
    bytes[12 + 1] = '\xFF';
    bytes[12 + 2] = '\xFF';
    CHECK_THAT(refused(bytes), Contains("sample 0, pixel 0") && Contains("value -1"));
}

TEST_CASE("vec: another window is refused with likely ones", "[samples][vec]") {
    CHECK_THAT(refused(header(1, 400) + std::string(801, '\0'), {24, 24}),
               Contains("400 pixels") && Contains("24x24 has 576") && Contains("20x20, 25x16"));
    CHECK_THAT(refused(two_samples, {20, 20}), Contains("no usual window"));
    CHECK_THROWS_AS(read_vec("/dev/null", {65536, 65536}), UsageError);
    CHECK(likely_windows(1000) == std::vector<Size>{{40, 25}, {25, 40}, {50, 20}, {20, 50}});
    CHECK(likely_windows(676) == std::vector<Size>{{26, 26}, {52, 13}, {13, 52}});
    CHECK(likely_windows(7).empty());
    CHECK(likely_windows(0).empty());
    CHECK(likely_windows(~std::uint64_t{0}).empty());
}
