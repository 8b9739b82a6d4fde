#include "lib/train/face_net/clutter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include <opencv2/imgproc.hpp>

namespace fovea {
namespace {

constexpr std::uint64_t max_things = 4;
/// Height of letters and radius of discs, shares of the side.
constexpr double min_letter = 0.06, max_letter = 0.8, min_radius = 0.03, max_radius = 0.4;
/// A letter of OpenCV's fonts is that many pixels high at a scale of 1.
constexpr double font_height = 22;
/// Width of a letter's lines, shares of its height.
constexpr double min_stroke = 0.06, max_stroke = 0.28;

double between(CounterRandom& random, double from, double to) {
    return from + (to - from) * random.unit();
}

std::string draw_word(CounterRandom& random) {
    constexpr std::string_view letters = "ABCDEGOPQRSUeoagpbdsu0368@&%8B";
    std::string word;
    for (std::uint64_t i = random.below(6) + 1; i > 0; --i) word += letters[random.below(letters.size())];
    return word;
}

/// How much of each pixel a word covers.
cv::Mat word_mask(std::size_t side, CounterRandom& random) {
    constexpr std::array fonts{cv::FONT_HERSHEY_SIMPLEX, cv::FONT_HERSHEY_DUPLEX, cv::FONT_HERSHEY_COMPLEX,
                               cv::FONT_HERSHEY_TRIPLEX, cv::FONT_HERSHEY_SCRIPT_COMPLEX};
    const int edge = static_cast<int>(side);
    const double height = random.log_uniform(min_letter, max_letter) * edge;
    const int stroke =
        std::max(1, static_cast<int>(std::lround(height * between(random, min_stroke, max_stroke))));
    const int font = fonts[random.below(fonts.size())] | (random.unit() < 0.2 ? cv::FONT_ITALIC : 0);
    const cv::Point at(static_cast<int>(between(random, -0.3, 0.8) * edge),
                       static_cast<int>(between(random, 0.2, 1.2) * edge));
    cv::Mat mask(edge, edge, CV_8U, cv::Scalar(0));
    cv::putText(mask, draw_word(random), at, font, height / font_height, cv::Scalar(255), stroke,
                cv::LINE_AA);
    if (random.unit() < 0.5) {
        const double angle = between(random, -25, 25);
        const cv::Mat turn = cv::getRotationMatrix2D({edge / 2.0F, edge / 2.0F}, angle, 1);
        cv::warpAffine(mask, mask, turn, mask.size());
    }
    return mask;
}

void draw_disc(std::size_t side, CounterRandom& random, float* pixels) {
    const auto edge = static_cast<double>(side);
    const double x = edge * random.unit(), y = edge * random.unit();
    const double radius = random.log_uniform(min_radius, max_radius) * edge;
    const double soft = between(random, 1, 0.6 * radius + 1);  // width of the edge
    const double level = 255 * random.unit(), cover = between(random, 0.5, 1);
    // Light from one side, as on a ball; none on half of the discs.
    const double shade = random.unit() < 0.5 ? 0 : between(random, 20, 120);
    const double angle = between(random, 0, 2 * std::numbers::pi);
    for (std::size_t row = 0; row < side; ++row) {
        for (std::size_t column = 0; column < side; ++column) {
            const double dx = static_cast<double>(column) + 0.5 - x, dy = static_cast<double>(row) + 0.5 - y;
            const double share = cover * std::clamp((radius - std::hypot(dx, dy)) / soft, 0.0, 1.0);
            if (!(share > 0)) continue;
            const double lit = shade * (dx * std::cos(angle) + dy * std::sin(angle)) / radius;
            float& pixel = pixels[row * side + column];
            pixel += static_cast<float>(share * (level + lit - static_cast<double>(pixel)));
        }
    }
}

}  // namespace

void draw_clutter(std::size_t side, CounterRandom& random, float* pixels) {
    for (std::uint64_t thing = random.below(max_things) + 1; thing > 0; --thing) {
        if (random.unit() < 0.5) {
            draw_disc(side, random, pixels);
            continue;
        }
        const cv::Mat mask = word_mask(side, random);
        const auto level = static_cast<float>(255 * random.unit());
        for (std::size_t i = 0; i < side * side; ++i)
            pixels[i] += static_cast<float>(mask.data[i]) / 255 * (level - pixels[i]);
    }
}

}  // namespace fovea
