#include "lib/recognise/face_template.hpp"

#include <array>
#include <vector>

#include "lib/landmark/face_crops.hpp"

namespace fovea {
namespace {

/// dlib's places are in widths of the mean face; its chip has a quarter of that more on each side.
constexpr double dlib_padding = 0.25;

template <std::size_t count>
constexpr std::array<TemplatePoint, count> padded(std::array<TemplatePoint, count> points) {
    for (TemplatePoint& point : points) {
        point.x = (dlib_padding + point.x) / (2 * dlib_padding + 1);
        point.y = (dlib_padding + point.y) / (2 * dlib_padding + 1);
    }
    return points;
}

/// Nose, eyes, and mouth without its lower lip.
constexpr std::array dlib_68 = padded(std::to_array<TemplatePoint>({
    {27, 1, 0.490127, 0.203352}, {28, 1, 0.490127, 0.307009}, {29, 1, 0.490127, 0.409805},
    {30, 1, 0.490127, 0.515625}, {31, 1, 0.36688, 0.587326},  {32, 1, 0.426036, 0.609345},
    {33, 1, 0.490127, 0.628106}, {34, 1, 0.554217, 0.609345}, {35, 1, 0.613373, 0.587326},
    {36, 1, 0.121737, 0.216423}, {37, 1, 0.187122, 0.178758}, {38, 1, 0.265825, 0.179852},
    {39, 1, 0.334606, 0.231733}, {40, 1, 0.260918, 0.245099}, {41, 1, 0.182743, 0.244077},
    {42, 1, 0.645647, 0.231733}, {43, 1, 0.714428, 0.179852}, {44, 1, 0.793132, 0.178758},
    {45, 1, 0.858516, 0.216423}, {46, 1, 0.79751, 0.244077},  {47, 1, 0.719335, 0.245099},
    {48, 1, 0.254149, 0.780233}, {49, 1, 0.340985, 0.745405}, {50, 1, 0.428858, 0.727388},
    {51, 1, 0.490127, 0.742578}, {52, 1, 0.551395, 0.727388}, {53, 1, 0.639268, 0.745405},
    {54, 1, 0.726104, 0.780233}, {60, 1, 0.290379, 0.784792}, {61, 1, 0.428096, 0.778746},
    {62, 1, 0.490127, 0.785343}, {63, 1, 0.552157, 0.778746}, {64, 1, 0.689874, 0.784792},
}));

/// The outer and inner corners of the eyes, and the tip of the nose.
constexpr std::array dlib_5 = padded(std::to_array<TemplatePoint>({
    {0, 1, 0.8595674595992, 0.2134981538014},
    {1, 1, 0.6460604764104, 0.2289674387677},
    {2, 1, 0.1205750620789, 0.2137274526848},
    {3, 1, 0.3340850613712, 0.2290642403242},
    {4, 1, 0.4901123135679, 0.6277975316475},
}));

/// Both eyes, the tip of the nose, and the corners of the mouth.
constexpr double arcface_side = 112;
constexpr std::array arcface_68 = std::to_array<TemplatePoint>({
    {36, 6, 38.2946 / arcface_side, 51.6963 / arcface_side},
    {42, 6, 73.5318 / arcface_side, 51.5014 / arcface_side},
    {30, 1, 56.0252 / arcface_side, 71.7366 / arcface_side},
    {48, 1, 41.5493 / arcface_side, 92.3655 / arcface_side},
    {54, 1, 70.7299 / arcface_side, 92.2041 / arcface_side},
});

/// dlib counts its chips' places from their corners.
constexpr double corner = -0.5;
constexpr std::array dlib_templates{FaceTemplate{68, dlib_68, corner}, FaceTemplate{5, dlib_5, corner}};
constexpr std::array arcface_templates{FaceTemplate{68, arcface_68}};

}  // namespace

std::span<const FaceTemplate> face_templates(std::string_view name) {
    if (name == "dlib") return dlib_templates;
    if (name == "arcface") return arcface_templates;
    return {};
}

std::optional<CropEyes> template_eyes(std::span<const FaceTemplate> templates, const CropGeometry& crop,
                                      std::span<const Point> landmarks) {
    for (const FaceTemplate& form : templates) {
        if (static_cast<std::size_t>(form.landmarks) != landmarks.size()) continue;
        std::vector<Point> places, points;
        for (const TemplatePoint& point : form.points) {
            places.push_back(
                {point.x * crop.size.width + form.origin, point.y * crop.size.height + form.origin});
            Point mean;
            for (const Point& landmark : landmarks.subspan(static_cast<std::size_t>(point.first),
                                                           static_cast<std::size_t>(point.count))) {
                mean.x += landmark.x / point.count;
                mean.y += landmark.y / point.count;
            }
            points.push_back(mean);
        }
        return carried_eyes(places, points, crop.eyes);
    }
    return std::nullopt;
}

}  // namespace fovea
