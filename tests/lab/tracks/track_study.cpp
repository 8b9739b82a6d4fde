#include "tests/lab/tracks/track_study.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/track/track_timing.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr const char* redetect_part = "redetect";
constexpr const char* condition_part = "condition";
constexpr const char* speed_part = "speed";
constexpr const char* every_frame_setting = "every frame";

struct DrawnClips {
    std::vector<Clip> clips;
    JudgedRun every_frame;
};

class StudyRun {
  public:
    StudyRun(const StudyPlan& plan, const CutOuts& cut_outs, const TrackerOptions& tracker,
             const TrackMeans& means, const ClipFilter& filter, const JobHooks& hooks)
        : plan_(plan),
          cut_outs_(cut_outs),
          tracker_(tracker),
          means_(means),
          filter_(filter),
          hooks_(hooks) {}

    TrackStudy run() {
        study_redetection();
        for (const ClipPlan& condition : plan_.conditions)
            study_kind(condition_part, condition.name, condition);
        for (const double speed : plan_.speeds) {
            ClipPlan kind = plan_.clip;
            kind.speed = speed;
            kind.name = "speed " + shortest_number(speed);
            study_kind(speed_part, shortest_number(speed), kind);
        }
        study_flow();
        result_.interrupted = cancelled();
        return std::move(result_);
    }

  private:
    bool cancelled() const { return hooks_.is_cancelled(); }
    void say(const std::string& what) const { hooks_.begin_stage(what); }

    DrawnClips draw(const ClipPlan& kind) {
        DrawnClips drawn;
        for (const ClipPlan& clip : clips_of(plan_, kind)) {
            if (cancelled()) break;
            say(fmt::format("drawing clip '{}', seed {}", kind.name, clip.seed));
            drawn.clips.push_back(drawn_clip(ClipRenderer(clip, cut_outs_), means_.limit));
            if (filter_) filter_(drawn.clips.back());
            detect_clip(drawn.clips.back(), means_);
        }
        return drawn;
    }

    JudgedRun judge(const std::vector<Clip>& clips, const TrackerOptions& options) const {
        JudgedRun run;
        for (std::size_t i = 0; i < clips.size() && !cancelled(); ++i)
            judge_clip(clips[i], i, followed_clip(clips[i], options, means_), result_.calibration, run);
        return run;
    }

    void judge_every_frame(DrawnClips& drawn) const {
        drawn.every_frame = judge(drawn.clips, every_frame(tracker_));
    }

    TrackerOptions following(int redetect, bool is_live) const {
        TrackerOptions options = tracker_;
        options.redetect = redetect;
        if (is_live) options.look_back = 0;
        return options;
    }

    void add_row(const std::string& part, const std::string& setting, bool is_live, int redetect,
                 const JudgedRun& run, const DrawnClips& drawn) {
        if (cancelled()) return;
        result_.rows.push_back({part, setting, is_live, redetect,
                                accuracy_of(run, redetect == 1 ? nullptr : &drawn.every_frame)});
    }

    void study_redetection() {
        DrawnClips drawn = draw(plan_.clip);
        if (cancelled()) return;
        result_.calibration = learned_offsets(drawn.clips);
        say("following faces: detection in every Kth frame");
        judge_every_frame(drawn);
        add_row(redetect_part, every_frame_setting, true, 1, drawn.every_frame, drawn);
        for (const int redetect : plan_.redetects) {
            for (const bool is_live : {true, false}) {
                const JudgedRun run = judge(drawn.clips, following(redetect, is_live));
                if (cancelled()) return;
                add_row(redetect_part, std::to_string(redetect), is_live, redetect, run, drawn);
                if (is_live) result_.drift.push_back({redetect, drift_of(run, drawn.every_frame)});
            }
        }
    }

    void study_kind(const char* part, const std::string& setting, const ClipPlan& kind) {
        if (cancelled()) return;
        DrawnClips drawn = draw(kind);
        say(fmt::format("following faces: {}", kind.name));
        judge_every_frame(drawn);
        add_row(part, setting, true, 1, drawn.every_frame, drawn);
        for (const bool is_live : {true, false}) {
            const JudgedRun run = judge(drawn.clips, following(plan_.redetect, is_live));
            add_row(part, setting, is_live, plan_.redetect, run, drawn);
        }
    }

    void study_flow() {
        if (plan_.windows.empty() && plan_.levels.empty() && plan_.iterations.empty()) return;
        ClipPlan kind = plan_.clip;
        kind.name = "flow";
        kind.speed = plan_.flow_speed;
        DrawnClips drawn = draw(kind);
        if (cancelled()) return;
        say("following faces: windows, levels and iterations");
        judge_every_frame(drawn);
        const auto study = [&](const char* part, const std::string& setting, const auto& change) {
            if (cancelled()) return;
            TrackerOptions options = following(plan_.redetect, true);
            change(options);
            add_row(part, setting, true, plan_.redetect, judge(drawn.clips, options), drawn);
        };
        study("points", "landmarks", [](TrackerOptions& o) { o.points = FollowedPoints::landmarks; });
        study("points", "grid", [](TrackerOptions& o) { o.points = FollowedPoints::grid; });
        for (const int value : plan_.windows)
            study("window", std::to_string(value), [&](TrackerOptions& o) { o.flow_window = value; });
        for (const int value : plan_.levels)
            study("levels", std::to_string(value), [&](TrackerOptions& o) { o.flow_levels = value; });
        for (const int value : plan_.iterations)
            study("iterations", std::to_string(value), [&](TrackerOptions& o) { o.flow_iterations = value; });
    }

    const StudyPlan& plan_;
    const CutOuts& cut_outs_;
    const TrackerOptions& tracker_;
    const TrackMeans& means_;
    const ClipFilter& filter_;
    const JobHooks& hooks_;
    TrackStudy result_;
};

/// Clips that are hard in one way each.
std::vector<ClipPlan> hard_clips(const ClipPlan& usual) {
    std::vector<ClipPlan> clips;
    const auto add = [&](const char* name, const auto& change) {
        ClipPlan clip = usual;
        clip.name = name;
        change(clip);
        clips.push_back(clip);
    };
    add("turning", [](ClipPlan& clip) { clip.turn = 25; });
    add("zooming", [](ClipPlan& clip) { clip.zoom = 1.6; });
    add("bar", [](ClipPlan& clip) { clip.bar = 0.8; });
    add("crossing", [](ClipPlan& clip) { clip.crossing = true; });
    add("exposure", [](ClipPlan& clip) { clip.exposure = 0.4; });
    add("motion blur", [](ClipPlan& clip) {
        clip.speed = 0.1;
        clip.blur = 1;
    });
    add("noise", [](ClipPlan& clip) { clip.noise = 12; });
    for (const double speed : {0.1, 0.2, 0.4}) {
        add(fmt::format("fast {:.0f}", 100 * speed).c_str(), [speed](ClipPlan& clip) {
            clip.speed = speed;
            clip.blur = 1;
            clip.bar = 0.8;
        });
    }
    return clips;
}

}  // namespace

StudyPlan full_study() {
    StudyPlan plan;
    plan.clip.name = "usual";
    plan.conditions = hard_clips(plan.clip);
    return plan;
}

StudyPlan quick_study() {
    StudyPlan plan;
    plan.clip.name = "usual";
    plan.clip.size = {320, 240};
    plan.clip.face_width = 56;
    plan.clip.frames = 60;
    plan.clips = 1;
    plan.redetects = {5, 10};
    plan.speeds = {0.1};
    plan.conditions = hard_clips(plan.clip);
    std::erase_if(plan.conditions, [](const ClipPlan& clip) { return clip.name != "bar"; });
    plan.windows = {11, 21};
    plan.levels = {1, 4};
    plan.iterations = {5, 30};
    return plan;
}

std::vector<ClipPlan> clips_of(const StudyPlan& plan, const ClipPlan& kind) {
    std::vector<ClipPlan> clips;
    for (int i = 0; i < plan.clips; ++i) {
        clips.push_back(kind);
        clips.back().seed = kind.seed + static_cast<std::uint64_t>(i);
    }
    return clips;
}

const StudyRow* TrackStudy::find(const std::string& part, const std::string& setting, bool is_live,
                                 int redetect) const {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const StudyRow& other) {
        return other.part == part && other.setting == setting && other.is_live == is_live &&
               other.redetect == redetect;
    });
    return row == rows.end() ? nullptr : &*row;
}

TrackStudy run_track_study(const StudyPlan& plan, const CutOuts& cut_outs, const TrackerOptions& tracker,
                           const TrackMeans& means, const ClipFilter& filter, const JobHooks& hooks) {
    return StudyRun(plan, cut_outs, tracker, means, filter, hooks).run();
}

}  // namespace fovea
