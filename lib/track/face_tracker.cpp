#include "lib/track/face_tracker.hpp"

#include <algorithm>

#include "lib/core/overlap.hpp"
#include "lib/track/join_detections.hpp"
#include "lib/track/track_boxes.hpp"

namespace fovea {
namespace {

/// IoU from which on two boxes in one frame are of one face.
constexpr double same_face = 0.5;
/// IoU from which on a box that was followed forwards and one that was followed back are joined.
constexpr double min_agreement = 0.3;
/// Frames over which a detection may go on with a track that does not count yet by its motion alone.
constexpr int max_guessed_frames = 3;
/// Frames of another size show the same picture, but for the rounding of their sides, if width and height
/// change alike. Else it was turned or cut, or is another one.
constexpr double max_shape_change = 1.05;

/// Frames that wait for the detections that decide on them: a track that is followed back to a frame counts
/// only with its last wanted detection.
std::size_t delay_of(const TrackerOptions& options) {
    if (options.look_back == 0) return 0;
    return static_cast<std::size_t>(options.look_back + (options.min_detections - 1) * options.redetect);
}

/// A detector that runs seldom gets the time to find the face again.
TrackerOptions with_time_for_detection(TrackerOptions options) {
    options.max_followed = std::max(options.max_followed, 2 * options.redetect);
    return options;
}

int frames_between(std::size_t first, std::size_t second) {
    return static_cast<int>(second > first ? second - first : first - second);
}

std::string_view reason_of(FlowLoss loss) {
    switch (loss) {
        case FlowLoss::none:
            break;
        case FlowLoss::few_return:
            return "flow: too few of its points come back to where they were";
        case FlowLoss::disagreement:
            return "flow: too few of its points move alike";
        case FlowLoss::scale:
            return "flow: it would grow or shrink too much";
        case FlowLoss::outside:
            return "flow: its centre leaves the picture";
    }
    return {};
}

}  // namespace

/// A detection, and the places that its face is followed back to.
struct FaceTracker::Chain {
    Track* track = nullptr;  ///< null: a new face
    Detection detection;
    std::optional<JoinedDetection> joined;
    Box box;  ///< in the earliest frame reached
    bool ended = false;
    std::map<std::size_t, Box> boxes{};
};

FaceTracker::FaceTracker(const TrackerOptions& options, PointFlow* flow, const LandmarkStage* landmarks,
                         int gpu, NumberTrack number_track, TakeFrames take, DetectNow detect)
    : options_(with_time_for_detection(options)),
      landmarks_(landmarks),
      gpu_(gpu),
      number_track_(std::move(number_track)),
      take_(std::move(take)),
      detect_(std::move(detect)),
      delay_(delay_of(options)),
      window_(flow) {
    if (options_.mode == FollowMode::flow) follower_.emplace(options_, *flow, landmarks, gpu);
}

void FaceTracker::add(std::span<TrackerFrame> frames) {
    for (TrackerFrame& frame : frames) add_one(frame);
    hand_out();
}

void FaceTracker::add_one(TrackerFrame& frame) {
    const std::size_t place = window_.end();
    window_.push(frame.image, std::move(frame.memory));
    background_.reset();
    if (!frame.image.empty()) {
        go_on_in_size(place);
        newest_readable_ = place;
        for (Track* track : open_tracks()) {
            if (explains_) note(*track).expected = track->motion->expected(place);
        }
        follow_to(place);
    }
    end_old_tracks(place);
    const DetectorRun run = frame.detections   ? DetectorRun::turn
                            : !searches(place) ? DetectorRun::none
                            : cut_in_ == place ? DetectorRun::cut
                                               : DetectorRun::search;
    if (run == DetectorRun::search || run == DetectorRun::cut) frame.detections = detect_in(place);
    if (frame.detections) {
        join(place, *frame.detections, run != DetectorRun::search);
        last_detected_ = place;
    }
    const auto cached = static_cast<std::size_t>(options_.redetect) + 1;
    if (place >= cached) window_.forget_flow_before(place - cached + 1);
    for (const Track& track : tracks_) {
        if (!has_decision(track)) continue;
        note(track).detector = run;
        note(track).state = track.state;
    }
    const bool decides = frame.detections.has_value() || options_.look_back == 0;
    if (decides && place + 1 > delay_) finish_before(place + 1 - delay_);
}

std::size_t FaceTracker::max_frames_held(const TrackerOptions& options) {
    // Frames are handed out when a detector has run.
    return delay_of(options) + 2 * static_cast<std::size_t>(options.redetect);
}

void FaceTracker::finish() {
    for (Track& track : tracks_) {
        const bool is_new = last_detected_ && track.last_detection == *last_detected_;
        const TrackPlace* const place = track.place_in(track.last_detection);
        if (track.counts() || !is_new || place == nullptr) continue;
        track.last_box = place->box;
        number(track);
    }
    finish_before(window_.end());
    hand_out();
    tracks_.clear();
}

void FaceTracker::number(Track& track) {
    // Places behind a last detection and before a first one are not sure enough to tell two faces apart.
    std::set<int> in_use;
    for (const Track& other : tracks_) {
        if (&other != &track && other.counts() && other.last_detection >= track.first_detection)
            in_use.insert(other.number);
    }
    track.number = number_track_(track, window_.image(track.last_detection), in_use);
    if (explains_) number_of_face_[track.face] = track.number;
    for (Track& other : tracks_) {
        if (&other != &track && other.number == track.number) end_in(track, other);
    }
}

/// A person's earlier track goes on in this one. In a frame of both, the one that was detected counts.
void FaceTracker::end_in(Track& track, Track& earlier) {
    leave(earlier, Track::State::ended, "the person goes on in a track that has begun later");
    track.places.erase(track.places.begin(), track.places.upper_bound(earlier.last_detection));
    if (!track.places.empty())
        earlier.places.erase(earlier.places.lower_bound(track.places.begin()->first), earlier.places.end());
}

TrackDecision& FaceTracker::note(const Track& track) {
    if (!explains_) return ignored_;
    TrackDecision& decision = decisions_[window_.end() - 1][track.face];
    decision.face = track.face;
    return decision;
}

bool FaceTracker::has_decision(const Track& track) const {
    const auto frame = decisions_.find(window_.end() - 1);
    return frame != decisions_.end() && frame->second.contains(track.face);
}

void FaceTracker::leave(Track& track, Track::State state, std::string_view why) {
    if (track.state == state) return;
    track.state = state;
    note(track).why = why;
}

void FaceTracker::lose(Track& track, std::string_view why) {
    leave(track, track.counts() ? Track::State::lost : Track::State::ended, why);
}

/// Only a detector that can be asked at once settles a doubt.
bool FaceTracker::is_doubtful(const MovedBox& moved) const {
    return detect_ && moved.agreement < options_.min_sure_votes;
}

bool FaceTracker::is_in_doubt(const Track& track, std::size_t frame) {
    return track.state == Track::State::followed && track.doubted_in == frame;
}

/// The track is lost, and the detector looks for its face.
void FaceTracker::search_for(Track& track, std::size_t frame, std::string_view why) {
    if (!detect_) return lose(track, why);
    leave(track, Track::State::lost, why);
    track.searched_until = frame + static_cast<std::size_t>(options_.max_search);
}

bool FaceTracker::searches(std::size_t frame) const {
    if (!detect_ || window_.image(frame).empty()) return false;
    if (cut_in_ == frame) return true;
    return std::any_of(tracks_.begin(), tracks_.end(), [&](const Track& track) {
        return track.state != Track::State::ended &&
               ((track.searched_until && *track.searched_until >= frame) || is_in_doubt(track, frame));
    });
}

std::vector<Detection> FaceTracker::detect_in(std::size_t frame) const {
    const std::vector<Detection>* const known = known_.detections_in(frame);
    return known != nullptr ? *known : detect_(window_.image(frame));
}

std::vector<MovedBox> FaceTracker::follow(std::size_t from, std::size_t to, std::span<const Box> boxes) {
    std::vector<MovedBox> moved(boxes.size());
    std::vector<BoxMove> unknown;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const BoxMove move{from, to, boxes[i]};
        if (const MovedBox* known = known_.find(move)) {
            moved[i] = *known;
        } else {
            unknown.push_back(move);
            places.push_back(i);
        }
    }
    const std::vector<MovedBox> found = follower_->follow(window_, unknown);
    for (std::size_t i = 0; i < places.size(); ++i) moved[places[i]] = found[i];
    return moved;
}

// Flow does not lead from one size to another: the detector finds the faces again.
void FaceTracker::go_on_in_size(std::size_t frame) {
    const ImageView<const std::uint8_t>& before = window_.image(newest_readable_);
    const ImageView<const std::uint8_t>& image = window_.image(frame);
    if (before.empty() || (before.width == image.width && before.height == image.height)) return;
    const double x = static_cast<double>(image.width) / before.width;
    const double y = static_cast<double>(image.height) / before.height;
    const bool is_scaled = std::max(x, y) <= max_shape_change * std::min(x, y);
    for (Track* track : open_tracks()) {
        leave(*track, is_scaled ? Track::State::lost : Track::State::ended,
              is_scaled ? "frames change size" : "frames change shape");
        track->is_resized = true;
        Box& box = track->last_box;
        box = {box.x * x, box.y * y, box.w * x, box.h * y};
        for (std::optional<BoxMotion>* motion : {&track->motion, &track->detected_motion})
            if (*motion) (*motion)->rescale(x, y);
    }
}

void FaceTracker::follow_to(std::size_t frame) {
    std::vector<Track*> followed;
    for (Track& track : tracks_) {
        if (track.state == Track::State::followed) followed.push_back(&track);
    }
    if (!follower_) return;
    const std::optional<std::size_t> before = window_.before(frame);
    std::vector<Box> boxes;
    for (const Track* track : followed) boxes.push_back(track->last_box);
    std::vector<MovedBox> moved;
    if (before) moved = follow(*before, frame, boxes);
    for (std::size_t i = 0; i < followed.size(); ++i) {
        Track& track = *followed[i];
        if (!before) {
            search_for(track, frame, "no earlier frame is held");
            continue;
        }
        note(track).flow = moved[i];
        if (moved[i].is_lost()) {
            search_for(track, frame, reason_of(moved[i].loss));
            continue;
        }
        if (is_doubtful(moved[i])) track.doubted_in = frame;
        track.last_frame = frame;
        track.last_box = moved[i].box;
        track.motion->observe(frame, moved[i].box);
        track.put(frame, {moved[i].box, track.score, frames_between(track.last_detection, frame)});
    }
    const bool has_lost = std::any_of(tracks_.begin(), tracks_.end(), [&](const Track& track) {
        return track.is_lost() || is_in_doubt(track, frame);
    });
    if (before && has_lost) go_on_in_scene(*before, frame, boxes);
}

/// Lost faces move with the picture. \param faces boxes in `before` that move by themselves.
void FaceTracker::go_on_in_scene(std::size_t before, std::size_t frame, std::span<const Box> faces) {
    const FramePair pair{before, frame};
    const std::vector<FollowedPoint>* const known = known_.scene_into(frame);
    const SceneMove scene = follower_->scene_move(
        window_, pair, known != nullptr ? *known : follower_->follow_scenes(window_, {&pair, 1}).at(0),
        faces);
    if (scene.is_cut) {
        for (Track* track : open_tracks()) leave(*track, Track::State::ended, "another scene begins");
        cut_in_ = frame;
    }
    background_ = scene.background;
    if (!background_) return;
    for (Track* track : open_tracks()) {
        if (!track->is_lost()) continue;
        for (std::optional<BoxMotion>* motion : {&track->motion, &track->detected_motion}) {
            if (!track->is_carried) (*motion)->part_from_camera(before, *background_);
            (*motion)->carry(*background_);
        }
        track->is_carried = true;
        track->last_box = moved_box(track->last_box, *background_);
    }
}

std::vector<Track*> FaceTracker::open_tracks() {
    std::vector<Track*> open;
    for (Track& track : tracks_) {
        if (track.state != Track::State::ended) open.push_back(&track);
    }
    return open;
}

void FaceTracker::join(std::size_t frame, const std::vector<Detection>& detections, bool is_turn) {
    const std::vector<Track*> tracks = open_tracks();
    std::vector<ExpectedFace> expected;
    for (const Track* track : tracks) {
        ExpectedFace& face = expected.emplace_back();
        face = {track->last_box, track->is_lost(), track->is_resized};
        // Nobody knows the speed of a face that was detected once.
        if (!track->counts() && frames_between(track->last_detection, frame) > max_guessed_frames) continue;
        face.motion = &*track->motion;
        face.detected_motion = &*track->detected_motion;
    }
    const JoinedDetections joined = join_detections(expected, detections, frame, options_);

    std::vector<Chain> chains;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
        if (const std::optional<JoinedDetection>& to = joined.joined_to[t])
            chains.push_back({tracks[t], detections[to->detection], to, detections[to->detection].box});
    }
    // A detector that looks for lost faces begins none: what it takes for one it sees in many frames in a
    // row.
    for (const std::size_t d : is_turn ? joined.new_faces : std::vector<std::size_t>())
        chains.push_back({nullptr, detections[d], std::nullopt, detections[d].box});
    follow_back(frame, chains);
    for (Chain& chain : chains) accept(frame, chain);
    for (Track* track : tracks) {
        if (track->state != Track::State::followed) continue;
        const bool is_over = frames_between(track->last_sure, frame) >= options_.max_followed;
        const bool is_detected = track->last_detection == frame;
        if (is_over || (!follower_ && !is_detected)) {
            lose(*track, "it is not surely detected for too many frames");
        } else if (is_detected) {
            continue;
        } else if (is_in_doubt(*track, frame)) {
            search_for(*track, frame, "few of its points move alike, and no detection confirms it");
        } else if (detect_ && !track->searched_until) {
            track->searched_until = frame + static_cast<std::size_t>(options_.max_search);
        }
    }
}

void FaceTracker::follow_back(std::size_t frame, std::vector<Chain>& chains) {
    if (!follower_) return;
    std::size_t from = frame;
    while (std::optional<std::size_t> to = window_.before(from)) {
        if (frame - *to > static_cast<std::size_t>(options_.look_back)) return;
        std::vector<Chain*> open;
        std::vector<Box> boxes;
        for (Chain& chain : chains) {
            if (chain.track != nullptr && chain.track->last_detection >= *to) chain.ended = true;
            if (chain.ended) continue;
            open.push_back(&chain);
            boxes.push_back(chain.box);
        }
        if (open.empty()) return;
        const std::vector<MovedBox> moved = follow(from, *to, boxes);
        for (std::size_t i = 0; i < open.size(); ++i)
            open[i]->ended = moved[i].is_lost() || (open[i]->track != nullptr && is_doubtful(moved[i])) ||
                             !extend(*open[i], *to, moved[i].box, chains);
        from = *to;
    }
}

/// False where the way back ends: another face is there.
bool FaceTracker::extend(Chain& chain, std::size_t frame, const Box& box, const std::vector<Chain>& chains) {
    for (Track& track : tracks_) {
        const TrackPlace* place = track.place_in(frame);
        if (&track == chain.track || place == nullptr) continue;
        if (intersection_over_union(place->box, box) < same_face) continue;
        const bool is_free = track.state != Track::State::followed &&
                             std::none_of(chains.begin(), chains.end(),
                                          [&](const Chain& other) { return other.track == &track; });
        // The same face, which was lost in between.
        if (chain.track == nullptr && track.counts() && is_free) {
            chain.track = &track;
            return track.last_detection < frame;
        }
        return false;
    }
    chain.box = box;
    chain.boxes.emplace(frame, box);
    return true;
}

void FaceTracker::accept(std::size_t frame, Chain& chain) {
    const bool is_new = chain.track == nullptr;
    if (is_new) {
        chain.track = &tracks_.emplace_back();
        chain.track->face = ++begun_;
    }
    Track& track = *chain.track;
    note(track).detected = {chain.detection, chain.joined};
    for (const auto& [place, box] : chain.boxes) {
        const int to_next = frames_between(place, frame);
        if (is_new) {
            track.put(place, {box, chain.detection.score, to_next});
            continue;
        }
        const int to_last = frames_between(track.last_detection, place);
        const TrackPlace* forwards = track.place_in(place);
        const double weight = static_cast<double>(to_last) / (to_last + to_next);
        Box best = box;
        if (forwards != nullptr) {
            const bool agree = intersection_over_union(forwards->box, box) >= min_agreement;
            best = agree ? mean_box(forwards->box, box, weight) : weight < 0.5 ? forwards->box : box;
        }
        track.put(place, {best, std::min(track.score, chain.detection.score), std::min(to_last, to_next)});
    }
    if (!is_new && !track.is_resized && follower_ && options_.look_back > 0)
        bridge_gaps(track, frame, chain.detection, options_.max_bridged);
    track.put(frame, {chain.detection.box, chain.detection.score, 0});
    if (is_new || track.is_resized) {
        track.motion.emplace(frame, chain.detection.box);
    } else {
        track.motion->observe(frame, chain.detection.box);
    }
    if (track.is_carried && background_) track.motion->rejoin_camera(*background_);
    track.detected_motion = track.motion;
    track.state = Track::State::followed;
    track.is_resized = track.is_carried = false;
    if (is_new) track.first_detection = frame;
    if (chain.detection.score >= options_.min_score) {
        ++track.sure_detections;
        track.last_sure = frame;
    }
    track.last_detection = track.last_frame = frame;
    track.searched_until.reset();
    track.last_box = chain.detection.box;
    track.score = chain.detection.score;
    if (!track.counts() && track.sure_detections >= options_.min_detections) number(track);
}

void FaceTracker::end_old_tracks(std::size_t frame) {
    for (Track& track : tracks_) {
        if (!track.is_lost()) continue;
        const int max_lost = track.counts() ? options_.max_lost : options_.max_search;
        if (frame - track.last_frame > static_cast<std::size_t>(max_lost))
            leave(track, Track::State::ended, "it was lost for too many frames");
    }
}

std::vector<Detection> FaceTracker::faces_in(std::size_t frame) const {
    std::vector<Detection> faces;
    if (window_.image(frame).empty()) return faces;
    for (const Track& track : tracks_) {
        const TrackPlace* place = track.place_in(frame);
        // Nobody knows yet whether a detection will follow if frames are final at once.
        const auto max_behind =
            static_cast<std::size_t>(options_.look_back == 0 ? options_.max_followed : options_.redetect);
        if (place == nullptr || !track.counts() || frame > track.last_detection + max_behind) continue;
        Detection& face = faces.emplace_back();
        face.box = steady_box(track, frame, options_.steady_frames, options_.max_size_change);
        face.score = place->score;
        face.details.edit().track = track.number;
        if (place->followed > 0) face.details.edit().followed = place->followed;
    }
    std::sort(faces.begin(), faces.end(),
              [](const Detection& a, const Detection& b) { return a.details->track < b.details->track; });
    return faces;
}

std::vector<TrackDecision> FaceTracker::decisions_in(std::size_t frame) {
    std::vector<TrackDecision> decisions;
    const auto found = decisions_.find(frame);
    if (found == decisions_.end()) return decisions;
    for (auto& [face, decision] : found->second) {
        decision.number = number_of_face_[decision.face];
        decisions.push_back(std::move(decision));
    }
    decisions_.erase(found);
    return decisions;
}

void FaceTracker::add_landmarks_to(std::vector<TrackedFrame>& frames) const {
    if (landmarks_ == nullptr) return;
    std::vector<ImageView<const std::uint8_t>> views;
    std::vector<std::vector<Detection>> faces;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (frames[i].faces.empty()) continue;
        places.push_back(i);
        views.push_back(frames[i].image);
        faces.push_back(std::move(frames[i].faces));
    }
    add_landmarks(*landmarks_, {views, gpu_}, faces);
    for (std::size_t i = 0; i < places.size(); ++i) frames[places[i]].faces = std::move(faces[i]);
}

void FaceTracker::finish_before(std::size_t end) {
    for (std::size_t frame = finished_; frame < end; ++frame) {
        final_frames_.push_back({frame, window_.image(frame), faces_in(frame), decisions_in(frame)});
        final_memory_.push_back(window_.memory(frame));
    }
    finished_ = std::max(finished_, end);
    for (Track& track : tracks_) {
        const auto last = track.places.lower_bound(end);
        for (auto place = track.places.begin(); place != last; ++place)
            track.past_boxes.insert_or_assign(place->first, place->second.box);
        track.places.erase(track.places.begin(), last);
        const std::size_t first = end - std::min(end, static_cast<std::size_t>(options_.steady_frames));
        track.past_boxes.erase(track.past_boxes.begin(), track.past_boxes.lower_bound(first));
    }
    // The newest readable frame stays: the next one is followed from it.
    while (window_.first() < end && window_.first() < newest_readable_) window_.pop();
    known_.forget_before(window_.first());
    tracks_.remove_if(
        [](const Track& track) { return track.state == Track::State::ended && track.places.empty(); });
}

void FaceTracker::hand_out() {
    if (final_frames_.empty()) return;
    add_landmarks_to(final_frames_);
    take_(final_frames_);
    final_frames_.clear();
    final_memory_.clear();
}

}  // namespace fovea
