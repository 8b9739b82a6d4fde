#include "lib/evaluate/recognition/identification_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

// Images none of whose comparisons gave a score.
void count_failures(const SimilarityMatrix& scores, IdentificationEvaluation& evaluation) {
    std::vector<bool> row_enrolled(scores.rows, false);
    std::vector<bool> column_enrolled(scores.columns, false);
    for (std::size_t row = 0; row < scores.rows; ++row) {
        for (std::size_t column = 0; column < scores.columns; ++column) {
            if (!std::isfinite(scores.at(row, column))) continue;
            row_enrolled[row] = true;
            column_enrolled[column] = true;
        }
    }
    const auto count_false = [](const std::vector<bool>& flags) {
        return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), false));
    };
    evaluation.probes_failed = count_false(row_enrolled);
    evaluation.gallery_failed = count_false(column_enrolled);
}

// Which images of whom are in the gallery, and which are searched for.
std::string units_sha256_of(const IdentificationSet& set) {
    std::string text;
    const auto add = [&](const std::vector<std::string>& names, const std::vector<int>& subjects) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            text += names[i] + '\t' + std::to_string(subjects[i]) + '\n';
        }
        text += '\n';
    };
    add(set.gallery, set.gallery_subjects);
    add(set.probes, set.probe_subjects);
    return sha256_of(text);
}

OpenSetEvaluation evaluate_open_set(const OpenSetCurve& curve, const IdentificationOptions& options) {
    OpenSetEvaluation evaluation;
    evaluation.curve = curve.points();
    if (options.distance) {
        for (OpenSetPoint& point : evaluation.curve) point.threshold = 0.0 - point.threshold;
    }
    Numbers estimates = bootstrap_estimates(curve, options.bootstrap_resamples, options.bootstrap_seed);
    for (std::size_t i = 0; i < curve.band_fpir().size(); ++i) {
        const Number& place = estimates[curve.first_band() + i];
        if (place.ci95) evaluation.band.push_back({curve.band_fpir()[i], *place.ci95});
    }
    estimates.resize(curve.first_band());
    evaluation.estimates = std::move(estimates);
    return evaluation;
}

std::vector<std::string> warnings_of(const IdentificationEvaluation& evaluation) {
    std::vector<std::string> warnings;
    if (evaluation.gallery_failed + evaluation.probes_failed > 0) {
        warnings.push_back(
            "Failures to enrol (images without any score): " + counted(evaluation.probes_failed, "probe") +
            " and " + counted(evaluation.gallery_failed, "gallery image") +
            "; a probe that was not enrolled is never identified, and neither is one whose mates "
            "were not.");
    }
    if (evaluation.mated == 0) {
        warnings.push_back("No probe has a mate in the gallery, so there is no identification rate.");
    }
    const std::size_t unmated = evaluation.probes - evaluation.mated;
    if (unmated == 0) {
        warnings.push_back(
            "Every probe has a mate in the gallery: closed set only, no false positive identification.");
    } else if (evaluation.mated > 0) {
        std::string rates;
        for (const double fpir : reported_fpir) {
            if (within_rate(1, static_cast<double>(unmated), fpir)) continue;
            rates += (rates.empty() ? "" : ", ") + shortest_number(fpir);
        }
        if (!rates.empty()) {
            warnings.push_back("FNIR at FPIR " + rates + " is undefined: " +
                               counted(unmated, "probe without a mate", "probes without a mate") +
                               " cannot show so small a rate (1 / FPIR are needed).");
        }
    }
    if (evaluation.tied > 0) {
        warnings.push_back("The mates of " + counted(evaluation.tied, "probe") +
                           " share their score with other subjects; rates are expected ones with such ties "
                           "broken at random, and the optimistic and pessimistic ones beside them.");
    }
    return warnings;
}

}  // namespace

const Number& IdentificationEvaluation::estimate(const std::string& key) const {
    return number_of_key(estimates, key);
}

IdentificationEvaluation evaluate_identification(const IdentificationSet& set, const SimilarityMatrix& scores,
                                                 const IdentificationOptions& options,
                                                 const std::string& name, const ShareProgress& progress) {
    if (set.probes.empty()) throw Error(name + ": there is no probe to search with.");
    if (set.gallery.empty()) throw Error(name + ": the gallery is empty.");
    IdentificationEvaluation evaluation;
    evaluation.units_sha256 = units_sha256_of(set);
    evaluation.searches = search_gallery(set, scores);
    const std::vector<ProbeSearch>& searches = evaluation.searches;
    evaluation.name = name;
    evaluation.options = options;
    evaluation.gallery_images = set.gallery.size();
    evaluation.gallery_subjects =
        std::set<int>(set.gallery_subjects.begin(), set.gallery_subjects.end()).size();
    evaluation.probes = set.probes.size();
    for (const ProbeSearch& search : searches) {
        evaluation.mated += search.mated ? 1 : 0;
        evaluation.mated_not_found += search.mated && !search.ranked() ? 1 : 0;
        evaluation.tied += search.ranked() && search.ties > 0 ? 1 : 0;
    }
    count_failures(scores, evaluation);

    const IdentificationCurve curve(searches, static_cast<int>(evaluation.gallery_subjects));
    Numbers estimates =
        bootstrap_estimates(curve, options.bootstrap_resamples, options.bootstrap_seed, progress);
    evaluation.cmc = curve.curve();
    for (std::size_t i = 0; i < curve.band_ranks().size() && !evaluation.cmc.empty(); ++i) {
        evaluation.cmc[static_cast<std::size_t>(curve.band_ranks()[i] - 1)].ci95 =
            estimates[curve.first_band() + i].ci95;
    }
    estimates.resize(curve.first_band());
    evaluation.estimates = std::move(estimates);
    const OpenSetCurve open_set(searches);
    if (open_set.unmated() > 0 && evaluation.mated > 0) {
        evaluation.open_set = evaluate_open_set(open_set, options);
    }
    evaluation.warnings = warnings_of(evaluation);
    return evaluation;
}

}  // namespace fovea
