#include "lib/track/track_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lib/track/median.hpp"

namespace fovea {
namespace {

const Box* box_in(const Track& track, std::size_t frame) {
    if (const TrackPlace* place = track.place_in(frame)) return &place->box;
    const auto past = track.past_boxes.find(frame);
    return past == track.past_boxes.end() ? nullptr : &past->second;
}

}  // namespace

Box mean_box(const Box& first, const Box& second, double weight_of_second) {
    const auto mean = [&](double a, double b) { return a + weight_of_second * (b - a); };
    return {mean(first.x, second.x), mean(first.y, second.y), mean(first.w, second.w),
            mean(first.h, second.h)};
}

void bridge_gaps(Track& track, std::size_t frame, const Detection& detection, int max_frames) {
    const std::size_t last_detection = track.last_detection;
    std::vector<std::pair<std::size_t, TrackPlace>> known(track.places.lower_bound(last_detection),
                                                          track.places.end());
    known.emplace_back(frame, TrackPlace{detection.box, detection.score, 0});
    for (std::size_t k = 1; k < known.size(); ++k) {
        const auto& [first, from] = known[k - 1];
        const auto& [last, to] = known[k];
        if (last - first - 1 > static_cast<std::size_t>(max_frames)) continue;
        for (std::size_t i = first + 1; i < last; ++i) {
            const double share = static_cast<double>(i - first) / static_cast<double>(last - first);
            const auto followed = static_cast<int>(std::min(i - last_detection, frame - i));
            track.put(i, {mean_box(from.box, to.box, share), std::min(from.score, to.score), followed});
        }
    }
}

Box steady_box(const Track& track, std::size_t frame, int reach, double max_change) {
    const Box box = *box_in(track, frame);
    std::vector<double> widths{box.w}, heights{box.h};
    for (std::size_t i = 1; i <= std::min(static_cast<std::size_t>(reach), frame); ++i) {
        const Box* const before = box_in(track, frame - i);
        const Box* const after = box_in(track, frame + i);
        if (before == nullptr || after == nullptr) break;
        for (const Box* other : {before, after}) {
            widths.push_back(other->w);
            heights.push_back(other->h);
        }
    }
    const double w = upper_median(std::move(widths)), h = upper_median(std::move(heights));
    const double change = std::sqrt(box.area() / (w * h));
    if (change <= max_change && change * max_change >= 1) return box;
    const Point centre = box.centre();
    return {centre.x - w / 2, centre.y - h / 2, w, h};
}

}  // namespace fovea
