#include "apps/options/bench_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/report/plots/gnuplot.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* default_photographs = "/usr/share/doc/libdlib19.1/examples/faces";
constexpr std::size_t max_sources = 64;

}  // namespace

std::string machine_of(const DetectionDevice& device) {
    std::string text = counted(std::thread::hardware_concurrency(), "core") + " of this machine";
    if (!device.is_cuda()) return text;
    for (const CudaDeviceInfo& info : cuda_devices()) {
        if (std::find(device.gpus.begin(), device.gpus.end(), info.index) != device.gpus.end())
            text += " and cuda:" + std::to_string(info.index) + " (" + info.name + ")";
    }
    return text;
}

std::vector<Size> parse_sizes(const std::string& text, const std::string& flag) {
    if (text == "tek") return {{320, 240}, {640, 480}, {720, 540}, {1280, 720}, {1920, 1080}};
    std::vector<Size> sizes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const Size size = parse_size(text.substr(at, end - at), flag);
        // One that is named twice counts once: it would be the same measurement.
        if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
        at = end + 1;
    }
    return sizes;
}

void add_bench_output_flags(CLI::App& app, BenchOutput& output) {
    app.add_option("--out,-o", output.out,
                   "Folder for bench.html, bench.md, bench.json, CSV files and plots (SVG)")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(app, output.overwrite, "a benchmark");
}

void prepare_benchmark_folder(const BenchOutput& output) {
    if (!output.out) return;
    if (output.out->empty() || *output.out == "-") throw UsageError("--out must name a folder");
    const fs::path folder = *output.out;
    refuse_to_replace(folder / "bench.json", output.overwrite);
    report::make_benchmark_folder({folder, output.inputs});
    report::require_gnuplot();
}

ExitCode show_benchmark(Console& console, const BenchOutput& output, const BenchOutcome& outcome) {
    console.clear_progress();
    const report::BenchRecord& record = outcome.record;
    Json json{{"command", outcome.command}, {"exit_code", static_cast<int>(outcome.code)}};
    json.update(outcome.head);
    json.update(report::bench_json(record));
    std::string text = outcome.headline + format_tables(report::bench_tables(record)) + "\n";
    for (const std::string& note : record.notes) text += note + "\n";
    text += outcome.verdict;
    if (record.interrupted) text += "interrupted: this is what was measured until then\n";
    LateReport report;
    if (output.out)
        report.write([&] { return report::write_benchmark({*output.out, output.inputs}, json, record); });
    if (report.page) {
        text += "report: " + report.page->string() + "\n";
        json["report"] = report.page->string();
    }
    json["exit_code"] = static_cast<int>(report.code(outcome.code));
    console.print_summary(text);
    console.print_json(json);
    report.rethrow();
    return outcome.code;
}

BenchWorkFolder::BenchWorkFolder(const std::optional<std::string>& given, const std::string& name)
    : is_temporary_(!given) {
    if (given) {
        if (given->empty()) throw UsageError("--work names no folder");
        path_ = fs::path(*given) / name;
        return;
    }
    std::string made = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(made.data()) == nullptr)
        throw Error("cannot make the folder " + made + "; name one with --work");
    path_ = made;
}

BenchWorkFolder::~BenchWorkFolder() {
    std::error_code none;
    if (is_temporary_) fs::remove_all(path_, none);
}

void add_archive_photographs(CLI::App& app, ArchivePhotographs& photographs) {
    app.add_option(
           "IMAGES", photographs.images,
           fmt::format("Photographs to make the archives of: image files, or a folder, list or dataset "
                       "(FORMAT:PATH); up to {} are used (default: those of Debian's libdlib19.1)",
                       max_sources))
        ->type_name("");
    add_dataset_flags(app, photographs.dataset);
}

std::vector<ArchiveSource> read_sources(const ArchivePhotographs& photographs) {
    RunConfig config;
    std::vector<std::string> images = photographs.images;
    if (images.empty()) {
        if (!fs::is_directory(default_photographs)) {
            throw UsageError(std::string("name photographs to make archives of: there is no ") +
                             default_photographs + " (of Debian's libdlib19.1)");
        }
        images = {default_photographs};
    }
    set_images(images, config.dataset);
    apply(photographs.dataset, config.dataset);
    config.detectors.emplace_back().model = default_model;
    finish_config(config);
    const std::vector<LoadedDetector> detectors =
        load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
    return read_archive_sources(read_configured_dataset(config.dataset), *detectors[0].detector,
                                detectors[0].config.options, max_sources);
}

}  // namespace fovea
