#include "tests/lab/tracks/face_path.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/splitmix.hpp"

namespace fovea {
namespace {

/// Frames: less would be a jump.
constexpr double min_duration = 6;

FacePose random_pose(const FacePathPlan& plan, std::uint64_t number) {
    const auto share = [&](std::uint64_t which) { return random_share(plan.seed, 4 * number + which); };
    const auto to_either_side = [&](std::uint64_t which) { return 2 * share(which) - 1; };
    FacePose pose;
    pose.centre = {plan.region.x + plan.region.w * share(0), plan.region.y + plan.region.h * share(1)};
    pose.scale = std::pow(plan.zoom, to_either_side(2));
    pose.turn = plan.max_turn * to_either_side(3);
    return pose;
}

double between(double first, double second, double share) {
    return first + share * (second - first);
}

}  // namespace

double random_share(std::uint64_t seed, std::uint64_t index) {
    constexpr double unit = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>(mixed(mixed(seed) + index) >> 11) * unit;
}

FacePath::FacePath(const FacePathPlan& plan, double end) {
    stops_.push_back({0, random_pose(plan, 0)});
    if (!(plan.speed > 0)) return;
    for (std::uint64_t number = 1; stops_.back().time < end + 1; ++number) {
        const Stop& last = stops_.back();
        const FacePose next = random_pose(plan, number);
        const double way = std::hypot(next.centre.x - last.pose.centre.x, next.centre.y - last.pose.centre.y);
        const double duration = std::max(way / (plan.speed * plan.face_width), min_duration);
        stops_.push_back({last.time + duration, next});
    }
}

FacePose FacePath::at(double time) const {
    const auto behind =
        std::find_if(stops_.begin(), stops_.end(), [&](const Stop& stop) { return stop.time > time; });
    if (behind == stops_.begin()) return stops_.front().pose;
    if (behind == stops_.end()) return stops_.back().pose;
    const Stop& first = *(behind - 1);
    const double u = (time - first.time) / (behind->time - first.time);
    const double share = u * u * (3 - 2 * u);
    FacePose pose;
    pose.centre = {between(first.pose.centre.x, behind->pose.centre.x, share),
                   between(first.pose.centre.y, behind->pose.centre.y, share)};
    pose.scale = first.pose.scale * std::pow(behind->pose.scale / first.pose.scale, share);
    pose.turn = between(first.pose.turn, behind->pose.turn, share);
    return pose;
}

}  // namespace fovea
