#include "lib/image/exif_date.hpp"

#include <catch2/catch.hpp>

#include "tests/support/encoders.hpp"

using namespace fovea;
using namespace fovea::test;
using codec::exif_date;

namespace {

/// A TIFF stream, little-endian, whose directory leads to one that has a date.
ByteVector exif_with(const std::string& date, std::uint8_t length = 20) {
    ByteVector bytes{'I', 'I', '*', 0, 8, 0, 0, 0,
                     // At 8: one tag, 34665 (LONG), whose value is 26.
                     1, 0, 0x69, 0x87, 4, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0,
                     // At 26: one tag, 36867 (ASCII), whose text is at 44.
                     1, 0, 0x03, 0x90, 2, 0, length, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0};
    bytes.insert(bytes.end(), date.begin(), date.end());
    bytes.push_back(0);
    return bytes;
}

ByteVector small_photo() {
    return encode_jpeg(cv::Mat(8, 8, CV_8UC3, cv::Scalar(1, 2, 3)), 0);
}

}  // namespace

TEST_CASE("the date of a photograph is read from its EXIF data", "[image][exif]") {
    // 981158400 is the beginning of 3 February 2001.
    constexpr std::int64_t expected = 981158400 + 4 * 3600 + 5 * 60 + 6;
    CHECK(exif_date(exif_with("2001:02:03 04:05:06")) == expected);
    CHECK(exif_date(exif_with("1970:01:01 00:00:00")) == 0);
    CHECK(exif_date(exif_with("1969:12:31 23:59:59")) == -1);
    const ByteVector exif = exif_with("2001:02:03 04:05:06");
    ByteVector block{'E', 'x', 'i', 'f', 0, 0};
    block.insert(block.end(), exif.begin(), exif.end());
    CHECK(exif_date(with_exif(small_photo(), block)) == expected);
}

TEST_CASE("a date that is no date is none", "[image][exif]") {
    for (const char* text :
         {"2001:02:29 04:05:06", "2001:13:03 04:05:06", "2001:02:03 24:05:06", "0000:00:00 00:00:00",
          "    :  :     :  :  ", "2001-02-03 04:05:06", "2001:02:03 04:05"})
        CHECK_FALSE(exif_date(exif_with(text)));
    CHECK_FALSE(exif_date(exif_with("2001:02:03 04:05:06", 10)));
    CHECK_FALSE(exif_date(small_photo()));
    CHECK_FALSE(exif_date(ByteVector{}));
    ByteVector cut = exif_with("2001:02:03 04:05:06");
    cut.resize(50);
    CHECK_FALSE(exif_date(cut));
    ByteVector lost = exif_with("2001:02:03 04:05:06");
    lost[18] = 200;  // the directory would lie behind the end
    CHECK_FALSE(exif_date(lost));
}
