// Small files that take much memory where a limit is not kept: a run with --memory-limit 256M stays below 300
// MiB.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <turbojpeg.h>
#include <zlib.h>

#include "tests/support/archives.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/peak_memory.hpp"
#include "tests/support/photo_encoders.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitizers.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

std::string text_of(const ByteVector& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::string number(std::uint32_t value) {
    std::string text;
    for (int i = 4; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
}

/// A grey PNG, all black.
std::string black_png(std::uint32_t width, std::uint32_t height) {
    z_stream stream{};
    deflateInit(&stream, 9);
    ByteVector packed(1 << 20), row(std::size_t{width} + 1);
    stream.next_out = packed.data();
    stream.avail_out = static_cast<uInt>(packed.size());
    for (std::uint32_t y = 0; y <= height; ++y) {
        stream.next_in = row.data();
        stream.avail_in = y < height ? static_cast<uInt>(row.size()) : 0;
        deflate(&stream, y < height ? Z_NO_FLUSH : Z_FINISH);
    }
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    const std::string head = number(width) + number(height) + std::string("\x08\0\0\0\0", 5);
    return "\x89PNG\r\n\x1a\n" + text_of(png_chunk("IHDR", bytes_of(head))) +
           text_of(png_chunk("IDAT", packed)) + text_of(png_chunk("IEND", {}));
}

/// A JPEG 2000 that says that it is of another size.
ByteVector with_jpeg_2000_size(ByteVector codestream, std::uint32_t width, std::uint32_t height) {
    const std::string sizes = number(width) + number(height);
    std::copy(sizes.begin(), sizes.end(), codestream.begin() + 8);
    return codestream;
}

struct Bomb {
    std::string name;
    std::string bytes;
};

std::vector<Bomb> bombs() {
    const cv::Mat flat(2048, 2048, CV_8UC3, cv::Scalar(90, 90, 90)),
        small(64, 64, CV_8UC3, cv::Scalar(9, 9, 9));
    const cv::Mat large(6000, 6000, CV_8UC3, cv::Scalar(90, 90, 90));
    return {
        {"liar.heic", text_of(with_heif_size(encode_heif(flat, HeifCodec::hevc), 64, 48))},
        {"liar.avif", text_of(with_heif_size(encode_heif(flat, HeifCodec::av1), 64, 48))},
        {"boast.heic", text_of(with_heif_size(encode_heif(small, HeifCodec::hevc), 16000, 16000))},
        {"channels.jxl", text_of(encode_jpeg_xl(cv::Mat(1024, 1024, CV_8UC1, cv::Scalar(0)), 1, 250))},
        {"boast.jp2", text_of(with_jpeg_2000_size(encode_jpeg_2000(small, {.bare = true}), 12000, 12000))},
        {"scans.jpg", text_of(encode_jpeg(large, TJSAMP_444, TJFLAG_PROGRESSIVE))},
        {"large.webp", text_of(encode(".webp", large, {cv::IMWRITE_WEBP_QUALITY, 1}))},
        {"wide.png", black_png(60'000'000, 1)},
        {"large.tiff", text_of(encode(".tiff", large, {cv::IMWRITE_TIFF_COMPRESSION, 8}))},
        {"packed.pgm", text_of(gzip(bytes_of("P5 1 90000000 255\n" + std::string(90'000'000, '\0'))))},
    };
}

/// A run over a file or folder, with a detector that is done soon.
MeasuredRun detect(const PhotoFolder& f, const std::string& input, int threads) {
    return run_measured({"detect", input, "--model", f.model, "--min-size", "2000x2000", "--device", "cpu",
                         "--memory-limit", "256M", "--threads", std::to_string(threads), "--out",
                         f.path("r.jsonl"), "--overwrite"});
}

bool cannot_be_measured() {
    if (has_sanitizer) WARN("not run: a sanitizer takes memory of its own");
    return has_sanitizer;
}

}  // namespace

TEST_CASE("each format's bombs stay within the memory limit", "[cli][memory]") {
    if (cannot_be_measured()) return;
    for (const Bomb& bomb : bombs()) {
        std::vector<std::pair<std::string, std::string>> copies;
        const std::string ending = bomb.name.substr(bomb.name.find('.'));
        for (int i = 0; i < 8; ++i) copies.emplace_back(std::to_string(i) + ending, bomb.bytes);
        const PhotoFolder f(copies);
        for (const int threads : {1, 2, 16}) {
            const MeasuredRun run = detect(f, f.photos, threads);
            CAPTURE(bomb.name, bomb.bytes.size(), threads, run.err);
            CHECK((run.exit_code == 0 || run.exit_code == 3));
            CHECK(run.peak_mebibytes <= max_peak_mebibytes_at_256);
        }
    }
}

TEST_CASE("a PNG of many rows stays within the memory limit", "[cli][memory]") {
    if (cannot_be_measured()) return;
    const PhotoFolder f({{"tall.png", black_png(1, 34'000'000)}});
    const MeasuredRun run = detect(f, f.photos, 2);
    CAPTURE(run.err);
    CHECK((run.exit_code == 0 || run.exit_code == 3));
    CHECK(run.peak_mebibytes <= max_peak_mebibytes_at_256);
}

TEST_CASE("JPEG XL with many channels says what it needs", "[cli][memory]") {
    const PhotoFolder f(
        {{"a.jxl", text_of(encode_jpeg_xl(cv::Mat(1024, 1024, CV_8UC1, cv::Scalar(0)), 1, 250))}});
    const ProgramResult run = run_fovea({"detect", f.photos, "--model", f.model, "--device", "cpu",
                                         "--memory-limit", "256M", "--out", f.path("r.jsonl")});
    CHECK(run.exit_code == 3);
    CHECK_THAT(read_bytes(f.path("r.jsonl")),
               Contains("more than the memory limit allows; raise --memory-limit"));
}

TEST_CASE("archives that ask for large dictionaries are refused", "[cli][archive][memory]") {
    if (cannot_be_measured()) return;
    const PhotoFolder f({});
    const std::vector<TestMember> members{{"a.pgm", edge_pgm(40, 30)}};
    const fs::path xz = write_archive(f.path("a.tar.xz"), members, TestArchive::pax, TestPacking::xz);
    std::string bytes = read_bytes(xz);
    // The header of the first block, behind the 12 bytes of the stream's: its length, flags, the filter LZMA2
    // (0x21), the length of its properties, and those: one byte, the dictionary. A checksum ends it.
    const std::size_t at = bytes.find("\x21\x01", 12) + 2;
    const std::size_t length = (static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(12))) + 1) * 4;
    REQUIRE(at < 12 + length);
    const auto with_dictionary = [&](int code) {
        bytes[at] = static_cast<char>(code);
        const auto sum = static_cast<std::uint32_t>(
            ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + 12, static_cast<uInt>(length - 4)));
        for (std::size_t i = 0; i < 4; ++i)
            bytes[12 + length - 4 + i] = static_cast<char>(sum >> (8 * i) & 0xff);
        f.folder.write("x.tar.xz", bytes);
        return detect(f, f.path("x.tar.xz"), 1);
    };
    // (2 | code & 1) << (code / 2 + 11) bytes: 64 MiB, which xz takes at its best, 96 MiB, and 1,536 MiB.
    CHECK(with_dictionary(28).exit_code == 0);
    for (const int code : {29, 37}) {
        const MeasuredRun run = with_dictionary(code);
        CAPTURE(code, run.err);
        CHECK(run.exit_code == 1);
        CHECK_THAT(run.err,
                   Contains("needs 80 MiB or more to be unpacked, more than the memory limit allows"));
        CHECK(run.peak_mebibytes <= max_peak_mebibytes_at_256);
    }

    const fs::path zstd = write_archive(f.path("a.tar.zst"), members, TestArchive::pax, TestPacking::zstd);
    std::string frame = read_bytes(zstd);
    // Behind the magic number, the frame's flags, of which 0x20 says that no window follows; then the window:
    // 1 << (code / 8 + 10) bytes.
    REQUIRE((frame.at(4) & 0x20) == 0);
    frame[5] = static_cast<char>(17 << 3);
    f.folder.write("z.tar.zst", frame);
    const MeasuredRun run = detect(f, f.path("z.tar.zst"), 1);
    CAPTURE(run.err);
    CHECK(run.exit_code == 1);
    CHECK_THAT(run.err, Contains("needs 80 MiB or more to be unpacked"));
}
