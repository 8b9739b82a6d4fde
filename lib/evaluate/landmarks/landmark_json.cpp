#include "lib/evaluate/landmarks/landmark_json.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json numbers_to_json(const Numbers& numbers) {
    Json json = Json::object();
    add_numbers(numbers, json);
    return json;
}

// At most `most` of 0 ... count - 1, the last among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
    std::vector<std::size_t> places;
    const std::size_t shown = std::min(count, most);
    for (std::size_t i = 1; i <= shown; ++i) places.push_back(i * count / shown - 1);
    return places;
}

Json nme_to_json(const NormalisedError& error, const LandmarkEvaluation& evaluation, std::size_t most) {
    Json json;
    json["normaliser"] = normaliser_description(error.normaliser);
    json["faces_measured"] = error.errors.size();
    add_numbers(error.numbers, json);
    json["least"] = error.errors.empty() ? Json(nullptr) : Json(error.errors.front());
    json["largest"] = error.errors.empty() ? Json(nullptr) : Json(error.errors.back());
    json["ced"] = Json::array();
    for (const std::size_t i : spread(error.errors.size(), most)) {
        json["ced"].push_back(
            {{"error", error.errors[i]}, {"share", static_cast<double>(i + 1) / evaluation.faces}});
    }
    if (!error.ced_band.empty()) {
        json["ced_ci95"] = Json::array();
        for (const BandPoint& point : error.ced_band) {
            json["ced_ci95"].push_back({{"error", point.at}, {"share_ci95", point.ci95}});
        }
    }
    return json;
}

Json parts_to_json(const std::vector<PartError>& parts) {
    Json json = Json::array();
    for (const PartError& part : parts) {
        Json entry{{"name", part.name}};
        add_numbers(part.numbers, entry);
        entry["lower_quartile"] = part.lower_quartile;
        entry["upper_quartile"] = part.upper_quartile;
        entry["lower_whisker"] = part.lower_whisker;
        entry["upper_whisker"] = part.upper_whisker;
        entry["largest"] = part.largest;
        entry["outliers"] = part.outliers;
        json.push_back(std::move(entry));
    }
    return json;
}

Json slices_to_json(const std::vector<LandmarkSlice>& slices) {
    Json json = Json::array();
    for (const LandmarkSlice& slice : slices) {
        Json entry{{"by", slice.by},
                   {"label", slice.label},
                   {"images", slice.images},
                   {"faces", slice.faces},
                   {"faces_missed", slice.missed}};
        add_numbers(slice.numbers, entry);
        json.push_back(std::move(entry));
    }
    return json;
}

Json drift_to_json(const std::vector<LandmarkDrift>& drift) {
    Json json = Json::array();
    for (const LandmarkDrift& group : drift) {
        Json entry{{"followed", group.followed}, {"faces", group.faces}};
        if (group.and_more) entry["and_more"] = true;
        add_numbers(group.numbers, entry);
        json.push_back(std::move(entry));
    }
    return json;
}

Json categories_to_json(const std::vector<LandmarkCategory>& categories, std::size_t most) {
    Json json = Json::array();
    for (const LandmarkCategory& category : categories) {
        Json entry{{"name", category.name},
                   {"videos", category.videos},
                   {"faces", category.faces},
                   {"faces_missed", category.missed}};
        add_numbers(category.numbers, entry);
        entry["ced"] = Json::array();
        for (const std::size_t i : spread(category.errors.size(), most)) {
            entry["ced"].push_back(
                {{"error", category.errors[i]}, {"share", static_cast<double>(i + 1) / category.faces}});
        }
        json.push_back(std::move(entry));
    }
    return json;
}

Json over_time_to_json(const LandmarksOverTime& over_time, std::size_t most) {
    Json json;
    if (!over_time.units.empty()) json["resampled"] = over_time.units;
    json["steps"] = over_time.steps;
    json["jitter"] = numbers_to_json(over_time.jitter);
    json["true_motion"] = numbers_to_json(over_time.true_motion);
    json["drift"] = drift_to_json(over_time.drift);
    json["categories"] = categories_to_json(over_time.categories, most);
    json["videos"] = Json::array();
    for (const LandmarkVideo& video : over_time.videos) {
        Json entry{{"name", video.name}, {"faces", video.faces}, {"faces_missed", video.missed}};
        if (!video.category.empty()) entry["category"] = video.category;
        entry["mean"] = number_or_null(video.mean);
        entry["failure_rate"] = video.failure_rate;
        entry["jitter"] = number_or_null(video.jitter);
        json["videos"].push_back(std::move(entry));
    }
    return json;
}

// The numbers of other programs and papers that are one of these under another name.
void add_published(const LandmarkEvaluation& evaluation, Json& json) {
    const auto pick = [](const Numbers& numbers) {
        return numbers_to_json({number_of_key(numbers, "mean"), number_of_key(numbers, "median")});
    };
    Json dlib{{"pixels", numbers_to_json({number_of_key(evaluation.pixels, "mean")})}};
    for (const NormalisedError& error : evaluation.nme) {
        if (error.normaliser == LandmarkNormaliser::pupils) {
            dlib["interocular"] = numbers_to_json({number_of_key(error.numbers, "mean")});
        }
        if (error.normaliser != LandmarkNormaliser::outer_eye_corners) continue;
        json["helf_2018_eq_5_2"] = {{"as_printed", numbers_to_json(evaluation.helf_as_printed)},
                                    {"as_meant", pick(error.numbers)}};
    }
    json["dlib_test_shape_predictor"] = std::move(dlib);
}

void state_numbers(const LandmarkEvaluation& evaluation, Json& json) {
    state_quantity("faces_missed",
                   {"faces_missed", "Faces missed", "faces that no landmarks belong to", Better::lower},
                   json);
    state_quantities("", evaluation.totals, json);
    state_quantities("pixels.", evaluation.pixels, json);
    for (const NormalisedError& error : evaluation.nme)
        state_quantities("nme." + normaliser_name(error.normaliser) + ".", error.numbers, json);
    state_quantities("helf_2018_eq_5_2.as_printed.", evaluation.helf_as_printed, json);
    if (!evaluation.by_region.empty())
        state_quantities("by_region.*.", evaluation.by_region[0].numbers, json);
    if (!evaluation.by_point.empty()) state_quantities("by_point.*.", evaluation.by_point[0].numbers, json);
    if (!evaluation.slices.empty()) state_quantities("slices.*.", evaluation.slices[0].numbers, json);
    if (!evaluation.over_time) return;
    const LandmarksOverTime& over_time = *evaluation.over_time;
    state_quantities("over_time.jitter.", over_time.jitter, json);
    state_quantities("over_time.true_motion.", over_time.true_motion, json);
    if (!over_time.drift.empty()) state_quantities("over_time.drift.*.", over_time.drift[0].numbers, json);
    if (!over_time.categories.empty())
        state_quantities("over_time.categories.*.", over_time.categories[0].numbers, json);
}

}  // namespace

Json landmark_evaluation_to_json(const LandmarkEvaluation& evaluation, std::size_t max_curve_points) {
    Json json;
    json["name"] = evaluation.name;
    json["protocol"] = {
        {"description", landmark_protocol_description(evaluation)},
        {"least_pairing_iou", min_pairing_iou},
        {"normaliser_of_parts_and_slices", normaliser_name(evaluation.normalisers[evaluation.primary])}};
    if (evaluation.options.bootstrap_resamples > 0) {
        json["protocol"]["ci95"] = {{"method", "percentile bootstrap over images"},
                                    {"resamples", evaluation.options.bootstrap_resamples},
                                    {"seed", evaluation.options.bootstrap_seed}};
    }
    json["points"] = evaluation.points;
    json["images"] = evaluation.images;
    json["images_unreadable"] = evaluation.images_unreadable;
    json["images_missing"] = evaluation.images_missing;
    json["images_extra"] = evaluation.images_extra;
    json["units_sha256"] = evaluation.units_sha256;
    json["faces"] = evaluation.faces;
    json["faces_found"] = evaluation.faces_found;
    json["faces_missed"] = evaluation.faces_missed;
    add_numbers(evaluation.totals, json);
    json["faces_ignored"] = evaluation.faces_ignored;
    json["faces_without_landmarks"] = evaluation.faces_without_landmarks;
    json["detections_unpaired"] = evaluation.detections_unpaired;
    for (const NormalisedError& error : evaluation.nme) {
        json["nme"][normaliser_name(error.normaliser)] = nme_to_json(error, evaluation, max_curve_points);
    }
    json["pixels"] = numbers_to_json(evaluation.pixels);
    add_published(evaluation, json);
    json["by_point"] = parts_to_json(evaluation.by_point);
    json["by_region"] = parts_to_json(evaluation.by_region);
    json["slices"] = slices_to_json(evaluation.slices);
    if (evaluation.over_time) json["over_time"] = over_time_to_json(*evaluation.over_time, max_curve_points);
    json["warnings"] = evaluation.warnings;
    state_numbers(evaluation, json);
    return json;
}

std::string landmark_protocol_description(const LandmarkEvaluation& evaluation) {
    return "The error of a face is the mean distance of its " + counted(evaluation.points, "landmark") +
           " from the true ones, divided by a length of the true face (NME). A face that nothing with "
           "landmarks belongs to is missed: it is a failure and has an infinite error in CED and AUC, while "
           "means, medians and percentiles are over the faces found.";
}

}  // namespace fovea
