#include <iostream>
#include <map>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/status/job_status.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* status_footer = R"(Examples:
  fovea status parts/
  fovea status part-*.jsonl --each
  fovea status parts/ --metrics /var/lib/node_exporter/fovea.prom

Reads the journals and manifests of the parts of a job, while they run or later, from any machine that
sees the files. Nothing is locked or changed. A part runs if its files were written to within the time
that --stale allows. A part is missing if another one names it and nothing is there of it.

The indices to send again count from 0, as those of the arrays that --shard auto/N takes.)";

struct StatusFlags {
    std::vector<std::string> parts;
    int stale = 60;
    bool each = false;
    std::string metrics;
    bool overwrite = false;
};

std::string in_count(std::size_t count) {
    return grouped(static_cast<long long>(count));
}

/// "node1 3 parts, 1,200 images/s; node2 1 part, 380 images/s"
std::string hosts_text(const JobStatus& status) {
    struct Host {
        std::size_t parts = 0;
        double speed = 0;
    };
    std::map<std::string, Host> hosts;
    for (const PartStatus& part : status.parts) {
        if (part.state != PartState::running || part.host.empty()) continue;
        ++hosts[part.host].parts;
        hosts[part.host].speed += part.images_per_second;
    }
    std::string text;
    for (const auto& [name, host] : hosts) {
        text += fmt::format("{}{} {}, {:.3g} images/s", text.empty() ? "" : "; ", name,
                            counted(host.parts, "part"), host.speed);
    }
    return text;
}

std::string reasons_text(const JobStatus& status) {
    constexpr std::size_t shown = 5;
    std::vector<std::pair<std::size_t, std::string>> reasons;
    for (const auto& [reason, images] : status.reasons()) reasons.emplace_back(images, reason);
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (std::size_t i = 0; i < reasons.size() && i < shown; ++i)
        text += fmt::format("{}{} {}", i > 0 ? "; " : "", in_count(reasons[i].first), reasons[i].second);
    if (reasons.size() > shown)
        text += fmt::format("; and {}", counted(reasons.size() - shown, "more reason"));
    return text;
}

std::string summary(const JobStatus& status) {
    std::string states;
    for (const PartState state : part_states) {
        if (const std::size_t count = status.count(state))
            states += fmt::format("{}{} {}", states.empty() ? "" : ", ", in_count(count), to_string(state));
    }
    std::string text = fmt::format("{}: {}\n", counted(status.parts.size(), "part"), states);
    const std::size_t done = status.images_done();
    text += fmt::format("images done: {}", in_count(done));
    if (status.images_of_job > 0) {
        text += fmt::format(" of {} ({:.1f} %)", in_count(status.images_of_job),
                            100.0 * static_cast<double>(done) / static_cast<double>(status.images_of_job));
    }
    text += fmt::format(", {} unreadable\n", in_count(status.unreadable()));
    if (const std::string reasons = reasons_text(status); !reasons.empty())
        text += "unreadable: " + reasons + "\n";
    if (const std::optional<double> left = status.seconds_left())
        text += fmt::format("speed: {:.4g} images/s, {} left\n", status.images_per_second(),
                            format_duration(*left));
    if (const std::string hosts = hosts_text(status); !hosts.empty()) text += "hosts: " + hosts + "\n";
    if (status.joules() > 0)
        text += fmt::format("energy of complete parts: {:.4g} kJ\n", status.joules() / 1000);
    for (const PartStatus& part : status.parts) {
        if (part.state == PartState::failed)
            text += fmt::format("failed: {}: {}\n", part.results.string(), part.error);
    }
    if (const std::vector<int> again = status.to_send_again(); !again.empty())
        text += "to send again: --array=" + array_expression(ranges_of(again)) + "\n";
    return text;
}

std::string table_of_parts(const JobStatus& status) {
    std::vector<std::vector<std::string>> rows{
        {"part", "state", "done", "images", "unreadable", "images/s", "quiet", "host"}};
    for (const PartStatus& part : status.parts) {
        const bool is_there = part.state != PartState::missing;
        rows.push_back({part.shard ? to_string(*part.shard) : part.results.string(),
                        std::string(to_string(part.state)), is_there ? in_count(part.done) : "",
                        is_there ? in_count(part.images) : "", is_there ? in_count(part.unreadable) : "",
                        is_there ? fmt::format("{:.3g}", part.images_per_second) : "",
                        is_there ? format_duration(part.quiet_seconds) : "", part.host});
    }
    return format_table(rows);
}

ExitCode show_status(const StatusFlags& flags, Console& console) {
    const bool to_stdout = flags.metrics == "-";
    if (to_stdout) console.reserve_stdout("the metrics");
    const JobStatus status =
        read_job_status({flags.parts.begin(), flags.parts.end()}, std::chrono::seconds(flags.stale));
    for (const std::string& warning : status.warnings) spdlog::warn("{}", warning);
    if (to_stdout) {
        std::cout << open_metrics(status) << std::flush;
    } else if (!flags.metrics.empty()) {
        prepare_output(flags.metrics, "--metrics");
        // It is written again and again; anything else that has its name stays.
        const bool is_own = is_file(flags.metrics) &&
                            read_file(flags.metrics, "file", max_written_file).starts_with("# TYPE fovea_");
        refuse_to_replace(flags.metrics, flags.overwrite || is_own);
        replace_file(flags.metrics, open_metrics(status), Durability::whenever);
    }
    console.print_summary((flags.each ? table_of_parts(status) : "") + summary(status));
    Json json{{"command", "status"}, {"exit_code", 0}};
    json.update(status_json(status));
    console.print_json(json);
    return ExitCode::done;
}

}  // namespace

Command add_status_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("status", "Show how far the parts of a job have come");
    auto flags = std::make_shared<StatusFlags>();
    app->footer(status_footer);
    app->add_option("PARTS", flags->parts,
                    "Results files of parts, or folders in which and below which they lie")
        ->type_name("")
        ->required();
    app->add_flag("--each", flags->each, "Show every part")->group("Output");
    app->add_option("--stale", flags->stale,
                    "A part whose files were not written to for so long does not run (default 60)")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("SECONDS")
        ->group("Output");
    app->add_option(
           "--metrics", flags->metrics,
           "File for the numbers in the OpenMetrics format, as Prometheus reads it; '-' is standard output")
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "another file");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return show_status(*flags, console); }};
}

}  // namespace fovea
