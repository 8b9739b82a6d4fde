#include "lib/track/look_ahead.hpp"

#include <algorithm>
#include <set>

#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

/// Share of the frames from which on a detector takes all of the next ones at once: each alone takes a GPU
/// three to six times as long as in a batch.
constexpr double max_single_share = 0.25;

}  // namespace

KnownAhead LookAhead::find(std::span<const TrackerFrame> frames) {
    KnownAhead known;
    if (options_.redetect > max_interval) return known;
    std::vector<Chain> chains;
    const std::size_t first = window_.end();
    for (const TrackerFrame& frame : frames) add(frame, chains);
    if (is_restless_) {
        std::set<std::size_t> all;
        for (std::size_t place = first; place < window_.end(); ++place) all.insert(all.end(), place);
        detect_spare(all, known);
    }
    std::size_t searched = 0;
    while (!chains.empty()) {
        const std::vector<Chain> arrived = advance(chains, known);
        chains.clear();
        searched += search(arrived, chains, known);
        for (const Chain& chain : arrived) go_on(chain, chains);
    }
    is_restless_ = searched > 0 &&
                   static_cast<double>(searched) >= max_single_share * static_cast<double>(frames.size());
    follow_scenes(known);
    forget();
    return known;
}

void LookAhead::add(const TrackerFrame& frame, std::vector<Chain>& chains) {
    const std::size_t place = window_.end();
    window_.push(frame.image, frame.memory);
    if (!frame.detections) return;
    chains.insert(chains.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    newest_turn_ = place;
    begin_in(place, *frame.detections, chains);
}

void LookAhead::begin_in(std::size_t place, std::vector<Detection> detections, std::vector<Chain>& chains) {
    const std::size_t count = detections.size();
    DetectedFrame& frame = detected_[place];
    frame = {std::move(detections), std::vector<bool>(count, false)};
    for (std::size_t i = 0; i < count; ++i) {
        if (frame.detections[i].score >= options_.min_score) begin(place, i, chains);
    }
}

void LookAhead::begin(std::size_t place, std::size_t detection, std::vector<Chain>& chains) {
    DetectedFrame& frame = detected_.at(place);
    if (frame.has_begun[detection]) return;
    frame.has_begun[detection] = true;
    const Box& box = frame.detections[detection].box;
    (place == newest_turn_ ? waiting_ : chains).push_back({box, place, place});
    if (options_.look_back > 0) chains.push_back({box, place, place, false});
}

/// Moves each chain by a frame. \return those that go on there.
std::vector<LookAhead::Chain> LookAhead::advance(std::span<const Chain> chains, KnownAhead& known) {
    std::vector<Chain> arrived, moving;
    std::vector<BoxMove> moves;
    for (const Chain& chain : chains) {
        if (chain.is_lost && *chain.searched_until <= chain.place) {
            const std::size_t lost_in = *chain.searched_until - static_cast<std::size_t>(options_.max_search);
            missed_until_ = std::max(missed_until_, lost_in + static_cast<std::size_t>(options_.max_lost));
            continue;
        }
        const std::optional<BoxMove> move = next_move(chain);
        if (!move) continue;
        if (chain.is_lost) {
            arrived.push_back(chain);
            arrived.back().place = move->to;
            scenes_.insert(move->to);
        } else {
            moves.push_back(*move);
            moving.push_back(chain);
        }
    }
    const std::vector<MovedBox> moved = follower_.follow(window_, moves);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        known.add(moves[i], moved[i]);
        Chain& chain = moving[i];
        const bool can_search = detect_ && chain.is_forwards;
        if (moved[i].is_lost() && !can_search) continue;
        chain.place = moves[i].to;
        if (moved[i].is_lost()) {
            chain.is_lost = true;
            chain.searched_until = chain.place + static_cast<std::size_t>(options_.max_search);
        } else {
            chain.box = moved[i].box;
            chain.is_doubtful = can_search && moved[i].agreement < options_.min_sure_votes;
        }
        if (chain.is_lost || chain.is_doubtful) scenes_.insert(chain.place);
        arrived.push_back(chain);
    }
    return arrived;
}

/// Nothing where the chain ends.
std::optional<BoxMove> LookAhead::next_move(const Chain& chain) const {
    if (!chain.is_forwards) {
        const std::optional<std::size_t> to = window_.before(chain.place);
        if (!to || chain.detection - *to > static_cast<std::size_t>(options_.look_back)) return std::nullopt;
        // The way back to a face ends in front of its last detection.
        if (detection_of(chain, *to)) return std::nullopt;
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

bool LookAhead::is_searched(const Chain& chain) const {
    return chain.is_doubtful || (chain.searched_until && *chain.searched_until >= chain.place);
}

/// Detects where the tracker will look for faces. Most are found at once. If one is not, all frames in which
/// it is looked for are taken together. \return the frames in which the tracker looks now.
std::size_t LookAhead::search(std::span<const Chain> arrived, std::vector<Chain>& chains, KnownAhead& known) {
    std::set<std::size_t> searched, wanted;
    for (const Chain& chain : arrived) {
        if (!is_searched(chain) || detected_.contains(chain.place)) continue;
        searched.insert(chain.place);
        std::size_t last = chain.place;
        if (chain.is_lost &&
            chain.place + static_cast<std::size_t>(options_.max_search) > *chain.searched_until)
            last = std::min({*chain.searched_until, newest_turn_, window_.end() - 1});
        for (std::size_t place = chain.place; place <= last && !detected_.contains(place); ++place)
            wanted.insert(place);
    }
    detect_spare(wanted, known);
    for (const std::size_t place : searched)
        begin_in(place, std::move(spare_.extract(place).mapped()), chains);
    return searched.size();
}

/// Detects in those frames in which no detector ran.
void LookAhead::detect_spare(const std::set<std::size_t>& frames, KnownAhead& known) {
    std::vector<std::size_t> places;
    std::vector<ImageView<const std::uint8_t>> images;
    for (const std::size_t place : frames) {
        if (window_.image(place).empty() || detected_.contains(place) || spare_.contains(place)) continue;
        places.push_back(place);
        images.push_back(window_.image(place));
    }
    if (places.empty()) return;
    std::vector<std::vector<Detection>> found = detect_(images);
    for (std::size_t i = 0; i < places.size(); ++i) {
        known.add(places[i], found[i]);
        spare_[places[i]] = std::move(found[i]);
    }
}

/// The detection of the face in a frame, if its box were there.
std::optional<std::size_t> LookAhead::detection_of(const Chain& chain, std::size_t place) const {
    const auto frame = detected_.find(place);
    if (frame == detected_.end()) return std::nullopt;
    const std::vector<Detection>& detections = frame->second.detections;
    for (std::size_t i = 0; i < detections.size(); ++i) {
        const bool is_strong = detections[i].score >= options_.min_score;
        const double min_overlap = chain.is_lost ? options_.min_regained_overlap
                                   : is_strong   ? options_.min_overlap
                                                 : options_.min_weak_overlap;
        if (intersection_over_union(detections[i].box, chain.box) >= min_overlap) return i;
    }
    return std::nullopt;
}

/// A face goes on unless it is detected there: then it goes on from the detection.
void LookAhead::go_on(Chain chain, std::vector<Chain>& chains) {
    if (!detected_.contains(chain.place)) {
        chains.push_back(chain);
        return;
    }
    if (const std::optional<std::size_t> detection = detection_of(chain, chain.place)) {
        begin(chain.place, *detection, chains);
        return;
    }
    if (chain.is_forwards && detect_) {
        if (chain.is_doubtful) chain.is_lost = true;
        if (chain.is_doubtful || !chain.searched_until)
            chain.searched_until = chain.place + static_cast<std::size_t>(options_.max_search);
        chain.is_doubtful = false;
    }
    const bool waits = chain.is_forwards && chain.place == newest_turn_;
    (waits ? waiting_ : chains).push_back(chain);
}

/// The tracker asks how the picture moves while a face is lost.
void LookAhead::follow_scenes(KnownAhead& known) {
    if (!detect_) return;
    for (std::size_t to = scenes_known_until_ + 1; to <= std::min(missed_until_, newest_turn_); ++to)
        scenes_.insert(to);
    std::vector<FramePair> pairs;
    for (const std::size_t to : scenes_) {
        if (window_.image(to).empty()) continue;
        if (const std::optional<std::size_t> from = window_.before(to)) pairs.push_back({*from, to});
    }
    std::vector<std::vector<FollowedPoint>> followed = follower_.follow_scenes(window_, pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) known.add(pairs[i].to, std::move(followed[i]));
    scenes_.clear();
    scenes_known_until_ = newest_turn_;
}

void LookAhead::forget() {
    const auto look_back = static_cast<std::size_t>(options_.look_back);
    while (window_.first() + look_back < newest_turn_) window_.pop();
    detected_.erase(detected_.begin(), detected_.lower_bound(window_.first()));
    spare_.erase(spare_.begin(), spare_.lower_bound(newest_turn_));
    window_.forget_flow_before(newest_turn_);
}

}  // namespace fovea
