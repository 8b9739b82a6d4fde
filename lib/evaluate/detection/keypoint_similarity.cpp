#include "lib/evaluate/detection/keypoint_similarity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lib/core/keypoints.hpp"
#include "lib/evaluate/statistics/numpy_sum.hpp"

namespace fovea {
namespace {

constexpr std::array<double, 17> person_sigmas{.26 / 10,  .25 / 10, .25 / 10, .35 / 10, .35 / 10, .79 / 10,
                                               .79 / 10,  .72 / 10, .72 / 10, .62 / 10, .62 / 10, 1.07 / 10,
                                               1.07 / 10, .87 / 10, .87 / 10, .89 / 10, .89 / 10};

constexpr std::array<double, 68> face_sigmas{
    .042, .043, .044, .043, .040, .035, .031, .025, .020, .023, .029, .032,
    .037, .038, .043, .041, .045,                                            // jaw
    .013, .012, .011, .011, .012, .012, .011, .011, .013, .015,              // brows
    .009, .007, .007, .007, .012, .009, .008, .016, .010,                    // nose
    .017, .011, .009, .011, .009, .007, .013, .008, .011, .012, .010, .034,  // eyes
    .008, .008, .009, .008, .008, .007, .010, .008, .009, .009, .009, .007,  // lips
    .007, .008, .011, .008, .008, .008, .010, .008};

}  // namespace

std::span<const double> known_sigmas(std::size_t points) {
    if (points == person_sigmas.size()) return person_sigmas;
    if (points == face_sigmas.size()) return face_sigmas;
    return {};
}

double keypoint_similarity(const Face& face, std::span<const Point> found, std::span<const double> sigmas) {
    const double area = face.area ? *face.area : face.box.w * face.box.h;
    std::vector<double> terms;
    terms.reserve(sigmas.size());
    const auto add = [&](std::size_t i, double dx, double dy) {
        const double variance = (sigmas[i] * 2) * (sigmas[i] * 2);
        terms.push_back(std::exp(
            -((dx * dx + dy * dy) / variance / (area + std::numeric_limits<double>::epsilon()) / 2)));
    };
    if (labelled_keypoints(face) > 0) {
        for (std::size_t i = 0; i < sigmas.size(); ++i) {
            const Keypoint truth = keypoint(face, i);
            if (truth.visibility == Keypoint::Visibility::unlabelled) continue;
            add(i, found[i].x - truth.point.x, found[i].y - truth.point.y);
        }
    } else {
        const auto outside = [](double value, double from, double length) {
            return std::max(0.0, (from - length) - value) + std::max(0.0, value - (from + length * 2));
        };
        for (std::size_t i = 0; i < sigmas.size(); ++i) {
            add(i, outside(found[i].x, face.box.x, face.box.w), outside(found[i].y, face.box.y, face.box.h));
        }
    }
    return terms.empty() ? 0 : numpy_sum(terms) / static_cast<double>(terms.size());
}

}  // namespace fovea
