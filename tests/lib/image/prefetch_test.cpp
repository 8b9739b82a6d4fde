#include "lib/image/prefetch.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <catch2/catch.hpp>
#include <opencv2/imgcodecs.hpp>

#include "encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

std::string pgm(int width, int height, char value) {
    return "P5 " + std::to_string(width) + " " + std::to_string(height) + " 255\n" +
           std::string(static_cast<std::size_t>(width * height), value);
}

/// Small and large images, missing and broken ones, in turn.
std::vector<std::filesystem::path> mixed_files(const TempDir& folder, int count) {
    const ByteVector slow = encode(".png", colour_picture(700, 500));
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < count; ++i) {
        const std::string name = std::to_string(i);
        switch (i % 7) {
            case 2:
                paths.push_back(folder.path() / "missing");
                break;
            case 3:
                paths.push_back(folder.write(name, {slow.begin(), slow.end()}));
                break;
            case 5:
                paths.push_back(folder.write(name, "P5 9 9 255\n"));
                break;
            default:
                paths.push_back(folder.write(name, pgm(1 + i, 20, static_cast<char>(i))));
        }
    }
    return paths;
}

void check_all(ImagePrefetcher& prefetcher, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto loaded = prefetcher.next();
        REQUIRE(loaded);
        REQUIRE(loaded->index == i);
        switch (i % 7) {
            case 2:
                REQUIRE(loaded->unreadable == "no such file");
                break;
            case 3:
                REQUIRE(loaded->image.width == 700);
                break;
            case 5:
                REQUIRE(loaded->unreadable == "truncated PNM: 0 bytes of pixels of 81");
                break;
            default:
                REQUIRE(loaded->image.width == static_cast<int>(i) + 1);
                REQUIRE(loaded->image.pixels[0] == static_cast<std::uint8_t>(i));
        }
        REQUIRE(loaded->image.empty() == !loaded->unreadable.empty());
    }
    CHECK_FALSE(prefetcher.next());
    CHECK_FALSE(prefetcher.next());
}

}  // namespace

TEST_CASE("images come in list order for any threads and any bound", "[image][prefetch]") {
    const TempDir folder;
    constexpr int count = 40;
    const auto paths = mixed_files(folder, count);
    for (const int threads : {1, 2, 3, 8})
        for (const std::size_t bound :
             {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
            INFO(threads << " threads, bound " << bound);
            PrefetchOptions options;
            options.threads = threads;
            options.max_bytes = bound;
            ImagePrefetcher prefetcher(paths, options);
            check_all(prefetcher, count);
        }
}

TEST_CASE("an empty list ends at once", "[image][prefetch]") {
    ImagePrefetcher prefetcher({}, {});
    CHECK_FALSE(prefetcher.next());
}

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
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(prefetcher.peak_bytes() <= options.max_bytes);
    CHECK(prefetcher.peak_bytes() >= 70'000);
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

TEST_CASE("a prefetcher can be destroyed at any moment", "[image][prefetch]") {
    const TempDir folder;
    const auto paths = mixed_files(folder, 30);
    for (const int threads : {1, 4})
        for (const std::size_t bound : {std::size_t{1}, std::size_t{50'000}, std::size_t{1} << 28})
            for (const int taken : {0, 1, 4, 29}) {
                PrefetchOptions options;
                options.threads = threads;
                options.max_bytes = bound;
                ImagePrefetcher prefetcher(paths, options);
                for (int i = 0; i < taken; ++i) REQUIRE(prefetcher.next());
            }
}

TEST_CASE("decoding options reach the decoder", "[image][prefetch]") {
    const TempDir folder;
    PrefetchOptions options;
    options.decode.max_pixels = 50;
    ImagePrefetcher prefetcher({folder.write("a", pgm(10, 10, 'x'))}, options);
    CHECK(prefetcher.next()->unreadable == "too large: 10 x 10 pixels, the limit is 50 in all");
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends the program when memory runs out
TEST_CASE("running out of memory is the result of that image", "[image][prefetch]") {
    const TempDir folder;
    const auto huge = folder.write("huge.pgm", "P5 9 9 255\n");
    std::filesystem::resize_file(huge, std::uintmax_t{1} << 42);
    PrefetchOptions options;
    options.decode.max_pixels = std::int64_t{1} << 42;
    ImagePrefetcher prefetcher({huge, folder.write("a", pgm(10, 10, 'x'))}, options);
    CHECK(prefetcher.next()->unreadable == "out of memory");
    CHECK(prefetcher.next()->image.width == 10);
}
#endif

TEST_CASE("MIT+CMU decodes as by OpenCV", "[image][data]") {
    const char* data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(data) / "benchmark" / "mit-cmu"))
        if (entry.is_regular_file() && entry.path().extension() != ".txt") paths.push_back(entry.path());
    REQUIRE(paths.size() == 65);
    PrefetchOptions options;
    options.threads = 2;
    ImagePrefetcher prefetcher(paths, options);
    int compared = 0;
    while (const auto loaded = prefetcher.next()) {
        INFO(paths[loaded->index]);
        REQUIRE(loaded->unreadable == "");
        if (cv::imread(paths[loaded->index].string(), cv::IMREAD_UNCHANGED).type() != CV_8UC1) continue;
        const cv::Mat reference = cv::imread(paths[loaded->index].string(), cv::IMREAD_GRAYSCALE);
        REQUIRE(reference.cols == loaded->image.width);
        REQUIRE(std::equal(reference.begin<std::uint8_t>(), reference.end<std::uint8_t>(),
                           loaded->image.pixels.begin(), loaded->image.pixels.end()));
        ++compared;
    }
    CHECK(compared > 0);
}
