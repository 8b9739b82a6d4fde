#include "lib/track/moves_ahead.hpp"

namespace fovea {

/// A face on its way.
struct MovesAhead::Chain {
    Box box;
    std::size_t place = 0;  ///< the frame that it has reached
    std::size_t end = 0;    ///< the last frame that it goes to
    bool is_forwards = true;
};

KnownMoves MovesAhead::find(std::span<const TrackerFrame> frames) {
    std::vector<Chain> chains;
    for (const TrackerFrame& frame : frames) {
        const std::size_t place = window_.end();
        window_.push(frame.image, frame.memory);
        if (!frame.detections) continue;
        DetectedFrame detected{place, {}};
        for (const Detection& detection : *frame.detections) {
            if (detection.score >= options_.min_score) detected.boxes.push_back(detection.box);
        }
        if (last_ && place - last_->place <= max_interval) start(*last_, detected, chains);
        last_ = std::move(detected);
    }

    KnownMoves known;
    while (!chains.empty()) {
        std::vector<BoxMove> moves;
        std::vector<Chain> going;
        for (Chain& chain : chains) {
            const std::optional<BoxMove> move = next_move(chain);
            if (!move) continue;
            moves.push_back(*move);
            going.push_back(chain);
        }
        const std::vector<std::optional<Box>> moved = follower_.follow(window_, moves);
        chains.clear();
        for (std::size_t i = 0; i < moves.size(); ++i) {
            known.add(moves[i], moved[i]);
            if (!moved[i]) continue;
            going[i].box = *moved[i];
            going[i].place = moves[i].to;
            chains.push_back(going[i]);
        }
    }
    forget();
    return known;
}

void MovesAhead::start(const DetectedFrame& first, const DetectedFrame& second,
                       std::vector<Chain>& chains) const {
    for (const Box& box : first.boxes) chains.push_back({box, first.place, second.place, true});
    if (options_.look_back == 0) return;
    for (const Box& box : second.boxes) chains.push_back({box, second.place, first.place + 1, false});
}

/// Nothing where the chain ends, or the frames change their size.
std::optional<BoxMove> MovesAhead::next_move(Chain& chain) const {
    if (!chain.is_forwards) {
        const std::optional<std::size_t> to = window_.before(chain.place);
        if (!to || *to < chain.end) return std::nullopt;
        return BoxMove{chain.place, *to, chain.box};
    }
    for (std::size_t to = chain.place + 1; to <= chain.end; ++to) {
        if (window_.image(to).empty()) continue;
        if (window_.before(to) != chain.place) return std::nullopt;
        return BoxMove{chain.place, to, chain.box};
    }
    return std::nullopt;
}

/// The frames from the last detection on are needed again.
void MovesAhead::forget() {
    const bool is_open = last_ && window_.end() - last_->place <= max_interval;
    const std::size_t needed = is_open ? last_->place : window_.end();
    window_.forget_flow_before(needed);
    while (window_.first() < needed) window_.pop();
}

}  // namespace fovea
