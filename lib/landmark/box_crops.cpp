#include "lib/landmark/box_crops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "lib/image/encode.hpp"

namespace fovea {
namespace {

constexpr int crop_jpeg_quality = 92;

/// The pixels [begin, end) of a side.
struct CropRange {
    int begin = 0, end = 0;

    int length() const { return end - begin; }
};

/// From the first to the last edge, rounded, as far as it lies in [0, length). Far edges do not overflow.
CropRange pixels_between(double from, double to, int length) {
    const auto edge = [&](double value) {
        return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, static_cast<double>(length)));
    };
    return {edge(from), edge(to)};
}

/// One side of a square: which pixels of the picture it shows, and where these lie in the crop.
struct CropSide {
    CropRange from;
    CropRange to;
};

CropSide square_side(double centre, double side, int length, int size) {
    const double first = centre - side / 2;
    CropSide range;
    range.from = pixels_between(first, first + side, length);
    // At least a pixel, also of a box smaller than one.
    if (range.from.length() <= 0) {
        if (centre < 0 || centre >= length) return {};
        range.from.begin = static_cast<int>(centre);
        range.from.end = range.from.begin + 1;
    }
    const double scale = size / side;
    // Only what the picture's edges cut off leaves room.
    const bool is_cut_before = first < 0;
    const bool is_cut_behind = first + side > length;
    range.to = pixels_between(is_cut_before ? -first * scale : 0,
                              is_cut_behind ? (length - first) * scale : size, size);
    if (range.to.length() <= 0) {
        range.to.begin = std::min(range.to.begin, size - 1);
        range.to.end = range.to.begin + 1;
    }
    return range;
}

cv::Mat square_crop(const cv::Mat& picture, const Box& box, const CropOptions& options) {
    const double side = std::max(box.w, box.h) * (1 + 2 * options.margin);
    const Point centre = box.centre();
    const CropSide x = square_side(centre.x, side, picture.cols, options.size);
    const CropSide y = square_side(centre.y, side, picture.rows, options.size);
    if (x.from.length() <= 0 || y.from.length() <= 0) return {};
    const cv::Mat part = picture(cv::Range(y.from.begin, y.from.end), cv::Range(x.from.begin, x.from.end));
    const cv::Size shown(x.to.length(), y.to.length());
    const bool shrinks = shown.width < part.cols && shown.height < part.rows;
    cv::Mat scaled, crop;
    cv::resize(part, scaled, shown, 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    cv::copyMakeBorder(scaled, crop, y.to.begin, options.size - y.to.end, x.to.begin, options.size - x.to.end,
                       cv::BORDER_REPLICATE);
    return crop;
}

}  // namespace

cv::Mat box_crop(const cv::Mat& picture, const Box& box, const CropOptions& options) {
    check_crop_options(options);
    const bool has_area = box.w > 0 && box.h > 0 && std::isfinite(box.x) && std::isfinite(box.y) &&
                          std::isfinite(box.w) && std::isfinite(box.h);
    if (!has_area || picture.empty()) return {};
    const bool is_outside =
        box.x >= picture.cols || box.y >= picture.rows || box.x + box.w <= 0 || box.y + box.h <= 0;
    if (is_outside) return {};
    if (options.size > 0) return square_crop(picture, box, options);
    const double x_margin = box.w * options.margin, y_margin = box.h * options.margin;
    const CropRange x = pixels_between(box.x - x_margin, box.x + box.w + x_margin, picture.cols);
    const CropRange y = pixels_between(box.y - y_margin, box.y + box.h + y_margin, picture.rows);
    if (x.length() <= 0 || y.length() <= 0) return {};
    return picture(cv::Range(y.begin, y.end), cv::Range(x.begin, x.end)).clone();
}

std::string crop_file(const cv::Mat& crop, const CropOptions& options) {
    const std::vector<unsigned char> bytes =
        options.as_jpeg ? encode_jpeg(crop, crop_jpeg_quality) : encode_png(crop);
    return {bytes.begin(), bytes.end()};
}

}  // namespace fovea
