#include "lib/evaluate/protocols/region_area.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

constexpr double turn = 2 * std::numbers::pi;
// A boundary that coincides with another is counted once: the first ellipse's arcs may lie this far outside
// the second (in units of its radii, squared), the second's must lie as far inside.
constexpr double coincidence = 1e-13;

// An ellipse with what its formulas need; radii > 0.
struct Oval {
    double x = 0;
    double y = 0;
    double a = 0;
    double b = 0;
    double cosine = 1;
    double sine = 0;

    Point at(double t) const {
        const double u = a * std::cos(t);
        const double v = b * std::sin(t);
        return {x + u * cosine - v * sine, y + u * sine + v * cosine};
    }
    // Below 1 inside, above 1 outside.
    double level(const Point& p) const {
        const double dx = p.x - x;
        const double dy = p.y - y;
        const double u = (dx * cosine + dy * sine) / a;
        const double v = (dy * cosine - dx * sine) / b;
        return u * u + v * v;
    }
};

// Everything is computed around an origin near the regions, so that far coordinates lose no digits.
Oval oval_of(const Ellipse& ellipse, const Point& origin) {
    return {ellipse.centre.x - origin.x,    ellipse.centre.y - origin.y, std::abs(ellipse.major_radius),
            std::abs(ellipse.minor_radius), std::cos(ellipse.angle_rad), std::sin(ellipse.angle_rad)};
}

bool inside(const Box& box, const Point& p) {
    return p.x >= box.x && p.x <= box.x + box.w && p.y >= box.y && p.y <= box.y + box.h;
}

// Parameters t of `oval` at which one of its coordinates, m + p cos t + q sin t, equals `line`.
void add_crossings(double m, double p, double q, double line, std::vector<double>& places) {
    const double r = std::hypot(p, q);
    if (!(std::abs(line - m) < r)) return;
    const double phase = std::atan2(q, p);
    const double half = std::acos((line - m) / r);
    places.push_back(phase + half);
    places.push_back(phase - half);
}

// The place where f changes its sign in [low, high], given that it does.
template <class Function>
double bisect(const Function& f, double low, double high) {
    const bool sign = f(low) > 0;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        ((f(middle) > 0) == sign ? low : high) = middle;
    }
    return (low + high) / 2;
}

// The place where f is smallest (towards = 1) or largest (-1) in [low, high], in which it has one extremum.
template <class Function>
double extremum(const Function& f, double low, double high, double towards) {
    constexpr double golden = 0.6180339887498949;
    for (int i = 0; i < 60; ++i) {
        const double left = high - golden * (high - low);
        const double right = low + golden * (high - low);
        if (towards * f(left) < towards * f(right)) {
            high = right;
        } else {
            low = left;
        }
    }
    return (low + high) / 2;
}

// Parameters t of `oval` at which it crosses the curve other.level = border. Along t the level is a
// trigonometric polynomial of degree 2: at most 4 zeros. Pairs of zeros closer than the samples show as an
// extremum that reaches 0.
void add_crossings(const Oval& oval, const Oval& other, double border, std::vector<double>& places) {
    constexpr int samples = 64;
    const auto f = [&](double t) { return other.level(oval.at(t)) - border; };
    std::array<double, samples> values{};
    const auto place = [&](int i) { return turn * i / samples; };
    for (int i = 0; i < samples; ++i) values[static_cast<std::size_t>(i)] = f(place(i));
    const auto value = [&](int i) { return values[static_cast<std::size_t>((i + samples) % samples)]; };
    for (int i = 0; i < samples; ++i) {
        if ((value(i) > 0) != (value(i + 1) > 0)) places.push_back(bisect(f, place(i), place(i + 1)));
        const double towards = value(i) > 0 ? 1 : -1;
        const bool is_extremum =
            towards * value(i) <= towards * value(i - 1) && towards * value(i) <= towards * value(i + 1);
        if (!is_extremum || (value(i) > 0) != (value(i - 1) > 0) || (value(i) > 0) != (value(i + 1) > 0))
            continue;
        const double t = extremum(f, place(i - 1), place(i + 1), towards);
        if ((f(t) > 0) == (value(i) > 0)) continue;
        places.push_back(bisect(f, place(i - 1), t));
        places.push_back(bisect(f, t, place(i + 1)));
    }
}

// 1/2 * integral of (x dy - y dx) along the oval from t0 to t1.
double arc_integral(const Oval& oval, double t0, double t1) {
    const Point from = oval.at(t0);
    const Point to = oval.at(t1);
    // For the centre (x, y): 1/2 (a b dt) + 1/2 (x (y1 - y0) - y (x1 - x0)).
    return (oval.a * oval.b * (t1 - t0) + oval.x * (to.y - from.y) - oval.y * (to.x - from.x)) / 2;
}

double arcs_inside(const Oval& oval, const Oval* other, double border, const Box* box) {
    std::vector<double> places{0.0};
    if (other != nullptr) add_crossings(oval, *other, border, places);
    if (box != nullptr) {
        const double xp = oval.a * oval.cosine;
        const double xq = -oval.b * oval.sine;
        const double yp = oval.a * oval.sine;
        const double yq = oval.b * oval.cosine;
        for (const double line : {box->x, box->x + box->w}) add_crossings(oval.x, xp, xq, line, places);
        for (const double line : {box->y, box->y + box->h}) add_crossings(oval.y, yp, yq, line, places);
    }
    for (double& place : places) place -= turn * std::floor(place / turn);
    std::sort(places.begin(), places.end());
    places.push_back(turn + places.front());
    double sum = 0;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
        const Point middle = oval.at((places[i] + places[i + 1]) / 2);
        if (other != nullptr && other->level(middle) > border) continue;
        if (box != nullptr && !inside(*box, middle)) continue;
        sum += arc_integral(oval, places[i], places[i + 1]);
    }
    return sum;
}

// 1/2 * integral of (x dy - y dx) along the part of the edge p -> q that lies in the ovals.
double edge_inside(const Point& p, const Point& q, const std::vector<Oval>& ovals) {
    double from = 0;
    double to = 1;
    for (const Oval& oval : ovals) {
        // The level along the edge, at p + s (q - p), is 1 + a s^2 + 2 b s + c.
        const auto along = [&oval](double x, double y) {
            return Point{(x * oval.cosine + y * oval.sine) / oval.a,
                         (y * oval.cosine - x * oval.sine) / oval.b};
        };
        const Point start = along(p.x - oval.x, p.y - oval.y);
        const Point step = along(q.x - p.x, q.y - p.y);
        const double a = step.x * step.x + step.y * step.y;
        const double b = start.x * step.x + start.y * step.y;
        const double c = start.x * start.x + start.y * start.y - 1;
        const double root = b * b - a * c;
        if (!(root > 0) || a <= 0) return 0;
        from = std::max(from, (-b - std::sqrt(root)) / a);
        to = std::min(to, (-b + std::sqrt(root)) / a);
    }
    return from < to ? (to - from) * (p.x * q.y - p.y * q.x) / 2 : 0;
}

}  // namespace

double shared_area(const std::optional<Ellipse>& first, const std::optional<Ellipse>& second,
                   const std::optional<Box>& box) {
    if (box && box->area() <= 0) return 0;
    const Point origin = first ? first->centre : second ? second->centre : Point{};
    std::vector<Oval> ovals;
    for (const std::optional<Ellipse>& ellipse : {first, second}) {
        if (!ellipse) continue;
        if (ellipse->major_radius == 0 || ellipse->minor_radius == 0) return 0;
        ovals.push_back(oval_of(*ellipse, origin));
    }
    if (ovals.empty()) return box ? box->area() : 0;
    Box near;
    if (box) near = {box->x - origin.x, box->y - origin.y, box->w, box->h};
    const Box* const clip = box ? &near : nullptr;
    double area = 0;
    for (std::size_t i = 0; i < ovals.size(); ++i) {
        const Oval* const other = ovals.size() > 1 ? &ovals[1 - i] : nullptr;
        area += arcs_inside(ovals[i], other, i == 0 ? 1 + coincidence : 1 - coincidence, clip);
    }
    if (clip != nullptr) {
        const std::array<Point, 4> corners{Point{near.x, near.y}, Point{near.x + near.w, near.y},
                                           Point{near.x + near.w, near.y + near.h},
                                           Point{near.x, near.y + near.h}};
        for (std::size_t i = 0; i < 4; ++i) area += edge_inside(corners[i], corners[(i + 1) % 4], ovals);
    }
    return std::max(0.0, area);
}

namespace {

double area_of(const Region& region, const std::optional<Box>& clip) {
    if (region.ellipse) return shared_area(region.ellipse, std::nullopt, clip);
    return clip ? shared_box(region.box, *clip).area() : region.box.area();
}

}  // namespace

double region_iou(const Region& a, const Region& b, const std::optional<ImageSize>& clip) {
    std::optional<Box> bounds;
    if (clip) bounds = Box{0, 0, static_cast<double>(clip->width), static_cast<double>(clip->height)};
    const double area_a = area_of(a, bounds);
    const double area_b = area_of(b, bounds);
    for (const Region* region : {&a, &b}) {
        if (!region->ellipse) bounds = bounds ? shared_box(*bounds, region->box) : region->box;
    }
    const double shared = shared_area(a.ellipse, b.ellipse, bounds);
    const double total = area_a + area_b - shared;
    if (!(shared > 0) || !(total > 0)) return 0;
    return std::min(1.0, shared / total);
}

}  // namespace fovea
