#include <algorithm>
#include <cmath>

#include "lib/core/text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/landmarks/landmark_page.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

constexpr Decimals landmark_decimals{1, 4};

HtmlCell number_cell(const Number& number, bool best = false) {
    std::string html = escape_html(value_text(number, landmark_decimals));
    const std::string interval = interval_text(number, landmark_decimals);
    if (!interval.empty()) html += small_line(interval);
    return {html, number.value ? shortest_number(*number.value) : "-1", best};
}

std::string tile_of(const std::string& label, const Number& number, const std::string& detail) {
    const std::string interval = interval_text(number, landmark_decimals);
    return tile(label, value_text(number, landmark_decimals),
                detail + (interval.empty() ? "" : "\n95\u00A0% CI\u00A0" + interval));
}

// Compared as shown: numbers that read the same are equally good.
bool is_best(const Number& number, const std::vector<const Number*>& all) {
    if (!number.value || all.size() < 2) return false;
    return std::all_of(all.begin(), all.end(), [&](const Number* other) {
        if (!other->value || value_text(*other, landmark_decimals) == value_text(number, landmark_decimals))
            return true;
        return is_better(number.quantity, *number.value, *other->value);
    });
}

// The cells of some numbers of every landmarker, one row each; `numbers` picks those of one.
template <class Pick>
std::vector<HtmlRow> comparison_rows(const LandmarkPage& page, const std::vector<std::string>& keys,
                                     Pick&& pick) {
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        HtmlRow row{{series_name(page.names, i), page.names[i]}};
        row.push_back({grouped(page.evaluations[i].faces_missed)});
        for (const std::string& key : keys) {
            std::vector<const Number*> all;
            for (const LandmarkEvaluation& evaluation : page.evaluations) {
                all.push_back(&number_of_key(pick(evaluation), key));
            }
            row.push_back(number_cell(*all[i], is_best(*all[i], all)));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string single_headline(const LandmarkEvaluation& e) {
    const NormalisedError& error = e.nme[e.primary];
    const std::string by = "by " + normaliser_title(error.normaliser);
    const auto number = [&](const char* key) -> const Number& { return number_of_key(error.numbers, key); };
    const std::string missed = grouped(e.faces_missed) + " of " + number_of(e.faces, "face") + " missed";
    return "<div class=\"tiles\">\n" + tile_of("Mean NME", number("mean"), by) +
           tile_of("Median NME", number("median"),
                   number("median_with_missed").value
                       ? "with missed " + fixed(*number("median_with_missed").value, 4)
                       : std::string("with missed infinite")) +
           tile_of("AUC@0.08", number("auc_0.08"), "area under the CED") +
           tile_of("Failures", number("failure_rate"), "above 0.08, missed faces among them") +
           tile_of("Missed", number_of_key(e.totals, "missed_rate"), missed) + "</div>\n";
}

std::string comparison(const LandmarkPage& page) {
    const std::size_t primary = page.evaluations[0].primary;
    const std::string by = normaliser_title(page.evaluations[0].normalisers[primary]);
    const std::vector<HtmlRow> rows = comparison_rows(
        page, {"mean", "median", "auc_0.08", "auc_0.10", "failure_rate", "failure_rate_0.10"},
        [&](const LandmarkEvaluation& e) -> const Numbers& { return e.nme[primary].numbers; });
    return "<div class=\"comparison\">" +
           table({{page.of_one_landmarker() ? "Boxes of" : "Landmarker", false},
                  {"Missed", true, "faces"},
                  {"Mean NME", true, "over the faces found"},
                  {"Median NME", true, "over the faces found"},
                  {"AUC@0.08"},
                  {"AUC@0.10"},
                  {"Failures > 0.08"},
                  {"Failures > 0.10"}},
                 rows, true,
                 page.of_one_landmarker() ? "Errors in the boxes of each detector"
                                          : "Errors of each landmarker") +
           "</div>\n<p class=\"note below\">NME by " + escape_html(by) +
           ", over the faces found; AUC and failures are over all faces. The best of a column stands out, "
           "and the small "
           "numbers are 95\u00A0% intervals (bootstrap over images).</p>\n";
}

std::string part_rows(const std::vector<PartError>& parts, const std::string& header) {
    std::vector<HtmlRow> rows;
    for (const PartError& part : parts) {
        rows.push_back({{escape_html(part.title)},
                        number_cell(number_of_key(part.numbers, "mean")),
                        number_cell(number_of_key(part.numbers, "median")),
                        {fixed(part.lower_quartile, 4) + "–" + fixed(part.upper_quartile, 4),
                         shortest_number(part.upper_quartile)},
                        {fixed(part.upper_whisker, 4), shortest_number(part.upper_whisker)},
                        {grouped(part.outliers), std::to_string(part.outliers)},
                        {fixed(part.largest, 4), shortest_number(part.largest)}});
    }
    return table({{header, false},
                  {"Mean"},
                  {"Median"},
                  {"Quartiles"},
                  {"Upper whisker", true, "the largest within 1.5 interquartile ranges of the quartiles"},
                  {"Outliers", true, "faces beyond the whiskers"},
                  {"Largest"}},
                 rows, true);
}

std::string levels_table(const std::vector<JitterLevel>& levels, const std::string& title,
                         const std::string& header) {
    std::vector<HtmlRow> rows;
    for (const JitterLevel& level : levels) {
        HtmlRow row{{shortest_number(std::round(1e6 * level.amount) / 1e4) + "\u00A0%",
                     shortest_number(level.amount)},
                    {grouped(static_cast<long long>(level.boxes))}};
        for (const Number& number : level.numbers) row.push_back(number_cell(number));
        rows.push_back(std::move(row));
    }
    return "<div><h3>" + title + "</h3>\n" +
           table({{header, true},
                  {"Boxes"},
                  {"Mean NME"},
                  {"Median NME"},
                  {"Failures", true, "share of the boxes with an error above 0.08"}},
                 rows) +
           "</div>\n";
}

}  // namespace

std::string landmark_headline(const LandmarkPage& page) {
    return page.evaluations.size() == 1 ? single_headline(page.evaluations[0]) : comparison(page);
}

std::string landmark_normalisers(const LandmarkPage& page) {
    std::string html;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const LandmarkEvaluation& e = page.evaluations[i];
        std::vector<HtmlColumn> columns{{"", false}};
        for (const NormalisedError& error : e.nme) {
            columns.push_back({"NME by " + normaliser_title(error.normaliser), true,
                               normaliser_description(error.normaliser)});
        }
        std::vector<HtmlRow> rows;
        for (const Number& number : e.nme[0].numbers) {
            HtmlRow row{{escape_html(number.quantity.name)}};
            for (const NormalisedError& error : e.nme) {
                row.push_back(number_cell(number_of_key(error.numbers, number.quantity.key)));
            }
            rows.push_back(std::move(row));
        }
        const std::string numbers = table(columns, rows, false, "Errors by each length that divides them");
        std::string others = "In pixels: mean " +
                             fixed(number_of_key(e.pixels, "mean").value.value_or(0), 2) + ", median " +
                             fixed(number_of_key(e.pixels, "median").value.value_or(0), 2) + " over the " +
                             number_of(e.faces_found, "face") + " found.";
        if (e.faces_found == 0) others = "No face was found.";
        if (!e.helf_as_printed.empty() && e.faces_found > 0) {
            others += " Helf 2018, equation 5.2, mean: as printed " +
                      fixed(number_of_key(e.helf_as_printed, "mean").value.value_or(0), 5) +
                      " (the root spans the sum), as evidently meant the mean by outer eye corners.";
        }
        const std::string content = numbers + "<p class=\"note below\">" + escape_html(others) + "</p>\n";
        html += page.evaluations.size() == 1 ? content : folded(page.names[i], content, i == 0);
    }
    return html;
}

std::string landmark_parts(const LandmarkPage& page) {
    std::string html;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const LandmarkEvaluation& e = page.evaluations[i];
        const std::string of = page.evaluations.size() == 1 ? "" : page.names[i] + ": ";
        if (!e.by_region.empty()) html += folded(of + "by region", part_rows(e.by_region, "Region"));
        if (!e.by_point.empty()) html += folded(of + "by point", part_rows(e.by_point, "Point"));
    }
    return html;
}

std::string landmark_slices_section(const LandmarkPage& page) {
    const std::vector<LandmarkSlice>& first = page.evaluations[0].slices;
    std::string html;
    for (std::size_t begin = 0; begin < first.size();) {
        std::size_t end = begin;
        while (end < first.size() && first[end].by == first[begin].by) ++end;
        const bool width = first[begin].by == "face width";
        std::vector<HtmlColumn> columns{
            {width ? "Width in pixels" : first[begin].by, false}, {"Images"}, {"Faces"}};
        const bool single = page.evaluations.size() == 1;
        if (single) {
            columns.insert(columns.end(),
                           {{"Missed"}, {"Mean NME"}, {"Median NME"}, {"AUC@0.08"}, {"Failures > 0.08"}});
        } else {
            for (const std::string& name : page.names) columns.push_back({shortened(name, 36), true, name});
        }
        std::vector<HtmlRow> rows;
        for (std::size_t s = begin; s < end; ++s) {
            HtmlRow row{{escape_html(first[s].label)}, {grouped(first[s].images)}, {grouped(first[s].faces)}};
            if (single) {
                row.push_back({grouped(first[s].missed)});
                for (const Number& number : first[s].numbers) row.push_back(number_cell(number));
            }
            std::vector<const Number*> means;
            for (const LandmarkEvaluation& e : page.evaluations) {
                means.push_back(&number_of_key(e.slices[s].numbers, "mean"));
            }
            for (const Number* mean : means) {
                if (!single) row.push_back(number_cell(*mean, is_best(*mean, means)));
            }
            rows.push_back(std::move(row));
        }
        html += "<h3>By " + escape_html(first[begin].by) + (single ? "" : ": mean NME") + "</h3>\n" +
                table(columns, rows);
        begin = end;
    }
    return html;
}

std::string landmark_sensitivity_section(const LandmarkPage& page) {
    std::string texts;
    std::string tables;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        if (!page.evaluations[i].sensitivity) continue;
        const BoxSensitivity& sensitivity = *page.evaluations[i].sensitivity;
        const std::string of =
            page.evaluations.size() == 1 ? "" : "<b>" + escape_html(page.names[i]) + "</b>: ";
        texts +=
            "<p>" + of + escape_html(sensitivity_sentence(sensitivity)) +
            "</p>\n<p class=\"note\">The landmarks of " +
            escape_html(number_of(static_cast<long long>(sensitivity.faces), "face")) +
            " were found again in annotated boxes that were moved (" +
            number_of(sensitivity.options.draws, "random direction") +
            " for every shift) or resized. How steeply the error rises says how well a detector's boxes must "
            "fit: where a curve is flat, better boxes gain nothing. dlib's users report that a shift of "
            "5\u00A0% costs accuracy. NME by " +
            escape_html(normaliser_title(sensitivity.normaliser)) + ".</p>\n";
        tables += "<div class=\"columns sensitivity\">\n" +
                  levels_table(sensitivity.shifts, "Boxes moved", "Shift, share of the box") +
                  levels_table(sensitivity.scales, "Boxes resized", "Size, share of the box") + "</div>\n";
    }
    return texts.empty() ? texts : texts + charts(page.plots.sensitivity) + tables;
}

}  // namespace fovea::report
