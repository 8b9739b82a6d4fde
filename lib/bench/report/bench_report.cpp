#include "lib/bench/report/bench_report.hpp"

#include <string>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_plots.hpp"
#include "lib/files/file.hpp"
#include "lib/files/staged_files.hpp"
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
    // Pictures of an earlier benchmark must not stand beside these numbers.
    const auto publish = [&] {
        for (const std::string& stem : benchmark_plot_stems()) {
            for (const char* extension : {".svg", ".pdf"}) {
                remove_file(folder / (stem + extension));
            }
        }
        files.publish();
    };
    try {
        add_plot_files(files, benchmark_plots(benchmark));
    } catch (...) {
        publish();
        throw;
    }
    publish();
}

}  // namespace fovea::report
