#include "lib/report/stored/trend.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/results_flags.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/json/json.hpp"
#include "lib/report/comparison/trend_report.hpp"
#include "lib/report/page/late_report.hpp"

namespace fovea {
namespace {

constexpr const char* trend_footer = R"(Examples:
  fovea trend reports/ --out trend/
  fovea trend reports/2026-11-*/ --metric ap --metric wild.recall@16fp
  fovea trend $(git log --reverse --format=reports/%h)

RUNS are reports, or one folder that holds a folder with a report.json for each run, in the natural
order of their names: begin them with the date, as 2026-11-02-4f1c2d7. A report of other images or another
protocol than the newest is left out, with a sentence; the exit code is 3 if one cannot be read.)";

constexpr std::size_t max_runs_printed = 20;

struct TrendFlags {
    TrendRequest request;
    std::optional<std::string> out;
    bool overwrite = false;
    std::string title;
    std::optional<UnreadableLimit> max_unreadable;
    std::optional<int> threads;
};

ExitCode trend_command(const TrendFlags& flags, Console& console) {
    TrendRequest request = flags.request;
    const Json work{{"of", request.folders}, {"metrics", request.metrics}};
    if (flags.out) {
        request.out = *flags.out;
        check_output_folder(request.out, "--out");
        refuse_other_report(request.out / "trend.json", work, flags.overwrite);
    }
    console.stage("reading the runs");
    request.progress = [&](std::size_t done, std::size_t all) { console.progress({done, all, 0}); };
    ThreadLimit threads(flags.threads.value_or(0));
    Trend trend;
    threads.run([&] { trend = read_trend(request); });
    console.clear_progress();
    std::size_t unreadable = 0;
    for (const RunLeftOut& run : trend.left_out) {
        unreadable += run.is_unreadable ? 1 : 0;
        spdlog::warn("{} is left out: {}", run.run, run.reason);
    }
    for (const std::string& warning : trend.warnings) spdlog::warn("{}", warning);
    if (unreadable > 0) spdlog::warn("{} could not be read", counted(unreadable, "report"));
    const ExitCode code = with_max_unreadable(unreadable > 0 ? ExitCode::inputs_skipped : ExitCode::done,
                                              {unreadable, request.folders.size()}, flags.max_unreadable);

    std::string text = format_tables(trend_tables(trend, max_runs_printed)) + trend_sentence(trend) + "\n";
    Json json = trend_to_json(trend);
    LateReport written;
    if (flags.out) {
        InputFiles inputs;
        for (const std::string& run : request.folders) add_inputs_of_report(run, inputs);
        threads.run([&] {
            written.write([&] {
                return write_trend_report({request.out, inputs}, trend, flags.title, work);
            });
        });
    }
    if (written.page) {
        text += "report: " + written.page->string() + "\n";
        json["report"] = written.page->string();
    }
    console.print_summary(text);
    json["command"] = "trend";
    json["exit_code"] = static_cast<int>(written.code(code));
    console.print_json(json);
    written.rethrow();
    return code;
}

}  // namespace

Command add_trend_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("trend", "Show the numbers of many runs over time: lines, changes");
    auto flags = std::make_shared<TrendFlags>();
    app->footer(trend_footer);
    app->add_option("RUNS", flags->request.folders, "Reports in order, or one folder with a folder for each")
        ->type_name("")
        ->required();
    app->add_option(
           "--metric", flags->request.metrics,
           "Show this number, e.g. ap, recall@16fp or wild.ap; may be repeated (default: the headline "
           "numbers)")
        ->type_name("KEY")
        ->group("Comparison");
    add_resample_flags(*app, flags->request.resamples, flags->request.seed);
    add_max_unreadable_flag(*app, flags->max_unreadable, "Advanced");
    app->add_option("--title", flags->title, "Title of the page")->type_name("TEXT")->group("Advanced");
    app->add_option("--out,-o", flags->out,
                    "Folder for trend.html, trend.json, trend.csv, trend.md and plots")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a trend of other runs");
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return trend_command(*flags, console); }};
}

}  // namespace fovea
