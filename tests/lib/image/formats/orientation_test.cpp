#include "lib/image/formats/orientation.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <turbojpeg.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/jpeg_frame.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// The picture 1 2 3 / 4 5 6 in its eight orientations, by hand.
struct Turned {
    int orientation, width, height;
    std::vector<std::uint8_t> pixels;
};
const Turned by_hand[] = {
    {1, 3, 2, {1, 2, 3, 4, 5, 6}}, {2, 3, 2, {3, 2, 1, 6, 5, 4}}, {3, 3, 2, {6, 5, 4, 3, 2, 1}},
    {4, 3, 2, {4, 5, 6, 1, 2, 3}}, {5, 2, 3, {1, 4, 2, 5, 3, 6}}, {6, 2, 3, {4, 1, 5, 2, 6, 3}},
    {7, 2, 3, {6, 3, 5, 2, 4, 1}}, {8, 2, 3, {3, 6, 2, 5, 1, 4}},
};

bool equal(const GreyImage& a, const GreyImage& b) {
    return a.width == b.width && a.height == b.height && a.pixels == b.pixels;
}

}  // namespace

TEST_CASE("orientations move pixels as EXIF says", "[image]") {
    const GreyImage image{3, 2, {1, 2, 3, 4, 5, 6}};
    for (const Turned& turned : by_hand) {
        INFO("orientation " << turned.orientation);
        CHECK(equal(apply_orientation(image, turned.orientation),
                    {turned.width, turned.height, turned.pixels}));
    }
    CHECK(equal(apply_orientation(image, 0), image));
    CHECK(equal(apply_orientation(image, 9), image));
    CHECK(apply_orientation({}, 6).empty());
}

TEST_CASE("orientations of pictures larger than a tile", "[image]") {
    const cv::Mat picture = grey_picture(131, 70);
    const GreyImage image{131, 70, {picture.datastart, picture.dataend}};
    cv::Mat turned;
    cv::rotate(picture, turned, cv::ROTATE_90_CLOCKWISE);
    CHECK(equal(apply_orientation(image, 6), {70, 131, {turned.datastart, turned.dataend}}));
    cv::rotate(picture, turned, cv::ROTATE_90_COUNTERCLOCKWISE);
    CHECK(equal(apply_orientation(image, 8), {70, 131, {turned.datastart, turned.dataend}}));
    cv::transpose(picture, turned);
    CHECK(equal(apply_orientation(image, 5), {70, 131, {turned.datastart, turned.dataend}}));
}

TEST_CASE("EXIF orientation of a JPEG in both byte orders", "[image]") {
    const ByteVector jpeg = encode_jpeg(grey_picture(21, 13), TJSAMP_GRAY);
    const GreyImage stored = decode_grey_image(jpeg);
    for (int orientation = 1; orientation <= 8; ++orientation)
        for (const bool big_endian : {false, true}) {
            INFO("orientation " << orientation << " big endian " << big_endian);
            const ByteVector turned = with_exif(jpeg, make_exif(orientation, big_endian));
            CHECK(equal(decode_grey_image(turned), apply_orientation(stored, orientation)));
            DecodeOptions as_stored;
            as_stored.apply_exif_orientation = false;
            CHECK(equal(decode_grey_image(turned, as_stored), stored));
        }
}

TEST_CASE("a malformed EXIF block is no orientation", "[image]") {
    const ByteVector good = make_exif(6, false);
    CHECK(codec::exif_orientation(good) == 6);
    CHECK_FALSE(codec::exif_orientation(make_exif(0, false)));
    CHECK_FALSE(codec::exif_orientation(make_exif(9, true)));
    // Cut anywhere; the whole directory must be there. The last four bytes point to the next directory.
    for (std::size_t length = 0; length < good.size() - 4; ++length)
        REQUIRE_FALSE(codec::exif_orientation(codec::Bytes(good).first(length)));
    ByteVector far = good;
    far[6 + 4] = 0xff;  // the directory's offset
    far[6 + 7] = 0xff;
    CHECK_FALSE(codec::exif_orientation(far));
    const ByteVector jpeg = encode_jpeg(grey_picture(21, 13), TJSAMP_GRAY);
    CHECK(equal(decode_grey_image(with_exif(jpeg, far)), decode_grey_image(jpeg)));
}

TEST_CASE("the first EXIF block that holds an orientation counts", "[image]") {
    const ByteVector none = make_exif(0, false), six = make_exif(6, true), eight = make_exif(8, false);
    // with_exif() puts the block before those that are there.
    const auto orientations = [](const ByteVector& jpeg) {
        CHECK(read_jpeg_frame(jpeg)->orientation == codec::read_jpeg_orientation(jpeg));
        return codec::read_jpeg_orientation(jpeg);
    };
    const ByteVector jpeg = encode_jpeg(grey_picture(21, 13), TJSAMP_GRAY);
    CHECK(orientations(with_exif(with_exif(jpeg, six), none)) == 6);
    CHECK(orientations(with_exif(with_exif(with_exif(jpeg, eight), six), none)) == 6);
    CHECK(orientations(with_exif(with_exif(jpeg, none), eight)) == 8);
    CHECK(orientations(with_exif(with_exif(jpeg, none), none)) == 1);
    CHECK(equal(decode_grey_image(with_exif(with_exif(jpeg, six), none)),
                apply_orientation(decode_grey_image(jpeg), 6)));

    ByteVector png = encode(".png", grey_picture(5, 3));
    const auto chunk = [](const ByteVector& exif) {
        return png_chunk("eXIf", {exif.begin() + 6, exif.end()});
    };
    const ByteVector blocks = concatenate({chunk(none), chunk(six), chunk(eight)});
    png.insert(png.begin() + 33, blocks.begin(), blocks.end());
    CHECK(equal(decode_grey_image(png), apply_orientation(expected_grey(grey_picture(5, 3)), 6)));
    CHECK(codec::read_png_orientation(codec::MemoryAccess(png)) == 6);
}

TEST_CASE("a malformed orientation tag does not spoil a TIFF", "[image]") {
    const ByteVector odd = make_tiff(2, 1, {5, 6}, {{258, 8}, {262, 1}, {274, 60000}});
    CHECK(decode_grey_image(odd).pixels == ByteVector{5, 6});
    // Three values, far outside of the file.
    ByteVector outside = make_tiff(2, 1, {5, 6}, {{258, 8}, {262, 1}, {274, 60000}});
    const ByteVector entry = {274 & 255, 274 >> 8, 3, 0, 1};
    const auto at = std::search(outside.begin(), outside.end(), entry.begin(), entry.end());
    REQUIRE(at != outside.end());
    at[4] = 3;
    CHECK_NOTHROW(reason_of(outside));
    CHECK(reason_of(outside).find("truncated") == std::string::npos);
}

TEST_CASE("orientation of PNG, TIFF and WebP", "[image]") {
    const cv::Mat picture = grey_picture(5, 3);
    const GreyImage stored = expected_grey(picture);
    DecodeOptions as_stored;
    as_stored.apply_exif_orientation = false;
    for (int orientation = 1; orientation <= 8; ++orientation) {
        INFO("orientation " << orientation);
        const GreyImage turned = apply_orientation(stored, orientation);

        ByteVector exif = make_exif(orientation, true);
        exif.erase(exif.begin(), exif.begin() + 6);
        ByteVector png = encode(".png", picture);
        const ByteVector chunk = png_chunk("eXIf", exif);
        png.insert(png.begin() + 33, chunk.begin(), chunk.end());
        CHECK(equal(decode_grey_image(png), turned));
        CHECK(equal(decode_grey_image(png, as_stored), stored));

        const ByteVector tiff = make_tiff(
            5, 3, stored.pixels,
            {{258, 8}, {259, 1}, {262, 1}, {274, static_cast<std::uint32_t>(orientation)}, {277, 1}},
            orientation % 2 == 0);
        CHECK(equal(decode_grey_image(tiff), turned));
        CHECK(equal(decode_grey_image(tiff, as_stored), stored));

        // Whole numbers of every type, as libtiff reads them: turned once, and only by us.
        for (const std::uint32_t type : {1u, 4u, 6u, 8u, 9u})
            for (const bool big_endian : {false, true}) {
                INFO("type " << type << " big endian " << big_endian);
                const ByteVector typed = make_tiff(
                    5, 3, stored.pixels,
                    {{258, 8}, {262, 1}, {274, static_cast<std::uint32_t>(orientation), type}}, big_endian);
                CHECK(equal(decode_grey_image(typed), turned));
                CHECK(equal(decode_grey_image(typed, as_stored), stored));
            }

        // An extended WebP: VP8X, the lossless picture, EXIF.
        const ByteVector plain = encode(".webp", colour_picture(5, 3), {64 /* quality */, 101});
        ByteVector body = {'V', 'P', '8', 'X', 10, 0, 0, 0, 0x08, 0, 0, 0, 4, 0, 0, 2, 0, 0};
        body.insert(body.end(), plain.begin() + 12, plain.end());
        const ByteVector block = make_exif(orientation, false);
        const ByteVector head = {'E', 'X', 'I', 'F', static_cast<std::uint8_t>(block.size()), 0, 0, 0};
        body.insert(body.end(), head.begin(), head.end());
        body.insert(body.end(), block.begin(), block.end());
        ByteVector webp = {'R',
                           'I',
                           'F',
                           'F',
                           static_cast<std::uint8_t>(body.size() + 4),
                           static_cast<std::uint8_t>((body.size() + 4) >> 8),
                           0,
                           0,
                           'W',
                           'E',
                           'B',
                           'P'};
        webp.insert(webp.end(), body.begin(), body.end());
        CHECK(equal(decode_grey_image(webp),
                    apply_orientation(expected_grey(colour_picture(5, 3)), orientation)));
    }
}
