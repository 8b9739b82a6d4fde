#include "lib/evaluate/landmarks/landmarks_over_time.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/dataset/video_sequences.hpp"
#include "lib/evaluate/landmarks/error_distribution.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/evaluate/statistics/time_blocks.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace {

constexpr double failure_above = 0.08;
/// Longer times since the last detection are taken together.
constexpr int longest_drift = 30;

/// A number of a set of errors.
struct TimeQuantity {
    const char* key;
    const char* name;
    const char* definition;
    Better better;
    Unit unit;
    double (*value)(const WeightedErrors& errors);
};

constexpr TimeQuantity mean_of_found{
    "mean",        "Mean",       "mean over the faces found",
    Better::lower, Unit::number, [](const WeightedErrors& e) { return e.mean(); }};
constexpr TimeQuantity median_of_found{
    "median",      "Median",     "median over the faces found",
    Better::lower, Unit::number, [](const WeightedErrors& e) { return e.quantile(0.5); }};
constexpr TimeQuantity most_of_found{
    "percentile_95", "95th percentile", "95 % of the faces found are below",
    Better::lower,   Unit::number,      [](const WeightedErrors& e) { return e.quantile(0.95); }};
constexpr TimeQuantity area{"auc_0.08",
                            "AUC@0.08",
                            "area under the CED over all faces up to an error of 0.08, divided by it; 0 to 1",
                            Better::higher,
                            Unit::number,
                            [](const WeightedErrors& e) { return e.area_under_ced(failure_above); }};
constexpr TimeQuantity failures{
    "failure_rate", "Failures > 0.08", "share of all faces with an error above 0.08, those missed among them",
    Better::lower,  Unit::share,       [](const WeightedErrors& e) { return e.failure_rate(failure_above); }};

/// Several sets of errors, resampled together by videos or blocks of time.
class TimeStatistics : public BootstrapStatistics {
  public:
    explicit TimeStatistics(std::size_t units) : units_(units) {}

    void add(const std::string& what, std::vector<UnitError> errors, std::vector<TimeQuantity> quantities) {
        for (const TimeQuantity& quantity : quantities) {
            quantities_.push_back({quantity.key, quantity.name, what + ": " + quantity.definition,
                                   quantity.better, quantity.unit});
        }
        groups_.push_back({ErrorDistribution(std::move(errors)), std::move(quantities)});
    }

    std::size_t units() const override { return units_; }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override {
        std::size_t next = 0;
        for (const Group& group : groups_) {
            const WeightedErrors errors(group.errors, weights);
            for (const TimeQuantity& quantity : group.quantities) values[next++] = quantity.value(errors);
        }
    }

    /// The numbers of the groups in the order in which they were added.
    std::vector<Numbers> estimates(const LandmarkEvaluationOptions& options) const {
        const Numbers all = bootstrap_estimates(*this, options.bootstrap_resamples, options.bootstrap_seed);
        std::vector<Numbers> numbers;
        auto next = all.begin();
        for (const Group& group : groups_) {
            const auto end = next + static_cast<std::ptrdiff_t>(group.quantities.size());
            numbers.emplace_back(next, end);
            next = end;
        }
        return numbers;
    }

  private:
    struct Group {
        ErrorDistribution errors;
        std::vector<TimeQuantity> quantities;
    };

    std::size_t units_;
    std::vector<Group> groups_;
    std::vector<Quantity> quantities_;
};

/// A face that counts, with its place in time.
struct FaceInTime {
    const LandmarkFace* face = nullptr;
    std::size_t video = 0;
    std::int64_t frame = 0;
    const std::vector<Point>* truth = nullptr;
    std::string track;  ///< "" where the frame has one face alone
};

/// How much a face's points move from the frame before, and the true ones.
struct FaceStep {
    double jitter = 0;
    double true_motion = 0;
};

class TimeEvaluation {
  public:
    TimeEvaluation(const Dataset& dataset, const LandmarkEvaluation& evaluation)
        : dataset_(dataset), evaluation_(evaluation) {
        collect_faces();
    }

    std::optional<LandmarksOverTime> run() {
        if (faces_.empty()) return std::nullopt;
        std::stable_sort(faces_.begin(), faces_.end(), [](const FaceInTime& a, const FaceInTime& b) {
            return std::pair(a.video, a.frame) < std::pair(b.video, b.frame);
        });
        choose_units();
        find_steps();
        summarise_videos();
        estimate();
        return std::move(result_);
    }

  private:
    void collect_faces() {
        std::map<std::size_t, std::vector<const LandmarkFace*>> of_sample;
        for (const LandmarkFace& face : evaluation_.outcomes) of_sample[face.sample].push_back(&face);
        for (const VideoSequence& sequence : video_sequences(dataset_)) {
            bool is_any = false;
            for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
                const Sample& sample = dataset_.samples[sequence.samples[i]];
                const auto faces = of_sample.find(sequence.samples[i]);
                if (faces == of_sample.end() || !split_frame_name(sample.image)) continue;
                if (!is_any) begin_video(sequence.name, sample);
                is_any = true;
                for (const LandmarkFace* face : faces->second)
                    add_face(*face, sample, sequence.frames[i], faces->second.size() == 1);
            }
        }
    }

    void begin_video(const std::string& name, const Sample& first) {
        LandmarkVideo& video = result_.videos.emplace_back();
        video.name = name;
        if (const std::string* category = find_attribute(first.attributes, "category"))
            video.category = *category;
    }

    void add_face(const LandmarkFace& face, const Sample& sample, std::int64_t frame, bool is_only) {
        FaceInTime& added = faces_.emplace_back();
        added.face = &face;
        added.video = result_.videos.size() - 1;
        added.frame = frame;
        const Face& truth = sample.faces[face.face];
        added.truth = &truth.landmarks;
        const std::string* const track = find_attribute(truth.attributes, "track");
        // Faces that nothing tells apart have no step.
        added.track = track != nullptr ? *track : is_only ? "" : "#" + std::to_string(faces_.size());
    }

    double error_of(const LandmarkFace& face) const {
        return normalised_mean_error(face, evaluation_.primary);
    }

    void choose_units() {
        unit_of_.resize(faces_.size());
        if (result_.videos.size() > 1) {
            units_ = result_.videos.size();
            result_.units = "videos";
            for (std::size_t i = 0; i < faces_.size(); ++i) unit_of_[i] = faces_[i].video;
            return;
        }
        const std::int64_t first = faces_.front().frame;
        const auto frames = static_cast<std::size_t>(faces_.back().frame - first + 1);
        units_ = std::max<std::size_t>(1, time_blocks(frames));
        for (std::size_t i = 0; i < faces_.size(); ++i)
            unit_of_[i] = time_block_of(static_cast<std::size_t>(faces_[i].frame - first), frames, units_);
        if (units_ > 1) result_.units = "blocks of " + std::to_string(frames / units_) + " frames";
    }

    std::optional<FaceStep> step(const FaceInTime& before, const FaceInTime& now) const {
        const double length = now.face->lengths[evaluation_.primary];
        if (before.face->missed() || now.face->missed() || !(length > 0)) return std::nullopt;
        FaceStep sums;
        const std::size_t points = now.truth->size();
        for (std::size_t p = 0; p < points; ++p) {
            const Point moved{(*now.truth)[p].x - (*before.truth)[p].x,
                              (*now.truth)[p].y - (*before.truth)[p].y};
            const Point found{now.face->found[p].x - before.face->found[p].x,
                              now.face->found[p].y - before.face->found[p].y};
            sums.jitter += distance(found, moved);
            sums.true_motion += distance(moved, {});
        }
        const double divisor = static_cast<double>(points) * length;
        return FaceStep{sums.jitter / divisor, sums.true_motion / divisor};
    }

    void find_steps() {
        // The latest face of each track of the video.
        std::map<std::string, const FaceInTime*> latest;
        std::size_t video = 0;
        steps_.resize(faces_.size());
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            const FaceInTime& now = faces_[i];
            if (now.video != video) latest.clear();
            video = now.video;
            const FaceInTime*& before = latest[now.track];
            if (before != nullptr && before->frame + 1 == now.frame) steps_[i] = step(*before, now);
            result_.steps += steps_[i] ? 1 : 0;
            before = &now;
        }
    }

    void summarise_videos() {
        std::vector<double> errors(result_.videos.size(), 0), jitters(errors), steps(errors), over(errors);
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            const FaceInTime& face = faces_[i];
            LandmarkVideo& video = result_.videos[face.video];
            const double error = error_of(*face.face);
            ++video.faces;
            video.missed += face.face->missed() ? 1 : 0;
            video.errors.emplace_back(static_cast<double>(face.frame), error);
            if (std::isfinite(error)) errors[face.video] += error;
            over[face.video] += error > failure_above ? 1 : 0;
            if (!steps_[i]) continue;
            jitters[face.video] += steps_[i]->jitter;
            ++steps[face.video];
        }
        for (std::size_t v = 0; v < result_.videos.size(); ++v) {
            LandmarkVideo& video = result_.videos[v];
            const auto found = std::count_if(video.errors.begin(), video.errors.end(),
                                             [](const auto& error) { return std::isfinite(error.second); });
            if (found > 0) video.mean = errors[v] / static_cast<double>(found);
            if (steps[v] > 0) video.jitter = jitters[v] / steps[v];
            video.failure_rate = over[v] / video.faces;
        }
    }

    template <class Choose, class Error>
    std::vector<UnitError> errors_where(Choose&& choose, Error&& error) const {
        std::vector<UnitError> errors;
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            if (choose(i)) errors.push_back({error(i), static_cast<std::uint32_t>(unit_of_[i])});
        }
        return errors;
    }

    int drift_of(std::size_t i) const { return std::min(faces_[i].face->followed, longest_drift + 1); }

    void add_drift(TimeStatistics& statistics) {
        std::map<int, int> faces;
        for (std::size_t i = 0; i < faces_.size(); ++i) {
            if (!faces_[i].face->missed()) ++faces[drift_of(i)];
        }
        if (faces.empty() || (faces.size() == 1 && faces.begin()->first == 0)) return;
        for (const auto& [followed, count] : faces) {
            result_.drift.push_back({followed, followed > longest_drift, count, {}});
            statistics.add(
                "NME of faces by frames since the last detection",
                errors_where([&, only = followed](
                                 std::size_t i) { return !faces_[i].face->missed() && drift_of(i) == only; },
                             [&](std::size_t i) { return error_of(*faces_[i].face); }),
                {mean_of_found, median_of_found});
        }
    }

    void add_categories(TimeStatistics& statistics) {
        std::map<std::string, LandmarkCategory> categories;
        for (const LandmarkVideo& video : result_.videos) {
            if (video.category.empty()) continue;
            LandmarkCategory& category = categories[video.category];
            category.name = video.category;
            ++category.videos;
            category.faces += video.faces;
            category.missed += video.missed;
            for (const auto& [frame, error] : video.errors) {
                if (std::isfinite(error)) category.errors.push_back(error);
            }
        }
        for (auto& [name, category] : categories) {
            std::sort(category.errors.begin(), category.errors.end());
            statistics.add(
                "NME of the faces of the category",
                errors_where([&, only = name](
                                 std::size_t i) { return result_.videos[faces_[i].video].category == only; },
                             [&](std::size_t i) { return error_of(*faces_[i].face); }),
                {mean_of_found, median_of_found, area, failures});
            result_.categories.push_back(std::move(category));
        }
    }

    void estimate() {
        TimeStatistics statistics(units_);
        const auto has_step = [&](std::size_t i) { return steps_[i].has_value(); };
        statistics.add("movement of the points against the true ones from frame to frame, normalised",
                       errors_where(has_step, [&](std::size_t i) { return steps_[i]->jitter; }),
                       {mean_of_found, median_of_found, most_of_found});
        statistics.add("movement of the true points from frame to frame, normalised",
                       errors_where(has_step, [&](std::size_t i) { return steps_[i]->true_motion; }),
                       {mean_of_found, median_of_found, most_of_found});
        add_drift(statistics);
        add_categories(statistics);
        const std::vector<Numbers> numbers = statistics.estimates(evaluation_.options);
        auto next = numbers.begin();
        result_.jitter = *next++;
        result_.true_motion = *next++;
        for (LandmarkDrift& drift : result_.drift) drift.numbers = *next++;
        for (LandmarkCategory& category : result_.categories) category.numbers = *next++;
    }

    const Dataset& dataset_;
    const LandmarkEvaluation& evaluation_;
    std::vector<FaceInTime> faces_;  // video by video, by rising frame
    std::vector<std::optional<FaceStep>> steps_;
    std::vector<std::size_t> unit_of_;
    std::size_t units_ = 1;
    LandmarksOverTime result_;
};

}  // namespace

std::optional<LandmarksOverTime> landmarks_over_time(const Dataset& dataset,
                                                     const LandmarkEvaluation& evaluation) {
    return TimeEvaluation(dataset, evaluation).run();
}

}  // namespace fovea
