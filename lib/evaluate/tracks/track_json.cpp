#include "lib/evaluate/tracks/track_json.hpp"

#include <cmath>

#include "lib/core/text.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

Json finite_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json value_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json count_of(double count) {
    return static_cast<std::int64_t>(count);
}

void add_counts(const TrackNumbers& numbers, Json& json) {
    json["frames"] = count_of(numbers.counts.frames);
    json["truth_boxes"] = count_of(numbers.counts.truth_boxes);
    json["result_boxes"] = count_of(numbers.counts.result_boxes);
    json["truth_tracks"] = count_of(numbers.counts.truth_tracks);
    json["result_tracks"] = count_of(numbers.counts.result_tracks);
    json["true_positives"] = count_of(numbers.clear.tp);
    json["false_negatives"] = count_of(numbers.clear.fn);
    json["false_positives"] = count_of(numbers.clear.fp);
    json["switches"] = count_of(numbers.clear.switches);
    json["fragments"] = count_of(numbers.clear.fragments);
    json["mostly_tracked"] = count_of(numbers.clear.mostly_tracked);
    json["partly_tracked"] = count_of(numbers.clear.partly_tracked);
    json["mostly_lost"] = count_of(numbers.clear.mostly_lost);
    json["iou_sum"] = numbers.clear.iou_sum;
    json["idtp"] = count_of(numbers.identity.tp);
    json["idfn"] = count_of(numbers.identity.fn);
    json["idfp"] = count_of(numbers.identity.fp);
}

Json by_threshold(const HotaNumbers& numbers) {
    Json list = Json::array();
    for (std::size_t a = 0; a < hota_levels; ++a) {
        list.push_back({{"iou", static_cast<double>(5 * (a + 1)) / 100},
                        {"hota", numbers.hota[a]},
                        {"det_a", numbers.det_a[a]},
                        {"ass_a", numbers.ass_a[a]},
                        {"det_re", numbers.det_re[a]},
                        {"det_pr", numbers.det_pr[a]},
                        {"ass_re", numbers.ass_re[a]},
                        {"ass_pr", numbers.ass_pr[a]},
                        {"loc_a", numbers.loc_a[a]},
                        {"owta", numbers.owta[a]},
                        {"true_positives", count_of(numbers.tp[a])},
                        {"false_negatives", count_of(numbers.fn[a])},
                        {"false_positives", count_of(numbers.fp[a])}});
    }
    return list;
}

Json motmetrics_to_json(const MotmetricsNumbers& n) {
    return {{"idf1", finite_or_null(n.idf1)},
            {"idp", finite_or_null(n.idp)},
            {"idr", finite_or_null(n.idr)},
            {"recall", finite_or_null(n.recall)},
            {"precision", finite_or_null(n.precision)},
            {"num_unique_objects", count_of(n.unique_objects)},
            {"mostly_tracked", count_of(n.mostly_tracked)},
            {"partially_tracked", count_of(n.partly_tracked)},
            {"mostly_lost", count_of(n.mostly_lost)},
            {"num_false_positives", count_of(n.false_positives)},
            {"num_misses", count_of(n.misses)},
            {"num_switches", count_of(n.switches)},
            {"num_fragmentations", count_of(n.fragments)},
            {"mota", finite_or_null(n.mota)},
            {"motp", finite_or_null(n.motp)},
            {"num_transfer", count_of(n.transfers)},
            {"num_ascend", count_of(n.ascends)},
            {"num_migrate", count_of(n.migrates)}};
}

/// The counts beside the estimates.
const std::vector<Quantity>& track_count_quantities() {
    static const std::vector<Quantity> list{
        {"true_positives", "Boxes found", "true boxes with a box of the results", Better::higher},
        {"false_negatives", "Missed boxes", "true boxes without a box of the results", Better::lower},
        {"false_positives", "False boxes", "boxes of the results without a true one", Better::lower},
        {"switches", "Switches", "changes of the track that a true track is found by", Better::lower},
        {"fragments", "Fragments", "times that a true track is lost and found again", Better::lower},
        {"mostly_tracked", "Mostly tracked", "true tracks found in more than 80 % of their frames",
         Better::higher},
        {"partly_tracked", "Partly tracked", "the other true tracks", Better::neither},
        {"mostly_lost", "Mostly lost", "true tracks found in less than 20 % of their frames", Better::lower},
        {"idtp", "IDTP", "boxes found by the best choice of one track for each true track", Better::higher},
        {"idfn", "IDFN", "true boxes that this choice misses", Better::lower},
        {"idfp", "IDFP", "boxes of the results that this choice leaves over", Better::lower}};
    return list;
}

/// Those of motmetrics, by the names that it gives them.
const std::vector<Quantity>& motmetrics_quantities() {
    static const std::vector<Quantity> list{
        {"idf1", "IDF1", "as IDF1", Better::higher, Unit::share},
        {"idp", "IDP", "as IDP", Better::higher, Unit::share},
        {"idr", "IDR", "as IDR", Better::higher, Unit::share},
        {"recall", "Recall", "as Recall", Better::higher, Unit::share},
        {"precision", "Precision", "as Precision", Better::higher, Unit::share},
        {"mostly_tracked", "Mostly tracked", "true tracks found in at least 80 % of their frames",
         Better::higher},
        {"partially_tracked", "Partially tracked", "the other true tracks", Better::neither},
        {"mostly_lost", "Mostly lost", "true tracks found in less than 20 % of their frames", Better::lower},
        {"num_false_positives", "False positives", "boxes of the results without a true one", Better::lower},
        {"num_misses", "Misses", "true boxes without a box of the results", Better::lower},
        {"num_switches", "Switches", "changes of the track that a true track is found by", Better::lower},
        {"num_fragmentations", "Fragmentations", "times that a true track is lost and found again",
         Better::lower},
        {"mota", "MOTA", "as MOTA", Better::higher, Unit::share},
        {"motp", "MOTP", "mean distance (1 − IoU) of the pairs", Better::lower, Unit::number}};
    return list;
}

void state_numbers(const TrackEvaluation& evaluation, const std::string& other, Json& json) {
    const std::string of_videos = "videos.*.";
    for (const std::string& prefix : {std::string(), other, of_videos}) {
        for (const Number& number : evaluation.estimates) {
            Quantity quantity = number.quantity;
            quantity.headline = quantity.headline && prefix.empty();
            state_quantity(prefix + quantity.key, quantity, json);
        }
        for (const Quantity& quantity : track_count_quantities())
            state_quantity(prefix + quantity.key, quantity, json);
    }
    for (const std::string& prefix : {std::string(), of_videos}) {
        for (const Quantity& quantity : motmetrics_quantities())
            state_quantity(prefix + "motmetrics." + quantity.key, quantity, json);
    }
}

Json numbers_to_json(const TrackNumbers& numbers) {
    Json json;
    add_numbers(track_estimates(numbers), json);
    add_counts(numbers, json);
    return json;
}

Json videos_to_json(const std::vector<VideoEvaluation>& videos) {
    Json list = Json::array();
    for (const VideoEvaluation& video : videos) {
        Json json{{"name", video.name}};
        json.update(numbers_to_json(video.numbers));
        json["by_threshold"] = by_threshold(video.numbers.hota);
        json["motmetrics"] = motmetrics_to_json(video.motmetrics);
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace

Json track_evaluation_to_json(const TrackEvaluation& evaluation) {
    const TrackEvaluationOptions& options = evaluation.options;
    Json json;
    json["name"] = evaluation.name;
    json["protocol"] = {{"description", track_protocol_description(evaluation)},
                        {"mode", track_mode_name(options.mode)},
                        {"iou_threshold", options.iou_threshold}};
    if (options.bootstrap_resamples > 0 && !evaluation.units.empty()) {
        json["protocol"]["ci95"] = {{"method", "percentile bootstrap over " + evaluation.units},
                                    {"resamples", options.bootstrap_resamples},
                                    {"seed", options.bootstrap_seed}};
    }
    json["images"] = evaluation.images;
    json["images_unreadable"] = evaluation.images_unreadable;
    json["images_missing"] = evaluation.images_missing;
    json["images_extra"] = evaluation.images_extra;
    json["number_of_videos"] = evaluation.videos.size();
    add_numbers(evaluation.estimates, json);
    add_counts(evaluation.numbers, json);
    json["by_threshold"] = by_threshold(evaluation.numbers.hota);
    const bool is_strict = options.mode == TrackMode::strict;
    const std::string other = is_strict ? "corrected" : "strict";
    json[other] = numbers_to_json(evaluation.other);
    json["motmetrics"] = motmetrics_to_json(evaluation.motmetrics);
    json["videos"] = videos_to_json(evaluation.videos);
    json["warnings"] = evaluation.warnings;
    state_numbers(evaluation, other + ".", json);
    return json;
}

std::string track_protocol_description(const TrackEvaluation& evaluation) {
    const std::string whose =
        evaluation.options.mode == TrackMode::strict
            ? "All numbers are computed as TrackEval 1.3.0 computes them, with its quirks"
            : "All numbers are computed as they are meant, without TrackEval's quirks";
    return "Boxes are paired frame by frame by their overlap: HOTA with IoU thresholds from 0.05 to 0.95, "
           "CLEAR (MOTA) and identity (IDF1) with " +
           shortest_number(evaluation.options.iou_threshold) + ". " + whose + ".";
}

std::vector<TrackComparison> compare_trackers(const std::vector<TrackEvaluation>& evaluations,
                                              const std::vector<std::string>& names) {
    std::vector<TrackComparison> comparisons;
    for (std::size_t i = 1; i < evaluations.size(); ++i) {
        if (!evaluations[0].statistics || !evaluations[i].statistics) continue;
        const TrackEvaluationOptions& options = evaluations[0].options;
        comparisons.push_back({names[0], names[i],
                               paired_bootstrap(*evaluations[0].statistics, *evaluations[i].statistics,
                                                options.bootstrap_resamples, options.bootstrap_seed)});
    }
    return comparisons;
}

Json track_comparisons_to_json(const std::vector<TrackComparison>& comparisons) {
    Json list = Json::array();
    for (const TrackComparison& comparison : comparisons) {
        Json json{{"first", comparison.first}, {"second", comparison.second}};
        for (const PairedNumber& number : comparison.numbers) {
            Json entry{{"first", value_or_null(number.first)},
                       {"second", value_or_null(number.second)},
                       {"difference", value_or_null(number.difference)}};
            if (number.ci95) entry["difference_ci95"] = *number.ci95;
            if (number.p_value) entry["p_value"] = *number.p_value;
            json["numbers"][number.quantity.key] = std::move(entry);
        }
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace fovea
