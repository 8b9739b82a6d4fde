#include "apps/commands/recognition_tables.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/options/accuracy_gate.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/junit.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/report/stored/compare.hpp"

namespace fovea {
namespace {

Json search_numbers(const SearchResult& search) {
    Json json;
    add_recogniser_numbers(json, "identification", search.evaluations, identification_to_json);
    if (!search.permutations) return json;
    std::vector<std::string> names;
    for (const IdentificationEvaluation& evaluation : search.evaluations) names.push_back(evaluation.name);
    json["permutation"] = permutation_to_json(*search.permutations, names);
    return json;
}

Json configuration_of(const RecognitionConfig& config, const RecognitionFlags& common) {
    Json json = json_of(config);
    json["resamples"] = common.resamples;
    json["seed"] = common.seed;
    return json;
}

}  // namespace

Dataset read_images(const std::string& specification, const RecognitionFlags& flags, InputFiles& inputs) {
    DatasetConfig config;
    set_images({specification}, config);
    config.root = flags.root.value_or("");
    Dataset dataset = read_configured_dataset(config);
    add_inputs(dataset, inputs);
    return dataset;
}

ExitCode finish_recognition(const RecognitionFlags& flags, GateKeeper& gates,
                            const GateKeeper::RecordText& units, RecognitionSummary outcome,
                            const std::function<std::filesystem::path()>& write_report,
                            const Console& console) {
    Json json{{"command", outcome.command}, {"exit_code", 0}};
    LateReport written;
    if (flags.out) written.write(write_report);
    if (written.page) {
        outcome.tables += "report: " + written.page->string() + "\n";
        json["report"] = written.page->string();
    }
    ExitCode code = ExitCode::done;
    gates.finish(outcome.report, units, json, code);
    json["exit_code"] = static_cast<int>(written.code(code));
    json.update(outcome.numbers);
    write_junit(flags.gate.junit, json);
    console.print_summary(outcome.tables);
    console.print_json(json);
    written.rethrow();
    return code;
}

std::string recognition_tables(const RecognitionResult& outcome) {
    std::string text =
        fmt::format("{} in {}, described in {}, compared in {}\n", counted(outcome.faces, "face"),
                    counted(outcome.images, "image"), format_duration(outcome.describe_seconds),
                    format_duration(outcome.compare_seconds));
    if (!outcome.verification.empty()) text += format_tables(verification_summary(outcome.verification));
    for (const SearchResult& search : outcome.searches) {
        if (outcome.searches.size() > 1) text += search.name + ":\n";
        text += format_tables(identification_summary(search.evaluations, search.permutations));
    }
    for (const std::filesystem::path& report : outcome.reports()) text += "report: " + report.string() + "\n";
    return text;
}

Json recognition_numbers(const RecognitionResult& outcome) {
    Json json = Json::object();
    if (!outcome.verification.empty()) {
        add_recogniser_numbers(json, "verification", outcome.verification, verification_to_json);
    }
    if (outcome.searches.size() == 1) json.update(search_numbers(outcome.searches.front()));
    if (outcome.searches.size() < 2) return json;
    json["searches"] = Json::array();
    for (const SearchResult& search : outcome.searches) {
        Json entry{{"name", search.name}, {"probes", search.probes}};
        entry.update(search_numbers(search));
        json["searches"].push_back(std::move(entry));
    }
    return json;
}

ExitCode run_recognition_command(const std::string& command, RecognitionConfig config,
                                 const RecogniserFlags& recogniser, const RecognitionFlags& common,
                                 Console& console) {
    if (common.distance)
        throw UsageError("--distance is for scores of files; a --recogniser's are distances");
    if (!common.names.empty())
        throw UsageError("--name is for scores of files; a --recogniser has its own name");
    const std::vector<AccuracyGate> gates = gates_of(common);
    config.recognisers = recogniser.recognisers;
    apply(recogniser.finder, config.finder);
    check_config("recognition", config);
    RecognitionRequest request;
    request.config = config;
    request.root = common.root.value_or("");
    request.threads = common.threads.value_or(0);
    request.bootstrap_resamples = common.resamples;
    request.bootstrap_seed = common.seed;
    request.title = common.title;
    request.configuration = configuration_of(config, common);
    if (common.gate.baseline) add_inputs_of_report(*common.gate.baseline, request.inputs);
    if (common.out) {
        request.folder = *common.out;
        check_report_folder(request.folder, request.configuration, common.overwrite);
    }
    const DetectionDevice device = open_detection_device(recogniser.device.value_or("auto"));
    tell_why_no_gpu(device);
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    const RecognitionResult outcome = RecognitionJob(request, device, hooks).run();
    console.clear_progress();
    warn_failures(outcome);

    const bool is_whole = outcome.failures.empty() && outcome.pages_left_out == 0;
    ExitCode code = is_whole ? ExitCode::done : ExitCode::inputs_skipped;
    const std::size_t unreadable = unreadable_of(outcome.failures);
    code = with_max_unreadable(
        code,
        LostInputs{unreadable + outcome.pages_left_out, outcome.images + outcome.pages_left_out,
                   outcome.failures.size() - unreadable},
        recogniser.max_unreadable);
    if (outcome.interrupted) code = ExitCode::interrupted;
    Json json{{"command", command}, {"exit_code", 0}};
    Json numbers = recognition_numbers(outcome);
    if (common.out) {
        const std::filesystem::path manifest = request.folder / "run.json";
        ManifestRecord record{command, request.configuration, device.name(), outcome.interrupted};
        record.own["recognition"] = outcome.manifest;
        write_json_file(manifest, manifest_json(record));
        json["manifest"] = manifest.string();
    }
    if (!outcome.interrupted) {
        const std::string section = config.pairs.empty() ? "identification" : "verification";
        const auto units = [&] {
            return config.pairs.empty() ? identification_units_text(outcome.searches.front().evaluations)
                                        : verification_units_text(outcome.verification);
        };
        GateKeeper(gates, common.gate, section).finish(numbers, units, json, code);
    }
    const LateReport failed = outcome.failed_report();
    json["exit_code"] = static_cast<int>(failed.code(code));
    if (!outcome.reports().empty()) json["report"] = outcome.reports().front().string();
    add_recognition_json(json, outcome);
    json.update(numbers);
    if (!outcome.interrupted) write_junit(common.gate.junit, json);
    console.print_summary(outcome.interrupted ? "interrupted: nothing was evaluated\n"
                                              : recognition_tables(outcome));
    console.print_json(json);
    failed.rethrow();
    return code;
}

}  // namespace fovea
