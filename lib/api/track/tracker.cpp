#include <optional>
#include <span>
#include <utility>

#include <fovea/track.hpp>

#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "lib/api/common/convert.hpp"
#include "lib/api/common/guarded.hpp"
#include "lib/api/detect/loaded.hpp"
#include "lib/config/config.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/track/detector_rhythm.hpp"
#include "lib/track/face_tracker.hpp"
#include "lib/track/point_flow.hpp"

namespace fovea::api {
namespace {

RunConfig run_config_of(const TrackerOptions& options) {
    RunConfig config = config_of(options.detector);
    fovea::TrackerOptions& tracker = config.tracking.tracker;
    tracker.redetect = options.redetect;
    tracker.look_back = options.look_back;
    tracker.mode = options.use_flow ? FollowMode::flow : FollowMode::detections;
    tracker.min_detections = options.min_detections;
    tracker.max_followed = options.max_followed;
    tracker.max_lost = options.max_lost;
    validate_run_config(config);
    return config;
}

}  // namespace

struct Tracker::State {
    explicit State(const RunConfig& config)
        : loaded(config),
          detection(loaded.detector().config.options),
          rules(rules_of(config, detection)),
          device(fovea::Device::cpu()),
          flow(rules.mode == FollowMode::flow ? make_point_flow(device, rules) : nullptr),
          rhythm(rules.redetect),
          tracker(
              rules, flow.get(), loaded.landmarks(), ImageBatch::on_host,
              [this](const Track&, const fovea::ImageView<const std::uint8_t>&, const std::set<int>&) {
                  return ++last_number;
              },
              [this](std::span<fovea::TrackedFrame> frames) { take(frames); },
              [this](const fovea::ImageView<const std::uint8_t>& image) { return detect(image); }) {}

    std::vector<fovea::Detection> detect(const fovea::ImageView<const std::uint8_t>& image) {
        return std::move(loaded.detector().detector->detect(image, detection).front());
    }

    /// \param detection receives the scores that detections need
    static fovea::TrackerOptions rules_of(const RunConfig& config, fovea::DetectorOptions& detection) {
        fovea::TrackerOptions rules = config.tracking.tracker;
        set_tracking_scores(default_min_confidence, detection, rules);
        return rules;
    }

    void take(std::span<fovea::TrackedFrame> frames) {
        for (const fovea::TrackedFrame& frame : frames)
            finished.push_back({frame.place, {frame.image.width, frame.image.height}, to_outer(frame.faces)});
    }

    void add(const ImageView& image) {
        TrackerFrame frame;
        if (image.pixels != nullptr) {
            const auto copy = std::make_shared<const GreyImage>(grey_copy_of(image));
            frame.image = copy->view();
            frame.memory = copy;
        }
        loaded.run([&] {
            if (rhythm.runs_in_next({frame.image.width, frame.image.height})) {
                frame.detections = detect(frame.image);
            }
            tracker.add(std::move(frame));
        });
    }

    Detector::Loaded loaded;
    fovea::DetectorOptions detection;
    fovea::TrackerOptions rules;
    fovea::Device device;
    std::unique_ptr<PointFlow> flow;
    DetectorRhythm rhythm;
    FaceTracker tracker;
    int last_number = 0;
    bool has_finished = false;
    std::vector<TrackedFrame> finished;
};

Tracker::Tracker(const TrackerOptions& options)
    : state_(guarded([&] { return std::make_unique<State>(run_config_of(options)); })) {}

Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

std::vector<TrackedFrame> Tracker::add(const ImageView& frame) {
    if (state_->has_finished)
        throw UsageError("the tracker has finished; make another one for further frames");
    guarded([&] { state_->add(frame); });
    return std::exchange(state_->finished, {});
}

std::vector<TrackedFrame> Tracker::finish() {
    if (!state_->has_finished) {
        state_->has_finished = true;
        guarded([&] { state_->loaded.run([&] { state_->tracker.finish(); }); });
    }
    return std::exchange(state_->finished, {});
}

}  // namespace fovea::api
