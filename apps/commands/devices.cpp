#include <optional>
#include <sstream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/device_inventory.hpp"
#include "lib/bench/jpeg_rate.hpp"
#include "lib/bench/measure_devices.hpp"
#include "lib/core/threads.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* devices_footer = R"(Examples:
  fovea devices --json | jq .cuda
  fovea devices --measure
  fovea devices --measure --image photo.jpg --json > figures.json

--measure takes some seconds for the CPU and for each GPU. It prints the median of each figure, the
quartiles, and the part of the program that the figure limits. Copies in memory count the bytes read
and the bytes written. GB/s are 10^9 bytes per second.)";

/// Repetitions with --quick.
constexpr int quick_repeat = 3;

struct DevicesFlags {
    bool measure = false;
    bool quick = false;
    std::optional<int> repeat;
    std::string image;
};

// Three digits are what repetitions agree on.
std::string number(double value) {
    return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : (value < 99.95 ? 1 : 0));
}

std::string figures_table(const std::vector<Figure>& figures) {
    std::vector<std::vector<std::string>> rows{{"", "median", "quartiles", "unit"}};
    for (const Figure& figure : figures) {
        rows.push_back({fmt::format("{:<7} {}", figure.device, figure.title), number(figure.median),
                        number(figure.quartile_1) + " - " + number(figure.quartile_3), figure.unit});
    }
    // The part of the program that a figure limits stands behind its row, flush left.
    std::istringstream lines(format_table(rows));
    std::string text, line;
    std::getline(lines, line);
    text += line + "  bounds\n";
    for (const Figure& figure : figures) {
        std::getline(lines, line);
        text += line + "  " + figure.bounds + "\n";
    }
    return text;
}

Json measurements_json(const Measurements& measurements, const MeasureRequest& request) {
    Json json;
    json["quick"] = request.quick;
    json["jpeg"] = measurements.jpeg;
    json["host_simd"] = measurements.host_simd;
    json["figures"] = Json::array();
    for (const Figure& figure : measurements.figures) json["figures"].push_back(figure_json(figure));
    json["notes"] = measurements.notes;
    return json;
}

std::string describe_measurements(const Measurements& measurements, const MeasureRequest& request) {
    std::string text = "\n" + figures_table(measurements.figures);
    text += "JPEG: " + measurements.jpeg + "; 32-bit operations of the CPU: " + measurements.host_simd + "\n";
    for (const std::string& note : measurements.notes) text += note + "\n";
    if (request.quick) text += "--quick: small amounts of work; do not quote these figures\n";
    return text;
}

ExitCode devices(const DevicesFlags& flags, Console& console) {
    // An image that cannot be decoded is refused before anything is shown.
    if (!flags.image.empty()) read_jpeg_sample(flags.image);
    Json json = device_inventory();
    // Shown at once: what there is does not depend on whether all of it can be measured.
    console.print_summary(describe_inventory(json));
    if (flags.measure) {
        MeasureRequest request;
        request.quick = flags.quick;
        request.repeat = flags.repeat.value_or(flags.quick ? quick_repeat : request.repeat);
        request.threads = resolve_threads(0);
        request.image = flags.image;
        request.stage = [&](const std::string& name) { console.stage(name); };
        const Measurements measurements = measure_devices(request);
        console.clear_progress();
        json["measurements"] = measurements_json(measurements, request);
        console.print_summary(describe_measurements(measurements, request));
    }
    console.print_json(json);
    return ExitCode::done;
}

}  // namespace

Command add_devices_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("devices", "Show the CPU, the GPUs and the libraries in use");
    auto flags = std::make_shared<DevicesFlags>();
    app->footer(devices_footer);
    CLI::Option* measure =
        app->add_flag("--measure", flags->measure, "Measure what bounds the program: memories, links, units")
            ->group("Measurement");
    app->add_option("--repeat", flags->repeat,
                    fmt::format("Repetitions of each measurement (default {}; with --quick {})",
                                MeasureRequest{}.repeat, quick_repeat))
        ->check(CLI::Range(1, 100000))
        ->type_name("N")
        ->needs(measure)
        ->group("Measurement");
    app->add_option("--image", flags->image, "JPEG to measure decoding with (default: a synthetic one)")
        ->type_name("FILE")
        ->needs(measure)
        ->group("Measurement");
    app->add_flag("--quick", flags->quick, "Little work: to see that all can be measured, not how fast it is")
        ->needs(measure)
        ->group("Measurement");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return devices(*flags, console); }};
}

}  // namespace fovea
