#include "lib/evaluate/landmarks/landmark_points.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr std::size_t ibug_points = 68;

Point mean_of(std::span<const Point> points) {
    Point sum;
    for (const Point& point : points) {
        sum.x += point.x;
        sum.y += point.y;
    }
    const auto count = static_cast<double>(points.size());
    return {sum.x / count, sum.y / count};
}

using Shape = std::vector<std::complex<double>>;

// Centre 0, root-mean-square radius 1; nothing for a shape without extent.
Shape normalised(const std::vector<Point>& points) {
    const Point centre = mean_of(points);
    Shape shape;
    double squares = 0;
    for (const Point& point : points) {
        shape.emplace_back(point.x - centre.x, point.y - centre.y);
        squares += std::norm(shape.back());
    }
    const double radius = std::sqrt(squares / static_cast<double>(points.size()));
    if (!(radius > 0)) return {};
    for (std::complex<double>& point : shape) point /= radius;
    return shape;
}

// The unit number that turns `shape` to where its squared distance to `reference` is least.
std::complex<double> best_turn(const Shape& shape, const Shape& reference) {
    std::complex<double> product = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) product += reference[i] * std::conj(shape[i]);
    return std::abs(product) > 0 ? product / std::abs(product) : 1;
}

}  // namespace

std::string normaliser_name(LandmarkNormaliser normaliser) {
    switch (normaliser) {
        case LandmarkNormaliser::outer_eye_corners:
            return "outer_eye_corners";
        case LandmarkNormaliser::pupils:
            return "pupils";
        case LandmarkNormaliser::eye_centres:
            return "eye_centres";
        case LandmarkNormaliser::box_diagonal:
            return "box_diagonal";
        case LandmarkNormaliser::sqrt_box_area:
            return "sqrt_box_area";
    }
    return {};
}

std::string normaliser_title(LandmarkNormaliser normaliser) {
    if (normaliser == LandmarkNormaliser::sqrt_box_area) return "√(box area)";
    std::string title = normaliser_name(normaliser);
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

std::string normaliser_description(LandmarkNormaliser normaliser) {
    switch (normaliser) {
        case LandmarkNormaliser::outer_eye_corners:
            return "the distance of the outer eye corners, points 36 and 45 from 0";
        case LandmarkNormaliser::pupils:
            return "the distance of the pupils, taken as the means of points 36 to 41 and 42 to 47 from 0";
        case LandmarkNormaliser::eye_centres:
            return "the distance of the annotated eyes";
        case LandmarkNormaliser::box_diagonal:
            return "the diagonal √(w² + h²) of the tight box of the true landmarks";
        case LandmarkNormaliser::sqrt_box_area:
            return "√(w·h) of the tight box of the true landmarks";
    }
    return {};
}

bool counts_for_landmarks(const Face& face) {
    return !face.ignore && !face.landmarks.empty();
}

LandmarkNormaliser normaliser_from_string(const std::string& name) {
    std::string known;
    for (const LandmarkNormaliser normaliser :
         {LandmarkNormaliser::outer_eye_corners, LandmarkNormaliser::pupils, LandmarkNormaliser::eye_centres,
          LandmarkNormaliser::box_diagonal, LandmarkNormaliser::sqrt_box_area}) {
        if (name == normaliser_name(normaliser)) return normaliser;
        known += (known.empty() ? "" : ", ") + normaliser_name(normaliser);
    }
    throw UsageError("there is no normaliser '" + name + "'; use one of " + known);
}

std::vector<LandmarkNormaliser> normalisers_for(std::size_t landmarks, bool eyes) {
    std::vector<LandmarkNormaliser> list;
    if (landmarks == ibug_points) {
        list = {LandmarkNormaliser::outer_eye_corners, LandmarkNormaliser::pupils};
    } else if (eyes) {
        list = {LandmarkNormaliser::eye_centres};
    }
    list.push_back(LandmarkNormaliser::box_diagonal);
    list.push_back(LandmarkNormaliser::sqrt_box_area);
    return list;
}

double normaliser_length(LandmarkNormaliser normaliser, const Face& face) {
    const std::span<const Point> points = face.landmarks;
    const bool by_eye_points =
        normaliser == LandmarkNormaliser::outer_eye_corners || normaliser == LandmarkNormaliser::pupils;
    if (by_eye_points && points.size() != ibug_points) {
        throw std::invalid_argument(normaliser_name(normaliser) + " is defined for 68 landmarks");
    }
    if (normaliser == LandmarkNormaliser::eye_centres && !face.eyes) {
        throw std::invalid_argument("eye_centres needs annotated eyes");
    }
    const Box box = tight_box(points);
    switch (normaliser) {
        case LandmarkNormaliser::outer_eye_corners:
            return distance(points[36], points[45]);
        case LandmarkNormaliser::pupils:
            return distance(mean_of(points.subspan(36, 6)), mean_of(points.subspan(42, 6)));
        case LandmarkNormaliser::eye_centres:
            return distance(face.eyes->left, face.eyes->right);
        case LandmarkNormaliser::box_diagonal:
            return std::hypot(box.w, box.h);
        case LandmarkNormaliser::sqrt_box_area:
            return std::sqrt(box.area());
    }
    return 0;
}

Box tight_box(std::span<const Point> points) {
    if (points.empty()) return {};
    Point least = points[0];
    Point largest = points[0];
    for (const Point& point : points) {
        least = {std::min(least.x, point.x), std::min(least.y, point.y)};
        largest = {std::max(largest.x, point.x), std::max(largest.y, point.y)};
    }
    return {least.x, least.y, largest.x - least.x, largest.y - least.y};
}

double distance(const Point& a, const Point& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

std::vector<LandmarkRegion> landmark_regions(std::size_t landmarks) {
    if (landmarks != ibug_points) return {};
    return {{"jaw", "jaw", 0, 17, false},
            {"right_brow", "right brow", 17, 5, false},
            {"left_brow", "left brow", 22, 5, false},
            {"nose", "nose", 27, 9, false},
            {"right_eye", "right eye", 36, 6, true},
            {"left_eye", "left eye", 42, 6, true},
            {"outer_mouth", "outer mouth", 48, 12, true},
            {"inner_mouth", "inner mouth", 60, 8, true}};
}

std::vector<Point> mean_shape(const std::vector<const std::vector<Point>*>& shapes) {
    constexpr int rounds = 4;  // the turns of faces are small: it converges at once
    std::vector<Shape> aligned;
    for (const std::vector<Point>* points : shapes) {
        Shape shape = normalised(*points);
        if (!shape.empty()) aligned.push_back(std::move(shape));
    }
    if (aligned.empty()) return {};
    Shape mean(aligned.front().size());
    const auto average = [&] {
        std::fill(mean.begin(), mean.end(), 0);
        for (const Shape& shape : aligned) {
            for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += shape[i];
        }
        for (std::complex<double>& point : mean) point /= static_cast<double>(aligned.size());
    };
    average();
    for (int round = 0; round < rounds; ++round) {
        for (Shape& shape : aligned) {
            const std::complex<double> turn = best_turn(shape, mean);
            for (std::complex<double>& point : shape) point *= turn;
        }
        average();
    }
    std::vector<Point> points;
    for (const std::complex<double>& point : mean) points.push_back({point.real(), point.imag()});
    return points;
}

}  // namespace fovea
