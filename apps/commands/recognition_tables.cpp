#include "apps/commands/recognition_tables.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/options/accuracy_gate.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/gate_keeper.hpp"
#include "apps/options/junit.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/percent.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/config/field_json.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/job/manifest.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

template <class Evaluations, class ToJson>
void add_evaluations(Json& json, const char* key, const Evaluations& evaluations, ToJson&& to_json) {
    json[key] = without_curves(to_json(evaluations[0]));
    if (evaluations.size() == 1) return;
    json["recognisers"] = Json::array();
    for (const auto& evaluation : evaluations) {
        json["recognisers"].push_back(
            {{"name", evaluation.name}, {key, without_curves(to_json(evaluation))}});
    }
}

Json search_numbers(const SearchResult& search) {
    Json json;
    add_evaluations(json, "identification", search.evaluations, identification_to_json);
    if (!search.permutations) return json;
    std::vector<std::string> names;
    for (const IdentificationEvaluation& evaluation : search.evaluations) names.push_back(evaluation.name);
    json["permutation"] = permutation_to_json(*search.permutations, names);
    return json;
}

Json configuration_of(const RecognitionConfig& config, const RecognitionFlags& common) {
    Json json = config_json(config);
    json["resamples"] = common.resamples;
    json["seed"] = common.seed;
    return json;
}

}  // namespace

std::string verification_table(const VerificationEvaluations& evaluations) {
    std::vector<std::vector<std::string>> rows{{"recogniser", "genuine", "impostors", "accuracy", "EER",
                                                "AUC", "TAR at FAR 0.01", "at 0.001", "at 0.0001"}};
    for (const VerificationEvaluation& e : evaluations) {
        std::vector<std::string> row{e.name, std::to_string(e.genuine), std::to_string(e.impostors)};
        const std::optional<double> error = e.estimate("accuracy_standard_error").value;
        row.push_back(
            e.estimate("accuracy").value && error
                ? fmt::format("{:.2f} ± {:.2f} %", 100 * *e.estimate("accuracy").value, 100 * *error)
                : "-");
        for (const char* key : {"eer", "auc", "tar_at_far_0.01", "tar_at_far_0.001", "tar_at_far_0.0001"}) {
            row.push_back(estimate_text(e.estimate(key)));
        }
        rows.push_back(std::move(row));
    }
    std::string text = format_table(rows);
    if (!evaluations[0].options.threshold) return text;
    rows = {{"at a threshold fixed before", "threshold", "FMR", "FNMR", "HTER", "accuracy"}};
    for (const VerificationEvaluation& e : evaluations) {
        std::vector<std::string> row{e.name, fmt::format("{:.6g}", *e.options.threshold)};
        for (const char* key :
             {"fmr_at_threshold", "fnmr_at_threshold", "hter_at_threshold", "accuracy_at_threshold"}) {
            row.push_back(estimate_text(e.estimate(key)));
        }
        rows.push_back(std::move(row));
    }
    return text + format_table(rows);
}

std::string identification_table(const SearchResult& outcome) {
    std::vector<std::vector<std::string>> rows{
        {"recogniser", "gallery", "probes", "mated", "rank 1", "optimistic", "pessimistic"}};
    for (const IdentificationEvaluation& e : outcome.evaluations) {
        const auto rate = [&](const char* key) {
            const std::optional<double>& value = e.estimate(key).value;
            return value ? percent(*value, 2) : std::string("-");
        };
        rows.push_back({e.name, std::to_string(e.gallery_subjects), std::to_string(e.probes),
                        std::to_string(e.mated), estimate_text(e.estimate("rank1")), rate("rank1_optimistic"),
                        rate("rank1_pessimistic")});
    }
    std::string text = format_table(rows);
    rows = {{"open set", "unmated", "FNIR at FPIR 0.1", "at 0.01", "at 0.001"}};
    for (const IdentificationEvaluation& e : outcome.evaluations) {
        if (!e.open_set) continue;
        std::vector<std::string> row{e.name, std::to_string(e.probes - e.mated)};
        for (std::size_t i = reported_fpir.size(); i-- > 0;) {
            row.push_back(estimate_text(e.open_set->estimates[i]));
        }
        rows.push_back(std::move(row));
    }
    if (rows.size() > 1) text += format_table(rows);
    if (!outcome.permutations) return text;
    const PermutationEvaluation& permutations = *outcome.permutations;
    rows = {{"permutations", "subjects", "mean rank 1", "95 %"}};
    for (std::size_t i = 0; i < permutations.curves.size(); ++i) {
        const PermutationPoint& rank1 = permutations.curves[i][0];
        rows.push_back({outcome.evaluations[i].name, std::to_string(permutations.subjects),
                        percent(rank1.mean, 2),
                        fmt::format("{:.2f}-{:.2f}", 100 * rank1.central95[0], 100 * rank1.central95[1])});
    }
    text += format_table(rows);
    for (const PermutationComparison& pair : permutations.comparisons) {
        text += fmt::format("P({0} > {1}) = {2:.4f}, P(=) = {3:.4f}, P({1} > {0}) = {4:.4f}\n",
                            outcome.evaluations[pair.first].name, outcome.evaluations[pair.second].name,
                            pair.first_better, pair.equal, pair.second_better);
    }
    return text;
}

std::string recognition_tables(const RecognitionResult& outcome) {
    std::string text =
        fmt::format("{} in {}, described in {}, compared in {}\n", counted(outcome.faces, "face"),
                    counted(outcome.images, "image"), format_duration(outcome.describe_seconds),
                    format_duration(outcome.compare_seconds));
    if (!outcome.verification.empty()) text += verification_table(outcome.verification);
    for (const SearchResult& search : outcome.searches) {
        if (outcome.searches.size() > 1) text += search.name + ":\n";
        text += identification_table(search);
    }
    for (const std::filesystem::path& report : outcome.reports()) text += "report: " + report.string() + "\n";
    return text;
}

Json recognition_numbers(const RecognitionResult& outcome) {
    Json json = Json::object();
    if (!outcome.verification.empty()) {
        add_evaluations(json, "verification", outcome.verification, verification_to_json);
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
    if (common.out) {
        request.folder = *common.out;
        check_report_folder(request.folder, request.configuration, common.overwrite);
    }
    const DetectionDevice device = open_detection_device(recogniser.device.value_or("auto"));
    tell_why_no_gpu(device);
    const InterruptGuard interrupt;
    const RunHooks hooks = run_hooks(console, interrupt);
    const RecognitionResult outcome = RecognitionJob(request, device, hooks).run();
    console.clear_progress();
    warn_failures(outcome);

    const bool is_whole = outcome.failures.empty() && outcome.pages_left_out == 0;
    ExitCode code = is_whole ? ExitCode::done : ExitCode::inputs_skipped;
    const std::size_t unreadable = unreadable_of(outcome.failures);
    code = with_max_unreadable(code, unreadable + outcome.pages_left_out,
                               outcome.failures.size() - unreadable, recogniser.max_unreadable);
    if (outcome.interrupted) code = ExitCode::interrupted;
    Json json{{"command", command}, {"exit_code", 0}};
    Json numbers = recognition_numbers(outcome);
    if (common.out) {
        const std::filesystem::path manifest = request.folder / "run.json";
        Json head{{"command", command},
                  {"interrupted", outcome.interrupted},
                  {"configuration", request.configuration},
                  {"versions", versions_to_json()},
                  {"decoder", "cpu"},
                  {"device", device.name()},
                  {"recognition", outcome.manifest}};
        write_json_file(manifest, head);
        json["manifest"] = manifest.string();
    }
    if (!outcome.interrupted) {
        const std::string section = config.pairs.empty() ? "identification" : "verification";
        GateKeeper(gates, common.gate, section).finish(numbers, json, code);
    }
    json["exit_code"] = static_cast<int>(code);
    if (!outcome.reports().empty()) json["report"] = outcome.reports().front().string();
    add_recognition_json(json, outcome);
    json.update(numbers);
    if (!outcome.interrupted) write_junit(common.gate.junit, json);
    console.print_summary(outcome.interrupted ? "interrupted: nothing was evaluated\n"
                                              : recognition_tables(outcome));
    console.print_json(json);
    return code;
}

}  // namespace fovea
