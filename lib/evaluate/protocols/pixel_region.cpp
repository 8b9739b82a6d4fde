#include "lib/evaluate/protocols/pixel_region.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr double farthest = 1e7;
constexpr double largest_radius = 20000;

int rounded(double value) {
    if (!(std::abs(value) <= farthest)) {
        throw Error("A region at " + std::to_string(value) +
                    " pixels lies beyond every image; correct the annotation or the results.");
    }
    return cvRound(static_cast<float>(value));
}

// The rows [top, bottom) of a canvas, whose other pixels are 0, and the canvas black again for the next
// shape.
class Canvas {
  public:
    cv::Mat& of_size(int width, int height) {
        if (mat_.rows < height || mat_.cols < width) {
            mat_ = cv::Mat::zeros(std::max(height, mat_.rows), std::max(width, mat_.cols), CV_8U);
        }
        view_ = mat_(cv::Rect(0, 0, width, height));
        return view_;
    }

  private:
    cv::Mat mat_;
    cv::Mat view_;
};

}  // namespace

PixelRegion PixelRegion::of_box(const Box& box, const std::optional<ImageSize>& clip) {
    const int x0 = rounded(box.x);
    const int y0 = rounded(box.y);
    const int x1 = rounded(box.x + box.w);
    const int y1 = rounded(box.y + box.h);
    PixelRegion region;
    region.left_ = std::min(x0, x1);
    region.right_ = std::max(x0, x1) + 1;
    region.top_ = std::min(y0, y1);
    region.bottom_ = std::max(y0, y1) + 1;
    if (clip) {
        region.left_ = std::max(region.left_, 0);
        region.top_ = std::max(region.top_, 0);
        region.right_ = std::max(region.left_, std::min(region.right_, clip->width));
        region.bottom_ = std::max(region.top_, std::min(region.bottom_, clip->height));
    }
    region.area_ = std::int64_t{region.right_ - region.left_} * std::int64_t{region.bottom_ - region.top_};
    return region;
}

PixelRegion PixelRegion::of_ellipse(const Ellipse& ellipse, const std::optional<ImageSize>& clip) {
    cv::Point centre(rounded(ellipse.centre.x), rounded(ellipse.centre.y));
    const double longest = std::max(std::abs(ellipse.major_radius), std::abs(ellipse.minor_radius));
    if (!(longest <= largest_radius)) {
        throw Error("An ellipse with a radius of " + std::to_string(longest) +
                    " pixels is larger than any face; correct the annotation or the results.");
    }
    const cv::Size radii(static_cast<int>(std::abs(ellipse.major_radius)),
                         static_cast<int>(std::abs(ellipse.minor_radius)));
    // On an image of unknown size the canvas is just large enough; moving a shape by whole pixels does not
    // change it. On a known one it is the image: OpenCV may draw the border of a clipped shape a little
    // differently.
    constexpr int margin = 4;
    const int reach = std::max(radii.width, radii.height) + margin;
    cv::Point offset(0, 0);
    int width = 2 * reach + 1;
    int height = width;
    if (clip) {
        width = clip->width;
        height = clip->height;
    } else {
        offset = cv::Point(centre.x - reach, centre.y - reach);
        centre -= offset;
    }
    PixelRegion region;
    const int top = std::max(0, centre.y - reach);
    const int bottom = std::min(height, centre.y + reach + 1);
    const int left = std::max(0, centre.x - reach);
    const int right = std::min(width, centre.x + reach + 1);
    if (top >= bottom || left >= right) return region;

    thread_local Canvas canvas;
    cv::Mat& image = canvas.of_size(width, height);
    // The program turns the angle t into 180 - (pi - t) * 180 / pi before it draws.
    const double angle = 180 - (std::numbers::pi - ellipse.angle_rad) * 180 / std::numbers::pi;
    cv::ellipse(image, centre, radii, angle, 0, 360, cv::Scalar(255), cv::FILLED);
    region.left_ = right + offset.x;
    region.right_ = left + offset.x;
    region.top_ = top + offset.y;
    region.bottom_ = bottom + offset.y;
    for (int y = top; y < bottom; ++y) {
        std::uint8_t* const begin = image.ptr<std::uint8_t>(y) + left;
        std::uint8_t* const end = image.ptr<std::uint8_t>(y) + right;
        const auto is_set = [](std::uint8_t pixel) { return pixel != 0; };
        std::uint8_t* const first = std::find_if(begin, end, is_set);
        std::uint8_t* last = end;
        while (last > first && !is_set(*(last - 1))) --last;
        const Run run{static_cast<int>(first - begin) + left + offset.x,
                      static_cast<int>(last - begin) + left + offset.x};
        std::fill(first, last, std::uint8_t{0});
        region.rows_.push_back(run);
        region.area_ += run.end - run.begin;
        if (run.end == run.begin) continue;
        region.left_ = std::min(region.left_, run.begin);
        region.right_ = std::max(region.right_, run.end);
    }
    return region;
}

Box PixelRegion::bounds() const {
    return {static_cast<double>(left_), static_cast<double>(top_), static_cast<double>(right_ - left_),
            static_cast<double>(bottom_ - top_)};
}

PixelRegion::Run PixelRegion::row(int y) const {
    return rows_.empty() ? Run{left_, right_} : rows_[static_cast<std::size_t>(y - top_)];
}

std::int64_t shared_pixels(const PixelRegion& a, const PixelRegion& b) {
    const int top = std::max(a.top_, b.top_);
    const int bottom = std::min(a.bottom_, b.bottom_);
    const std::int64_t width = std::min(a.right_, b.right_) - std::max(a.left_, b.left_);
    if (top >= bottom || width <= 0) return 0;
    if (a.rows_.empty() && b.rows_.empty()) return width * (bottom - top);
    std::int64_t shared = 0;
    for (int y = top; y < bottom; ++y) {
        const PixelRegion::Run in_a = a.row(y);
        const PixelRegion::Run in_b = b.row(y);
        shared += std::max(0, std::min(in_a.end, in_b.end) - std::max(in_a.begin, in_b.begin));
    }
    return shared;
}

double pixel_iou(const PixelRegion& a, const PixelRegion& b) {
    const std::int64_t shared = shared_pixels(a, b);
    if (shared == 0) return 0;
    return static_cast<double>(shared) / static_cast<double>(a.area() + b.area() - shared);
}

}  // namespace fovea
