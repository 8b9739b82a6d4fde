#include "lib/evaluate/protocols/eye_distance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "kernels/core/point_tree.hpp"
#include "lib/evaluate/detection/image_trace.hpp"

namespace fovea {
namespace {

double distance(const Point& a, const Point& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

Point mean_of(const std::vector<Point>& points, std::size_t first, std::size_t last) {
    Point sum;
    for (std::size_t i = first; i <= last; ++i) {
        sum.x += points[i].x;
        sum.y += points[i].y;
    }
    const auto count = static_cast<double>(last - first + 1);
    return {sum.x / count, sum.y / count};
}

// S_eyes of eyes whose distances from each other are known.
double closeness_of(const Eyes& a, double a_length, const Eyes& b, double b_length) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double smaller = std::min(a_length, b_length);
    if (!(smaller > 0)) return infinity;
    const double closeness = (distance(a.left, b.left) + distance(a.right, b.right)) / smaller;
    // Infinite over infinite, where coordinates near the largest double overflow.
    return std::isnan(closeness) ? infinity : closeness;
}

// A detection or an average of some.
struct Window {
    Box box;
    Eyes eyes;
    double score = 0;
    double weight = 1;
    bool is_merged = false;  // into a later one
};

Window average(const Window& a, const Window& b, ProtocolMode mode) {
    const double share = mode == ProtocolMode::strict ? 0.5 : b.weight / (a.weight + b.weight);
    const auto mix = [share](double x, double y) { return x + share * (y - x); };
    const auto mix_points = [&](const Point& p, const Point& q) {
        return Point{mix(p.x, q.x), mix(p.y, q.y)};
    };
    Window result;
    result.box = {mix(a.box.x, b.box.x), mix(a.box.y, b.box.y), mix(a.box.w, b.box.w), mix(a.box.h, b.box.h)};
    result.eyes = {mix_points(a.eyes.left, b.eyes.left), mix_points(a.eyes.right, b.eyes.right)};
    result.score = std::max(a.score, b.score);
    result.weight = a.weight + b.weight;
    return result;
}

// Windows that are merged two by two, the closest pair first; of equally close ones the one of the best
// detections, which are the windows of the lowest numbers.
//
// Windows with the same eyes share a site. Every site has its closest pair in a queue: with another site, or
// of two windows of its own. A pair with a window that is merged by then gives way to the site's next one,
// which is no closer, so that the first pair of the queue whose windows are both left is the closest of all.
class OverlapMerger {
  public:
    OverlapMerger(std::vector<Window> windows, ProtocolMode mode)
        : windows_(std::move(windows)), mode_(mode) {
        for (std::size_t i = 0; i < windows_.size(); ++i) settle(i);
        std::vector<SiteTree::Point> points;
        for (const Site& site : sites_) points.push_back(coordinates_of(site));
        tree_.emplace(points);
        for (std::size_t site = 0; site < sites_.size(); ++site) queue_closest_pair(site);
    }

    // All windows, and those that were merged.
    std::vector<Window> merge() {
        while (!pairs_.empty()) {
            const Pair pair = pairs_.top();
            pairs_.pop();
            if (pair.version != sites_[pair.site].version) continue;
            if (!windows_[pair.first].is_merged && !windows_[pair.second].is_merged) {
                take(pair.first);
                take(pair.second);
                windows_.push_back(average(windows_[pair.first], windows_[pair.second], mode_));
                add_last();
            }
            queue_closest_pair(pair.site);
        }
        return std::move(windows_);
    }

  private:
    using SiteTree = PointTree<5>;  // both eyes and their distance

    struct Site {
        Eyes eyes;
        double length = 0;                 // the distance of the eyes, > 0
        std::vector<std::size_t> windows;  // by rising number; those before `left` are merged
        std::size_t left = 0;
        int version = 0;  // of the pair in the queue

        std::size_t count() const { return windows.size() - left; }
    };

    struct Pair {
        double closeness = 0;
        std::size_t first = 0;
        std::size_t second = 0;
        std::size_t site = 0;
        int version = 0;

        bool operator>(const Pair& other) const {
            return std::tie(closeness, first, second) > std::tie(other.closeness, other.first, other.second);
        }
    };

    struct EyesHash {
        std::size_t operator()(const Eyes& eyes) const {
            std::size_t hash = 0;
            for (const double value : {eyes.left.x, eyes.left.y, eyes.right.x, eyes.right.y}) {
                hash = hash * 0x9E3779B97F4A7C15U + std::hash<double>()(value);
            }
            return hash;
        }
    };

    static SiteTree::Point coordinates_of(const Site& site) {
        return {site.eyes.left.x, site.eyes.left.y, site.eyes.right.x, site.eyes.right.y, site.length};
    }

    // Puts a window into its site; none where its S_eyes with every other one is infinite or undefined.
    std::optional<std::size_t> settle(std::size_t window) {
        const Eyes& eyes = windows_[window].eyes;
        const double length = distance(eyes.left, eyes.right);
        const bool is_finite = std::isfinite(eyes.left.x) && std::isfinite(eyes.left.y) &&
                               std::isfinite(eyes.right.x) && std::isfinite(eyes.right.y);
        if (!is_finite || !(length > 0)) return std::nullopt;
        const auto [place, is_new] = site_of_.emplace(eyes, sites_.size());
        if (is_new) sites_.push_back({eyes, length, {}, 0, 0});
        sites_[place->second].windows.push_back(window);
        return place->second;
    }

    void add_last() {
        const std::size_t before = sites_.size();
        const std::optional<std::size_t> site = settle(windows_.size() - 1);
        if (!site) return;
        if (*site == before) {
            tree_->add(coordinates_of(sites_[*site]));
        } else if (sites_[*site].count() == 1) {
            tree_->put_back(static_cast<SiteTree::Index>(*site));
        }
        queue_closest_pair(*site);
    }

    void take(std::size_t window) {
        windows_[window].is_merged = true;
        const std::size_t index = site_of_.at(windows_[window].eyes);
        if (++sites_[index].left == sites_[index].windows.size()) {
            tree_->remove(static_cast<SiteTree::Index>(index));
        }
    }

    void queue_closest_pair(std::size_t index) {
        Site& site = sites_[index];
        ++site.version;
        if (site.count() == 0) return;
        const std::size_t own = site.windows[site.left];
        // Only the first window of a site can be in its closest pair with another site.
        Pair best{s_eyes_border, 0, 0, index, site.version};
        if (site.count() > 1) best = {0, own, site.windows[site.left + 1], index, site.version};
        const auto consider = [&](SiteTree::Index other_index) {
            const Site& other = sites_[other_index];
            if (other_index == index) return;
            const std::size_t window = other.windows[other.left];
            const Pair pair{closeness_of(site.eyes, site.length, other.eyes, other.length),
                            std::min(own, window), std::max(own, window), index, site.version};
            if (pair.closeness < s_eyes_border && best > pair) best = pair;
        };
        tree_->visit_nearest([&](const SiteTree::Node& node) { return min_closeness(site, node); }, consider,
                             best.closeness);
        if (best.closeness < s_eyes_border) pairs_.push(best);
    }

    // A lower bound of the S_eyes of a site with those below a node.
    static double min_closeness(const Site& site, const SiteTree::Node& node) {
        const auto outside = [&](double value, std::size_t i) {
            return std::max({node.low[i] - value, value - node.high[i], 0.0});
        };
        const double left = std::hypot(outside(site.eyes.left.x, 0), outside(site.eyes.left.y, 1));
        const double right = std::hypot(outside(site.eyes.right.x, 2), outside(site.eyes.right.y, 3));
        constexpr double rounding = 1 - 1e-12;  // hypot may be off by a unit in the last place
        return rounding * (left + right) / std::min(site.length, node.high[4]);
    }

    std::vector<Window> windows_;
    ProtocolMode mode_;
    std::vector<Site> sites_;
    std::unordered_map<Eyes, std::size_t, EyesHash> site_of_;
    std::optional<SiteTree> tree_;  // sites by their numbers
    std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
};

}  // namespace

Eyes eyes_in_box(const Box& box) {
    const double y = box.y + eye_y * box.h;
    return {{box.x + eye_left_x * box.w, y}, {box.x + eye_right_x * box.w, y}};
}

std::optional<Eyes> eyes_of_landmarks(const std::vector<Point>& landmarks) {
    if (landmarks.size() == 68) return Eyes{mean_of(landmarks, 36, 41), mean_of(landmarks, 42, 47)};
    if (landmarks.size() == 5 || landmarks.size() == 2) return Eyes{landmarks[0], landmarks[1]};
    return std::nullopt;
}

Eyes eyes_of(const Face& face) {
    if (face.eyes) return *face.eyes;
    return eyes_of_landmarks(face.landmarks).value_or(eyes_in_box(face.box));
}

Eyes eyes_of(const Detection& detection) {
    return eyes_of_landmarks(detection.details->landmarks).value_or(eyes_in_box(detection.box));
}

double s_eyes(const Eyes& a, const Eyes& b) {
    return closeness_of(a, distance(a.left, a.right), b, distance(b.left, b.right));
}

std::vector<Detection> average_overlapping(std::span<const Detection> detections, ProtocolMode mode) {
    std::vector<Window> windows;
    for (const std::size_t i : order_by_falling_score(detections, ProtocolMode::corrected)) {
        windows.push_back({detections[i].box, eyes_of(detections[i]), detections[i].score, 1, false});
    }
    std::vector<Detection> averages;
    for (const Window& window : OverlapMerger(std::move(windows), mode).merge()) {
        if (window.is_merged) continue;
        Detection& detection = averages.emplace_back();
        detection.box = window.box;
        detection.score = window.score;
        detection.details.edit().landmarks = {window.eyes.left, window.eyes.right};
    }
    const std::vector<std::size_t> order = order_by_falling_score(averages, ProtocolMode::corrected);
    std::vector<Detection> sorted;
    for (const std::size_t i : order) sorted.push_back(averages[i]);
    return sorted;
}

}  // namespace fovea
