#include "lib/evaluate/analysis/face_appearance.hpp"

#include <algorithm>
#include <cmath>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/image/prefetch.hpp"

namespace fovea {
namespace {

constexpr int side = 64;
constexpr std::size_t prefetched_bytes = std::size_t{256} << 20;

// The whole pixels of [from, to), within [0, extent].
std::pair<int, int> pixels_of(double from, double to, int extent) {
    const auto within = [extent](double edge) {
        return static_cast<int>(std::clamp(std::round(edge), 0.0, static_cast<double>(extent)));
    };
    return {within(from), within(to)};
}

double laplacian_variance(const cv::Mat& grey) {
    // Whole numbers, so that the sums are exact.
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (int y = 1; y + 1 < grey.rows; ++y) {
        const std::uint8_t* above = grey.ptr(y - 1);
        const std::uint8_t* row = grey.ptr(y);
        const std::uint8_t* below = grey.ptr(y + 1);
        for (int x = 1; x + 1 < grey.cols; ++x) {
            const int value = above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x];
            sum += value;
            squares += value * value;
        }
    }
    const double count = static_cast<double>(grey.rows - 2) * (grey.cols - 2);
    const double mean = static_cast<double>(sum) / count;
    return static_cast<double>(squares) / count - mean * mean;
}

}  // namespace

FaceAppearance measure_face(const GreyImage& image, const Box& box) {
    const auto [left, right] = pixels_of(box.x, box.x + box.w, image.width);
    const auto [top, bottom] = pixels_of(box.y, box.y + box.h, image.height);
    if (right <= left || bottom <= top) return {};
    // OpenCV takes no pointer to constant pixels; nothing is written.
    const cv::Mat whole(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
    const cv::Mat crop = whole(cv::Rect(left, top, right - left, bottom - top));
    cv::Mat resized;
    const bool enlarges = crop.cols < side || crop.rows < side;
    cv::resize(crop, resized, {side, side}, 0, 0, enlarges ? cv::INTER_LINEAR : cv::INTER_AREA);
    return {laplacian_variance(resized), cv::mean(crop)[0] / 255};
}

DatasetAppearance measure_faces(const Dataset& dataset, const MeasureFacesOptions& options) {
    DatasetAppearance appearance;
    std::vector<std::size_t> samples;
    std::vector<ImageLocation> places;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const Sample& sample = dataset.samples[i];
        appearance.faces.emplace_back(sample.faces.size());
        if (!sample.annotated || sample.faces.empty()) continue;
        samples.push_back(i);
        places.push_back(sample.place());
    }
    ImagePrefetcher prefetcher(std::move(places), {options.threads, prefetched_bytes, options.decode});
    while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
        const std::size_t index = samples[loaded->index];
        const Sample& sample = dataset.samples[index];
        if (loaded->unreadable.empty()) {
            for (std::size_t f = 0; f < sample.faces.size(); ++f) {
                appearance.faces[index][f] = measure_face(loaded->image, sample.faces[f].box);
            }
        } else {
            appearance.unreadable.push_back({sample.image, loaded->unreadable});
        }
        const std::size_t done = loaded->index + 1;
        options.hooks.tell({done, samples.size(), appearance.unreadable.size()});
        if (options.hooks.is_cancelled()) {
            appearance.interrupted = done < samples.size();
            break;
        }
    }
    return appearance;
}

}  // namespace fovea
