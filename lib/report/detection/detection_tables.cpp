#include <algorithm>
#include <set>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/detection_curve.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/model/number_tables.hpp"

namespace fovea::report {
namespace {

constexpr Decimals protocol_decimals{2, 4};
/// Further numbers of a protocol stand in its section alone.
constexpr std::size_t max_protocol_headlines = 6;

std::string without_text(double without) {
    return fixed(without, protocol_decimals.others);
}

// --- headlines ---------------------------------------------------------------------------------------

Tiles protocol_tiles(const DetectionEvaluation& e) {
    Tiles tiles;
    for (std::size_t k = 0; k < std::min(e.protocol_numbers.size(), max_protocol_headlines); ++k) {
        Tile tile = number_tile(e.protocol_numbers[k].estimate, protocol_decimals);
        tile.detail = mode_name(e.options.mode);
        if (const auto without = without_ignored_faces(e, k))
            tile.detail += ", with ignored faces; without them " + without_text(*without);
        tiles.tiles.push_back(std::move(tile));
    }
    return tiles;
}

/// A headline and what it counts.
struct DetectionTile {
    const char* key;
    std::string (*detail)(const DetectionEvaluation& e);
};
const DetectionTile detection_tiles[] = {
    {"detection_rate",
     [](const DetectionEvaluation& e) {
         return e.faces > 0 ? grouped(e.true_positives) + " of " + number_of(e.faces, "face")
                            : std::string("no faces to find");
     }},
    {"precision",
     [](const DetectionEvaluation& e) {
         const int judged = e.true_positives + e.false_positives;
         return judged > 0 ? grouped(e.true_positives) + " of " + number_of(judged, "detection")
                           : std::string("no detections");
     }},
    {"f1",
     [](const DetectionEvaluation& e) {
         return e.detections > 0 ? "best " + fixed(e.value("best_f1"), 3) + " at score\u00A0≥\u00A0" +
                                       compact(e.best_f1_threshold)
                                 : std::string("no detections");
     }},
    {"average_precision", [](const DetectionEvaluation&) { return std::string("precision over recall"); }},
    {"false_positives_per_image",
     [](const DetectionEvaluation& e) {
         return number_of(e.false_positives, "false positive") + " in " + number_of(e.images, "image");
     }},
    {"mean_iou",
     [](const DetectionEvaluation&) { return std::string("of faces found with their detections"); }},
};

Table protocol_comparison(const DetectorsCompared& of) {
    const auto& all = of.evaluations;
    Table table{.title = "Numbers of the protocol by detector",
                .columns = {words("Detector")},
                .rivals = Rivals::rows,
                .is_sortable = true};
    bool has_interval = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<Cell> row{rival_cell(of.names, i)};
        for (std::size_t k = 0; k < std::min(all[0].protocol_numbers.size(), max_protocol_headlines); ++k) {
            const Number& number = all[i].protocol_numbers.at(k).estimate;
            if (i == 0) table.columns.push_back({number.quantity.name, number.quantity.definition});
            has_interval = has_interval || number.ci95;
            row.push_back(number_cell(number, protocol_decimals));
            if (const auto without = without_ignored_faces(all[i], k))
                row.back().notes.push_back("without ignored faces " + without_text(*without));
        }
        table.rows.push_back(std::move(row));
    }
    table.note = record_of(all[0].options.protocol).name + ", " + mode_name(all[0].options.mode) +
                 (all[0].ignored_but_counted > 0 ? ": " + with_ignored_faces(all[0]) : std::string()) +
                 ". The best of a column stands out." +
                 (has_interval ? " Ranges are 95\u00A0% intervals (bootstrap over images)." : "");
    return table;
}

NumberLists lists_of(const std::vector<DetectionEvaluation>& evaluations) {
    NumberLists lists;
    for (const DetectionEvaluation& evaluation : evaluations) lists.push_back(&evaluation.estimates);
    return lists;
}

/// \param is_ranked with average precision and the rates at numbers of false positives, which a protocol
/// with numbers of its own defines in its own way
Table comparison(const std::vector<DetectionEvaluation>& all, const std::vector<std::string>& names,
                 bool is_ranked) {
    std::vector<std::string> keys;
    if (is_ranked) {
        keys.push_back("average_precision");
        for (const RateAtFalsePositives& rate : all[0].rate_at_false_positives)
            keys.push_back(rate_quantity(rate.false_positives).key);
    }
    for (const char* key :
         {"best_f1", "detection_rate", "precision", "false_positives_per_image", "mean_iou"})
        keys.emplace_back(key);
    Table table = rivals_by_number("Detector", names, lists_of(all), keys);
    table.title = "Numbers by detector";
    const bool has_interval = std::any_of(all[0].estimates.begin(), all[0].estimates.end(),
                                          [](const Number& number) { return number.ci95.has_value(); });
    table.note = std::string(is_ranked ? "FP: false positives in all images. " : "") +
                 "Detection rate, precision, FP per image and mean IoU keep every detection." +
                 (all.size() > 1 ? " The best of a column stands out." : "") +
                 (has_interval ? " Ranges are 95\u00A0% intervals (bootstrap over images)." : "");
    return table;
}

/// The modes that give other numbers than the evaluation's own.
std::set<ProtocolMode> differing_modes(const std::vector<DetectionEvaluation>& all) {
    std::set<ProtocolMode> modes;
    for (const DetectionEvaluation& e : all) {
        for (const ProtocolNumber& number : e.protocol_numbers) {
            const std::string own = value_text(number.estimate, protocol_decimals);
            for (const ModeValue& other : number.other_modes) {
                if (value_text({number.estimate.quantity, other.value, {}}, protocol_decimals) != own)
                    modes.insert(other.mode);
            }
        }
    }
    return modes;
}

/// A row for each number, with those of other modes where they differ.
Table protocol_table(const std::vector<DetectionEvaluation>& all, const std::vector<std::string>& names) {
    const ProtocolMode own_mode = all[0].options.mode;
    Table table{.title = "Numbers of " + record_of(all[0].options.protocol).name,
                .columns = {words("Number")},
                .rivals = Rivals::columns};
    for (const std::string& name : names)
        table.columns.push_back({(all.size() == 1 ? "" : name + ", ") + mode_name(own_mode)});
    for (std::size_t k = 0; k < all[0].protocol_numbers.size(); ++k) {
        const Quantity& quantity = all[0].protocol_numbers[k].estimate.quantity;
        std::vector<Cell> row{quantity.name};
        for (const DetectionEvaluation& e : all) {
            const ProtocolNumber& number = e.protocol_numbers.at(k);
            Cell cell = number_cell(number.estimate, protocol_decimals);
            for (const ModeValue& other : number.other_modes) {
                const std::string text = value_text({quantity, other.value, {}}, protocol_decimals);
                if (text != cell.text) cell.notes.push_back(mode_name(other.mode) + " " + text);
            }
            row.push_back(std::move(cell));
        }
        table.rows.push_back(std::move(row));
    }
    if (all[0].ignored_but_counted > 0) table.note = "Ignored faces: " + with_ignored_faces(all[0]) + ". ";
    return table;
}

// --- operating points --------------------------------------------------------------------------------

/// The numbers of the detectors at thresholds fixed on another run; empty without.
Table fixed_threshold_table(const std::vector<DetectionEvaluation>& all,
                            const std::vector<std::string>& names) {
    Table table{.title = "At a threshold fixed on another run",
                .columns = {words("Detector"),
                            words("Threshold from"),
                            {"Score ≥"},
                            {"Faces found"},
                            {"False positives"},
                            {"Precision"},
                            {"Recall"},
                            {"F1"}}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::optional<FixedThresholdResult>& at = all[i].at_threshold;
        if (!at) continue;
        table.rows.push_back({rival_cell(names, i), at->origin, score_cell(at->threshold),
                              count_cell(at->point.true_positives), count_cell(at->point.false_positives),
                              share_cell(at->point.precision), share_cell(at->point.detection_rate),
                              value_cell(at->f1, 3)});
    }
    return table;
}

Table threshold_table(const DetectionEvaluation& e) {
    Table table{.title = "Detections at thresholds of interest",
                .columns = {words("Operating point"),
                            {"Score ≥"},
                            {"Faces found"},
                            {"Detection rate"},
                            {"False positives"},
                            {"Precision"},
                            {"Mean IoU"}}};
    const auto add = [&](const std::string& what, std::optional<double> threshold) {
        const auto point = std::find_if(e.roc.begin(), e.roc.end(), [&](const RocPoint& p) {
            return threshold.has_value() && p.threshold == *threshold;
        });
        if (point == e.roc.end()) {
            // No threshold is strict enough.
            table.rows.push_back({what, "–", count_cell(0), share_cell(0), "–", "–", "–"});
        } else {
            table.rows.push_back({what, score_cell(point->threshold), count_cell(point->true_positives),
                                  share_cell(point->detection_rate), count_cell(point->false_positives),
                                  share_cell(point->precision), value_cell(point->mean_iou, 3)});
        }
    };
    for (const RateAtFalsePositives& rate : e.rate_at_false_positives)
        add("at most " + number_of(rate.false_positives, "false positive"), rate.threshold);
    for (const double share : {0.9, 0.95, 0.99}) {
        const OperatingPointChoice choice{.kind = OperatingPointChoice::Kind::precision, .share = share};
        add(describe(choice), operating_threshold(e, choice));
    }
    add("best F1 (" + fixed(e.value("best_f1"), 3) + ")", e.best_f1_threshold);
    add("every detection", e.roc.back().threshold);
    return table;
}

}  // namespace

std::vector<Block> detection_headline(const DetectorsCompared& of) {
    const DetectionEvaluation& first = of.evaluations[0];
    const bool has_own = !first.protocol_numbers.empty();
    if (!of.is_single())
        return {has_own ? protocol_comparison(of) : comparison(of.evaluations, of.names, true)};
    if (has_own) return {protocol_tiles(first)};
    Tiles tiles;
    for (const DetectionTile& shown : detection_tiles) {
        tiles.tiles.push_back(number_tile(first.estimate(shown.key)));
        tiles.tiles.back().detail = shown.detail(first);
    }
    return {tiles};
}

Section numbers_section(const DetectorsCompared& of) {
    Table table = numbers_by_rival(of.names, lists_of(of.evaluations));
    add_definitions(table, of.evaluations[0].estimates);
    std::vector<std::vector<Cell>> counts;
    const std::pair<const char*, int DetectionEvaluation::*> members[] = {
        {"Faces", &DetectionEvaluation::faces},
        {"True positives", &DetectionEvaluation::true_positives},
        {"False positives", &DetectionEvaluation::false_positives}};
    for (const auto& [title, member] : members) {
        std::vector<Cell> row{title};
        for (const DetectionEvaluation& e : of.evaluations) row.push_back(count_cell(e.*member));
        row.emplace_back("");
        counts.push_back(std::move(row));
    }
    table.rows.insert(table.rows.begin(), counts.begin(), counts.end());
    if (of.evaluations[0].options.bootstrap_resamples > 0) {
        table.note = "95 % intervals: bootstrap over images, " +
                     grouped(of.evaluations[0].options.bootstrap_resamples) + " resamples.";
    }
    Section section{"numbers", "All numbers"};
    section.add(std::move(table));
    return section;
}

Section protocol_section(const DetectorsCompared& of) {
    const auto& all = of.evaluations;
    Section section{"protocol", "Numbers of the protocol"};
    if (all[0].protocol_numbers.empty()) return section;
    const ProtocolMode own_mode = all[0].options.mode;
    Table table = protocol_table(all, of.names);
    for (std::size_t k = 0; k < table.rows.size(); ++k)
        table.rows[k][0].notes = {all[0].protocol_numbers[k].estimate.quantity.definition};
    const std::set<ProtocolMode> differing = differing_modes(all);
    table.note.clear();
    for (const ModeRecord& known : record_of(all[0].options.protocol).modes) {
        table.note += mode_name(known.mode) + ": " + known.origin;
        table.note += known.mode == own_mode           ? ". "
                      : differing.contains(known.mode) ? ", where another number stands below. "
                                                       : ": the same numbers to four digits. ";
    }
    table.note += "Ranges are 95\u00A0% intervals (bootstrap over images).";
    section.add(std::move(table));
    return section;
}

Section operating_points_section(const DetectorsCompared& of) {
    Section section{"points", "Operating points"};
    section.add(fixed_threshold_table(of.evaluations, of.names));
    std::vector<Section> of_each;
    for (const DetectionEvaluation& e : of.evaluations) {
        of_each.push_back({"", ""});
        if (!e.roc.empty()) of_each.back().add(threshold_table(e));
    }
    add_by_rival(section, of.names, std::move(of_each));
    return section;
}

}  // namespace fovea::report

namespace fovea {

using namespace report;

std::vector<Table> detection_summary(const std::vector<DetectionEvaluation>& all) {
    const std::vector<std::string> names = display_names(all);
    const bool has_own = !all[0].protocol_numbers.empty();
    std::vector<Table> tables;
    if (has_own) tables.push_back(protocol_table(all, names));
    // There are no others if the protocol's numbers alone were asked for.
    if (!all[0].estimates.empty()) {
        tables.push_back(comparison(all, names, !has_own));
        std::vector<Cell> faces, found;
        for (const DetectionEvaluation& e : all) {
            faces.push_back(count_cell(e.faces));
            found.push_back(count_cell(e.true_positives));
        }
        add_column(tables.back(), {"Faces"}, std::move(faces));
        add_column(tables.back(), {"Found"}, std::move(found));
    }
    if (Table fixed = fixed_threshold_table(all, names); !fixed.rows.empty())
        tables.push_back(std::move(fixed));
    return tables;
}

}  // namespace fovea
