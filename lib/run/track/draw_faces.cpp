#include "lib/run/track/draw_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <opencv2/imgproc.hpp>

namespace fovea {
namespace {

/// Luma and colour differences of eight colours that are told apart on any background.
constexpr std::array<std::array<int, 3>, 8> colours = {{{145, 54, 34},
                                                        {170, 166, 16},
                                                        {106, 202, 222},
                                                        {210, 16, 146},
                                                        {81, 90, 240},
                                                        {188, 154, 10},
                                                        {160, 60, 180},
                                                        {128, 220, 110}}};

/// A plane of a frame, drawn on at its own scale.
struct Canvas {
    cv::Mat plane;
    double scale;
    double colour;

    cv::Point at(double x, double y) const {
        const auto pixel = [&](double place) {
            return static_cast<int>(std::lround(std::clamp(place * scale, -1e6, 1e6)));
        };
        return {pixel(x), pixel(y)};
    }
    int width(int pixels) const { return std::max(1, static_cast<int>(std::lround(pixels * scale))); }
};

void draw_face(const Canvas& canvas, const Detection& face, int line) {
    const Box& box = face.box;
    const cv::Scalar colour(canvas.colour);
    const bool is_followed = face.details->followed.has_value();
    cv::rectangle(canvas.plane, canvas.at(box.x, box.y), canvas.at(box.x + box.w, box.y + box.h), colour,
                  canvas.width(is_followed ? line : 2 * line));
    for (const Point& point : face.details->landmarks)
        cv::circle(canvas.plane, canvas.at(point.x, point.y), canvas.width(line), colour, cv::FILLED);
    if (!face.details->track) return;
    const std::string number = std::to_string(*face.details->track);
    cv::putText(canvas.plane, number, canvas.at(box.x, box.y - 3 * line), cv::FONT_HERSHEY_SIMPLEX,
                0.5 * line * canvas.scale, colour, canvas.width(line + 1));
}

}  // namespace

void draw_faces(ColourFrame& frame, std::span<const Detection> faces) {
    const int line = std::max(1, std::max(frame.width, frame.height) / 640);
    cv::Mat y(frame.height, frame.width, CV_8UC1, frame.y.data());
    cv::Mat u(frame.chroma_height(), frame.chroma_width(), CV_8UC1, frame.u.data());
    cv::Mat v(frame.chroma_height(), frame.chroma_width(), CV_8UC1, frame.v.data());
    for (const Detection& face : faces) {
        const auto& [luma, blue, red] =
            colours[static_cast<std::size_t>(face.details->track.value_or(0)) % colours.size()];
        draw_face({y, 1, static_cast<double>(luma)}, face, line);
        draw_face({u, 0.5, static_cast<double>(blue)}, face, line);
        draw_face({v, 0.5, static_cast<double>(red)}, face, line);
    }
}

}  // namespace fovea
