#include "tests/lab/boxes/box_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

constexpr Decimals nme_decimals{1, 4};

/// \param amount the shift or the scale
std::vector<BenchField<JitterLevel>> level_fields(const char* amount,
                                                  const std::vector<JitterLevel>& levels) {
    std::vector<BenchField<JitterLevel>> fields{
        {amount,
         {amount, "share of the box"},
         [](const JitterLevel& level) {
             Cell cell(shortest_number(std::round(1e6 * level.amount) / 1e4) + "\u00A0%");
             cell.value = level.amount;
             return exact_value(level.amount, std::move(cell));
         }},
        {"boxes", {"boxes"}, [](const JitterLevel& level) { return count_value(level.boxes); }}};
    for (std::size_t i = 0; !levels.empty() && i < levels[0].numbers.size(); ++i) {
        const Quantity& quantity = levels[0].numbers[i].quantity;
        fields.push_back({quantity.key, {quantity.name, quantity.definition}, [i](const JitterLevel& level) {
                              const Number& number = level.numbers[i];
                              if (!number.value) return BenchValue{};
                              return exact_value(*number.value, number_cell(number, nme_decimals));
                          }});
        for (const std::size_t end : {0u, 1u}) {
            fields.push_back({quantity.key + (end == 0 ? "_ci95_low" : "_ci95_high"),
                              {},
                              [i, end](const JitterLevel& level) {
                                  const auto& ci95 = level.numbers[i].ci95;
                                  return ci95 ? exact_value((*ci95)[end]) : BenchValue{};
                              }});
        }
    }
    return fields;
}

/// Mean, with its interval, and median by level.
Plot level_plot(Plot plot, const std::vector<JitterLevel>& levels) {
    const std::vector<std::string> names{"mean", "median"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        Series series = rival_series(names, i, Mark::line_dots);
        for (const JitterLevel& level : levels) {
            const Number& number = number_of_key(level.numbers, names[i]);
            if (number.value) series.points.push_back({level.amount, *number.value});
            if (i == 0 && number.ci95)
                series.band.push_back({level.amount, (*number.ci95)[0], (*number.ci95)[1]});
        }
        if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
    return plot;
}

double highest(const std::vector<Plot>& plots) {
    double top = 0;
    for (const Plot& plot : plots) {
        for (const Series& series : plot.series) {
            for (const PlotPoint& point : series.points) top = std::max(top, point.y);
            for (const BandPlace& place : series.band) top = std::max(top, place.high);
        }
    }
    return top;
}

std::vector<Plot> level_plots(const BoxSensitivity& sensitivity) {
    const std::string shade = " The shade is the 95\u00A0% interval of the mean (bootstrap over images).";
    std::vector<Plot> plots{
        level_plot(
            {"boxes_shift",
             "Boxes moved",
             "Error where annotated boxes are moved in random directions before landmarks are found." + shade,
             {.label = "Shift, % of the box", .is_share = true}},
            sensitivity.shifts),
        level_plot(
            {"boxes_scale",
             "Boxes resized",
             "Error where annotated boxes are resized about their centre before landmarks are found." + shade,
             {.label = "Size, % of the box", .is_share = true}},
            sensitivity.scales)};
    std::erase_if(plots, [](const Plot& plot) { return plot.series.empty(); });
    const double top = highest(plots);
    for (Plot& plot : plots) {
        plot.y = {.label = "NME by " + normaliser_title(sensitivity.normaliser),
                  .min = 0,
                  .max = top > 0 ? 1.06 * top : 1};
    }
    return plots;
}

}  // namespace

BenchRecord box_record(const BoxSensitivity& sensitivity, const std::string& machine) {
    const std::string note = "NME by " + normaliser_title(sensitivity.normaliser) + ".";
    BenchRecord record{
        "Landmarks in boxes that are off",
        "The landmarks of " + counted(sensitivity.faces, "face") +
            " were found in annotated boxes that were moved (" +
            counted(static_cast<std::size_t>(sensitivity.options.draws), "random direction") +
            " for every shift) or resized. How steeply the error rises says how well a detector's boxes must "
            "fit: where a curve is flat, better boxes gain nothing. Measured on " +
            machine + ".",
        {list_of({"shifts", "Boxes moved", note}, level_fields("shift", sensitivity.shifts),
                 sensitivity.shifts),
         list_of({"scales", "Boxes resized", note}, level_fields("scale", sensitivity.scales),
                 sensitivity.scales)}};
    if (const std::string sentence = sensitivity_sentence(sensitivity); !sentence.empty())
        record.notes.push_back(sentence);
    record.plots = level_plots(sensitivity);
    return record;
}

}  // namespace fovea::report
