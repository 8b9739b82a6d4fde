#include "apps/terminal/summary.hpp"

#include <array>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/terminal/console.hpp"
#include "apps/terminal/percent.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/at_threshold.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// " (88.1-94.2)", of percents, or nothing.
std::string interval(const std::optional<Interval>& bounds) {
    return bounds ? fmt::format(" ({:.1f}-{:.1f})", 100 * (*bounds)[0], 100 * (*bounds)[1]) : std::string{};
}

std::string number_text(const Number& number) {
    if (!number.value) return "-";
    std::string text = fmt::format("{:.4f}", *number.value);
    if (number.ci95) text += fmt::format(" ({:.4f}-{:.4f})", (*number.ci95)[0], (*number.ci95)[1]);
    return text;
}

Json category_numbers_json(const CategoriesEvaluation& evaluation,
                           const std::vector<std::optional<double>>& values) {
    Json json = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]) json[evaluation.statistics[i].key] = *values[i];
    }
    return json;
}

}  // namespace

std::string evaluation_table(const std::vector<DetectionEvaluation>& evaluations) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> heading{"detector", "faces", "found", "rate", "precision"};
    // A protocol with numbers of its own has its own average precision, or none.
    const bool is_general = evaluations.empty() || evaluations[0].protocol_numbers.empty();
    if (is_general) heading.push_back("AP");
    if (is_general && !evaluations.empty()) {
        for (const RateAtFalsePositives& point : evaluations[0].rate_at_false_positives) {
            heading.push_back(fmt::format("at {} FP", point.false_positives));
        }
    }
    rows.push_back(heading);
    for (const DetectionEvaluation& evaluation : evaluations) {
        std::vector<std::string> row{evaluation.name, std::to_string(evaluation.faces),
                                     std::to_string(evaluation.true_positives),
                                     percent(evaluation.detection_rate, 1), percent(evaluation.precision, 1)};
        if (is_general) {
            row.push_back(percent(evaluation.average_precision, 1));
            for (const RateAtFalsePositives& point : evaluation.rate_at_false_positives) {
                row.push_back(percent(point.detection_rate, 1) + interval(point.detection_rate_ci95));
            }
        }
        rows.push_back(std::move(row));
    }
    std::string text = format_table(rows);
    if (!evaluations.empty())
        text += "Found, rate and precision count every detection, however low its score.\n";
    for (const DetectionEvaluation& evaluation : evaluations) {
        if (!evaluation.at_threshold) continue;
        text +=
            evaluation.name + ": " + at_threshold_sentence(*evaluation.at_threshold, evaluation.faces) + "\n";
    }
    return text;
}

std::string landmark_table(const std::vector<LandmarkEvaluation>& evaluations) {
    std::vector<std::vector<std::string>> rows{
        {"landmarker", "faces", "missed", "NME by", "mean", "median", "AUC@0.08", "failures > 0.08"}};
    for (const LandmarkEvaluation& evaluation : evaluations) {
        for (const NormalisedError& error : evaluation.nme) {
            std::vector<std::string> row{evaluation.name, std::to_string(evaluation.faces),
                                         std::to_string(evaluation.faces_missed),
                                         normaliser_name(error.normaliser)};
            for (const char* key : {"mean", "median", "auc_0.08", "failure_rate"}) {
                row.push_back(number_text(number_of_key(error.numbers, key)));
            }
            rows.push_back(std::move(row));
        }
    }
    return format_table(rows);
}

std::string protocol_table(const std::vector<DetectionEvaluation>& evaluations) {
    if (evaluations.empty() || evaluations[0].protocol_numbers.empty()) return {};
    const auto text = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.4f}", *value) : std::string("-");
    };
    std::vector<std::vector<std::string>> rows;
    rows.push_back(
        {protocol_name(evaluations[0].options.protocol) + ", " + mode_name(evaluations[0].options.mode)});
    if (evaluations[0].ignored_but_counted > 0) rows[0][0] += ", ignored faces count";
    for (const DetectionEvaluation& evaluation : evaluations) rows[0].push_back(evaluation.name);
    for (std::size_t i = 0; i < evaluations[0].protocol_numbers.size(); ++i) {
        std::vector<std::string> row{evaluations[0].protocol_numbers[i].estimate.quantity.name};
        for (const DetectionEvaluation& evaluation : evaluations) {
            const ProtocolNumber& number = evaluation.protocol_numbers.at(i);
            std::string cell = text(number.estimate.value);
            if (number.estimate.ci95) {
                cell +=
                    fmt::format(" ({:.4f}-{:.4f})", (*number.estimate.ci95)[0], (*number.estimate.ci95)[1]);
            }
            for (const ModeValue& other : number.other_modes) {
                if (text(other.value) == text(number.estimate.value)) continue;
                cell += ", " + mode_name(other.mode) + " " + text(other.value);
            }
            row.push_back(cell);
        }
        rows.push_back(std::move(row));
    }
    return "\n" + format_table(rows);
}

Json evaluation_summary_json(const DetectionEvaluation& evaluation) {
    Json json;
    json["name"] = evaluation.name;
    json["images"] = evaluation.images;
    json["images_unreadable"] = evaluation.images_unreadable;
    json["images_missing"] = evaluation.images_missing;
    json["faces"] = evaluation.faces;
    json["detections"] = evaluation.detections;
    json["true_positives"] = evaluation.true_positives;
    json["false_positives"] = evaluation.false_positives;
    json["detection_rate"] = evaluation.detection_rate;
    json["precision"] = evaluation.precision;
    json["f1"] = evaluation.f1;
    json["average_precision"] = evaluation.average_precision;
    json["mean_iou"] = evaluation.mean_iou;
    if (!evaluation.protocol_numbers.empty()) {
        json[protocol_name(evaluation.options.protocol)] = protocol_numbers_to_json(evaluation);
    }
    if (evaluation.at_threshold) {
        json["at_threshold"] = at_threshold_to_json(*evaluation.at_threshold, evaluation.faces);
    }
    json["rate_at_false_positives"] = Json::array();
    for (const RateAtFalsePositives& point : evaluation.rate_at_false_positives) {
        Json entry{{"false_positives", point.false_positives}, {"detection_rate", point.detection_rate}};
        if (point.threshold) entry["threshold"] = *point.threshold;
        if (point.detection_rate_ci95) entry["detection_rate_ci95"] = *point.detection_rate_ci95;
        json["rate_at_false_positives"].push_back(std::move(entry));
    }
    return json;
}

Json categories_json(const CategoriesEvaluation& evaluation) {
    Json json = category_numbers_json(evaluation, evaluation.mean);
    json["categories"] = Json::array();
    for (const CategoryNumbers& category : evaluation.categories) {
        Json entry{{"id", category.category.id},
                   {"name", category.category.name},
                   {"objects", category.objects},
                   {"detections", category.detections}};
        entry.update(category_numbers_json(evaluation, category.values));
        json["categories"].push_back(std::move(entry));
    }
    return {{"name", evaluation.name}, {"coco", std::move(json)}};
}

std::string categories_table(const CategoriesEvaluation& evaluation) {
    constexpr std::array<std::size_t, 5> shown{0, 1, 2, 8, 3};  // AP, AP50, AP75, AR100, AP small
    std::vector<std::vector<std::string>> rows{{evaluation.name, "objects", "detections"}};
    for (const std::size_t number : shown) rows[0].push_back(evaluation.statistics[number].name);
    const auto add = [&](std::vector<std::string> row, const std::vector<std::optional<double>>& values) {
        for (const std::size_t number : shown)
            row.push_back(values[number] ? fmt::format("{:.4f}", *values[number]) : "-");
        rows.push_back(std::move(row));
    };
    std::size_t objects = 0;
    std::size_t detections = 0;
    for (const CategoryNumbers& category : evaluation.categories) {
        const std::string id = std::to_string(category.category.id);
        add({category.category.name.empty() ? id : excerpt(category.category.name, 60),
             std::to_string(category.objects), std::to_string(category.detections)},
            category.values);
        objects += category.objects;
        detections += category.detections;
    }
    add({"mean of " + counted(evaluation.categories.size(), "category", "categories"),
         std::to_string(objects), std::to_string(detections)},
        evaluation.mean);
    return format_table(rows);
}

void add_evaluations_json(Json& outcome, const std::vector<DetectionEvaluation>& evaluations) {
    if (evaluations.empty()) return;
    outcome["detection"] = evaluation_summary_json(evaluations.front());
    outcome["evaluations"] = Json::array();
    for (const DetectionEvaluation& evaluation : evaluations) {
        outcome["evaluations"].push_back(evaluation_summary_json(evaluation));
    }
}

void warn_unreadable(const std::vector<UnreadableImage>& unreadable, std::size_t images) {
    if (unreadable.empty()) return;
    constexpr std::size_t shown = 3;
    std::string names;
    for (std::size_t i = 0; i < unreadable.size() && i < shown; ++i) {
        // Names come from archives and lists: none may reach the terminal with its control characters.
        names += (i > 0 ? "; " : "") + excerpt(unreadable[i].image, 200) + " (" +
                 excerpt(unreadable[i].reason, 400) + ")";
    }
    if (unreadable.size() > shown) names += fmt::format("; and {} more", unreadable.size() - shown);
    spdlog::warn("{} of {} could not be read: {}", unreadable.size(), counted(images, "image"), names);
}

void warn_pages_left_out(std::size_t pages) {
    if (pages == 0) return;
    spdlog::warn(
        "{} left out: the first page of a file is the image. Results name the number as \"pages\"; split the "
        "files to search the others",
        counted(pages, "page was", "pages were"));
}

Json unreadable_json(const std::vector<UnreadableImage>& unreadable) {
    Json list = Json::array();
    for (const UnreadableImage& image : unreadable) {
        list.push_back({{"image", image.image}, {"reason", image.reason}});
    }
    return list;
}

void add_counts_json(Json& outcome, const DetectImagesResult& images) {
    outcome["images"] = images.images;
    outcome["ok"] = images.images - images.unreadable.size();
    outcome["unreadable"] = images.unreadable.size();
    outcome["unreadable_images"] = unreadable_json(images.unreadable);
    outcome["pages_left_out"] = images.pages_left_out;
    outcome["interrupted"] = images.interrupted;
    outcome["seconds"] = images.total_seconds;
}

}  // namespace fovea
