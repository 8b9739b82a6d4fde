#include "lib/report/model/report.hpp"

#include <algorithm>
#include <iterator>

namespace fovea::report {
namespace {

void collect_plots(const std::vector<Section>& sections, std::vector<const Plot*>& plots) {
    for (const Section& section : sections) {
        for (const Block& block : section.blocks) {
            if (const auto* plot = std::get_if<Plot>(&block)) plots.push_back(plot);
        }
        collect_plots(section.sections, plots);
    }
}

}  // namespace

Definitions definitions_of(const Numbers& numbers) {
    Definitions definitions;
    for (const Number& number : numbers)
        definitions.items.push_back({number.quantity.name, number.quantity.definition});
    return definitions;
}

Tile number_tile(const Number& number, const Decimals& decimals) {
    return {number.quantity.name, value_text(number, decimals), interval_text(number, decimals),
            number.quantity.definition};
}

void Section::add(Table table) {
    if (!table.rows.empty()) blocks.push_back(std::move(table));
}

void Section::add(std::vector<Plot> plots) {
    for (Plot& plot : plots) blocks.push_back(std::move(plot));
}

void add_by_rival(Section& section, const std::vector<std::string>& names, std::vector<Section> of_each) {
    bool is_first = true;
    for (std::size_t i = 0; i < of_each.size(); ++i) {
        Section& one = of_each[i];
        if (names.size() == 1) {
            std::move(one.blocks.begin(), one.blocks.end(), std::back_inserter(section.blocks));
            std::move(one.sections.begin(), one.sections.end(), std::back_inserter(section.sections));
        } else if (!one.is_empty()) {
            one.id = section.id + "-" + std::to_string(i + 1);
            one.title = names[i];
            one.fold = is_first ? Fold::open : Fold::closed;
            is_first = false;
            section.sections.push_back(std::move(one));
        }
    }
}

std::vector<const Plot*> plots_of(const Report& report) {
    std::vector<const Plot*> plots;
    collect_plots(report.headline, plots);
    collect_plots(report.sections, plots);
    return plots;
}

}  // namespace fovea::report
