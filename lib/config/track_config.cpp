#include "lib/config/track_config.hpp"

#include <algorithm>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "lib/json/field.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<FollowMode, 2> follow_mode_names{{"flow", "detections"}, "is no way to follow"};
constexpr NameTable<FollowedPoints, 2> point_names{{"grid", "landmarks"}, "are no points"};

FieldFlag track_flag(const char* name, const char* type, const std::string& help, bool is_checked = false) {
    return {.name = name, .type = type, .group = "Tracking", .help = help, .is_checked = is_checked};
}

void describe_joining(FieldVisitor& visitor, TrackerOptions& options) {
    visitor.value({.key = "min_weak_score",
                   .range = between(0, 1),
                   .flag = advanced(track_flag("--min-weak-score", "S",
                                               "Score of a detection that continues a track but begins none "
                                               "(default {default})"))},
                  &options.min_weak_score);
    visitor.value({.key = "min_overlap", .range = above_at_most(0, 1)}, &options.min_overlap);
    visitor.value({.key = "min_weak_overlap", .range = above_at_most(0, 1)}, &options.min_weak_overlap);
    visitor.value({.key = "min_regained_overlap", .range = above_at_most(0, 1)},
                  &options.min_regained_overlap);
    visitor.value({.key = "max_motion_distance", .range = between(0, 100)}, &options.max_motion_distance);
    visitor.value({.key = "max_lone_distance", .range = between(0, 100)}, &options.max_lone_distance);
    visitor.value({.key = "steady_frames", .range = between(0, 30)}, &options.steady_frames);
    visitor.value({.key = "max_size_change", .range = between(1, 100)}, &options.max_size_change);
    visitor.value({.key = "max_search", .range = between(0, 1000)}, &options.max_search);
    visitor.value({.key = "max_bridged", .range = between(0, 1000)}, &options.max_bridged);
    visitor.value({.key = "min_detections",
                   .range = between(1, 1000),
                   .flag = track_flag("--min-detections", "N",
                                      "Drop tracks with fewer detections than this (default {default})")},
                  &options.min_detections);
    visitor.value(
        {.key = "max_followed",
         .range = between(1, 1e6),
         .flag = track_flag("--max-followed", "N",
                            "Frames that a face is followed without a detection (default {default})")},
        &options.max_followed);
    visitor.value({.key = "max_lost",
                   .range = between(0, 1e6),
                   .flag = track_flag("--max-lost", "N",
                                      "Frames that a lost track waits for its face (default {default})")},
                  &options.max_lost);
}

void describe_flow(FieldVisitor& visitor, TrackerOptions& options) {
    visitor.value({.key = "points",
                   .flag = advanced(track_flag(
                       "--points", "POINTS",
                       "Points that flow follows: the landmarks, where they are found (default), or a "
                       "grid in the box",
                       true))},
                  named(options.points, point_names));
    visitor.value({.key = "grid", .range = between(2, 50)}, &options.grid);
    visitor.value(
        {.key = "flow_window",
         .range = between(3, 101),
         .flag = advanced(track_flag("--flow-window", "N",
                                     "Side of the window about a point, pixels (default {default})"))},
        &options.flow_window);
    visitor.value({.key = "flow_levels",
                   .range = between(1, 10),
                   .flag = advanced(
                       track_flag("--flow-levels", "N", "Levels of the flow's pyramid (default {default})"))},
                  &options.flow_levels);
    visitor.value({.key = "flow_iterations",
                   .range = between(1, 100),
                   .flag = advanced(track_flag("--flow-iterations", "N",
                                               "Iterations on each level, at most (default {default})"))},
                  &options.flow_iterations);
    visitor.value({.key = "flow_epsilon", .range = between(0, 10)}, &options.flow_epsilon);
    visitor.value({.key = "max_return_error", .range = between(0, 1)}, &options.max_return_error);
    visitor.value({.key = "max_residual", .range = between(0, 100)}, &options.max_residual);
    visitor.value({.key = "min_votes", .range = above_at_most(0, 1)}, &options.min_votes);
    visitor.value({.key = "min_sure_votes", .range = between(0, 1)}, &options.min_sure_votes);
    visitor.value({.key = "max_scale_step", .range = between(1, 10)}, &options.max_scale_step);
}

}  // namespace

void set_tracking_scores(double sure_score, DetectorOptions& detection, TrackerOptions& tracker) {
    if (detection.score != ScoreKind::confidence) {
        tracker.min_score = tracker.min_weak_score = -std::numeric_limits<double>::infinity();
        return;
    }
    tracker.min_score = detection.min_score.value_or(sure_score);
    tracker.min_weak_score = std::min(tracker.min_weak_score, tracker.min_score);
    detection.min_score = tracker.min_weak_score;
}

std::string to_string(FollowMode mode) {
    return follow_mode_names.name_of(mode);
}

std::string to_string(FollowedPoints points) {
    return point_names.name_of(points);
}

void describe(FieldVisitor& visitor, TrackConfig& config) {
    TrackerOptions& options = config.tracker;
    visitor.value(
        {.key = "follow",
         .flag = track_flag("--follow", "MODE",
                            "Between detections: {default} (default), or detections, which are joined "
                            "as they are",
                            true)},
        named(options.mode, follow_mode_names));
    visitor.value({.key = "redetect",
                   .range = between(1, 1000),
                   .flag = track_flag("--redetect", "N", "Detect in every Nth frame (default {default})")},
                  &options.redetect);
    visitor.value({.key = "look_back",
                   .range = between(0, 1000),
                   .flag = track_flag("--look-back", "N",
                                      "Follow a new face back for up to N frames; results are late by as "
                                      "many; 0 = live (default {default})")},
                  &options.look_back);
    describe_joining(visitor, options);
    visitor.value(
        {.key = "rejoin",
         .flag = track_flag("--rejoin", "",
                            "Fail where a person who comes back cannot get the same number, for want of "
                            "landmarks or of a distance")},
        &config.rejoin);
    visitor.value({.key = "separate",
                   .flag = track_flag("--separate", "", "A person who comes back gets a new number")},
                  &config.separate);
    visitor.value({.key = "max_rejoin_distance",
                   .range = between(0, 1e9),
                   .flag = advanced(track_flag("--max-rejoin-distance", "D",
                                               "Distance of features up to which faces are of one person; 0 "
                                               "= the recogniser's at a false accept rate of " +
                                                   fmt::format("{}", rejoin_far)))},
                  &config.max_rejoin_distance);
    visitor.value({.key = "recogniser",
                   .flag = advanced(track_flag("--recogniser", "RECOGNISER",
                                               "Recogniser for --rejoin and --gallery (default {default})")),
                   .is_path = true},
                  &config.recogniser);
    visitor.value(
        {.key = "smoothing",
         .range = between(0, 1),
         .flag = track_flag("--smooth", "S",
                            "Smooth the faces of the annotated video: {default} (default) = not at all, 1 "
                            "= most; other results stay as they are")},
        &config.smoothing);
    visitor.value(
        {.key = "explain",
         .flag = track_flag("--explain", "",
                            "Also write decisions.jsonl: for each frame and track, where motion and "
                            "flow expect the face, what it is joined to, and why it is lost")},
        &config.explain);
    describe_flow(visitor, options);
}

}  // namespace fovea
