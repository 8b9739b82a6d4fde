#include "lib/image/formats/jpeg_frame.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <turbojpeg.h>

#include "lib/image/formats/decode.hpp"
#include "tests/support/encoders.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

JpegFrame frame_of(const ByteVector& jpeg) {
    const auto frame = read_jpeg_frame(jpeg);
    REQUIRE(frame);
    return *frame;
}

/// A JPEG of markers alone: a frame header with the components given as (name, sampling), a scan header,
/// data, an end.
ByteVector make_jpeg(std::uint8_t sof, const std::vector<std::pair<int, int>>& components,
                     const ByteVector& before = {}, std::uint8_t bits = 8) {
    const auto count = static_cast<std::uint8_t>(components.size());
    ByteVector frame = {0xff, sof,  0,    static_cast<std::uint8_t>(8 + 3 * count), bits, 0x01, 0x02,
                        0x03, 0x04, count};
    ByteVector scan = {0xff, 0xda, 0, static_cast<std::uint8_t>(6 + 2 * count), count};
    for (const auto& [name, sampling] : components) {
        for (const int value : {name, sampling, 0}) frame.push_back(static_cast<std::uint8_t>(value));
        for (const int value : {name, 0}) scan.push_back(static_cast<std::uint8_t>(value));
    }
    return concatenate({{0xff, 0xd8}, before, frame, scan, {0, 63, 0}, {1, 2, 0xff, 0, 3, 0xff, 0xd9}});
}

const std::vector<std::pair<int, int>> ycc_420 = {{1, 0x22}, {2, 0x11}, {3, 0x11}};

ByteVector adobe(std::uint8_t transform) {
    return {0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, transform};
}

}  // namespace

TEST_CASE("what the markers of a JPEG say", "[image][jpeg]") {
    const JpegFrame expected{{0x304, 0x102}, 3, true, 1, true, true, true};
    CHECK(frame_of(make_jpeg(0xc0, ycc_420)) == expected);
    CHECK(frame_of(make_jpeg(0xc1, ycc_420)) == expected);
    const auto baseline = [](const ByteVector& jpeg) { return frame_of(jpeg).baseline; };
    CHECK_FALSE(baseline(make_jpeg(0xc2, ycc_420)));          // progressive
    CHECK_FALSE(baseline(make_jpeg(0xc9, ycc_420)));          // arithmetic coding
    CHECK_FALSE(baseline(make_jpeg(0xc1, ycc_420, {}, 12)));  // 12 bits

    const auto common = [](const std::vector<std::pair<int, int>>& components) {
        return frame_of(make_jpeg(0xc0, components)).subsampling_common;
    };
    for (const int luma : {0x11, 0x21, 0x22, 0x12}) CHECK(common({{1, luma}, {2, 0x11}, {3, 0x11}}));
    CHECK_FALSE(common({{1, 0x41}, {2, 0x11}, {3, 0x11}}));  // 4:1:1
    CHECK_FALSE(common({{1, 0x22}, {2, 0x21}, {3, 0x11}}));
    CHECK(common({{1, 0x22}}));
    CHECK_FALSE(common({{1, 0x11}, {2, 0x11}, {3, 0x11}, {4, 0x11}}));
    CHECK(frame_of(make_jpeg(0xc0, {{1, 0x11}})).components == 1);
}

TEST_CASE("the colour space of a JPEG as libjpeg tells it", "[image][jpeg]") {
    const ByteVector jfif = {0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    const std::vector<std::pair<int, int>> rgb = {{'R', 0x11}, {'G', 0x11}, {'B', 0x11}};
    const auto is_luma = [](const std::vector<std::pair<int, int>>& components, const ByteVector& before) {
        return frame_of(make_jpeg(0xc0, components, before)).ycc_or_grey;
    };
    CHECK(is_luma(ycc_420, {}));
    CHECK_FALSE(is_luma(rgb, {}));
    CHECK(is_luma(rgb, jfif));
    CHECK_FALSE(is_luma(ycc_420, adobe(0)));
    CHECK(is_luma(ycc_420, adobe(1)));
    CHECK(is_luma(ycc_420, concatenate({jfif, adobe(0)})));
    CHECK(is_luma({{1, 0x11}}, adobe(0)));
    CHECK_FALSE(is_luma({{1, 0x11}, {2, 0x11}, {3, 0x11}, {4, 0x11}}, adobe(2)));
}

TEST_CASE("frames of encoded pictures", "[image][jpeg]") {
    const cv::Mat colour = colour_picture(45, 31);
    const auto frame = [&](int subsampling, int flags = 0) {
        return frame_of(encode_jpeg(colour, subsampling, flags));
    };
    CHECK(frame(TJSAMP_420) == JpegFrame{{45, 31}, 3, true, 1, true, true, true});
    CHECK(frame(TJSAMP_411) == JpegFrame{{45, 31}, 3, true, 1, true, false, true});
    CHECK(frame(TJSAMP_GRAY) == JpegFrame{{45, 31}, 1, true, 1, true, true, true});
    CHECK(frame(TJSAMP_444, TJFLAG_PROGRESSIVE) == JpegFrame{{45, 31}, 3, false, 1, false, true, true});
    const ByteVector grey = encode_jpeg(grey_picture(45, 31), TJSAMP_GRAY);
    CHECK_FALSE(frame_of(with_three_scans(grey)).baseline);
    CHECK(frame_of(with_exif(grey, make_exif(6, true))) == JpegFrame{{45, 31}, 1, true, 6, true, true, true});
}

TEST_CASE("the end of a JPEG", "[image][jpeg]") {
    const ByteVector jpeg = encode_jpeg(colour_picture(45, 31), TJSAMP_420);
    const auto complete = [](const ByteVector& bytes) { return frame_of(bytes).complete; };
    CHECK(complete(jpeg));
    CHECK(complete(concatenate({jpeg, ByteVector(5000, 0)})));
    CHECK(complete(concatenate({jpeg, ByteVector(500, 7)})));
    // Bytes that could be the rest of the scan are not taken for something else; pictures and films are.
    CHECK_FALSE(complete(concatenate({jpeg, ByteVector(5000, 7)})));
    CHECK(complete(concatenate({jpeg, ByteVector(100, 0), jpeg, ByteVector(5000, 7)})));
    CHECK(complete(concatenate({jpeg, {0, 0, 0, 24, 'f', 't', 'y', 'p'}, ByteVector(5000, 7)})));
    ByteVector cut(jpeg.begin(), jpeg.end() - 2);
    CHECK_FALSE(complete(cut));
    CHECK_FALSE(complete(concatenate({cut, ByteVector(5000, 0)})));
    // The end of a thumbnail among the metadata is not the end of the picture.
    const ByteVector thumbnail = {'E', 'x', 'i', 'f', 0, 0, 0xff, 0xd8, 0xff, 0xd9};
    CHECK_FALSE(complete(with_exif(cut, thumbnail)));
    CHECK(complete(with_exif(jpeg, thumbnail)));
    // Cut right behind the scan's header, within reach of the bytes looked at.
    const ByteVector scan = {0xff, 0xda};
    const auto at = std::search(jpeg.begin(), jpeg.end(), scan.begin(), scan.end());
    REQUIRE(at != jpeg.end());
    CHECK_FALSE(complete(with_exif(ByteVector(jpeg.begin(), at + 14), thumbnail)));
}

TEST_CASE("markers among the data of a JPEG's scan", "[image][jpeg]") {
    const ByteVector restarts = {0xff, 0xdd, 0, 4, 0, 5}, no_restarts = {0xff, 0xdd, 0, 4, 0, 0};
    const auto complete = [](const ByteVector& before, const ByteVector& data) {
        ByteVector jpeg = make_jpeg(0xc0, ycc_420, before);
        jpeg.insert(jpeg.end() - 2, data.begin(), data.end());
        return frame_of(jpeg).complete;
    };
    CHECK(complete({}, {}));
    CHECK(complete({}, {0xff, 0, 4, 0xff}));  // a stuffed byte; the marker's own fill byte
    CHECK(complete(restarts, {0xff, 0xd0, 4, 0xff, 0xff, 0xd1, 5}));
    CHECK_FALSE(complete(restarts, {0xff, 0xd1, 4}));
    CHECK_FALSE(complete(restarts, {0xff, 0xd0, 4, 0xff, 0xd0}));
    CHECK_FALSE(complete({}, {0xff, 0xd0, 4}));
    CHECK_FALSE(complete(no_restarts, {0xff, 0xd0, 4}));
    for (const int marker : {0x01, 0xc0, 0xc4, 0xd8, 0xda, 0xe0, 0xfe})
        CHECK_FALSE(complete(restarts, {0xff, static_cast<std::uint8_t>(marker), 0, 2}));
    // All eight, and the first again.
    ByteVector data;
    for (int i = 0; i < 9; ++i) {
        for (const int value : {0xff, 0xd0 + i % 8, i}) data.push_back(static_cast<std::uint8_t>(value));
    }
    CHECK(complete(restarts, data));
}

TEST_CASE("what is no JPEG has no frame", "[image][jpeg]") {
    CHECK_FALSE(read_jpeg_frame({}));
    CHECK_FALSE(read_jpeg_frame(bytes_of("P5 1 1 255\nx")));
    CHECK_FALSE(read_jpeg_frame(ByteVector{0xff, 0xd8, 0xff}));
    CHECK_FALSE(read_jpeg_frame(ByteVector{0xff, 0xd8, 0xff, 0xd9}));
    const ByteVector jpeg = make_jpeg(0xc0, ycc_420);
    for (std::size_t length = 0; length < jpeg.size() - 7; ++length)
        CHECK_FALSE(
            read_jpeg_frame(ByteVector(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(length))));
    // A frame header that announces more components than it holds.
    ByteVector lies = jpeg;
    lies[2 + 9] = 200;
    CHECK_FALSE(read_jpeg_frame(lies));
}
