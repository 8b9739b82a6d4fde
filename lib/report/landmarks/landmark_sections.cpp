#include <span>

#include "lib/core/text.hpp"
#include "lib/report/landmarks/landmark_content.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/model/number_tables.hpp"

namespace fovea::report {
namespace {

/// A row for each item: cells of its own, then its numbers.
template <class Items, class OwnCells>
Table errors_table(std::string title, std::vector<Column> columns, const Items& items, OwnCells own_cells) {
    Table table{.title = std::move(title), .columns = std::move(columns)};
    for (const auto& item : items) {
        std::vector<Cell> row = own_cells(item);
        for (const Number& number : item.numbers) {
            const Quantity& quantity = number.quantity;
            const bool is_average = quantity.key == "mean" || quantity.key == "median";
            if (table.rows.empty())
                table.columns.push_back({quantity.name + (is_average ? " NME" : ""), quantity.definition});
            row.push_back(number_cell(number, landmark_decimals));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The numbers of some lists; what they mean stands among the report's definitions.
Table numbers_table(const std::string& title, const std::vector<std::string>& names, const NumberLists& lists,
                    const Decimals& decimals = landmark_decimals) {
    Table table = numbers_by_rival(names, lists, decimals, names[0]);
    table.title = title;
    return table;
}

Cell optional_cell(const std::optional<double>& value) {
    return value ? value_cell(*value, landmark_decimals.others) : Cell("–");
}

/// The numbers that `pick` takes from every landmarker.
template <class Pick>
NumberLists lists_of(const LandmarkersCompared& of, Pick pick) {
    NumberLists lists;
    for (const LandmarkEvaluation& e : of.evaluations) lists.push_back(&pick(e));
    return lists;
}

Table part_table(const std::vector<PartError>& parts, const std::string& header) {
    struct PartColumn {
        const char* title;
        const char* definition;
        Cell (*cell)(const PartError& part);
    };
    static constexpr PartColumn shown[] = {
        {"Quartiles", "",
         [](const PartError& p) {
             Cell cell(fixed(p.lower_quartile, 4) + "–" + fixed(p.upper_quartile, 4));
             cell.value = p.upper_quartile;
             return cell;
         }},
        {"Upper whisker", "the largest within 1.5 interquartile ranges of the quartiles",
         [](const PartError& p) { return value_cell(p.upper_whisker, 4); }},
        {"Outliers", "faces beyond the whiskers", [](const PartError& p) { return count_cell(p.outliers); }},
        {"Largest", "", [](const PartError& p) { return value_cell(p.largest, 4); }},
    };
    Table table = errors_table("", {words(header)}, parts,
                               [](const PartError& part) { return std::vector<Cell>{part.title}; });
    for (const PartColumn& column : shown) {
        std::vector<Cell> cells;
        for (const PartError& part : parts) cells.push_back(column.cell(part));
        add_column(table, {column.title, column.definition}, std::move(cells));
    }
    table.is_sortable = true;
    return table;
}

/// Slices of one kind: every number of a single landmarker, the mean errors of several.
Table slices_table(const LandmarkersCompared& of, std::size_t begin, std::size_t end) {
    const std::span<const LandmarkSlice> slices(of.evaluations[0].slices);
    const std::string& by = slices[begin].by;
    Table table{.title = "By " + by + (of.is_single() ? "" : ": mean NME"),
                .columns = {words(by == "face width" ? "Width in pixels" : by), {"Images"}, {"Faces"}}};
    if (of.is_single()) {
        table.columns.push_back({"Missed"});
        return errors_table(table.title, table.columns, slices.subspan(begin, end - begin),
                            [](const LandmarkSlice& slice) {
                                return std::vector<Cell>{slice.label, count_cell(slice.images),
                                                         count_cell(slice.faces), count_cell(slice.missed)};
                            });
    }
    table.rivals = Rivals::columns;
    for (const std::string& name : of.names) table.columns.push_back({shortened(name, 36), name});
    for (std::size_t s = begin; s < end; ++s) {
        std::vector<Cell> row{slices[s].label, count_cell(slices[s].images), count_cell(slices[s].faces)};
        for (const LandmarkEvaluation& e : of.evaluations)
            row.push_back(number_cell(number_of_key(e.slices[s].numbers, "mean"), landmark_decimals));
        table.rows.push_back(std::move(row));
    }
    return table;
}

// --- over time --------------------------------------------------------------------------------------

Table motion_table(const LandmarkersCompared& of, const std::string& title,
                   Numbers LandmarksOverTime::*numbers) {
    Table table = rivals_by_number(
        "Landmarker", of.names,
        lists_of(of, [&](const LandmarkEvaluation& e) -> const Numbers& { return (*e.over_time).*numbers; }),
        {}, landmark_decimals);
    table.title = title;
    std::vector<Cell> steps;
    for (const LandmarkEvaluation& e : of.evaluations) steps.push_back(count_cell(e.over_time->steps));
    add_column(table, {"Steps", "faces found in a frame and the one before"}, std::move(steps));
    return table;
}

Table drift_table(const LandmarksOverTime& over_time, const std::string& prefix) {
    return errors_table(prefix + "Errors by the frames since the last detection",
                        {{"Frames since the last detection"}, {"Faces"}}, over_time.drift,
                        [](const LandmarkDrift& group) {
                            Cell followed((group.and_more ? "≥ " : "") + std::to_string(group.followed));
                            followed.value = group.followed;
                            return std::vector<Cell>{followed, count_cell(group.faces)};
                        });
}

Table category_table(const LandmarksOverTime& over_time) {
    return errors_table("Errors of each category of videos",
                        {words("Category"), {"Videos"}, {"Faces"}, {"Missed"}}, over_time.categories,
                        [](const LandmarkCategory& category) {
                            return std::vector<Cell>{category.name, count_cell(category.videos),
                                                     count_cell(category.faces), count_cell(category.missed)};
                        });
}

Table video_table(const LandmarksOverTime& over_time) {
    Table table{.title = "Errors of each video",
                .columns = {words("Video"),
                            words("Category"),
                            {"Faces"},
                            {"Missed"},
                            {"Mean NME"},
                            {"Failures > 0.08"},
                            {"Mean jitter"}},
                .is_sortable = true};
    for (const LandmarkVideo& video : over_time.videos)
        table.rows.push_back({video.name, video.category, count_cell(video.faces), count_cell(video.missed),
                              optional_cell(video.mean), share_cell(video.failure_rate),
                              optional_cell(video.jitter)});
    return table;
}

}  // namespace

Section normalisers_section(const LandmarkersCompared& of) {
    Section section{"normalisers", "Normalisers"};
    std::vector<std::string> titles;
    NumberLists of_first;
    for (const NormalisedError& error : of.evaluations[0].nme) {
        titles.push_back("NME by " + normaliser_title(error.normaliser));
        of_first.push_back(&error.numbers);
    }
    if (of.is_single()) {
        Table table = numbers_table("Errors by each length that divides them", titles, of_first);
        table.rivals = Rivals::none;
        for (std::size_t n = 0; n < titles.size(); ++n)
            table.columns[n + 1].definition = normaliser_description(of.evaluations[0].nme[n].normaliser);
        section.add(std::move(table));
    }
    for (std::size_t n = 0; n < titles.size() && !of.is_single(); ++n) {
        section.add(numbers_table(titles[n], of.names,
                                  lists_of(of, [n](const LandmarkEvaluation& e) -> const Numbers& {
                                      return e.nme.at(n).numbers;
                                  })));
    }
    Table pixels = numbers_table(
        "Mean distance in pixels", of.names,
        lists_of(of, [](const LandmarkEvaluation& e) -> const Numbers& { return e.pixels; }), {1, 2});
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        const LandmarkEvaluation& e = of.evaluations[i];
        if (e.helf_as_printed.empty() || e.faces_found == 0) continue;
        pixels.note += (pixels.note.empty() ? "" : " ") + of.prefix_of(i) +
                       "Helf 2018, equation 5.2, mean: as printed " +
                       fixed(number_of_key(e.helf_as_printed, "mean").value.value_or(0), 5) +
                       " (the root spans the sum), as evidently meant the mean by outer eye corners.";
    }
    section.add(std::move(pixels));
    return section;
}

Section parts_section(const LandmarkersCompared& of) {
    Section section{"parts", "Points and regions"};
    section.add(part_plots(of));
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        const LandmarkEvaluation& e = of.evaluations[i];
        const auto add = [&](const char* kind, const std::vector<PartError>& parts, const char* header,
                             Fold fold) {
            Section one{kind + ("-" + std::to_string(i + 1)), of.prefix_of(i) + "by " + kind};
            one.fold = fold;
            one.add(part_table(parts, header));
            if (!one.is_empty()) section.sections.push_back(std::move(one));
        };
        add("region", e.by_region, "Region", Fold::open);
        add("point", e.by_point, "Point", Fold::closed);
    }
    return section;
}

Section landmark_slices_section(const LandmarkersCompared& of) {
    const std::vector<LandmarkSlice>& slices = of.evaluations[0].slices;
    Section section{"slices", "Slices"};
    for (std::size_t begin = 0, end = 0; begin < slices.size(); begin = end) {
        while (end < slices.size() && slices[end].by == slices[begin].by) ++end;
        section.add(slices_table(of, begin, end));
    }
    return section;
}

Section landmark_time_section(const LandmarkersCompared& of) {
    Section section{"over-time", "Over time"};
    if (!of.evaluations[0].over_time) return section;
    section.add(landmark_time_plots(of));
    const std::string& units = of.evaluations[0].over_time->units;
    Table jitter =
        motion_table(of, "Jitter: movement of the points against the true ones, from frame to frame",
                     &LandmarksOverTime::jitter);
    if (!units.empty()) jitter.note = "Intervals are of 95\u00A0%, by a bootstrap over " + units + ".";
    section.add(std::move(jitter));
    section.add(
        motion_table(of, "Movement of the true points from frame to frame", &LandmarksOverTime::true_motion));
    std::vector<Section> of_each(of.evaluations.size());
    for (std::size_t i = 0; i < of_each.size(); ++i) {
        const LandmarksOverTime& over_time = *of.evaluations[i].over_time;
        section.add(drift_table(over_time, of.prefix_of(i)));
        of_each[i].add(category_table(over_time));
        of_each[i].add(video_table(over_time));
    }
    add_by_rival(section, of.names, std::move(of_each));
    return section;
}

}  // namespace fovea::report
