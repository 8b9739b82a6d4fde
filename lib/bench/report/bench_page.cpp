#include "lib/bench/report/bench_page.hpp"

#include <cmath>

#include "lib/report/page/report_part.hpp"

namespace fovea::report {

Cell rate_cell(double per_second) {
    return per_second < 100 ? value_cell(per_second, 1) : count_cell(std::round(per_second));
}

Cell ms_cell(double ms) {
    return value_cell(ms, ms < 1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : 1);
}

Report bench_report(const std::string& title, const std::string& sentence) {
    Report report;
    report.title = title;
    report.lead = {{Run::plain(sentence)}};
    return report;
}

void add_table(Report& report, const std::string& id, const std::string& title, Table table,
               const std::string& note) {
    table.note = note;
    report.sections.push_back({id, title});
    report.sections.back().add(std::move(table));
}

void add_list(Report& report, const std::string& id, const std::string& title,
              const std::vector<std::string>& sentences) {
    if (!sentences.empty()) report.sections.push_back({id, title, {List{sentences}}});
}

void add_plots(Report& report, std::vector<Plot> plots) {
    report.sections.push_back({"plots", "Plots"});
    report.sections.back().add(std::move(plots));
}

std::filesystem::path publish_benchmark(StagedFiles& files, const std::filesystem::path& folder,
                                        const Report& report, const std::string& stem) {
    try {
        add_report_files(files, report, stem);
    } catch (...) {
        files.publish_report("bench");
        throw;
    }
    files.publish_report("bench");
    return folder / (stem + ".html");
}

}  // namespace fovea::report
