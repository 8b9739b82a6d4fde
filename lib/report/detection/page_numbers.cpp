#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/evaluate/detection/protocol_modes.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/detection/page.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

using Bounds = std::optional<Interval>;

std::string plain_bounds(const Interval& bounds) {
    return fixed(bounds[0], 3) + "–" + fixed(bounds[1], 3);
}

std::string interval_line(const Bounds& bounds, std::string (*text)(const Interval&)) {
    return bounds ? "\n95\u00A0% CI\u00A0" + text(*bounds) : std::string();
}

Bounds bounds_of(const DetectionEvaluation& evaluation, const char* key) {
    for (const Number& estimate : evaluation.estimates) {
        if (estimate.quantity.key == key) return estimate.ci95;
    }
    return std::nullopt;
}

std::string two_decimal_bounds(const Interval& bounds) {
    return fixed(bounds[0], 2) + "–" + fixed(bounds[1], 2);
}

// The numbers of a protocol that stand at the head of a report: the others follow in its section.
std::size_t shown_first(const DetectionEvaluation& evaluation) {
    constexpr std::size_t most = 6;
    return std::min(evaluation.protocol_numbers.size(), most);
}

std::string protocol_tiles(const DetectionEvaluation& e) {
    std::string html = "<div class=\"tiles\">\n";
    for (std::size_t i = 0; i < shown_first(e); ++i) {
        const Number& number = e.protocol_numbers[i].estimate;
        std::string detail = mode_name(e.options.mode);
        if (const auto without = without_ignored_faces(e, i))
            detail += ", with ignored faces\nwithout them " + fixed(*without, 4);
        if (number.ci95) {
            detail +=
                "\n95\u00A0% CI\u00A0" + fixed((*number.ci95)[0], 4) + "–" + fixed((*number.ci95)[1], 4);
        }
        html += tile(number.quantity.name, number.value ? fixed(*number.value, 4) : "–", detail);
    }
    return html + "</div>\n";
}

std::string tiles(const DetectionEvaluation& e) {
    const std::string rate_detail = e.faces > 0
                                        ? grouped(e.true_positives) + " of " + number_of(e.faces, "face") +
                                              interval_line(e.detection_rate_ci95, percent_range)
                                        : "no faces to find";
    const bool any = e.detections > 0;
    const std::string none = "–";
    const int judged = e.true_positives + e.false_positives;
    return "<div class=\"tiles\">\n" +
           tile("Detection rate", e.faces > 0 ? percent(e.detection_rate) : none, rate_detail) +
           tile("Precision", judged > 0 ? percent(e.precision) : none,
                judged > 0 ? grouped(e.true_positives) + " of " + number_of(judged, "detection") +
                                 interval_line(bounds_of(e, "precision"), percent_range)
                           : "no detections") +
           tile("F1", judged > 0 ? fixed(e.f1, 3) : none,
                any ? "best " + fixed(e.best_f1, 3) + " at score\u00A0≥\u00A0" +
                          compact(e.best_f1_threshold) + interval_line(bounds_of(e, "f1"), plain_bounds)
                    : "no detections") +
           tile("Average precision", fixed(e.average_precision, 3),
                "precision over recall" + interval_line(e.average_precision_ci95, plain_bounds)) +
           tile("FP per image", fixed(e.false_positives_per_image, 2),
                number_of(e.false_positives, "false positive") + " in " + number_of(e.images, "image") +
                    interval_line(bounds_of(e, "false_positives_per_image"), two_decimal_bounds)) +
           tile("Mean IoU", e.true_positives > 0 ? fixed(e.mean_iou, 3) : none,
                "of faces found with their detections" +
                    interval_line(bounds_of(e, "mean_iou"), plain_bounds)) +
           "</div>\n";
}

const RateAtFalsePositives* rate_at(const DetectionEvaluation& evaluation, int false_positives) {
    for (const RateAtFalsePositives& rate : evaluation.rate_at_false_positives) {
        if (rate.false_positives == false_positives) return &rate;
    }
    return nullptr;
}

/// A column of the comparison: its number for a detector, none if it has none.
struct Measure {
    HtmlColumn column;
    std::optional<double> (*value)(const DetectionEvaluation&, int argument);
    int argument = 0;
    std::string (*text)(double);
    bool higher_is_better = true;
    /// Its interval, shown below the number; null if it never has one.
    Bounds (*bounds)(const DetectionEvaluation&, int argument) = nullptr;
    std::string (*bounds_text)(const Interval&) = nullptr;
};

std::string two_decimals(double value) {
    return fixed(value, 2);
}

std::vector<Measure> measures(const DetectionEvaluation& first) {
    using E = const DetectionEvaluation&;
    std::vector<Measure> list;
    list.push_back({{"Average precision", true, "Area under the precision envelope over recall"},
                    [](E e, int) -> std::optional<double> { return e.average_precision; },
                    0,
                    three_decimals,
                    true,
                    [](E e, int) { return e.average_precision_ci95; },
                    plain_bounds});
    for (const RateAtFalsePositives& rate : first.rate_at_false_positives) {
        const std::string n = grouped(rate.false_positives);
        list.push_back(
            {{"Rate at " + n + " FP", true,
              "Detection rate at the threshold that allows at most " + n + " false positives in all images"},
             [](E e, int allowed) -> std::optional<double> {
                 const RateAtFalsePositives* found = rate_at(e, allowed);
                 return found == nullptr ? std::nullopt : std::optional<double>(found->detection_rate);
             },
             rate.false_positives,
             percent,
             true,
             [](E e, int allowed) {
                 const RateAtFalsePositives* found = rate_at(e, allowed);
                 return found == nullptr ? Bounds{} : found->detection_rate_ci95;
             },
             percent_range});
    }
    list.push_back({{"Best F1", true, "Over all thresholds"},
                    [](E e, int) -> std::optional<double> { return e.best_f1; },
                    0,
                    three_decimals,
                    true,
                    [](E e, int) { return bounds_of(e, "best_f1"); },
                    plain_bounds});
    list.push_back({{"Detection rate", true, "With every detection kept"},
                    [](E e, int) -> std::optional<double> { return e.detection_rate; },
                    0,
                    percent,
                    true,
                    [](E e, int) { return e.detection_rate_ci95; },
                    percent_range});
    list.push_back({{"Precision", true, "With every detection kept"},
                    [](E e, int) -> std::optional<double> {
                        return e.true_positives + e.false_positives > 0 ? std::optional<double>(e.precision)
                                                                        : std::nullopt;
                    },
                    0,
                    percent,
                    true,
                    [](E e, int) { return bounds_of(e, "precision"); },
                    percent_range});
    list.push_back({{"FP per image", true, "False positives per image, with every detection kept"},
                    [](E e, int) -> std::optional<double> { return e.false_positives_per_image; },
                    0,
                    two_decimals,
                    false,
                    [](E e, int) { return bounds_of(e, "false_positives_per_image"); },
                    two_decimal_bounds});
    list.push_back({{"Mean IoU", true, "Mean over the faces found with their detections"},
                    [](E e, int) -> std::optional<double> {
                        return e.true_positives > 0 ? std::optional<double>(e.mean_iou) : std::nullopt;
                    },
                    0,
                    three_decimals,
                    true,
                    [](E e, int) { return bounds_of(e, "mean_iou"); },
                    plain_bounds});
    return list;
}

bool number_has_interval(const std::vector<DetectionEvaluation>& all) {
    return std::any_of(all.begin(), all.end(), [](const DetectionEvaluation& e) {
        return std::any_of(e.protocol_numbers.begin(), e.protocol_numbers.end(),
                           [](const ProtocolNumber& number) { return number.estimate.ci95.has_value(); });
    });
}

std::string protocol_comparison(const PageContent& content) {
    const auto& all = content.evaluations;
    std::vector<HtmlColumn> columns{{"Detector", false}};
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < all.size(); ++i)
        rows.push_back({{legend_name(content, i), content.names[i]}});
    for (std::size_t k = 0; k < shown_first(all[0]); ++k) {
        const auto number = [k](const DetectionEvaluation& e) -> const Number& {
            return e.protocol_numbers.at(k).estimate;
        };
        const Quantity& statistic = number(all[0]).quantity;
        columns.push_back({statistic.name, true, statistic.definition});
        // Compared as shown: numbers that read the same are equally good.
        std::optional<double> best;
        for (const DetectionEvaluation& e : all) {
            const std::optional<double>& value = number(e).value;
            if (!value) continue;
            best = !best                               ? *value
                   : statistic.better != Better::lower ? std::max(*best, *value)
                                                       : std::min(*best, *value);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Number& own = number(all[i]);
            if (!own.value) {
                rows[i].push_back({"–", "-1"});
                continue;
            }
            std::string html = fixed(*own.value, 4);
            const bool is_best = html == fixed(*best, 4);
            if (own.ci95) {
                html += small_line(fixed((*own.ci95)[0], 4) + "–" + fixed((*own.ci95)[1], 4));
            }
            if (const auto without = without_ignored_faces(all[i], k))
                html += small_line("without ignored faces " + fixed(*without, 4));
            rows[i].push_back({html, shortest_number(*own.value), is_best});
        }
    }
    const DetectionEvaluationOptions& options = all[0].options;
    return "<div class=\"comparison\">" + table(columns, rows, true, "Numbers of the protocol by detector") +
           "</div>\n<p class=\"note below\">" + protocol_name(options.protocol) + ", " +
           mode_name(options.mode) +
           (all[0].ignored_but_counted > 0 ? ": " + with_ignored_faces(all[0]) : std::string()) +
           ". The best of a column stands out." +
           (number_has_interval(all) ? " The small numbers are 95\u00A0% intervals (bootstrap over images)."
                                     : "") +
           "</p>\n";
}

std::string comparison(const PageContent& content) {
    const auto& all = content.evaluations;
    const std::vector<Measure> list = measures(all[0]);
    std::vector<HtmlColumn> columns{{"Detector", false}};
    std::vector<double> best(list.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t m = 0; m < list.size(); ++m) {
        columns.push_back(list[m].column);
        for (const DetectionEvaluation& e : all)
            best[m] = std::max(best[m], list[m].value(e, list[m].argument).value_or(0));
    }
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        HtmlRow row;
        row.push_back({legend_name(content, i), content.names[i]});
        for (std::size_t m = 0; m < list.size(); ++m) {
            const std::optional<double> value = list[m].value(all[i], list[m].argument);
            if (!value) {
                row.push_back({"–", "-1"});
                continue;
            }
            const std::string text = list[m].text(*value);
            // Compared as shown: numbers that read the same are equally good.
            const bool is_best = list[m].higher_is_better && *value > 0 && text == list[m].text(best[m]);
            std::string html = escape_html(text);
            const Bounds bounds =
                list[m].bounds == nullptr ? Bounds{} : list[m].bounds(all[i], list[m].argument);
            if (bounds) html += small_line(list[m].bounds_text(*bounds));
            row.push_back({html, shortest_number(*value), is_best});
        }
        rows.push_back(std::move(row));
    }
    const bool intervals = std::any_of(all.begin(), all.end(), [](const DetectionEvaluation& e) {
        return e.average_precision_ci95.has_value() || e.detection_rate_ci95.has_value();
    });
    return "<div class=\"comparison\">" + table(columns, rows, true, "Numbers by detector") +
           "</div>\n<p class=\"note below\">FP: false positives in all images. Detection rate, precision, "
           "FP per image and mean IoU keep every detection. The best value of a column stands out." +
           (intervals ? " The small numbers are 95\u00A0% intervals (bootstrap over images)." : "") +
           "</p>\n";
}

/// "86.2 %" with a bar beside it.
HtmlCell rate_cell(double rate, bool bar) {
    std::string html = escape_html(percent(rate));
    if (bar)
        html += "<span class=\"bar\"><i style=\"width:" + fixed(100 * std::clamp(rate, 0.0, 1.0), 1) +
                "%\"></i></span>";
    return {html, shortest_number(rate)};
}

using Slices = std::vector<SliceRate> DetectionEvaluation::*;

std::string slice_table(const PageContent& content, Slices slices, const std::string& title,
                        const std::string& header, std::string (*label)(const SliceRate&)) {
    const auto& all = content.evaluations;
    const std::vector<SliceRate> shown = filled_slices(all[0].*slices);
    if (shown.empty()) return {};
    const bool single = all.size() == 1;
    std::vector<HtmlColumn> columns{{header, false}, {"Images"}, {"Faces"}};
    if (single) columns.push_back({"Found"});
    for (std::size_t i = 0; i < all.size(); ++i)
        columns.push_back(single ? HtmlColumn{"Detection rate"}
                                 : HtmlColumn{shortened(content.names[i], 36), true, content.names[i]});
    std::vector<HtmlRow> rows;
    for (const SliceRate& slice : shown) {
        HtmlRow row{{escape_html(label(slice))}, {grouped(slice.images)}, {grouped(slice.faces)}};
        if (single) row.push_back({grouped(slice.found)});
        double best = 0;
        for (const DetectionEvaluation& e : all) {
            const SliceRate* own = same_slice(e.*slices, slice);
            if (own != nullptr) best = std::max(best, own->detection_rate);
        }
        for (const DetectionEvaluation& e : all) {
            const SliceRate* own = same_slice(e.*slices, slice);
            row.push_back(own == nullptr ? HtmlCell{"–"} : rate_cell(own->detection_rate, single));
            row.back().best = !single && own != nullptr && own->detection_rate == best && best > 0;
        }
        rows.push_back(std::move(row));
    }
    return "<div><h3>" + escape_html(title) + "</h3>\n" + table(columns, rows) + "</div>\n";
}

/// The numbers of the detectors at thresholds fixed on another run; empty without.
std::string fixed_threshold_table(const PageContent& content) {
    const std::vector<HtmlColumn> columns{{"Detector", false}, {"Threshold from", false},
                                          {"Score ≥"},         {"Faces found"},
                                          {"False positives"}, {"Precision"},
                                          {"Recall"},          {"F1"}};
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < content.evaluations.size(); ++i) {
        const std::optional<FixedThresholdResult>& at = content.evaluations[i].at_threshold;
        if (!at) continue;
        rows.push_back({{legend_name(content, i)},
                        {element("span", "path", breakable(at->origin))},
                        {compact(at->threshold)},
                        {grouped(at->point.true_positives)},
                        {grouped(at->point.false_positives)},
                        {percent(at->point.precision)},
                        {percent(at->point.detection_rate)},
                        {fixed(at->f1, 3)}});
    }
    if (rows.empty()) return {};
    return "<h3>At a threshold fixed on another run</h3>\n" + table(columns, rows);
}

}  // namespace

std::string headline_numbers(const PageContent& content) {
    const bool is_single = content.evaluations.size() == 1;
    if (!content.evaluations[0].protocol_numbers.empty())
        return is_single ? protocol_tiles(content.evaluations[0]) : protocol_comparison(content);
    return is_single ? tiles(content.evaluations[0]) : comparison(content);
}

std::string protocol_section(const PageContent& content) {
    const auto& all = content.evaluations;
    if (all[0].protocol_numbers.empty()) return {};
    const std::string mode = mode_name(all[0].options.mode);
    const auto shown = [](const std::optional<double>& value) {
        return value ? fixed(*value, 4) : std::string("–");
    };
    std::vector<HtmlColumn> columns{{"Number", false}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        columns.push_back({all.size() == 1 ? mode : content.names[i] + ", " + mode, true});
    }
    std::set<ProtocolMode> differing;
    std::vector<HtmlRow> rows;
    for (std::size_t k = 0; k < all[0].protocol_numbers.size(); ++k) {
        const Quantity& statistic = all[0].protocol_numbers[k].estimate.quantity;
        HtmlRow row{{"<span class=\"name\">" + escape_html(statistic.name) +
                     small_line(escape_html(statistic.definition)) + "</span>"}};
        for (const DetectionEvaluation& e : all) {
            const ProtocolNumber& number = e.protocol_numbers.at(k);
            const Number& estimate = number.estimate;
            std::string html = escape_html(shown(estimate.value));
            if (estimate.ci95)
                html += small_line(shown((*estimate.ci95)[0]) + "–" + shown((*estimate.ci95)[1]));
            for (const ModeValue& other : number.other_modes) {
                if (shown(other.value) == shown(estimate.value)) continue;
                html += small_line(mode_name(other.mode) + " " + shown(other.value));
                differing.insert(other.mode);
            }
            row.push_back({html, estimate.value ? shortest_number(*estimate.value) : "-1"});
        }
        rows.push_back(std::move(row));
    }
    const DetectionProtocol protocol = all[0].options.protocol;
    std::string note = mode + ": " + mode_origin(protocol, all[0].options.mode) + ". ";
    for (const ProtocolMode other : protocol_modes(protocol)) {
        if (other == all[0].options.mode) continue;
        note += mode_name(other) + ": " + mode_origin(protocol, other) +
                (differing.contains(other) ? ", where another number stands below. "
                                           : ": the same numbers to four digits. ");
    }
    return table(columns, rows, false, "Numbers of " + protocol_name(protocol)) + "<p class=\"note below\">" +
           escape_html(note) + "Small numbers are 95\u00A0% intervals (bootstrap over images).</p>\n";
}

std::string operating_points(const PageContent& content) {
    const DetectionEvaluation& e = content.evaluations[0];
    const std::string fixed_thresholds = fixed_threshold_table(content);
    if (content.evaluations.size() > 1 || e.roc.empty()) return fixed_thresholds;
    const std::vector<HtmlColumn> columns{
        {"Operating point", false}, {"Score ≥"},   {"Faces found"}, {"Detection rate"},
        {"False positives"},        {"Precision"}, {"Mean IoU"}};
    std::vector<HtmlRow> rows;
    const auto add = [&](const std::string& what, std::optional<double> threshold) {
        HtmlRow row{{escape_html(what)}};
        const auto point = std::find_if(e.roc.begin(), e.roc.end(), [&](const RocPoint& p) {
            return threshold.has_value() && p.threshold == *threshold;
        });
        if (point == e.roc.end()) {
            // Even the strictest threshold has more false positives.
            row.insert(row.end(), {{"–"}, {"0"}, {percent(0)}, {"–"}, {"–"}, {"–"}});
        } else {
            row.insert(row.end(), {{compact(point->threshold)},
                                   {grouped(point->true_positives)},
                                   {percent(point->detection_rate)},
                                   {grouped(point->false_positives)},
                                   {percent(point->precision)},
                                   {fixed(point->mean_iou, 3)}});
        }
        rows.push_back(std::move(row));
    };
    for (const RateAtFalsePositives& rate : e.rate_at_false_positives) {
        add("at most " + number_of(rate.false_positives, "false positive"), rate.threshold);
    }
    add("best F1 (" + fixed(e.best_f1, 3) + ")", e.best_f1_threshold);
    add("every detection", e.roc.back().threshold);
    return table(columns, rows, false, "Detections at thresholds of interest") + fixed_thresholds;
}

std::string slice_tables(const PageContent& content) {
    const std::string by_count = slice_table(content, &DetectionEvaluation::by_faces_in_image,
                                             "By faces in the image", "Faces in the image", count_range);
    const std::string by_width = slice_table(content, &DetectionEvaluation::by_face_width, "By face width",
                                             "Width in pixels", width_range);
    if (by_count.empty() && by_width.empty()) return {};
    // Side by side as long as a table is narrow.
    const bool narrow = content.evaluations.size() <= 2;
    return narrow ? "<div class=\"columns\">\n" + by_count + by_width + "</div>\n" : by_count + by_width;
}

}  // namespace fovea::report
