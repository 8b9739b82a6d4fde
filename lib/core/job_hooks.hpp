#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

/// True once the work is to end. \param cancel becomes true when somebody asks for that; null = never.
inline bool is_cancelled(const std::atomic<bool>* cancel) {
    return cancel != nullptr && cancel->load();
}

/// Is thrown by work that was asked to end and has nothing to finish.
struct JobCancelled {};

/// Is told how many of `total` are done. It may throw to stop the work. Empty: nobody listens.
using CountProgress = std::function<void(std::size_t done, std::size_t total)>;

/// Is told which share of a piece of work is done: 0 to 1, never less than before. One thread at a time calls
/// it. Empty: nobody listens.
using ShareProgress = std::function<void(double)>;

/// The progress of a part of the work, whose 0 to 1 are `from` to `to` of the whole.
inline ShareProgress part_of_progress(const ShareProgress& whole, double from, double to) {
    if (!whole) return {};
    return [whole, from, to](double share) { whole(from + (to - from) * share); };
}

/// The outcome of a round of a training: of a stage of a cascade, of some steps of a network.
struct JobRound {
    /// A sentence without full stop, for people; empty: they are told nothing.
    std::string text{};
    /// A warning for people; a sentence without full stop, or empty.
    std::string warning{};
    /// The sentence is for people who look closely.
    bool is_detail = false;
    /// Its numbers by name, for programs.
    std::vector<std::pair<std::string, double>> numbers{};
};

/// How far a stage of a job has come.
struct JobProgress {
    /// Finished by all workers, including the images of an earlier run that is resumed.
    std::size_t done = 0;
    /// 0: not known, and no progress is shown.
    std::size_t total = 0;
    std::size_t unreadable = 0;
    /// Detections of the first detector.
    std::size_t faces = 0;
    /// Pixels of the images of this run.
    std::size_t pixels = 0;
    /// Images done by an earlier run.
    std::size_t resumed = 0;
    /// The video whose frame was done last; empty if the last image is no frame.
    std::string video{};
    /// The time of that frame.
    double video_seconds = 0;
    /// Unit of the counts; empty: they are only a share of the work.
    std::string unit = "images";
    /// The round that ended just now, if its texts and numbers are not empty.
    JobRound round{};
};

/// How a long job talks to whoever started it. All may be empty; one thread at a time calls them.
struct JobHooks {
    std::function<void(const JobProgress&)> progress;
    /// Is told that a new stage begins, e.g. "evaluating".
    std::function<void(const std::string&)> stage;
    /// Becomes true when the job is to end. Jobs whose result grows finish what is in flight; those that have
    /// nothing to show before their end throw JobCancelled.
    const std::atomic<bool>* cancel = nullptr;

    void begin_stage(const std::string& name) const {
        if (stage) stage(name);
    }
    void tell(const JobProgress& now) const {
        if (progress) progress(now);
    }
    bool is_cancelled() const { return fovea::is_cancelled(cancel); }
    /// Tells it unless the job is cancelled. \throws JobCancelled
    void tell_or_stop(const JobProgress& now) const {
        if (is_cancelled()) throw JobCancelled{};
        tell(now);
    }
    /// Makes a function that calls tell_or_stop(); the hooks must outlive it.
    CountProgress counter(const std::string& unit) const {
        return [this, unit](std::size_t done, std::size_t total) {
            tell_or_stop({.done = done, .total = total, .unit = unit});
        };
    }
};

/// Makes a function that tells the progress hook how much of a stage is done, as a share without a unit. The
/// stage is one of `parts` stages of equal length, counted from 0. The hooks must outlive the function.
inline ShareProgress share_hook(const JobHooks& hooks, std::size_t part, std::size_t parts) {
    if (!hooks.progress) return {};
    return [&hooks, part, parts](double share) {
        constexpr std::size_t steps = 1000;
        const double done = steps * (static_cast<double>(part) + share) / static_cast<double>(parts);
        hooks.progress({.done = static_cast<std::size_t>(std::floor(done)), .total = steps, .unit = ""});
    };
}

}  // namespace fovea
