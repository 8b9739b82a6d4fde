#include <fstream>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sys/stat.h>
#include <turbojpeg.h>
#include <unistd.h>

#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

struct Sample {
    std::string name;
    ByteVector bytes;
    std::size_t optional_end = 0;  ///< last bytes that hold no pixels
};

/// Five by three pixels of 8-bit run-length encoding, palette of three.
ByteVector run_length_bmp() {
    const ByteVector head = {'B', 'M', 80, 0, 0, 0, 0, 0, 0, 0, 66, 0, 0, 0, 40, 0, 0,  0,
                             5,   0,   0,  0, 3, 0, 0, 0, 1, 0, 8,  0, 1, 0, 0,  0, 14, 0,
                             0,   0,   0,  0, 0, 0, 0, 0, 0, 0, 3,  0, 0, 0, 3,  0, 0,  0};
    const ByteVector palette = {0, 0, 0, 0, 90, 90, 90, 0, 200, 200, 200, 0};
    const ByteVector rows = {5, 1, 0, 0, 0, 5, 0, 1, 2, 1, 0, 0, 0, 0, 3, 2, 2, 1, 0, 1};
    return concatenate({head, palette, rows});
}

std::vector<Sample> samples() {
    const cv::Mat colour = colour_picture(19, 13), grey = grey_picture(19, 13);
    std::vector<Sample> all = {
        {"png grey", encode(".png", grey)},
        {"png colour", encode(".png", colour)},
        {"png 16 bit", encode(".png", colour_picture(9, 7, CV_16U))},
        {"bmp grey", encode(".bmp", grey)},
        {"bmp colour", encode(".bmp", colour)},
        {"bmp run-length", run_length_bmp(), 2},
        {"webp lossy", encode(".webp", colour, {cv::IMWRITE_WEBP_QUALITY, 60})},
        {"webp lossless", encode(".webp", colour, {cv::IMWRITE_WEBP_QUALITY, 101})},
        {"pgm", encode(".pgm", grey)},
        {"ppm 16 bit", encode(".ppm", colour_picture(9, 7, CV_16U))},
        // The first digits of a number in text are a number too.
        {"ppm plain", encode(".ppm", colour, {cv::IMWRITE_PXM_BINARY, 0}), 5},
        {"pbm", bytes_of(std::string("P4 9 2\n\xa0\x80\x50\x00", 11))},
        {"jpeg baseline", encode_jpeg(colour, TJSAMP_420)},
        {"jpeg progressive", encode_jpeg(colour, TJSAMP_444, TJFLAG_PROGRESSIVE)},
        {"jpeg grey", encode_jpeg(grey, TJSAMP_GRAY)},
        {"jpeg exif", with_exif(encode_jpeg(grey, TJSAMP_GRAY), make_exif(6, true))},
        // The end of the frame's data and the trailer.
        {"gif", encode_gif(grey), 2},
        {"png in gzip", gzip(encode(".png", grey))},
        {"bmp in bzip2", bzip2(encode(".bmp", grey))},
    };
    GifOptions interlaced;
    interlaced.interlaced = true;
    all.push_back({"gif interlaced", encode_gif(grey, interlaced), 2});
    for (const int compression : {1, 5, 8, 32773})
        for (const int depth : {CV_8U, CV_16U})
            all.push_back(
                {"tiff " + std::to_string(compression) + " depth " + std::to_string(depth),
                 encode(".tiff", colour_picture(11, 9, depth), {cv::IMWRITE_TIFF_COMPRESSION, compression})});
    return all;
}

DecodeOptions small_limit() {
    DecodeOptions options;
    options.max_pixels = 1'000'000;  // a mutated size must not make the test slow
    return options;
}

/// Decodes; any exception but ImageError fails the test. True if there is an image.
bool decodes(const ByteVector& bytes) {
    try {
        // A copy on the heap of exactly that size, for the address sanitizer.
        const GreyImage image = decode_grey_image(ByteVector(bytes), small_limit());
        REQUIRE(image.pixels.size() ==
                static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
        REQUIRE(!image.pixels.empty());
        return true;
    } catch (const ImageError& e) {
        REQUIRE(std::string(e.what()) != "");
        return false;
    }
}

}  // namespace

TEST_CASE("every cut of every format is an error", "[image]") {
    for (const Sample& sample : samples()) {
        INFO(sample.name << ", " << sample.bytes.size() << " bytes");
        REQUIRE(decodes(sample.bytes));
        for (std::size_t length = 0; length + sample.optional_end < sample.bytes.size(); ++length) {
            INFO("cut to " << length);
            REQUIRE_FALSE(
                decodes({sample.bytes.begin(), sample.bytes.begin() + static_cast<std::ptrdiff_t>(length)}));
        }
    }
}

TEST_CASE("flipped bytes give an image or an error, nothing else", "[image]") {
    cv::RNG random(7);
    for (const Sample& sample : samples()) {
        INFO(sample.name);
        int images = 0;
        constexpr int rounds = 300;
        for (int round = 0; round < rounds; ++round) {
            ByteVector bytes = sample.bytes;
            // Headers are where it hurts: half of the flips go there.
            const int range =
                round % 2 ? static_cast<int>(bytes.size()) : std::min(64, static_cast<int>(bytes.size()));
            const int at = random.uniform(0, range);
            const auto value = static_cast<std::uint8_t>(random.uniform(0, 256));
            INFO("byte " << at << " to " << int(value));
            bytes[static_cast<std::size_t>(at)] = value;
            images += decodes(bytes);
        }
        CHECK(images < rounds);
    }
}

TEST_CASE("damage inside compressed data is found", "[image]") {
    const cv::Mat picture = colour_picture(64, 48);
    const auto found = [](ByteVector bytes, std::size_t from, std::size_t to) {
        int errors = 0;
        for (std::size_t at = from; at < to; at += (to - from) / 50) {
            ByteVector damaged = bytes;
            damaged[at] ^= 0x55;
            errors += !decodes(damaged);
        }
        return errors;
    };
    const ByteVector png = encode(".png", picture);
    CHECK(found(png, 60, png.size() - 20) >= 50);
    const ByteVector deflate = encode(".tiff", picture, {cv::IMWRITE_TIFF_COMPRESSION, 8});
    CHECK(found(deflate, 8, deflate.size() - 300) >= 50);
    const ByteVector gz = gzip(encode(".bmp", picture));
    CHECK(found(gz, 10, gz.size()) >= 50);
    // An LZW strip whose end-of-information code comes early.
    ByteVector lzw = {0x80, 0x00, 0x20, 0x20, 0x10};  // clear, 0, 0x80 ...
    CHECK(reason_of(make_tiff(50, 50, lzw, {{258, 8}, {259, 5}, {262, 1}}))
              .find("truncated TIFF: strip 1 of 1") == 0);
    CHECK(reason_of(make_tiff(9, 9, {0, 1, 2}, {{258, 8}, {259, 32773}, {262, 1}})).find("fewer pixels") !=
          std::string::npos);
}

TEST_CASE("a cut file says so", "[image]") {
    for (const Sample& sample : samples()) {
        if (sample.name.find(" in ") != std::string::npos) continue;
        INFO(sample.name);
        const auto almost = static_cast<std::ptrdiff_t>(sample.bytes.size() - sample.optional_end - 4);
        const std::string reason = reason_of(ByteVector(sample.bytes.begin(), sample.bytes.begin() + almost));
        INFO(reason);
        CHECK((reason.find("truncated") == 0 || sample.name == "bmp run-length"));
    }
}

TEST_CASE("run-length BMP", "[image]") {
    // Rows from the bottom.
    CHECK(decode_grey_image(run_length_bmp()).pixels ==
          ByteVector{200, 200, 200, 90, 90, 0, 90, 200, 90, 0, 90, 90, 90, 90, 90});
}

TEST_CASE("JPEG warnings: extraneous bytes pass, lost data does not", "[image]") {
    const ByteVector jpeg = encode_jpeg(colour_picture(45, 31), TJSAMP_420);
    const GreyImage image = decode_grey_image(jpeg);
    ByteVector padded = jpeg;
    const ByteVector junk = {0, 1, 2};
    padded.insert(padded.end() - 2, junk.begin(), junk.end());
    CHECK(decode_grey_image(padded).pixels == image.pixels);
    ByteVector in_header = jpeg;
    in_header.insert(in_header.begin() + 20, junk.begin(), junk.end());  // behind APP0
    CHECK(decode_grey_image(in_header).pixels == image.pixels);
    // The first, harmless warning must not hide the second.
    in_header.resize(in_header.size() - 10);
    CHECK(reason_of(in_header) == "truncated JPEG: no end-of-image marker");
    ByteVector cut = jpeg;
    cut.resize(cut.size() - 60);
    CHECK(reason_of(cut).find("truncated JPEG") == 0);
    // Data lost in the middle, the end-of-image marker in place.
    ByteVector lost = jpeg;
    lost.erase(lost.end() - 60, lost.end() - 2);
    CHECK(reason_of(lost).find("premature end of data segment") != std::string::npos);
    // Behind the image anything may follow (phones put a video there).
    CHECK(decode_grey_image(concatenate({jpeg, ByteVector(1000, 7)})).pixels == image.pixels);
}

TEST_CASE("a JPEG that ends within its metadata is truncated", "[image]") {
    const ByteVector jpeg = with_metadata(encode_jpeg(colour_picture(45, 31), TJSAMP_420), 6);
    for (const std::size_t length : {std::size_t{20}, std::size_t{65'010}, std::size_t{6 * 65'004}}) {
        CAPTURE(length);
        const std::string reason =
            reason_of(ByteVector(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(length)));
        CHECK(reason == "truncated JPEG: it ends before its frame header");
    }
}

TEST_CASE("absurd and empty sizes are refused before anything is allocated", "[image]") {
    DecodeOptions no_limit;
    no_limit.max_pixels = std::int64_t{1} << 40;
    const auto reason = [&](const ByteVector& bytes) {
        return reason_of([&] { decode_grey_image(bytes, no_limit); });
    };

    CHECK(reason_of(bytes_of("P5 99999999 99999999 255\n")) ==
          "too large: 99999999 x 99999999 pixels, the limit is 400000000 in all");
    CHECK(reason_of(bytes_of("P5 4294967295 4294967295 255\n")).find("too large") == 0);
    CHECK(reason_of(bytes_of("P5 99999999999 1 255\n")).find("corrupt PNM") == 0);
    CHECK(reason_of(bytes_of("P5 0 7 255\n")) == "no pixels: its size is 0 x 7");
    CHECK(reason(bytes_of("P5 600000 600000 255\nabc")).find("truncated PNM") == 0);
    CHECK(reason(bytes_of("P3 600000 600000 255\n1 2 3")).find("truncated PNM") == 0);

    const ByteVector head = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    const auto png = [&](ByteVector size) {
        size.insert(size.end(), {8, 0, 0, 0, 0});
        return concatenate({head, png_chunk("IHDR", size), png_chunk("IDAT", {0x78, 1, 3, 0, 0, 0, 0, 1}),
                            png_chunk("IEND", {})});
    };
    CHECK(reason_of(png({0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})).find("too large: 60000 x 60000") == 0);
    CHECK(reason(png({0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})).find("truncated PNG: 8 bytes cannot hold") == 0);
    CHECK(reason_of(png({0, 0, 0, 0, 0, 0, 0, 5})) == "no pixels: its size is 0 x 5");
    CHECK(reason_of(make_tiff(0, 4, {1, 2}, {{258, 8}, {262, 1}})) == "no pixels: its size is 0 x 4");
    CHECK(decode_grey_image(make_tiff(2000000, 1, ByteVector(2000000, 7), {{258, 8}, {262, 1}}), no_limit)
              .pixels == ByteVector(2000000, 7));
    CHECK(reason(make_tiff(60000, 60000, {1, 2}, {{258, 8}, {262, 1}})).find("truncated TIFF") == 0);

    // A tile may be larger than the image, up to a point.
    const auto tiled = [&](std::uint32_t width, std::uint32_t height) {
        return reason_of(
            make_tiff(20, 10, ByteVector(100), {{258, 8}, {262, 1}, {322, width, 4}, {323, height, 4}}));
    };
    CHECK(tiled(4096, 4096) == "truncated TIFF: tile 1 of 1 holds fewer pixels than it should");
    for (const auto& [w, h] : {std::pair{4096u, 4112u},
                               {1u << 31, 1u << 31},
                               {0xfffffff0u, 0xfffffff0u},
                               {1u << 30, 16u},
                               {16u, 1u << 30},
                               {1u << 31, 1u << 30}})
        CHECK(tiled(w, h) == "TIFF with tiles of " + std::to_string(w) + " x " + std::to_string(h) +
                                 " pixels for an image of 20 x 10 is not supported");
    // Four times the image, but of more than 2^30 pixels.
    CHECK(reason(make_tiff(32768, 32768, {1}, {{258, 8}, {262, 1}, {322, 32768, 4}, {323, 32784, 4}}))
              .find("TIFF with tiles") == 0);
    CHECK(reason(make_tiff(8192, 4096, {1}, {{258, 8}, {262, 1}, {322, 8192, 4}, {323, 4096, 4}}))
              .find("truncated TIFF") == 0);

    ByteVector bmp = encode(".bmp", colour_picture(4, 4));
    bmp[18 + 2] = bmp[22 + 2] = 9;
    CHECK(reason_of(bmp).find("too large") == 0);
    CHECK(reason(bmp).find("truncated BMP") == 0);
    ByteVector gif = encode_gif(grey_picture(4, 4));
    gif[6] = gif[7] = gif[8] = gif[9] = 0xff;
    CHECK(reason_of(gif).find("too large: 65535 x 65535") == 0);
    ByteVector jpeg = encode_jpeg(grey_picture(4, 4), TJSAMP_GRAY);
    const ByteVector frame = {0xff, 0xc0};
    const auto sof = std::search(jpeg.begin(), jpeg.end(), frame.begin(), frame.end());
    REQUIRE(sof != jpeg.end());
    std::fill(sof + 5, sof + 9, std::uint8_t{0xff});
    CHECK(reason_of(jpeg).find("JPEG") != std::string::npos);  // over libjpeg's own 65500
    std::fill(sof + 5, sof + 9, std::uint8_t{0xc0});
    CHECK(reason_of(jpeg).find("too large: 49344 x 49344") == 0);

    DecodeOptions exact;
    exact.max_pixels = 20;
    CHECK(decode_grey_image(encode(".png", grey_picture(5, 4)), exact).width == 5);
    CHECK_THROWS_AS(decode_grey_image(encode(".png", grey_picture(7, 3)), exact), ImageError);
}

TEST_CASE("files that are no image say what they are", "[image]") {
    const TempDir folder;
    const auto reason = [](const std::filesystem::path& path) {
        return reason_of([&] { read_grey_image(path); });
    };
    CHECK(reason(folder.path() / "none.png") == "no such file");
    CHECK(reason(folder.path()) == "is a directory");
    const auto pipe = folder.path() / "pipe.jpg";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(reason(pipe) == "is not a regular file");  // and nobody waits for a writer
    CHECK(reason("/dev/zero") == "is not a regular file");
    CHECK(reason(folder.write("empty.jpg", "")) == "empty file");
    CHECK(reason(folder.write("text.jpg", "<html>")) ==
          "not an image of a known format: begins with 3c 68 74 6d 6c 3e (<html>)");
    CHECK(reason(folder.write("x.jpg", "\xff\xd8")).find("not an image") == 0);
    CHECK(reason(folder.write("x.heic", std::string("\0\0\0\x18"
                                                    "ftypmp42",
                                                    12))) ==
          "MP4 or another video as an image is not supported");
    CHECK(reason(folder.write("a/file", "") / "below") == "a part of the path is not a directory");
    const auto locked = folder.write("locked.pgm", "P5 1 1 255\nx");
    CHECK(read_grey_image(locked).pixels == ByteVector{'x'});
    std::filesystem::permissions(locked, std::filesystem::perms::none);
    if (::geteuid() != 0)
        CHECK(reason(locked) == "permission denied");
    else
        WARN("not run: root is never denied permission");
    // A large file (sparse) that begins like nothing known is not read to its end.
    const auto large = folder.write("video.bin", std::string(100, 'v'));
    std::filesystem::resize_file(large, std::uintmax_t{1} << 40);
    CHECK(reason(large).find("not an image") == 0);
    const auto huge = folder.write("huge.pgm", "P5 9 9 255\n");
    std::filesystem::resize_file(huge, std::uintmax_t{1} << 40);
    CHECK(reason(huge).find("more than any image within the pixel limit") != std::string::npos);
    // Larger than one read.
    const cv::Mat picture = grey_picture(300, 200);
    const ByteVector pgm = encode(".pgm", picture);
    CHECK(read_grey_image(folder.write("p.pgm", {pgm.begin(), pgm.end()})).pixels ==
          expected_grey(picture).pixels);
}

TEST_CASE("nothing is written to the standard error stream", "[image]") {
    std::fflush(stderr);
    const TempDir folder;
    const std::string log = (folder.path() / "stderr").string();
    const int saved = ::dup(2);
    FILE* file = std::fopen(log.c_str(), "w");
    REQUIRE(file != nullptr);
    ::dup2(::fileno(file), 2);
    cv::RNG random(3);
    for (const Sample& sample : samples()) {
        for (int i = 0; i < 30; ++i) {
            ByteVector bytes = sample.bytes;
            if (i % 2)
                bytes.resize(static_cast<std::size_t>(random.uniform(1, static_cast<int>(bytes.size()))));
            bytes[static_cast<std::size_t>(random.uniform(0, static_cast<int>(bytes.size())))] ^= 0x41;
            decodes(bytes);
        }
    }
    std::fflush(stderr);
    ::dup2(saved, 2);
    ::close(saved);
    std::fclose(file);
    std::ifstream in(log);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    CHECK(text == "");
}
