#include "lib/bench/report/archive_bench_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_scripts.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

std::string rate(double images_per_second) {
    if (images_per_second < 100) return fixed(images_per_second, 1);
    return grouped(static_cast<long long>(images_per_second + 0.5));
}

std::string mebibytes(std::uint64_t bytes) {
    return grouped(static_cast<long long>(bytes >> 20)) + " MiB";
}

bool has_limit(const ArchiveRowResult& result) {
    return result.limit && result.limit->images_per_second > 0 && !result.images_per_second.empty();
}

double share_of_limit(const ArchiveRowResult& result) {
    return result.median() / result.limit->images_per_second;
}

std::vector<std::string> speed_row(const ArchiveRowResult& result) {
    if (!result.not_run.empty()) return {result.row.work, "not run", "", "", "", "", "", "", ""};
    const TimeSummary rates = summarise_times(result.images_per_second);
    const bool limited = has_limit(result);
    return {result.row.work,
            rate(rates.median_ms),
            rate(rates.quartile_1_ms) + " - " + rate(rates.quartile_3_ms),
            limited ? rate(result.limit->images_per_second) : "-",
            limited ? percent(share_of_limit(result)) : "-",
            result.run.limit.empty() ? "-" : result.run.limit,
            energy_text(result.run),
            mebibytes(result.peak_memory_bytes),
            fixed(result.start_up_seconds, 2) + " s"};
}

Json speed_json(const ArchiveRowResult& result) {
    Json json{{"row", result.row.key}, {"work", result.row.work}};
    if (!result.not_run.empty()) {
        json["not_run"] = result.not_run;
        return json;
    }
    const TimeSummary rates = summarise_times(result.images_per_second);
    json["images_per_second"] = rates.median_ms;
    json["quartile_1"] = rates.quartile_1_ms;
    json["quartile_3"] = rates.quartile_3_ms;
    json["runs"] = result.images_per_second;
    json["megapixels_per_second"] = result.run.megapixels_per_second;
    if (result.limit) {
        json["limit"] = {{"of", result.limit->name}};
        if (has_limit(result)) {
            json["limit"]["images_per_second"] = result.limit->images_per_second;
            json["limit"]["share"] = share_of_limit(result);
        } else {
            json["limit"]["unavailable"] = result.limit->unavailable;
        }
    }
    json["images"] = result.run.images;
    json["detections_per_image"] =
        static_cast<double>(result.run.detections) / static_cast<double>(result.run.images);
    json["peak_memory_bytes"] = result.peak_memory_bytes;
    json["start_up_seconds"] = result.start_up_seconds;
    json["timings"] = result.run.timings;
    json["energy"] = result.run.energy;
    json["command"] = result.command;
    return json;
}

std::vector<const ArchiveRowResult*> plotted(const ArchiveBenchmark& benchmark) {
    std::vector<const ArchiveRowResult*> rows;
    for (const ArchiveRowResult& result : benchmark.rows) {
        if (has_limit(result)) rows.push_back(&result);
    }
    return rows;
}

// The share of its limit that each row reached, as bars.
DrawnPlot archive_plot(const ArchiveBenchmark& benchmark) {
    const std::vector<const ArchiveRowResult*> shown = plotted(benchmark);
    Names names;
    PlotScript bars, labels;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto row = static_cast<double>(i);
        names.push_back(shown[i]->row.work);
        bars += bar(0, 100 * share_of_limit(*shown[i]), row - 0.32, row + 0.32);
        labels += value_label(rate(shown[i]->median()) + "/s", i);
    }
    const PlotScript data = plot_script("bars");
    const PlotScript script =
        plot_script("set xlabel 'Images/s, share of decoding alone' tc rgb {}\n", palette::ink) +
        percent_axis(plot_script("x")) + rows_axis(names) + plot_script("set rmargin 12\n") + labels +
        data_block(data, bars) + plot_command({bars_plot(data, series_colour(0), "fovea detect")});
    return draw_plot("archive", "Photo archives",
                     "Images per second from JPEG files to results, as a share of the fastest decoder of the "
                     "machine alone.",
                     script, 0);
}

}  // namespace

TextTable archive_table(const ArchiveBenchmark& benchmark) {
    TextTable rows{
        {"work", "images/s", "quartiles", "limit", "of it", "held up by", "J/image", "memory", "start-up"}};
    for (const ArchiveRowResult& result : benchmark.rows) rows.push_back(speed_row(result));
    return rows;
}

std::string archive_verdicts(const ArchiveBenchmark& benchmark) {
    std::string text;
    for (const ArchiveRowResult& result : benchmark.rows) {
        if (!result.not_run.empty()) text += result.row.work + ": not run: " + result.not_run + "\n";
    }
    for (const ArchiveRowResult& result : benchmark.rows) {
        if (!result.limit) continue;
        text += fmt::format("limit of {}: {}\n", result.row.work,
                            has_limit(result) ? result.limit->name : result.limit->unavailable);
    }
    if (const auto& memory = benchmark.memory) {
        text += fmt::format("memory: {} at most, of {} allowed, with a TIFF of {}x{} among {}\n",
                            mebibytes(memory->peak_memory_bytes), mebibytes(MemoryResult::allowed_bytes),
                            memory->large.width, memory->large.height,
                            number_of(static_cast<long long>(memory->images) - 1, "thumbnail"));
    }
    if (const auto& kills = benchmark.kills) {
        text += fmt::format(
            "lost or doubled: {} of {} lines ({} each of {}), {} with other bytes; {} kills, {} of them with "
            "torn "
            "files, {} with "
            "work that stayed\n",
            kills->lost + kills->doubled, kills->images * static_cast<std::size_t>(kills->finished),
            kills->images, number_of(kills->finished, "job"), kills->different, kills->kills, kills->torn,
            kills->resumed);
    }
    return text;
}

Json archive_benchmark_json(const ArchiveBenchmark& benchmark) {
    Json json{{"rows", Json::array()}};
    for (const ArchiveRowResult& result : benchmark.rows) json["rows"].push_back(speed_json(result));
    if (const auto& memory = benchmark.memory) {
        json["memory"] = {{"peak_memory_bytes", memory->peak_memory_bytes},
                          {"allowed_bytes", MemoryResult::allowed_bytes},
                          {"seconds", memory->seconds},
                          {"images", memory->images},
                          {"large", {memory->large.width, memory->large.height}},
                          {"command", memory->command}};
    }
    if (const auto& kills = benchmark.kills) {
        json["kills"] = {{"kills", kills->kills},
                         {"torn", kills->torn},
                         {"resumed", kills->resumed},
                         {"finished", kills->finished},
                         {"images", kills->images},
                         {"lost", kills->lost},
                         {"doubled", kills->doubled},
                         {"different", kills->different},
                         {"uninterrupted_seconds", kills->uninterrupted_seconds}};
    }
    json["interrupted"] = benchmark.interrupted;
    json["passed"] = benchmark.passed();
    return json;
}

void write_archive_benchmark(const std::filesystem::path& folder, const Json& json,
                             const ArchiveBenchmark& benchmark, const std::string& machine) {
    make_output_folder(folder, "benchmark");
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    std::string markdown = "# Photo archives\n\n" + escape_markdown("Measured on " + machine + ".") + "\n";
    if (!benchmark.rows.empty()) {
        MarkdownRows cells = archive_table(benchmark);
        for (std::vector<std::string>& row : cells) {
            for (std::string& cell : row) cell = escape_markdown(cell);
        }
        markdown += "\n" + markdown_table(cells);
    }
    std::string verdicts = archive_verdicts(benchmark);
    while (!verdicts.empty()) {
        const std::size_t end = verdicts.find('\n');
        markdown += "\n" + escape_markdown(verdicts.substr(0, end)) + "\n";
        verdicts.erase(0, end + 1);
    }
    files.add("table.md", markdown);
    if (!plotted(benchmark).empty()) add_plot_files(files, {archive_plot(benchmark)});
    files.publish_report("bench");
}

}  // namespace fovea::report
