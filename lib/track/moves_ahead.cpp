#include "lib/track/moves_ahead.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/overlap.hpp"

namespace fovea {

KnownMoves MovesAhead::find(std::span<const TrackerFrame> frames) {
    KnownMoves known;
    if (options_.redetect > max_interval) return known;
    std::vector<Chain> chains;
    for (const TrackerFrame& frame : frames) add(frame, chains);
    while (!chains.empty()) {
        std::vector<BoxMove> moves;
        std::vector<Chain> going;
        for (const Chain& chain : chains) {
            const std::optional<BoxMove> move = next_move(chain);
            if (!move) continue;
            moves.push_back(*move);
            going.push_back(chain);
        }
        const std::vector<MovedBox> moved = follower_.follow(window_, moves);
        chains.clear();
        for (std::size_t i = 0; i < moves.size(); ++i) {
            known.add(moves[i], moved[i]);
            if (moved[i].is_lost()) continue;
            going[i].box = moved[i].box;
            going[i].place = moves[i].to;
            arrive(going[i], chains);
        }
    }
    forget();
    return known;
}

void MovesAhead::add(const TrackerFrame& frame, std::vector<Chain>& chains) {
    const std::size_t place = window_.end();
    window_.push(frame.image, frame.memory);
    if (!frame.detections) return;
    chains.insert(chains.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    DetectedFrame& detected = detected_.emplace_back();
    detected = {place, *frame.detections, std::vector<bool>(frame.detections->size(), false)};
    for (std::size_t i = 0; i < detected.detections.size(); ++i) {
        if (detected.detections[i].score >= options_.min_score) begin(detected, i, chains);
    }
}

void MovesAhead::begin(DetectedFrame& frame, std::size_t detection, std::vector<Chain>& chains) {
    if (frame.has_begun[detection]) return;
    frame.has_begun[detection] = true;
    const Box& box = frame.detections[detection].box;
    const bool is_newest = frame.place == detected_.back().place;
    (is_newest ? waiting_ : chains).push_back({box, frame.place, frame.place, true});
    if (options_.look_back > 0) chains.push_back({box, frame.place, frame.place, false});
}

/// Nothing where the chain ends.
std::optional<BoxMove> MovesAhead::next_move(const Chain& chain) const {
    if (!chain.is_forwards) {
        const std::optional<std::size_t> to = window_.before(chain.place);
        if (!to || chain.detection - *to > static_cast<std::size_t>(options_.look_back)) return std::nullopt;
        return BoxMove{chain.place, *to, chain.box};
    }
    const int max_followed = std::max(options_.max_followed, 2 * options_.redetect);
    if (chain.place - chain.detection >= static_cast<std::size_t>(max_followed)) return std::nullopt;
    for (std::size_t to = chain.place + 1; to < window_.end(); ++to) {
        if (window_.image(to).empty()) continue;
        if (window_.before(to) != chain.place) return std::nullopt;
        return BoxMove{chain.place, to, chain.box};
    }
    return std::nullopt;
}

/// A face goes on unless it is detected there: then it goes on from the detection.
void MovesAhead::arrive(const Chain& chain, std::vector<Chain>& chains) {
    DetectedFrame* const frame = detected_frame(chain.place);
    if (frame == nullptr) {
        chains.push_back(chain);
        return;
    }
    for (std::size_t i = 0; i < frame->detections.size(); ++i) {
        const Detection& detection = frame->detections[i];
        const bool is_strong = detection.score >= options_.min_score;
        const double min_overlap = is_strong ? options_.min_overlap : options_.min_weak_overlap;
        if (intersection_over_union(detection.box, chain.box) < min_overlap) continue;
        begin(*frame, i, chains);
        return;
    }
    const bool waits = chain.is_forwards && frame->place == detected_.back().place;
    (waits ? waiting_ : chains).push_back(chain);
}

MovesAhead::DetectedFrame* MovesAhead::detected_frame(std::size_t place) {
    const auto found =
        std::find_if(detected_.begin(), detected_.end(),
                     [place](const DetectedFrame& detected) { return detected.place == place; });
    return found == detected_.end() ? nullptr : &*found;
}

void MovesAhead::forget() {
    const auto look_back = static_cast<std::size_t>(options_.look_back);
    const std::size_t newest = detected_.empty() ? 0 : detected_.back().place;
    while (window_.first() + look_back < newest) window_.pop();
    while (!detected_.empty() && detected_.front().place < window_.first()) detected_.pop_front();
    window_.forget_flow_before(newest);
}

}  // namespace fovea
