#include "lib/bench/report/bench_report.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_page.hpp"
#include "lib/bench/report/bench_plots.hpp"
#include "lib/bench/report/bench_tables.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea::report {

void make_benchmark_folder(const std::filesystem::path& folder) {
    make_output_folder(folder, "benchmark");
    // A folder that exists may still refuse files; better to know before minutes of measurement.
    StagedFiles(folder).add("bench.json", {});
}

void write_benchmark_report(const std::filesystem::path& folder, const Json& json,
                            const DetectionBenchmark& benchmark) {
    make_benchmark_folder(folder);
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    files.add("bench.csv", benchmark_csv(benchmark));
    Report report = bench_report("Speed of detection",
                                 fmt::format("Measured: {}.", fmt::join(measured_names(benchmark), "; ")));
    report.sections.push_back({"numbers", "Numbers"});
    for (Table& table : benchmark_tables(benchmark)) report.sections.back().add(std::move(table));
    add_plots(report, benchmark_plots(benchmark));
    report.footer = "All times are in bench.json, and in bench.csv as a table.";
    publish_benchmark(files, folder, report, "bench");
}

}  // namespace fovea::report
