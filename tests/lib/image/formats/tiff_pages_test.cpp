#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <tiffio.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/load.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// A picture of a file of several, and what its directory says of it.
struct Page {
    cv::Mat picture;
    std::uint32_t subfile_type = 0;  ///< bit 0: reduced; bit 2: a mask
    std::vector<Page> below = {};    ///< SubIFDs
};

void write_page(TIFF* tiff, const Page& page) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page.picture.cols);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, page.picture.rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, page.picture.rows);
    if (page.subfile_type != 0) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, page.subfile_type);
    const std::vector<toff_t> places(page.below.size());
    // Previews of cameras' raw files have it, too.
    if (!places.empty()) TIFFSetField(tiff, TIFFTAG_MAKE, "maker of scanners");
    if (!places.empty()) TIFFSetField(tiff, TIFFTAG_SUBIFD, static_cast<int>(places.size()), places.data());
    cv::Mat pixels = page.picture.clone();
    const auto size = static_cast<tmsize_t>(pixels.total());
    REQUIRE(TIFFWriteEncodedStrip(tiff, 0, pixels.data, size) == size);
    REQUIRE(TIFFWriteDirectory(tiff) == 1);
    for (const Page& below : page.below) write_page(tiff, below);
}

ByteVector write_pages(const std::vector<Page>& pages) {
    const TempDir folder;
    const std::string path = (folder.path() / "x.tiff").string();
    TIFF* const tiff = TIFFOpen(path.c_str(), "w");
    REQUIRE(tiff != nullptr);
    for (const Page& page : pages) write_page(tiff, page);
    TIFFClose(tiff);
    std::ifstream in(path, std::ios::binary);
    return bytes_of(std::string(std::istreambuf_iterator<char>(in), {}));
}

void check_picture(const ByteVector& bytes, const cv::Mat& picture, int pages) {
    CHECK(codec::format_of(codec::MemoryAccess(bytes)) == codec::ImageFormat::tiff);
    const codec::ImageHeader header = codec::read_tiff_header(codec::MemoryAccess(bytes));
    CHECK(header.width == picture.cols);
    const codec::DecodedImage decoded = codec::decode_tiff(bytes, header);
    CHECK(decoded.image.pixels == expected_grey(picture).pixels);
    CHECK(decoded.pages == pages);
}

}  // namespace

TEST_CASE("a TIFF is its first page, and no reduced picture", "[image][tiff]") {
    constexpr std::uint32_t reduced = FILETYPE_REDUCEDIMAGE, page_of_several = FILETYPE_PAGE,
                            mask = FILETYPE_MASK;
    const cv::Mat full = grey_picture(40, 30), thumbnail = grey_picture(10, 8), second = grey_picture(21, 17);
    check_picture(write_pages({{full}}), full, 1);
    check_picture(write_pages({{thumbnail, reduced}, {full}}), full, 1);
    check_picture(write_pages({{full}, {thumbnail, reduced}}), full, 1);
    // The tag of the older kind: its 2 says what bit 0 of the newer one does.
    ByteVector old = write_pages({{thumbnail, reduced}, {full}});
    const ByteVector newer_tag = {254, 0, 4, 0, 1, 0, 0, 0, 1, 0},
                     older_tag = {255, 0, 3, 0, 1, 0, 0, 0, 2, 0};
    const auto entry = std::search(old.begin(), old.end(), newer_tag.begin(), newer_tag.end());
    REQUIRE(entry != old.end());
    std::copy(older_tag.begin(), older_tag.end(), entry);
    check_picture(old, full, 1);
    check_picture(write_pages({{thumbnail, reduced | page_of_several}, {full, page_of_several}, {second}}),
                  full, 2);
    check_picture(write_pages({{full, page_of_several}, {second, page_of_several}, {second}}), full, 3);
    check_picture(write_pages({{thumbnail, mask}, {full}}), full, 1);
    // Below the reduced picture; reduced ones below the full picture.
    check_picture(write_pages({{thumbnail, reduced, {{second, reduced}, {full}}}}), full, 1);
    check_picture(write_pages({{thumbnail, reduced, {{full}}}, {second}}), full, 2);
    check_picture(write_pages({{full, 0, {{second, reduced}, {thumbnail, reduced}}}}), full, 1);
    // Nothing else is there.
    check_picture(write_pages({{thumbnail, reduced}}), thumbnail, 1);
}

TEST_CASE("directories of a TIFF that go astray", "[image][tiff]") {
    const cv::Mat full = grey_picture(40, 30), thumbnail = grey_picture(10, 8);
    const ByteVector one = write_pages({{full}}),
                     two = write_pages({{thumbnail, FILETYPE_REDUCEDIMAGE}, {full}});
    const auto with_next = [](ByteVector bytes, std::uint32_t next) {
        const std::size_t first = bytes[4] | bytes[5] << 8 | bytes[6] << 16;
        const std::size_t at = first + 2 + std::size_t{12} * bytes[first];
        for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(next >> 8 * i);
        return bytes;
    };
    // A circle ends; a page that is not there is none, unless it is needed.
    const std::uint32_t first = one[4] | one[5] << 8 | one[6] << 16;
    check_picture(with_next(one, first), full, 1);
    check_picture(with_next(one, 1'000'000), full, 1);
    CHECK(reason_of(with_next(two, 1'000'000)).find("truncated TIFF") == 0);
    // The full picture lies behind what is read at first.
    const cv::Mat large = grey_picture(400, 300);
    const TempDir folder;
    const ByteVector behind = write_pages({{grey_picture(600, 500), FILETYPE_REDUCEDIMAGE}, {large}});
    REQUIRE(behind.size() > codec::prefix_bytes);
    CHECK(read_grey_image(folder.write("x", {behind.begin(), behind.end()})).pixels ==
          expected_grey(large).pixels);
    CHECK(decode_grey_image(gzip(behind)).pixels == expected_grey(large).pixels);
}
