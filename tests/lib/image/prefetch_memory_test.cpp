#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>
#include <opencv2/imgcodecs.hpp>
#include <turbojpeg.h>

#include "lib/image/buffer_pool.hpp"
#include "lib/image/load.hpp"
#include "lib/image/prefetch.hpp"
#include "tests/lib/image/prefetch_inputs.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("memory stays within the bound, and is used", "[image][prefetch]") {
    const TempDir folder;
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < 40; ++i) paths.push_back(folder.write(std::to_string(i), pgm(100, 100, 'x')));
    PrefetchOptions options;
    options.threads = 4;
    // In decoding: the file, the grey image and one more for turning (30 kB); waiting: the grey image (10
    // kB).
    options.max_bytes = 100'000;
    ImagePrefetcher prefetcher(paths, options);
    // Nobody asks for images: the threads go as far as the bound allows, and stop there.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (prefetcher.peak_bytes() < 70'000 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(prefetcher.peak_bytes() >= 70'000);
    CHECK(prefetcher.peak_bytes() <= options.max_bytes);
    for (int i = 0; i < 40; ++i) REQUIRE(prefetcher.next());
    CHECK(prefetcher.peak_bytes() <= options.max_bytes);
}

TEST_CASE("an image over the bound passes alone", "[image][prefetch]") {
    const TempDir folder;
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < 9; ++i)
        paths.push_back(folder.write(std::to_string(i), i % 3 == 1 ? pgm(500, 500, 'x') : pgm(10, 10, 'x')));
    PrefetchOptions options;
    options.threads = 4;
    options.max_bytes = 20'000;
    ImagePrefetcher prefetcher(paths, options);
    for (int i = 0; i < 9; ++i) REQUIRE(prefetcher.next()->image.width == (i % 3 == 1 ? 500 : 10));
    // Three times 250,000 bytes, a header of a few bytes, and the overhead; nothing beside it.
    CHECK(prefetcher.peak_bytes() > 750'000);
    CHECK(prefetcher.peak_bytes() < 753'000);
}

TEST_CASE("images whose needs are found late stay within the bound", "[image][prefetch]") {
    const TempDir folder;
    // Larger than what is read at first: the directory of these TIFF lies at their end, and the number of
    // bytes of packed text is known only at its end.
    const cv::Mat picture = colour_picture(400, 300);
    const ByteVector tiff = encode(".tiff", picture, {cv::IMWRITE_TIFF_COMPRESSION, 1});
    const ByteVector text = encode(".ppm", picture, {cv::IMWRITE_PXM_BINARY, 0});
    REQUIRE(tiff.size() > 300'000);
    const ByteVector files[] = {tiff, gzip(text), gzip(encode(".ppm", picture)), gzip(tiff),
                                bzip2(encode(".bmp", picture))};
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < 30; ++i)
        paths.push_back(folder.write(std::to_string(i), {files[i % 5].begin(), files[i % 5].end()}));
    const GreyImage expected = expected_grey(picture);
    std::size_t most = 0;
    for (int i = 0; i < 5; ++i)
        codec::load_image(paths[static_cast<std::size_t>(i)], {},
                          [&](std::size_t bytes, bool) { most = std::max(most, bytes + 1024); });
    for (const std::size_t bound : {std::size_t{1}, most}) {
        PrefetchOptions options;
        options.threads = 4;
        options.max_bytes = bound;
        ImagePrefetcher prefetcher(paths, options);
        // Nobody asks for images: the threads go on until what the next one asks for does not fit.
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (bound == most && prefetcher.peak_bytes() < most / 2 &&
               std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (int i = 0; i < 30; ++i) {
            const auto loaded = prefetcher.next();
            REQUIRE(loaded->unreadable == "");
            REQUIRE(loaded->image.pixels == expected.pixels);
        }
        CHECK(prefetcher.peak_bytes() <= most);
        // Destroyed in the middle of waiting.
        ImagePrefetcher unused(paths, options);
        CHECK(unused.next());
    }
}

TEST_CASE("an image that needs more than the limit is unreadable", "[image][prefetch]") {
    const cv::Mat flat(1000, 1000, CV_8UC3, cv::Scalar(1, 2, 3));
    const ByteVector jpeg = encode_jpeg(flat, TJSAMP_420);
    const WatchedInputs inputs({bytes_of(pgm(2048, 1024, 'x')), bytes_of(pgm(10, 10, 'x')), jpeg});
    PrefetchOptions options;
    options.max_image_bytes = 1'500'000;
    const std::string advice =
        " while it is decoded, more than the memory limit allows; raise --memory-limit";
    {
        ImagePrefetcher prefetcher(inputs, options);
        // The file, the grey image and that turned: three times 2 MiB, and a header.
        CHECK(prefetcher.next()->unreadable == "needs 6.0 MiB" + advice);
        CHECK(prefetcher.next()->image.width == 10);
        CHECK(prefetcher.next()->unreadable == "needs 1.9 MiB" + advice);
        CHECK(prefetcher.peak_bytes() <= 1'500'000 + 3 * 1024);
    }
    // Its bytes are few.
    options.keep_encoded = [](const JpegFrame&) { return true; };
    ImagePrefetcher prefetcher(inputs, options);
    CHECK(prefetcher.next()->unreadable != "");
    CHECK(prefetcher.next()->unreadable == "");
    CHECK(prefetcher.next()->jpeg->bytes == jpeg);
    options.keep_encoded = [](const JpegFrame&) { return false; };
    options.first = 2;
    ImagePrefetcher last(inputs, options);
    CHECK(last.next()->unreadable.find("needs 1.9 MiB") == 0);
}

TEST_CASE("memory that was used before changes no image", "[image][prefetch][buffers]") {
    std::vector<ByteVector> images;
    for (const int width : {700, 690, 640, 700, 300, 700}) {
        const cv::Mat picture = colour_picture(width, 500);
        images.push_back(encode_jpeg(picture, TJSAMP_420));
        images.push_back(with_exif(encode_jpeg(picture, TJSAMP_444), make_exif(6, false)));
        images.push_back(encode(".bmp", picture));
        images.push_back(gzip(images.front()));
        images.push_back(ByteVector(images.front().begin(), images.front().end() - 300));  // torn
    }
    const WatchedInputs inputs(images);
    for (const int reduction : {1, 2}) {
        for (const bool keep : {false, true}) {
            PrefetchOptions options;
            options.decode.largest_reduction = reduction;
            if (keep) options.keep_encoded = [](const JpegFrame& frame) { return frame.size.width != 690; };
            ImagePrefetcher plain(inputs, options);
            BufferPool pool(std::size_t{8} << 20);
            options.buffers = &pool;
            ImagePrefetcher pooled(inputs, options);
            bool any_kept = false;
            while (const auto expected = plain.next()) {
                auto image = pooled.next();
                REQUIRE(image);
                CHECK(image->unreadable == expected->unreadable);
                CHECK(image->image.width == expected->image.width);
                CHECK(image->image.pixels == expected->image.pixels);
                REQUIRE(image->jpeg.has_value() == expected->jpeg.has_value());
                if (image->jpeg) {
                    CHECK(image->jpeg->bytes == expected->jpeg->bytes);
                    pool.release(std::move(image->jpeg->bytes));
                }
                std::fill(image->image.pixels.begin(), image->image.pixels.end(), std::uint8_t{0xaa});
                const std::size_t bytes = image->image.pixels.size();
                pool.release(std::move(image->image.pixels));
                BufferPool::Buffer kept = pool.take(bytes);
                any_kept |= kept.capacity() > 0;
                pool.release(std::move(kept));
            }
            CHECK(any_kept);
        }
    }
}

// Run by the test below, in a process that may have little memory.
TEST_CASE("child: out of memory", "[.][prefetch-without-memory]") {
    const TempDir folder;
    const auto huge = folder.write("huge.pgm", "P5 80000 80000 255\n");
    std::filesystem::resize_file(huge, std::uintmax_t{6'400'000'019});
    PrefetchOptions options;
    options.decode.max_pixels = 6'400'000'000;
    ImagePrefetcher prefetcher(std::vector<std::filesystem::path>{folder.write("a", pgm(10, 10, 'x')), huge,
                                                                  folder.write("b", pgm(9, 9, 'x'))},
                               options);
    CHECK(prefetcher.next()->image.width == 10);
    CHECK_THROWS_WITH(prefetcher.next(), Catch::Contains("not enough memory") && Catch::Contains("huge.pgm"));
}

TEST_CASE("running out of memory ends the list and is no result", "[image][prefetch]") {
    if (has_sanitizer) {
        WARN("not run: a sanitizer needs the address space, and ends the program without memory");
        return;
    }
    const auto self = std::filesystem::read_symlink("/proc/self/exe");
    const ProgramResult result = run_program(
        {"/bin/sh", "-c", "ulimit -v 4000000 && exec \"$0\" '[prefetch-without-memory]'", self.string()});
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("All tests passed (2 assertions in 1 test case)") != std::string::npos);
}
