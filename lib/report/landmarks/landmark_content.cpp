#include "lib/report/landmarks/landmark_content.hpp"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/report/model/number_tables.hpp"

namespace fovea::report {
namespace {

Text lead_of(const LandmarkersCompared& of) {
    const LandmarkEvaluation& first = of.evaluations[0];
    const auto number = [](const LandmarkEvaluation& e, const char* key) {
        return number_of_key(e.nme[e.primary].numbers, key).value.value_or(0);
    };
    const std::string count = grouped(static_cast<long long>(of.evaluations.size()));
    Text text;
    if (of.is_single()) {
        text = {Run::strong(of.names[0]), Run::plain(" was evaluated on ")};
    } else if (of.is_of_one_model()) {
        text = {Run::plain("The landmarks in "), Run::strong(count + " kinds of boxes"),
                Run::plain(" were compared on ")};
    } else {
        text = {Run::strong(count + " landmarkers"), Run::plain(" were compared on ")};
    }
    const auto add = [&](std::initializer_list<Run> runs) { text.insert(text.end(), runs); };
    add({Run::plain(number_of(first.faces, "face") + " with " +
                    number_of(static_cast<long long>(first.points), "landmark") + " in " +
                    number_of(first.images, "image") + " of "),
         Run::code(of.dataset.name), Run::plain(". ")});
    if (!of.is_single()) {
        const auto best = std::max_element(
            of.evaluations.begin(), of.evaluations.end(),
            [&](const auto& a, const auto& b) { return number(a, "auc_0.08") < number(b, "auc_0.08"); });
        add({Run::plain("The largest AUC up to 0.08 (NME by " + of.unit() + "), "),
             Run::strong(fixed(number(*best, "auc_0.08"), 3)), Run::plain(", is that of "),
             Run::strong(of.names[static_cast<std::size_t>(best - of.evaluations.begin())]),
             Run::plain(".")});
    } else if (first.faces_found == 0) {
        add({Run::plain("It found no face with landmarks.")});
    } else {
        add({Run::plain("Its mean error (NME by " + of.unit() + ") is "),
             Run::strong(fixed(number(first, "mean"), 4)),
             Run::plain(" over the " + number_of(first.faces_found, "face") + " found; it missed "),
             Run::strong(grouped(first.faces_missed)), Run::plain(". The AUC up to 0.08 is "),
             Run::strong(fixed(number(first, "auc_0.08"), 3)), Run::plain(".")});
    }
    return text;
}

Tiles landmark_tiles(const LandmarkersCompared& of) {
    const LandmarkEvaluation& e = of.evaluations[0];
    const Numbers& numbers = e.nme[e.primary].numbers;
    const Number& with_missed = number_of_key(numbers, "median_with_missed");
    Tiles tiles;
    const auto add = [&](const char* title, const Number& number, const std::string& detail) {
        Tile tile = number_tile(number, landmark_decimals);
        tile.label = title;
        tile.detail = detail;
        tiles.tiles.push_back(std::move(tile));
    };
    add("Mean NME", number_of_key(numbers, "mean"), "by " + of.unit());
    add("Median NME", number_of_key(numbers, "median"),
        "with missed " + (with_missed.value ? fixed(*with_missed.value, 4) : std::string("infinite")));
    add("AUC@0.08", number_of_key(numbers, "auc_0.08"), "area under the CED");
    add("Failures", number_of_key(numbers, "failure_rate"), "above 0.08, missed faces among them");
    add("Missed", number_of_key(e.totals, "missed_rate"),
        grouped(e.faces_missed) + " of " + number_of(e.faces, "face") + " missed");
    return tiles;
}

/// \param noun of a landmarker \param normaliser its place in the evaluations' list
Table comparison_table(const std::vector<LandmarkEvaluation>& evaluations,
                       const std::vector<std::string>& names, const std::string& noun,
                       std::size_t normaliser) {
    NumberLists lists;
    std::vector<Cell> found, missed, rates;
    for (const LandmarkEvaluation& e : evaluations) {
        lists.push_back(&e.nme[normaliser].numbers);
        found.push_back(count_cell(e.faces_found));
        missed.push_back(count_cell(e.faces_missed));
        rates.push_back(number_cell(number_of_key(e.totals, "missed_rate"), landmark_decimals));
    }
    Table table = rivals_by_number(
        noun, names, lists, {"mean", "median", "auc_0.08", "auc_0.10", "failure_rate", "failure_rate_0.10"},
        landmark_decimals);
    table.columns[1].title = "Mean NME";
    table.columns[2].title = "Median NME";
    add_column(table, {"Found", "faces"}, std::move(found));
    add_column(table, {"Missed", "faces"}, std::move(missed));
    add_column(table, {"Share missed"}, std::move(rates));
    table.title = "NME by " + normaliser_title(evaluations[0].normalisers[normaliser]);
    table.note = std::string("NME is over the faces found; AUC and failures are over all faces.") +
                 (evaluations.size() > 1 ? " The best of a column stands out." : "") +
                 (evaluations[0].options.bootstrap_resamples > 0
                      ? " Ranges are 95\u00A0% intervals (bootstrap over images)."
                      : "");
    return table;
}

/// The meaning of the numbers.
Definitions landmark_definitions(const LandmarkEvaluation& e) {
    Definitions definitions{
        {{"NME",
          "normalised mean error: mean distance of a face's landmarks from the true ones, "
          "divided by a length of the true face, which the name states"}}};
    std::vector<Definition>& items = definitions.items;
    for (const LandmarkNormaliser normaliser : e.normalisers)
        items.push_back({"by " + normaliser_title(normaliser), normaliser_description(normaliser)});
    items.insert(items.end(),
                 {{"Missed",
                   "a face without a detection with landmarks. An image with one face and one detection "
                   "pairs them; else pairs have a box IoU of at least 0.1 (one to one, largest sum)"},
                  {"CED", "cumulative error distribution: share of all faces with at most a certain error"},
                  {"AUC@0.08", "area under the CED, a step function, from 0 to 0.08, divided by 0.08"},
                  {"Failures", "share of all faces with an error above a limit, those missed among them"},
                  {"Mean, median, percentiles", "over the faces found"},
                  {"95 % interval", "percentile bootstrap over images"}});
    if (e.points == 68) {
        items.insert(items.end(),
                     {{"Helf 2018, equation 5.2",
                       "as printed: the root of the sum of all squared distances, divided by 68 times the "
                       "distance of the outer eye corners, which shrinks with the number of points; "
                       "evidently meant is the mean distance, the NME by outer eye corners"},
                      {"dlib's test_shape_predictor",
                       "mean distance over all parts, of the faces found: in pixels, or divided by the "
                       "distance of the pupils as in dlib's training example"}});
    }
    if (e.over_time) {
        items.insert(
            items.end(),
            {{"Jitter",
              "mean distance that the points move from frame to frame against the true ones, divided by "
              "the length: an error that stays the same has none"},
             {"Drift", "the error by the frames since the face was last detected"}});
    }
    return definitions;
}

}  // namespace

PartContent landmark_content(const LandmarkersCompared& of) {
    PartContent content;
    content.lead = {lead_of(of)};
    content.protocol = landmark_protocol_description(of.evaluations[0]);
    if (of.is_single()) {
        content.headline = {landmark_tiles(of)};
    } else {
        content.headline = {comparison_table(of.evaluations, of.names,
                                             of.is_of_one_model() ? "Boxes of" : "Landmarker",
                                             of.evaluations[0].primary)};
    }
    if (of.is_of_one_model()) content.headline.push_back(Paragraph{of.context.landmarks_origin, true});
    Section curves{"curves", "Curves"};
    curves.add(ced_plots(of));
    std::string missing;
    content.sections = {std::move(curves),           normalisers_section(of),
                        parts_section(of),           landmark_time_section(of),
                        landmark_slices_section(of), landmark_pictures_section(of, missing)};
    content.definitions = landmark_definitions(of.evaluations[0]);
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        for (const std::string& warning : of.evaluations[i].warnings)
            content.warnings.push_back(of.prefix_of(i) + warning);
    }
    if (!missing.empty()) {
        spdlog::warn("{}", missing);
        content.warnings.push_back(missing);
    }
    content.files =
        "the points of the landmarks' curves in " + of.file_prefix + "curves.csv, every face in faces.csv";
    return content;
}

}  // namespace fovea::report

namespace fovea {

std::vector<report::Table> landmark_summary(const std::vector<LandmarkEvaluation>& evaluations) {
    std::vector<std::string> names;
    for (const LandmarkEvaluation& evaluation : evaluations) names.push_back(evaluation.name);
    std::vector<report::Table> tables;
    for (std::size_t i = 0; i < evaluations[0].nme.size(); ++i)
        tables.push_back(report::comparison_table(evaluations, names, "Landmarker", i));
    // The note is that of all.
    for (std::size_t i = 0; i + 1 < tables.size(); ++i) tables[i].note.clear();
    return tables;
}

}  // namespace fovea
