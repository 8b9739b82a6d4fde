#include "lib/evaluate/recognition/recognition_json.hpp"

#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

Json resampling(int resamples, std::uint64_t seed, const char* units) {
    return {{"method", std::string("percentile bootstrap over ") + units},
            {"resamples", resamples},
            {"seed", seed}};
}

const char* kind_of_scores(bool distance) {
    return distance ? "distance" : "similarity";
}

Json band_to_json(const std::vector<RateBand>& band, const char* axis, const char* interval) {
    Json json = Json::array();
    for (const RateBand& place : band) json.push_back({{axis, place.at}, {interval, place.ci95}});
    return json;
}

void add_thresholds(const OperatingThresholds& thresholds, Json& json) {
    const auto add = [&](const std::string& key, const std::optional<double>& threshold,
                         const std::string& definition) {
        if (!threshold) return;
        json[key] = *threshold;
        state_quantity(key, {key, "Threshold", definition, Better::neither}, json);
    };
    add("threshold_at_eer", thresholds.at_eer, "threshold at the equal error rate");
    for (std::size_t i = reported_far.size(); i-- > 0;) {
        add(far_key("threshold_at_far_", reported_far[i]), thresholds.at_far[i],
            "loosest threshold that accepts at most " + rate_text(reported_far[i]) +
                " of the impostor pairs");
    }
}

Json folds_to_json(const std::vector<FoldResult>& folds) {
    Json json = Json::array();
    for (const FoldResult& fold : folds) {
        Json entry{{"fold", fold.fold}, {"pairs", fold.pairs}};
        if (fold.threshold) entry["threshold"] = *fold.threshold;
        entry["accuracy"] = fold.accuracy;
        json.push_back(std::move(entry));
    }
    return json;
}

Json roc_to_json(const VerificationEvaluation& evaluation) {
    Json json = Json::array();
    const auto rate = [](std::size_t part, std::size_t all) {
        return static_cast<double>(part) / static_cast<double>(all);
    };
    for (const VerificationPoint& point : evaluation.curve) {
        Json entry{{"threshold", point.threshold},
                   {"genuine_accepted", point.genuine_accepted},
                   {"impostors_accepted", point.impostors_accepted}};
        if (evaluation.impostors > 0) entry["fmr"] = rate(point.impostors_accepted, evaluation.impostors);
        if (evaluation.genuine > 0) entry["tar"] = rate(point.genuine_accepted, evaluation.genuine);
        json.push_back(std::move(entry));
    }
    return json;
}

Json open_set_to_json(const OpenSetEvaluation& evaluation, std::size_t unmated) {
    Json json;
    json["unmated_probes"] = unmated;
    add_numbers(evaluation.estimates, json, Undefined::left_out);
    json["curve"] = Json::array();
    for (const OpenSetPoint& point : evaluation.curve) {
        json["curve"].push_back({{"threshold", point.threshold},
                                 {"fpir", point.fpir},
                                 {"fnir", point.fnir},
                                 {"fnir_any_rank", point.fnir_any_rank}});
    }
    if (!evaluation.band.empty()) json["curve_ci95"] = band_to_json(evaluation.band, "fpir", "fnir_ci95");
    return json;
}

Json mixed_to_json(const std::vector<MixedFaces>& all, const char* noun, const char* parts) {
    Json json = Json::array();
    for (const MixedFaces& one : all)
        json.push_back({{noun, one.name}, {"faces", one.faces}, {parts, one.parts}});
    return json;
}

}  // namespace

Json verification_to_json(const VerificationEvaluation& evaluation) {
    Json json;
    json["name"] = evaluation.name;
    json["scores"] = kind_of_scores(evaluation.options.distance);
    if (!evaluation.units_sha256.empty()) json["units_sha256"] = evaluation.units_sha256;
    json["pairs"] = evaluation.pairs;
    json["genuine"] = evaluation.genuine;
    json["impostors"] = evaluation.impostors;
    json["genuine_failed_to_enrol"] = evaluation.genuine_failed;
    json["impostors_failed_to_enrol"] = evaluation.impostors_failed;
    add_numbers(evaluation.estimates, json, Undefined::left_out);
    add_thresholds(evaluation.thresholds, json);
    if (evaluation.options.threshold) {
        json["threshold"] = *evaluation.options.threshold;
        json["threshold_origin"] = evaluation.options.threshold_origin;
        state_quantity(
            "threshold",
            {"threshold", "Threshold", "given, from " + evaluation.options.threshold_origin, Better::neither},
            json);
    }
    if (evaluation.options.bootstrap_resamples > 0) {
        json["ci95"] = resampling(evaluation.options.bootstrap_resamples, evaluation.options.bootstrap_seed,
                                  evaluation.grouped_units ? "100,000 random groups of pairs" : "pairs");
    }
    if (!evaluation.folds.empty()) json["folds"] = folds_to_json(evaluation.folds);
    json["score_histogram"] = {{"from", evaluation.histogram.from},
                               {"to", evaluation.histogram.to},
                               {"genuine", evaluation.histogram.genuine},
                               {"impostors", evaluation.histogram.impostors}};
    json["roc_thresholds"] = evaluation.distinct_scores;
    json["roc"] = roc_to_json(evaluation);
    if (!evaluation.band.empty()) json["roc_ci95"] = band_to_json(evaluation.band, "fmr", "tar_ci95");
    json["warnings"] = evaluation.warnings;
    state_quantities("", evaluation.estimates, json);
    return json;
}

Json identification_to_json(const IdentificationEvaluation& evaluation) {
    Json json;
    json["name"] = evaluation.name;
    json["scores"] = kind_of_scores(evaluation.options.distance);
    json["units_sha256"] = evaluation.units_sha256;
    json["gallery_images"] = evaluation.gallery_images;
    json["gallery_subjects"] = evaluation.gallery_subjects;
    json["probes"] = evaluation.probes;
    json["mated_probes"] = evaluation.mated;
    json["gallery_failed_to_enrol"] = evaluation.gallery_failed;
    json["probes_failed_to_enrol"] = evaluation.probes_failed;
    json["mated_probes_failed"] = evaluation.mated_not_found;
    json["probes_with_tied_mates"] = evaluation.tied;
    add_numbers(evaluation.estimates, json, Undefined::left_out);
    json["ties"] = "rank1 and cmc: broken at random (expected rate), beside them optimistic and pessimistic";
    if (evaluation.options.bootstrap_resamples > 0) {
        json["ci95"] =
            resampling(evaluation.options.bootstrap_resamples, evaluation.options.bootstrap_seed, "probes");
    }
    json["cmc"] = Json::array();
    for (const CmcPoint& point : evaluation.cmc) {
        Json entry{{"rank", point.rank},
                   {"rate", point.rate},
                   {"optimistic", point.optimistic},
                   {"pessimistic", point.pessimistic}};
        if (point.ci95) entry["rate_ci95"] = *point.ci95;
        json["cmc"].push_back(std::move(entry));
    }
    if (evaluation.open_set) {
        json["open_set"] = open_set_to_json(*evaluation.open_set, evaluation.probes - evaluation.mated);
    }
    json["warnings"] = evaluation.warnings;
    state_quantities("", evaluation.estimates, json);
    if (evaluation.open_set) state_quantities("open_set.", evaluation.open_set->estimates, json);
    return json;
}

Json clustering_to_json(const ClusteringEvaluation& evaluation) {
    Json json;
    json["name"] = evaluation.name;
    json["units_sha256"] = evaluation.units_sha256;
    json["images"] = evaluation.images;
    json["subjects"] = evaluation.subjects;
    json["groups"] = evaluation.groups;
    json["ungrouped"] = evaluation.ungrouped;
    add_numbers(evaluation.estimates, json, Undefined::left_out);
    if (evaluation.options.bootstrap_resamples > 0) {
        json["ci95"] =
            resampling(evaluation.options.bootstrap_resamples, evaluation.options.bootstrap_seed, "subjects");
    }
    json["split_subjects"] = mixed_to_json(evaluation.split_subjects, "subject", "groups");
    json["mixed_groups"] = mixed_to_json(evaluation.mixed_groups, "group", "subjects");
    json["warnings"] = evaluation.warnings;
    state_quantities("", evaluation.estimates, json);
    return json;
}

Json permutation_to_json(const PermutationEvaluation& evaluation, const std::vector<std::string>& names) {
    Json json;
    json["permutations"] = evaluation.options.permutations;
    if (evaluation.options.folds > 0) {
        json["folds"] = evaluation.options.folds;
    } else {
        json["enrolled"] = evaluation.options.enrolled;
    }
    json["seed"] = evaluation.options.seed;
    json["subjects"] = evaluation.subjects;
    json["images"] = evaluation.images;
    json["images_left_out"] = evaluation.images_left_out;
    json["recognisers"] = Json::array();
    for (std::size_t i = 0; i < evaluation.curves.size(); ++i) {
        const std::vector<PermutationPoint>& curve = evaluation.curves[i];
        Json entry{
            {"name", names[i]}, {"rank1_mean", curve[0].mean}, {"rank1_central95", curve[0].central95}};
        entry["curve"] = Json::array();
        for (const PermutationPoint& point : curve) {
            entry["curve"].push_back(
                {{"rank", point.rank}, {"mean", point.mean}, {"central95", point.central95}});
        }
        json["recognisers"].push_back(std::move(entry));
    }
    if (evaluation.comparisons.empty()) return json;
    json["comparisons"] = Json::array();
    for (const PermutationComparison& pair : evaluation.comparisons) {
        json["comparisons"].push_back({{"first", names[pair.first]},
                                       {"second", names[pair.second]},
                                       {"first_better", pair.first_better},
                                       {"equal", pair.equal},
                                       {"second_better", pair.second_better},
                                       {"mean_difference", pair.mean_difference},
                                       {"difference_central95", pair.central95}});
    }
    return json;
}

}  // namespace fovea
