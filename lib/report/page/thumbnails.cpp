#include "lib/report/page/thumbnails.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>

#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "lib/core/text.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/encode.hpp"

namespace fovea::report {
namespace {

constexpr int jpeg_quality = 75;
constexpr double context_factor = 2.4;
constexpr double smallest_region = 64;

/// \throws cv::Exception if OpenCV refuses to scale or encode the piece
Thumbnail cut(const cv::Mat& image, const Box& focus) {
    Thumbnail thumbnail;
    thumbnail.region = thumbnail_region(focus, image.cols, image.rows);
    const cv::Rect rectangle(static_cast<int>(thumbnail.region.x), static_cast<int>(thumbnail.region.y),
                             static_cast<int>(thumbnail.region.w), static_cast<int>(thumbnail.region.h));
    thumbnail.jpeg = small_jpeg(image(rectangle), jpeg_quality);
    return thumbnail;
}

}  // namespace

std::string small_jpeg(const cv::Mat& image, int quality, int side) {
    const double scale = static_cast<double>(side) / std::max(image.cols, image.rows);
    cv::Mat smaller = image;
    if (scale < 1) {
        const cv::Size size(std::max(1, static_cast<int>(std::lround(image.cols * scale))),
                            std::max(1, static_cast<int>(std::lround(image.rows * scale))));
        cv::resize(image, smaller, size, 0, 0, cv::INTER_AREA);
    }
    const std::vector<unsigned char> bytes = encode_jpeg(smaller, quality);
    return {bytes.begin(), bytes.end()};
}

Box thumbnail_region(const Box& focus, int width, int height) {
    const auto finite = [](double value) { return std::isfinite(value) ? value : 0.0; };
    const double side =
        std::round(std::max(smallest_region, context_factor * std::max(finite(focus.w), finite(focus.h))));
    const auto span = [&](double centre, int extent) {
        const double length = std::min(side, static_cast<double>(extent));
        const double begin = std::clamp(std::floor(finite(centre) - length / 2), 0.0, extent - length);
        return std::make_pair(begin, length);
    };
    const auto [x, w] = span(focus.x + focus.w / 2, width);
    const auto [y, h] = span(focus.y + focus.h / 2, height);
    return {x, y, w, h};
}

std::vector<Thumbnail> cut_thumbnails(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                                      const DecodeOptions& options) {
    std::map<std::size_t, std::vector<std::size_t>> by_sample;
    for (std::size_t i = 0; i < exhibits.size(); ++i) by_sample[exhibits[i].sample].push_back(i);
    const std::vector<std::pair<std::size_t, std::vector<std::size_t>>> images(by_sample.begin(),
                                                                               by_sample.end());

    std::vector<Thumbnail> thumbnails(exhibits.size());
    tbb::task_arena arena(std::min(images_at_once, tbb::this_task_arena::max_concurrency()));
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t n) {
            const auto& [sample, wanted] = images[n];
            // A report is worth having without some of its pictures, if it is the images that are at fault.
            try {
                const cv::Mat image = read_picture(dataset.samples.at(sample).place(), options);
                for (const std::size_t i : wanted) thumbnails[i] = cut(image, exhibits[i].focus);
            } catch (const ShortageError&) {
                throw;
            } catch (const std::bad_alloc&) {
                throw;
            } catch (const std::exception& error) {
                for (const std::size_t i : wanted) {
                    if (thumbnails[i].jpeg.empty()) thumbnails[i].unreadable = error.what();
                }
            }
        });
    });
    return thumbnails;
}

std::string missing_pictures(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                             const std::vector<Thumbnail>& thumbnails) {
    const auto is_missing = [](const Thumbnail& thumbnail) { return thumbnail.jpeg.empty(); };
    const auto first = std::find_if(thumbnails.begin(), thumbnails.end(), is_missing);
    if (first == thumbnails.end()) return {};
    const auto missing = std::count_if(first, thumbnails.end(), is_missing);
    std::string reason = first->unreadable;
    if (!reason.empty() && reason.back() == '.') reason.pop_back();
    const std::size_t place = static_cast<std::size_t>(first - thumbnails.begin());
    const bool are_all = static_cast<std::size_t>(missing) == thumbnails.size();
    return fmt::format("{} of {} {} missing from the report; the first, of {}: {}.{}", missing,
                       counted(thumbnails.size(), "picture"), missing == 1 ? "is" : "are",
                       dataset.samples.at(exhibits.at(place).sample).image, reason,
                       are_all ? " --root names the folder of the images." : "");
}

}  // namespace fovea::report
