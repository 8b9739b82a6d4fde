#include "lib/evaluate/landmarks/landmark_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/core/text.hpp"

namespace fovea {
namespace {

using ErrorQuantity = LandmarkStatistics::ErrorQuantity;
using Quantities = std::vector<ErrorQuantity>;

constexpr int band_points = 60;
constexpr double band_step = 0.0025;

ErrorQuantity mean_quantity() {
    return {"mean", "Mean", "mean over the faces found", 0,
            [](const WeightedErrors& errors, double) { return errors.mean(); }};
}

ErrorQuantity median_quantity() {
    return {"median", "Median", "median over the faces found", 0.5,
            [](const WeightedErrors& errors, double p) { return errors.quantile(p); }};
}

ErrorQuantity area_quantity(const std::string& limit, double value) {
    return {"auc_" + limit,
            "AUC@" + limit,
            "area under the CED over all faces up to an error of " + limit + ", divided by it; 0 to 1",
            value,
            [](const WeightedErrors& errors, double at) { return errors.area_under_ced(at); },
            Better::higher};
}

ErrorQuantity failure_quantity(const std::string& key, const std::string& limit, double value) {
    return {key,
            "Failures > " + limit,
            "share of all faces with an error above " + limit + ", those missed among them",
            value,
            [](const WeightedErrors& errors, double at) { return errors.failure_rate(at); },
            Better::lower,
            Unit::share};
}

const Quantities& spread_quantities() {
    static const Quantities list = [] {
        Quantities made{mean_quantity(),
                        median_quantity(),
                        {"std", "Standard deviation",
                         "standard deviation over the n faces found (sum of squares divided by n)", 0,
                         [](const WeightedErrors& errors, double) { return errors.standard_deviation(); }}};
        for (const int percent : {5, 25, 75, 90, 95}) {
            const std::string text = std::to_string(percent);
            made.push_back({"percentile_" + text, text + "th percentile",
                            text + " % of the faces found are below", percent / 100.0,
                            [](const WeightedErrors& errors, double p) { return errors.quantile(p); }});
        }
        return made;
    }();
    return list;
}

const Quantities& nme_quantities() {
    static const Quantities list = [] {
        Quantities made = spread_quantities();
        made.push_back(
            {"median_with_missed", "Median with missed",
             "median over all faces, those missed with an infinite error", 0.5,
             [](const WeightedErrors& errors, double p) { return errors.quantile_with_missed(p); }});
        made.push_back(area_quantity("0.08", 0.08));
        made.push_back(area_quantity("0.10", 0.1));
        made.push_back(failure_quantity("failure_rate", "0.08", 0.08));
        made.push_back(failure_quantity("failure_rate_0.10", "0.10", 0.1));
        for (ErrorQuantity& quantity : made) {
            quantity.headline = quantity.key == "mean" || quantity.key == "median" ||
                                quantity.key == "auc_0.08" || quantity.key == "failure_rate";
        }
        for (int i = 0; i <= band_points; ++i) {
            const double at = i * band_step;
            made.push_back(
                {"ced_" + shortest_number(std::round(at * 1e4) / 1e4), "CED",
                 "share of all faces with at most this error", at,
                 [](const WeightedErrors& errors, double limit) { return errors.share_up_to(limit); },
                 Better::higher, Unit::share});
        }
        return made;
    }();
    return list;
}

std::size_t nme_numbers() {
    return nme_quantities().size() - band_points - 1;
}

const Quantities& part_quantities() {
    static const Quantities list{mean_quantity(), median_quantity()};
    return list;
}

const Quantities& slice_quantities() {
    static const Quantities list{mean_quantity(), median_quantity(), area_quantity("0.08", 0.08),
                                 failure_quantity("failure_rate", "0.08", 0.08)};
    return list;
}

const Quantities& missed_quantities() {
    static const Quantities list = [] {
        ErrorQuantity missed = failure_quantity("missed_rate", "", std::numeric_limits<double>::max());
        missed.name = "Missed";
        missed.definition = "share of all faces that no landmarks belong to";
        return Quantities{missed};
    }();
    return list;
}

using Faces = std::vector<LandmarkFace>;

// The errors of all faces, by `error`.
template <class Error>
std::vector<UnitError> errors_of(const Faces& faces, Error&& error) {
    std::vector<UnitError> errors;
    errors.reserve(faces.size());
    for (const LandmarkFace& face : faces) errors.push_back({error(face), face.unit});
    return errors;
}

// The mean distance of some of the points, normalised.
double part_error(const LandmarkFace& face, std::size_t normaliser, std::size_t first, std::size_t count) {
    if (face.missed() || !(face.lengths[normaliser] > 0)) return std::numeric_limits<double>::infinity();
    const auto begin = face.distances.begin() + static_cast<std::ptrdiff_t>(first);
    const double sum = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0);
    return sum / static_cast<double>(count) / face.lengths[normaliser];
}

// Tukey's box: quartiles, and whiskers to the last faces within 1.5 interquartile ranges of them.
PartError box_of(const ErrorDistribution& errors, std::size_t units) {
    const std::vector<std::uint16_t> ones(units, 1);
    const WeightedErrors all(errors, ones);
    PartError part;
    part.lower_quartile = all.quantile(0.25);
    part.median = all.quantile(0.5);
    part.upper_quartile = all.quantile(0.75);
    const double reach = 1.5 * (part.upper_quartile - part.lower_quartile);
    part.largest = errors.found().back().error;
    part.lower_whisker = part.largest;
    for (const UnitError& face : errors.found()) {
        const bool inside =
            face.error >= part.lower_quartile - reach && face.error <= part.upper_quartile + reach;
        part.outliers += inside ? 0 : 1;
        if (!inside) continue;
        part.lower_whisker = std::min(part.lower_whisker, face.error);
        part.upper_whisker = std::max(part.upper_whisker, face.error);
    }
    return part;
}

}  // namespace

LandmarkStatistics::LandmarkStatistics(const LandmarkEvaluation& evaluation,
                                       const std::vector<SliceMembers>& slices) {
    const Faces& faces = evaluation.outcomes;
    const std::size_t primary = evaluation.primary;
    for (const LandmarkFace& face : faces) units_ = std::max<std::size_t>(units_, face.unit + 1);
    add("", "faces missed", errors_of(faces, mean_distance), missed_quantities());
    add("pixels.", "mean distance of a face's landmarks from the true ones, in pixels",
        errors_of(faces, mean_distance), spread_quantities());
    for (std::size_t i = 0; i < evaluation.normalisers.size(); ++i) {
        const LandmarkNormaliser normaliser = evaluation.normalisers[i];
        add("nme." + normaliser_name(normaliser) + ".",
            "mean distance of a face's landmarks, divided by " + normaliser_description(normaliser),
            errors_of(faces, [&](const LandmarkFace& face) { return normalised_mean_error(face, i); }),
            nme_quantities());
        if (normaliser == LandmarkNormaliser::outer_eye_corners) {
            add("helf_2018_eq_5_2.as_printed.", "equation 5.2 of Helf 2018 as printed",
                errors_of(
                    faces,
                    [&](const LandmarkFace& face) { return helf_error_as_printed(face, face.lengths[i]); }),
                spread_quantities());
        }
    }
    const auto add_part = [&](const std::string& prefix, std::size_t first, std::size_t count) {
        add(prefix, "normalised distance",
            errors_of(faces,
                      [&](const LandmarkFace& face) { return part_error(face, primary, first, count); }),
            part_quantities());
    };
    for (std::size_t i = 0; i < evaluation.points; ++i) add_part("point." + std::to_string(i) + ".", i, 1);
    for (const LandmarkRegion& region : landmark_regions(evaluation.points)) {
        add_part("region." + region.name + ".", region.first, region.count);
    }
    for (const SliceMembers& slice : slices) {
        std::vector<UnitError> errors;
        for (const std::size_t i : slice.faces) {
            errors.push_back({normalised_mean_error(faces[i], primary), faces[i].unit});
        }
        add("slice." + slice.by + "." + slice.label + ".", "NME of the slice's faces", std::move(errors),
            slice_quantities());
    }
}

void LandmarkStatistics::add(const std::string& prefix, const std::string& what,
                             std::vector<UnitError> errors, const std::vector<ErrorQuantity>& quantities) {
    groups_.push_back({ErrorDistribution(std::move(errors)), &quantities});
    for (const ErrorQuantity& quantity : quantities) {
        quantities_.push_back({prefix + quantity.key, quantity.name, what + ": " + quantity.definition,
                               quantity.better, quantity.unit, 0, quantity.headline});
        const bool is_share = quantity.key.starts_with("failure_rate") || quantity.key == "missed_rate" ||
                              quantity.key.starts_with("ced_");
        if (is_share) quantities_.back().trials = static_cast<double>(groups_.back().errors.errors().size());
    }
}

void LandmarkStatistics::evaluate(Weights weights, std::span<double> values) const {
    std::size_t next = 0;
    for (const Group& group : groups_) {
        const WeightedErrors errors(group.errors, weights);
        for (const ErrorQuantity& quantity : *group.quantities) {
            values[next++] = quantity.value(errors, quantity.argument);
        }
    }
}

void LandmarkStatistics::fill(std::span<const Number> estimates, const std::vector<SliceMembers>& slices,
                              LandmarkEvaluation& evaluation) const {
    std::size_t group = 0;
    std::size_t next = 0;
    // The next group's numbers, under their own keys.
    const auto take = [&] {
        Numbers numbers;
        for (const ErrorQuantity& quantity : *groups_[group].quantities) {
            numbers.push_back(estimates[next++]);
            numbers.back().quantity.key = quantity.key;
        }
        ++group;
        return numbers;
    };
    evaluation.totals = take();
    evaluation.pixels = take();
    for (const LandmarkNormaliser normaliser : evaluation.normalisers) {
        NormalisedError error;
        error.normaliser = normaliser;
        for (const UnitError& face : groups_[group].errors.found()) error.errors.push_back(face.error);
        error.unmeasured = evaluation.faces_found - static_cast<int>(error.errors.size());
        error.numbers = take();
        for (int i = 0; i <= band_points; ++i) {
            const Number& share = error.numbers[nme_numbers() + static_cast<std::size_t>(i)];
            if (share.ci95) error.ced_band.push_back({i * band_step, *share.ci95});
        }
        error.numbers.resize(nme_numbers());
        evaluation.nme.push_back(std::move(error));
        if (normaliser == LandmarkNormaliser::outer_eye_corners) evaluation.helf_as_printed = take();
    }
    const auto take_part = [&](const std::string& name, const std::string& title,
                               std::vector<PartError>& parts) {
        const ErrorDistribution& errors = groups_[group].errors;
        Numbers numbers = take();
        if (errors.found().empty()) return;
        parts.push_back(box_of(errors, units_));
        parts.back().name = name;
        parts.back().title = title;
        parts.back().numbers = std::move(numbers);
    };
    for (std::size_t i = 0; i < evaluation.points; ++i) {
        take_part(std::to_string(i), "point " + std::to_string(i), evaluation.by_point);
    }
    for (const LandmarkRegion& region : landmark_regions(evaluation.points)) {
        take_part(region.name, region.title, evaluation.by_region);
    }
    for (const SliceMembers& members : slices) {
        LandmarkSlice slice;
        slice.by = members.by;
        slice.label = members.label;
        slice.faces = static_cast<int>(members.faces.size());
        for (std::size_t i = 0; i < members.faces.size(); ++i) {
            const LandmarkFace& face = evaluation.outcomes[members.faces[i]];
            slice.missed += face.missed() ? 1 : 0;
            const bool new_image = i == 0 || evaluation.outcomes[members.faces[i - 1]].unit != face.unit;
            slice.images += new_image ? 1 : 0;
        }
        slice.numbers = take();
        evaluation.slices.push_back(std::move(slice));
    }
}

}  // namespace fovea
