#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/track/box_follower.hpp"

namespace fovea {

/// Moves of boxes whose outcome is known, frames whose faces are, and frames that the points of a scene were
/// followed into.
class KnownAhead {
  public:
    void add(const BoxMove& move, const MovedBox& moved) { moves_.insert_or_assign(key_of(move), moved); }
    void add(std::size_t frame, std::vector<Detection> detections) {
        detections_.insert_or_assign(frame, std::move(detections));
    }
    /// \param followed BoxFollower::follow_scenes() from the frame before.
    void add(std::size_t frame, std::vector<FollowedPoint> followed) {
        scenes_.insert_or_assign(frame, std::move(followed));
    }
    void add(KnownAhead others) {
        moves_.merge(others.moves_);
        scenes_.merge(others.scenes_);
        detections_.merge(others.detections_);
    }

    /// The outcome of a move; null if it is not known.
    const MovedBox* find(const BoxMove& move) const {
        const auto found = moves_.find(key_of(move));
        return found == moves_.end() ? nullptr : &found->second;
    }
    /// The detections in a frame; null if they are not known.
    const std::vector<Detection>* detections_in(std::size_t frame) const { return in(detections_, frame); }
    /// The points that were followed into a frame from the one before; null if they are not known.
    const std::vector<FollowedPoint>* scene_into(std::size_t frame) const { return in(scenes_, frame); }

    /// Forgets the frames before this one, and the moves from them.
    void forget_before(std::size_t frame) {
        moves_.erase(moves_.begin(), moves_.lower_bound(Key{frame, 0, 0, 0, 0, 0}));
        detections_.erase(detections_.begin(), detections_.lower_bound(frame));
        scenes_.erase(scenes_.begin(), scenes_.lower_bound(frame));
    }

  private:
    using Key = std::tuple<std::size_t, std::size_t, double, double, double, double>;
    static Key key_of(const BoxMove& move) {
        return {move.from, move.to, move.box.x, move.box.y, move.box.w, move.box.h};
    }

    template <class Value>
    static const Value* in(const std::map<std::size_t, Value>& values, std::size_t frame) {
        const auto found = values.find(frame);
        return found == values.end() ? nullptr : &found->second;
    }

    std::map<Key, MovedBox> moves_;
    std::map<std::size_t, std::vector<Detection>> detections_;
    std::map<std::size_t, std::vector<FollowedPoint>> scenes_;
};

}  // namespace fovea
