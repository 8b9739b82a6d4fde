#include "lib/image/prefetch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

#include <catch2/catch.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sys/stat.h>
#include <turbojpeg.h>

#include "lib/files/shortage.hpp"
#include "lib/image/load.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/lib/image/prefetch_inputs.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

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
    ImagePrefetcher prefetcher(std::vector<std::filesystem::path>{}, {});
    CHECK_FALSE(prefetcher.next());
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
    ImagePrefetcher prefetcher(std::vector<std::filesystem::path>{folder.write("a", pgm(10, 10, 'x'))},
                               options);
    CHECK(prefetcher.next()->unreadable == "too large: 10 x 10 pixels, the limit is 50 in all");
}

TEST_CASE("a pipe among the images does not stop the others", "[image][prefetch]") {
    const TempDir folder;
    const auto pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    ImagePrefetcher prefetcher(std::vector<std::filesystem::path>{pipe, folder.write("a", pgm(10, 10, 'x'))},
                               {});
    CHECK(prefetcher.next()->unreadable == "is not a regular file");
    CHECK(prefetcher.next()->image.width == 10);
}

namespace {

/// Images in memory, of which one cannot be opened, or not be read, for want of something.
class ScarceInputs final : public ImageInputs {
  public:
    ScarceInputs(std::size_t count, std::size_t scarce, bool opens)
        : bytes_(bytes_of(pgm(20, 10, 'x'))), count_(count), scarce_(scarce), opens_(opens) {}

    std::size_t size() const override { return count_; }
    bool in_order() const override { return false; }
    std::string name(std::size_t index) const override { return "image " + std::to_string(index); }
    std::unique_ptr<codec::EncodedFile> open(std::size_t index) const override {
        if (index == scarce_ && !opens_) throw ShortageError("no descriptor is left");
        return std::make_unique<Member>(bytes_, index == scarce_);
    }

  private:
    class Member final : public codec::EncodedFile {
      public:
        Member(const ByteVector& bytes, bool fails) : source_(bytes), size_(bytes.size()), fails_(fails) {}
        std::size_t read(std::uint8_t* to, std::size_t length) override {
            if (fails_) throw std::bad_alloc();
            return source_.read(to, length);
        }
        std::size_t size() const override { return size_; }

      private:
        codec::MemorySource source_;
        std::size_t size_;
        bool fails_;
    };

    ByteVector bytes_;
    std::size_t count_, scarce_;
    bool opens_;
};

}  // namespace

TEST_CASE("a shortage ends the list at its image, whatever the threads", "[image][prefetch]") {
    for (const bool opens : {false, true}) {
        for (const int threads : {1, 2, 16}) {
            for (const std::size_t scarce :
                 {std::size_t{0}, std::size_t{1}, std::size_t{37}, std::size_t{199}}) {
                CAPTURE(opens, threads, scarce);
                const ScarceInputs inputs(200, scarce, opens);
                PrefetchOptions options;
                options.threads = threads;
                // Room for two images: those behind the shortage wait for memory.
                options.max_bytes = 3000;
                ImagePrefetcher prefetcher(inputs, options);
                for (std::size_t i = 0; i < scarce; ++i) {
                    const auto loaded = prefetcher.next();
                    REQUIRE(loaded);
                    CHECK(loaded->index == i);
                    CHECK(loaded->image.width == 20);
                }
                for (int call = 0; call < 2; ++call) {
                    CHECK_THROWS_MATCHES(
                        prefetcher.next(), ShortageError,
                        Catch::Message(opens ? "there is not enough memory for 'image " +
                                                   std::to_string(scarce) +
                                                   "'; lower --threads, or end other programs"
                                             : "no descriptor is left"));
                }
            }
        }
    }
}

TEST_CASE("inputs are opened in rising order and released", "[image][prefetch]") {
    std::vector<ByteVector> images;
    for (int i = 0; i < 60; ++i) images.push_back(i % 9 == 4 ? ByteVector() : bytes_of(pgm(1 + i, 2, 'x')));
    for (const int threads : {1, 4})
        for (const std::size_t first :
             {std::size_t{0}, std::size_t{7}, std::size_t{59}, std::size_t{60}, std::size_t{99}}) {
            const WatchedInputs inputs(images);
            PrefetchOptions options;
            options.threads = threads;
            options.first = first;
            ImagePrefetcher prefetcher(inputs, options);
            int readable = 0;
            for (std::size_t i = first; i < 60; ++i) {
                const auto loaded = prefetcher.next();
                REQUIRE(loaded);
                REQUIRE(loaded->index == i);
                REQUIRE(loaded->unreadable == (i % 9 == 4 ? "is not there" : ""));
                REQUIRE(loaded->size == ImageSize{loaded->image.width, loaded->image.height});
                if (i % 9 == 4) continue;
                REQUIRE(loaded->encoded_bytes == images[i].size());
                ++readable;
            }
            CHECK_FALSE(prefetcher.next());
            CHECK(inputs.released == readable);
            REQUIRE(inputs.opened.size() == (first < 60 ? 60 - first : 0));
            for (std::size_t i = 0; i < inputs.opened.size(); ++i) REQUIRE(inputs.opened[i] == first + i);
        }
}

TEST_CASE("JPEG files are handed out encoded where they are wanted so", "[image][prefetch]") {
    const cv::Mat picture = colour_picture(45, 31);
    const ByteVector jpeg = with_exif(encode_jpeg(picture, TJSAMP_420), make_exif(6, true));
    const ByteVector progressive = encode_jpeg(picture, TJSAMP_420, TJFLAG_PROGRESSIVE);
    const ByteVector cut(jpeg.begin(), jpeg.end() - 10);
    const WatchedInputs inputs({jpeg, progressive, cut, encode(".png", picture), gzip(jpeg)});
    std::atomic<int> asked = 0;
    PrefetchOptions options;
    options.threads = 2;
    options.keep_encoded = [&](const JpegFrame& frame) {
        ++asked;
        return frame.baseline;
    };
    ImagePrefetcher prefetcher(inputs, options);
    for (const std::size_t i : {0, 1, 2, 3, 4}) {
        INFO(i);
        const auto loaded = prefetcher.next();
        REQUIRE(loaded);
        if (i == 0 || i == 4) {
            REQUIRE(loaded->jpeg);
            CHECK(loaded->jpeg->bytes == jpeg);
            CHECK(loaded->jpeg->frame == JpegFrame{{45, 31}, 3, true, 6, true, true, true});
            CHECK(loaded->size == ImageSize{31, 45});
            CHECK(loaded->image.empty());
            CHECK(loaded->unreadable.empty());
        } else {
            CHECK_FALSE(loaded->jpeg);
            CHECK(loaded->image.empty() == (i == 2));
            CHECK(loaded->unreadable.empty() == (i != 2));
        }
    }
    CHECK(asked == 2);  // for the one that is cut as little as for the progressive one
    const PrefetchTimes times = prefetcher.times();
    CHECK(times.encoded_bytes ==
          jpeg.size() + progressive.size() + cut.size() + encode(".png", picture).size() + gzip(jpeg).size());
    CHECK(times.decode_seconds > 0);
    // Waiting to be handed out, each counts with its bytes: all fit where one decoded picture would not.
    const cv::Mat flat(1000, 1000, CV_8UC3, cv::Scalar(1, 2, 3));
    const ByteVector small = encode_jpeg(flat, TJSAMP_420);
    const WatchedInputs many(std::vector<ByteVector>(20, small));
    options.max_bytes = 2'500'000;
    ImagePrefetcher all(many, options);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (all.times().encoded_bytes < 20 * small.size() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(all.times().encoded_bytes == 20 * small.size());
}

TEST_CASE("a JPEG is decoded at a fraction of its size", "[image][prefetch]") {
    const cv::Mat picture = colour_picture(45, 31);
    const std::vector<ByteVector> images = {encode_jpeg(picture, TJSAMP_420),
                                            with_exif(encode_jpeg(picture, TJSAMP_420), make_exif(6, false)),
                                            encode(".png", picture)};
    const WatchedInputs inputs(images);
    for (const auto& [largest, scale] : {std::pair{1, 1}, {2, 2}, {3, 2}, {4, 4}, {8, 8}, {16, 8}, {0, 1}}) {
        INFO(largest);
        PrefetchOptions options;
        options.decode.largest_reduction = largest;
        ImagePrefetcher prefetcher(inputs, options);
        const int width = (45 + scale - 1) / scale, height = (31 + scale - 1) / scale;
        ByteVector reference(static_cast<std::size_t>(width * height));
        tjhandle handle = tjInitDecompress();
        REQUIRE(tjDecompress2(handle, images[0].data(), images[0].size(), reference.data(), width, 0, height,
                              TJPF_GRAY, TJFLAG_ACCURATEDCT) == 0);
        tjDestroy(handle);
        const auto plain = prefetcher.next(), turned = prefetcher.next(), png = prefetcher.next();
        CHECK(plain->scale == scale);
        CHECK(plain->size == ImageSize{45, 31});
        CHECK(plain->image.width == width);
        CHECK(plain->image.height == height);
        CHECK(plain->image.pixels == reference);
        CHECK(turned->scale == scale);
        CHECK(turned->size == ImageSize{31, 45});
        CHECK(turned->image.width == height);
        CHECK(turned->image.view()(height - 1, 0) == reference[0]);
        CHECK(png->scale == 1);
        CHECK(png->size == ImageSize{45, 31});
        CHECK(png->image.width == 45);
    }
    DecodeOptions options;
    options.largest_reduction = 8;
    CHECK(decode_grey_image(images[0], options).width == 45);
}

TEST_CASE("a file that changes while it is read is unreadable", "[image]") {
    const TempDir folder;
    const auto load = [&](const std::filesystem::path& path, const std::function<void()>& change) {
        return reason_of([&] { codec::load_image(path, {}, [&](std::size_t, bool) { change(); }); });
    };
    const std::string text = pgm(700, 500, 'x');
    const auto path = folder.write("a", text);
    CHECK(load(path, [] {}) == "");
    CHECK(load(path, [&] { folder.write("a", text + "more"); }) == "changed while it was read");
    CHECK(load(path, [&] { std::filesystem::resize_file(path, 300'000); }) == "changed while it was read");
    folder.write("a", text);
    CHECK(load(path, [&] {
              std::filesystem::last_write_time(
                  path, std::filesystem::last_write_time(path) - std::chrono::seconds(9));
          }) == "changed while it was read");
    // An opened file can be read, even when nothing is called so any more.
    CHECK(load(path, [&] { std::filesystem::remove(path); }) == "");
    CHECK(load(path, [] {}) == "no such file");
}

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
