#include "lib/bench/benchmark_images.hpp"

#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

std::string pixels_of(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace

Photographs read_photographs(const Dataset& dataset) {
    constexpr std::size_t max_bytes = std::size_t{4} << 30;
    Photographs photographs;
    std::size_t bytes = 0;
    for (const Sample& sample : dataset.samples) {
        try {
            photographs.images.push_back({sample.image, read_grey_image(sample.place())});
        } catch (const ImageError& error) {
            photographs.unreadable.push_back({sample.image, error.what()});
            continue;
        }
        bytes += photographs.images.back().image.pixels.size();
        if (bytes > max_bytes) {
            throw Error("the photographs take more than 4 GiB of memory from " + sample.image +
                        " on; measure on fewer, e.g. with --limit 32");
        }
    }
    if (photographs.images.empty()) {
        if (photographs.unreadable.empty()) throw Error("there is no photograph to measure on");
        const UnreadableImage& first = photographs.unreadable.front();
        throw Error("cannot read the image " + first.image + ": " + first.reason);
    }
    return photographs;
}

void check_benchmark_size(Size size) {
    if (size.width < 1 || size.height < 1) {
        throw UsageError("photographs cannot be resized to " + pixels_of(size) + ": a size is at least 1x1");
    }
    constexpr std::int64_t max_pixels = 400'000'000;
    if (std::int64_t{size.width} * size.height > max_pixels) {
        throw UsageError("photographs cannot be resized to " + pixels_of(size) +
                         ": a size has at most 400 megapixels");
    }
}

GreyImage resized(const GreyImage& image, Size size) {
    GreyImage result{size.width, size.height,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) *
                                               static_cast<std::size_t>(size.height))};
    const cv::Mat source(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat target(size.height, size.width, CV_8UC1, result.pixels.data());
    const bool shrinks = size.width <= image.width && size.height <= image.height;
    cv::resize(source, target, target.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    return result;
}

}  // namespace fovea
