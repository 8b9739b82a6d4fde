#include "lib/bench/jpeg_rate.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/stopwatch.hpp"
#include "lib/files/file.hpp"
#include "lib/image/encode.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

constexpr int sample_width = 1920;
constexpr int sample_height = 1080;
constexpr int sample_quality = 90;

/// Noise of several grain sizes, the finer the weaker, as in nature.
cv::Mat texture() {
    cv::RNG generator(20260101);
    const cv::Size size(sample_width, sample_height);
    cv::Mat sum(size, CV_32FC3, cv::Scalar::all(128));
    for (const int grain : {240, 60, 15, 6, 3, 1}) {
        cv::Mat noise(sample_height / grain + 1, sample_width / grain + 1, CV_32FC3);
        generator.fill(noise, cv::RNG::UNIFORM, -0.5, 0.5);
        cv::Mat grown;
        cv::resize(noise, grown, size, 0, 0, cv::INTER_CUBIC);
        const double contrast = grain >= 60 ? 90 : grain >= 6 ? 50 : 10 + 6 * grain;
        cv::scaleAdd(grown, contrast, sum, sum);
    }
    cv::Mat picture;
    sum.convertTo(picture, CV_8UC3);
    return picture;
}

DecodeOptions as_it_is() {
    DecodeOptions options;
    options.apply_exif_orientation = false;
    return options;
}

double bits_per_pixel(const JpegSample& sample) {
    return 8.0 * static_cast<double>(sample.bytes.size()) / sample.size.width / sample.size.height;
}

std::size_t stride_of(Size size) {
    return (static_cast<std::size_t>(size.width) + 255) / 256 * 256;
}

// Bytes that an image of the size takes.
std::size_t room_of(Size size) {
    return stride_of(size) * static_cast<std::size_t>(size.height);
}

ImageView<std::uint8_t> view_of(std::uint8_t* pixels, Size size) {
    return {pixels, size.width, size.height, static_cast<std::ptrdiff_t>(stride_of(size))};
}

// Seconds an image: `work(thread)`, which tells how many images it did, on so many threads again and again
// until the time is over.
double seconds_an_image(int threads, double seconds, const std::function<std::size_t(int thread)>& work) {
    std::atomic<std::size_t> images{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const double taken = host_seconds([&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        std::vector<std::jthread> workers;
        for (int thread = 0; thread < threads; ++thread) {
            workers.emplace_back([&, thread] {
                try {
                    do {
                        images += work(thread);
                    } while (std::chrono::steady_clock::now() < end);
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    failure = std::current_exception();
                }
            });
        }
    });
    if (failure) std::rethrow_exception(failure);
    return taken / static_cast<double>(images);
}

// A decoder on a GPU with a stream and memory of its own, and where it is among the samples.
class NvJpegWorker {
  public:
    NvJpegWorker(int gpu, NvJpegBackend backend, std::span<const JpegSample> samples, int batch,
                 std::size_t first)
        : device_(Device::cuda(gpu)),
          decoder_(device_, backend),
          samples_(samples),
          next_(first),
          files_(static_cast<std::size_t>(batch)),
          images_(static_cast<std::size_t>(batch)) {
        for (const JpegSample& sample : samples) room_ = std::max(room_, room_of(sample.size));
        memory_ = Buffer<std::uint8_t>(device_, room_ * files_.size());
    }

    std::size_t decode_batch() {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const JpegSample& sample = samples_[next_++ % samples_.size()];
            files_[i] = sample.bytes;
            images_[i] = view_of(memory_.data() + i * room_, sample.size);
        }
        decoder_.decode_grey(files_, images_);
        device_.synchronize();
        return files_.size();
    }

  private:
    Device device_;
    NvJpegDecoder decoder_;
    std::span<const JpegSample> samples_;
    std::size_t next_;
    std::size_t room_ = 0;
    Buffer<std::uint8_t> memory_;
    std::vector<codec::Bytes> files_;
    std::vector<ImageView<std::uint8_t>> images_;
};

}  // namespace

JpegSample synthetic_jpeg_sample() {
    JpegSample sample{"", {sample_width, sample_height}, encode_jpeg(texture(), sample_quality)};
    sample.description = fmt::format("synthetic {}x{} JPEG, quality {}, 4:2:0, {:.1f} bits a pixel",
                                     sample_width, sample_height, sample_quality, bits_per_pixel(sample));
    return sample;
}

JpegSample read_jpeg_sample(const std::filesystem::path& file) {
    const std::string text = read_file(file);
    JpegSample sample{"", {}, {text.begin(), text.end()}};
    if (!codec::has_magic(sample.bytes, 0, "\xff\xd8\xff", 3))
        throw UsageError("--image " + file.string() + " is not a JPEG file; decoders are measured with one");
    try {
        const GreyImage image = decode_grey_image(sample.bytes, as_it_is());
        sample.size = {image.width, image.height};
    } catch (const ImageError& error) {
        throw ImageError("cannot measure with " + file.string() + ": " + error.what());
    }
    sample.description = fmt::format("{}, {}x{}, {:.1f} bits a pixel", file.string(), sample.size.width,
                                     sample.size.height, bits_per_pixel(sample));
    return sample;
}

Timing measure_cpu_jpeg(const JpegSample& sample, int repeat) {
    const DecodeOptions options = as_it_is();
    return {
        1, repeated(repeat, [&] { return host_seconds([&] { decode_grey_image(sample.bytes, options); }); })};
}

Timing measure_nvjpeg(NvJpegDecoder& decoder, const Device& device, const JpegSample& sample, int batch,
                      int repeat) {
    const auto count = static_cast<std::size_t>(batch);
    const std::size_t room = room_of(sample.size);
    const Buffer<std::uint8_t> memory(device, count * room);
    const std::vector<codec::Bytes> files(count, codec::Bytes(sample.bytes));
    std::vector<ImageView<std::uint8_t>> images(count);
    for (std::size_t i = 0; i < count; ++i) images[i] = view_of(memory.data() + i * room, sample.size);
    Timing timing{static_cast<double>(batch), {}};
    timing.seconds = repeated(repeat, [&] {
        return host_seconds([&] {
            decoder.decode_grey(files, images);
            device.synchronize();
        });
    });
    return timing;
}

Timing measure_cpu_jpeg(std::span<const JpegSample> samples, int threads, double seconds, int repeat) {
    const DecodeOptions options = as_it_is();
    std::atomic<std::size_t> next{0};
    return {1, repeated(repeat, [&] {
                return seconds_an_image(threads, seconds, [&](int) -> std::size_t {
                    decode_grey_image(samples[next++ % samples.size()].bytes, options);
                    return 1;
                });
            })};
}

Timing measure_nvjpeg(int gpu, NvJpegBackend backend, std::span<const JpegSample> samples,
                      const NvJpegLoad& load, double seconds, int repeat) {
    std::vector<std::unique_ptr<NvJpegWorker>> workers;
    for (int i = 0; i < load.decoders; ++i) {
        const std::size_t first =
            samples.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(load.decoders);
        workers.push_back(std::make_unique<NvJpegWorker>(gpu, backend, samples, load.batch, first));
    }
    return {1, repeated(repeat, [&] {
                return seconds_an_image(load.decoders, seconds, [&](int thread) {
                    return workers[static_cast<std::size_t>(thread)]->decode_batch();
                });
            })};
}

}  // namespace fovea
