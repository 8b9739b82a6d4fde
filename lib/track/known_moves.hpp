#pragma once

#include <cstddef>
#include <map>
#include <tuple>

#include "lib/track/box_follower.hpp"

namespace fovea {

/// Moves of boxes whose outcome is known.
class KnownMoves {
  public:
    void add(const BoxMove& move, const MovedBox& moved) { moves_.insert_or_assign(key_of(move), moved); }
    void add(KnownMoves others) { moves_.merge(others.moves_); }

    /// The outcome of a move; null if it is not known.
    const MovedBox* find(const BoxMove& move) const {
        const auto found = moves_.find(key_of(move));
        return found == moves_.end() ? nullptr : &found->second;
    }

    /// Forgets the moves from frames before this one.
    void forget_before(std::size_t frame) {
        moves_.erase(moves_.begin(), moves_.lower_bound(Key{frame, 0, 0, 0, 0, 0}));
    }

  private:
    using Key = std::tuple<std::size_t, std::size_t, double, double, double, double>;
    static Key key_of(const BoxMove& move) {
        return {move.from, move.to, move.box.x, move.box.y, move.box.w, move.box.h};
    }

    std::map<Key, MovedBox> moves_;
};

}  // namespace fovea
