#include "lib/device/jpeg_rate.hpp"

#include <cstddef>
#include <memory>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>
#include <turbojpeg.h>

#include "kernels/buffer.hpp"
#include "kernels/measure/stopwatch.hpp"
#include "lib/core/file.hpp"
#include "lib/image/decode.hpp"

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

struct CloseTurboJpeg {
    void operator()(void* handle) const { tjDestroy(handle); }
};
struct FreeTurboJpeg {
    void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

std::vector<std::uint8_t> encoded(const cv::Mat& picture) {
    const std::unique_ptr<void, CloseTurboJpeg> handle(tjInitCompress());
    if (!handle) throw Error(std::string("cannot start the JPEG encoder: ") + tjGetErrorStr2(nullptr));
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    const int outcome =
        tjCompress2(handle.get(), picture.data, picture.cols, static_cast<int>(picture.step), picture.rows,
                    TJPF_BGR, &bytes, &size, TJSAMP_420, sample_quality, TJFLAG_ACCURATEDCT);
    const std::unique_ptr<unsigned char, FreeTurboJpeg> owner(bytes);
    if (outcome != 0)
        throw Error(std::string("cannot encode a JPEG to measure with: ") + tjGetErrorStr2(handle.get()));
    return {bytes, bytes + size};
}

DecodeOptions as_it_is() {
    DecodeOptions options;
    options.apply_exif_orientation = false;
    return options;
}

double bits_per_pixel(const JpegSample& sample) {
    return 8.0 * static_cast<double>(sample.bytes.size()) / sample.size.width / sample.size.height;
}

}  // namespace

JpegSample synthetic_jpeg_sample() {
    JpegSample sample{"", {sample_width, sample_height}, encoded(texture())};
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
    const auto [width, height] = sample.size;
    const std::size_t stride = (static_cast<std::size_t>(width) + 255) / 256 * 256;
    const Buffer<std::uint8_t> memory(device, count * stride * static_cast<std::size_t>(height));
    const std::vector<codec::Bytes> files(count, codec::Bytes(sample.bytes));
    std::vector<ImageView<std::uint8_t>> images(count);
    for (std::size_t i = 0; i < count; ++i) {
        images[i] = {memory.data() + i * stride * static_cast<std::size_t>(height), width, height,
                     static_cast<std::ptrdiff_t>(stride)};
    }
    Timing timing{static_cast<double>(batch), {}};
    timing.seconds = repeated(repeat, [&] {
        return host_seconds([&] {
            decoder.decode_grey(files, images);
            device.synchronize();
        });
    });
    return timing;
}

}  // namespace fovea
