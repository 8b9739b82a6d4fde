#include "tests/lab/boxes/box_jitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "lib/evaluate/statistics/random_draw.hpp"

namespace fovea {
namespace {

constexpr double failure_limit = 0.08;

// A uniform direction by rejection: only arithmetic that every machine does alike, unlike its sines.
Point random_direction(std::mt19937_64& generator) {
    const auto coordinate = [&] {
        constexpr std::uint64_t steps = std::uint64_t{1} << 32;
        return 2 * (static_cast<double>(draw_below(generator, steps)) + 0.5) / static_cast<double>(steps) - 1;
    };
    while (true) {
        const Point point{coordinate(), coordinate()};
        const double squares = point.x * point.x + point.y * point.y;
        if (squares > 1 || squares < 1e-4) continue;
        const double length = std::sqrt(squares);
        return {point.x / length, point.y / length};
    }
}

struct LevelQuantity {
    Quantity quantity;
    double (*value)(const WeightedErrors&);
};

const std::array<LevelQuantity, 3>& level_quantities() {
    static const std::array<LevelQuantity, 3> list{
        LevelQuantity{{"mean", "Mean", "mean NME over faces and draws", Better::lower, Unit::number},
                      [](const WeightedErrors& errors) { return errors.mean(); }},
        LevelQuantity{{"median", "Median", "median NME over faces and draws", Better::lower, Unit::number},
                      [](const WeightedErrors& errors) { return errors.quantile(0.5); }},
        LevelQuantity{{"failure_rate", "Failures > 0.08", "share of faces and draws with an NME above 0.08",
                       Better::lower, Unit::share},
                      [](const WeightedErrors& errors) { return errors.failure_rate(failure_limit); }}};
    return list;
}

class LevelStatistics : public BootstrapStatistics {
  public:
    explicit LevelStatistics(std::vector<std::vector<UnitError>> errors) {
        for (std::vector<UnitError>& level : errors) {
            for (const UnitError& face : level) units_ = std::max<std::size_t>(units_, face.unit + 1);
            levels_.emplace_back(std::move(level));
            for (const LevelQuantity& number : level_quantities()) quantities_.push_back(number.quantity);
        }
    }

    std::size_t units() const override { return units_; }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override {
        std::size_t next = 0;
        for (const ErrorDistribution& level : levels_) {
            const WeightedErrors errors(level, weights);
            for (const LevelQuantity& quantity : level_quantities()) values[next++] = quantity.value(errors);
        }
    }
    std::size_t boxes(std::size_t level) const { return levels_[level].errors().size(); }

  private:
    std::size_t units_ = 0;
    std::vector<ErrorDistribution> levels_;
    std::vector<Quantity> quantities_;
};

const std::optional<double>& mean_of(const JitterLevel& level) {
    return level.numbers.front().value;
}

double failures_of(const JitterLevel& level) {
    return level.numbers.back().value.value_or(0);
}

// The level of that amount, if it has a mean.
const JitterLevel* level_at(const std::vector<JitterLevel>& levels, double amount) {
    for (const JitterLevel& level : levels) {
        if (level.amount == amount && mean_of(level)) return &level;
    }
    return nullptr;
}

std::string change_text(const JitterLevel& from, const JitterLevel& to) {
    const double before = *mean_of(from);
    const double after = *mean_of(to);
    std::string text = fmt::format("{:.4f} to {:.4f}", before, after);
    if (before > 0) text += fmt::format(" ({:+.0f} %)", 100 * (after / before - 1));
    return text;
}

}  // namespace

std::vector<JitteredBox> jittered_boxes(const Box& box, const BoxJitterOptions& options, std::size_t face) {
    std::mt19937_64 generator = repetition_generator(options.seed, face);
    std::vector<Point> directions;
    for (int i = 0; i < options.draws; ++i) directions.push_back(random_direction(generator));
    std::vector<JitteredBox> boxes;
    for (std::size_t i = 0; i < options.shifts.size(); ++i) {
        const double shift = options.shifts[i];
        for (const Point& direction : directions) {
            boxes.push_back(
                {i,
                 {box.x + shift * box.w * direction.x, box.y + shift * box.h * direction.y, box.w, box.h}});
            if (shift == 0) break;  // all draws are one
        }
    }
    for (std::size_t i = 0; i < options.scales.size(); ++i) {
        const double scale = options.scales[i];
        const Point centre = box.centre();
        boxes.push_back(
            {options.shifts.size() + i,
             {centre.x - scale * box.w / 2, centre.y - scale * box.h / 2, scale * box.w, scale * box.h}});
    }
    return boxes;
}

BoxSensitivity box_sensitivity(const BoxJitterOptions& options, LandmarkNormaliser normaliser,
                               std::size_t faces, std::vector<std::vector<UnitError>> errors, int resamples,
                               std::uint64_t bootstrap_seed) {
    const std::size_t levels = options.shifts.size() + options.scales.size();
    if (errors.size() != levels) {
        throw std::invalid_argument("there are " + std::to_string(errors.size()) + " lists of errors for " +
                                    std::to_string(levels) + " levels of jitter");
    }
    const LevelStatistics statistics(std::move(errors));
    const Numbers estimates = bootstrap_estimates(statistics, resamples, bootstrap_seed);
    BoxSensitivity sensitivity{options, normaliser, faces, {}, {}};
    for (std::size_t i = 0; i < levels; ++i) {
        const bool is_shift = i < options.shifts.size();
        const auto begin = estimates.begin() + static_cast<std::ptrdiff_t>(i * level_quantities().size());
        JitterLevel level{is_shift ? options.shifts[i] : options.scales[i - options.shifts.size()],
                          statistics.boxes(i),
                          {begin, begin + static_cast<std::ptrdiff_t>(level_quantities().size())}};
        (is_shift ? sensitivity.shifts : sensitivity.scales).push_back(std::move(level));
    }
    return sensitivity;
}

std::string sensitivity_sentence(const BoxSensitivity& sensitivity) {
    const JitterLevel* still = level_at(sensitivity.shifts, 0);
    std::string text;
    for (const JitterLevel& level : sensitivity.shifts) {
        // The first shift of at least 5 %, the size that dlib's users report to cost them accuracy.
        if (still == nullptr || level.amount < 0.05 || !mean_of(level)) continue;
        text = fmt::format(
            "Boxes moved by {:.6g} % of their size change the mean NME from {} and failures above 0.08 from "
            "{:.1f} % to {:.1f} %",
            100 * level.amount, change_text(*still, level), 100 * failures_of(*still),
            100 * failures_of(level));
        break;
    }
    const JitterLevel* whole = level_at(sensitivity.scales, 1);
    std::string resized;
    for (const JitterLevel& level : sensitivity.scales) {
        const bool is_end = &level == &sensitivity.scales.front() || &level == &sensitivity.scales.back();
        if (whole == nullptr || &level == whole || !is_end || !mean_of(level)) continue;
        resized += fmt::format("{} {:.6g} % {}from {}", resized.empty() ? "oxes resized to" : ", to",
                               100 * level.amount, resized.empty() ? "change the mean NME " : "",
                               change_text(*whole, level));
    }
    if (!resized.empty()) text += (text.empty() ? "B" : "; b") + resized;
    return text.empty() ? text : text + ".";
}

}  // namespace fovea
