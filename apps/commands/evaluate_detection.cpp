#include "lib/evaluate/evaluate_detection.hpp"

#include <algorithm>
#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/format_help.hpp"
#include "apps/options/gate_keeper.hpp"
#include "apps/options/junit.hpp"
#include "apps/options/results_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/analysis/reference_boxes.hpp"
#include "lib/evaluate/protocols/coco_categories.hpp"
#include "lib/evaluate/protocols/detection_json.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
#include "lib/process/process.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/stored/report_numbers.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/formats/results_formats.hpp"
#include "lib/run/detection/evaluate_results.hpp"
#include "lib/run/detection/image_sizes.hpp"

namespace fovea {
namespace {

std::string evaluate_detection_footer() {
    return R"(Examples:
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --protocol mit-cmu --out report/
  fovea evaluate detection --dataset coco:faces.json --results a.jsonl coco:b.json text:c.txt --out report/
  fovea evaluate detection --dataset mit-cmu:DIR --results new.jsonl --require 'recall@16fp >= 0.92'

Results of any program are read; the format is recognised, or named as FORMAT:FILE:
)" + help_on_read_formats(results_formats()) +
           R"(The columns of CSV are found by their names: image, file or path; x, y, w, h or x1, y1, x2, y2;
score.

--require takes names of report.json and the short names ap, best_f1, recall@Nfp, f1, precision and
recall; the last three count every detection kept. They mean the first results; NAME.ap is the AP of
those called NAME. --no-worse-than compares the first results with the first results of an earlier
report: the numbers of the protocol; for iou and mit-cmu average precision, detection rate, F1 and the
rates at false positives; or each --metric, which may name a detector in the same way. Images are
paired where the earlier report has its record, evaluated.jsonl.)";
}

struct EvaluateFlags : ResultsFlags {
    std::optional<std::string> category;
    std::optional<std::string> only;
    std::optional<std::string> truth;
    std::optional<std::string> operating_point;
    std::string box_format = "xywh";
    bool calibrate_boxes = false;
    bool measure_faces = false;
    std::vector<std::string> reference_curves;
    std::vector<std::string> continuous_reference_curves;
    std::optional<std::string> threshold_from;
    EvaluationFlags evaluation;
};

// "coco:FILE" of the category that --category names.
std::optional<std::string> with_category(const std::optional<std::string>& dataset,
                                         const std::optional<std::string>& category) {
    if (!dataset || !category) return dataset;
    const bool has_format = dataset->starts_with("coco:");
    if (!has_format && !is_file(*dataset)) {
        throw UsageError("--category is for datasets in COCO's format: coco:FILE.json");
    }
    return (has_format ? "" : "coco:") + *dataset + ",category=" + (*category == "all" ? "*" : *category);
}

RunConfig effective_config(const EvaluateFlags& flags) {
    RunConfig config = start_config(flags, with_category(flags.dataset, flags.category));
    apply(flags.evaluation, config.evaluation);
    finish_config(config);
    return config;
}

// Ground truth, or what another detector found in its place.
Dataset read_truth(const EvaluateFlags& flags, const RunConfig& config) {
    if (!flags.truth) return read_configured_dataset(config.dataset, config.image);
    const DetectionResults truth = read_results(*flags.truth);
    if (!flags.dataset) return dataset_from_results(truth, nullptr, *flags.truth);
    const Dataset images = read_configured_dataset(config.dataset, config.image);
    return dataset_from_results(truth, &images, *flags.truth);
}

EvaluationRequest request_of(const EvaluateFlags& flags, const RunConfig& config) {
    EvaluationRequest request;
    request.results = named_results(flags, flags.results);
    const std::optional<BoxFormat> box_format = box_format_of(flags.box_format);
    if (!box_format) throw UsageError("--box-format is xywh or xyxy, but is '" + flags.box_format + "'");
    for (NamedResults& results : request.results) results.box_format = *box_format;
    request.evaluation = config.evaluation;
    request.calibrate_boxes = flags.calibrate_boxes;
    request.measure_faces = flags.measure_faces;
    if (flags.measure_faces && config.output.empty()) {
        throw UsageError("--measure-faces is for the slices of a report; name its folder with --out");
    }
    if (flags.operating_point) request.operating_point = operating_point_choice(*flags.operating_point);
    request.threads = config.threads;
    InputFiles inputs = inputs_of(flags, config);
    if (flags.truth) add_inputs_of_results(*flags.truth, inputs);
    if (flags.threshold_from) {
        request.threshold_from = parse_threshold_source(*flags.threshold_from);
        inputs.add(request.threshold_from->report.file);
    }
    request.report = config.report;
    request.decode = decode_options(config.image);
    if (!config.output.empty()) request.folder = {config.output, inputs};
    const Json effective = run_config_to_json(config);
    request.configuration["dataset"] = effective["dataset"];
    request.configuration["results"] = flags.results;
    request.configuration["evaluation"] = effective["evaluation"];
    request.manifest = find_manifest(flags.results[0]);
    for (const std::string& curve : flags.reference_curves) {
        request.references.push_back(report::read_reference_curve(curve, false));
        inputs.add(curve);
    }
    for (const std::string& curve : flags.continuous_reference_curves) {
        request.references.push_back(report::read_reference_curve(curve, true));
        inputs.add(curve);
    }
    return request;
}

// Refuses options that need curves or a report. \param what the option that gives numbers only.
void refuse_reports(const EvaluateFlags& flags, const RunConfig& config, const std::string& what) {
    if (config.output.empty() && !flags.gate.baseline && !flags.threshold_from && !flags.calibrate_boxes)
        return;
    throw UsageError(what +
                     " gives numbers only (the table, --json, --require), without --out, --no-worse-than, "
                     "--threshold-from and --calibrate-boxes");
}

// Checks the gates and prints: the end of --only and of --category all. \param evaluations a list, as
// "detection" has them.
ExitCode print_numbers(const DetectionEvaluationOptions& options, Json evaluations, const std::string& tables,
                       const std::vector<AccuracyGate>& gates, const std::optional<std::string>& junit,
                       ExitCode code, Console& console) {
    Json json;
    json["command"] = "evaluate detection";
    json["protocol"] = protocol_description(options);
    json["detection"] = evaluations.at(0);
    json["detectors"] = Json::array();
    for (Json& evaluation : evaluations)
        json["detectors"].push_back({{"name", evaluation["name"]}, {"detection", std::move(evaluation)}});
    const Json outcome = check_gates(gates, json, code);
    if (!gates.empty()) json["requirements"] = outcome;
    json["exit_code"] = static_cast<int>(code);
    write_junit(junit, json);
    console.print_summary(json["protocol"].get<std::string>() + "\n" + tables);
    console.print_json(json);
    return code;
}

void print_warnings(const std::string& name, const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) spdlog::warn("{}: {}", name, warning);
}

// The protocol's numbers alone: no curves, no other modes.
ExitCode evaluate_only(const std::string& only, const EvaluationRequest& request, const Dataset& dataset,
                       const std::vector<AccuracyGate>& gates, const std::optional<std::string>& junit,
                       const std::optional<UnreadableLimit>& max_unreadable, ThreadLimit& threads,
                       Console& console) {
    const DetectionEvaluationOptions options = options_for(request.evaluation, dataset);
    if (only != record_of(options.protocol).name) {
        throw UsageError("--only " + only + ", but the protocol here is " + record_of(options.protocol).name +
                         "; name it with --protocol " + only);
    }
    std::vector<DetectionEvaluation> evaluations;
    Json list = Json::array();
    for (const NamedResults& named : request.results) {
        threads.run([&] {
            evaluations.push_back(evaluate_protocol_only(dataset, named.read(dataset), options, named.name));
        });
        const DetectionEvaluation& evaluation = evaluations.back();
        print_warnings(named.name, evaluation.warnings);
        list.push_back({{"name", evaluation.name},
                        {"images", evaluation.images},
                        {"faces", evaluation.faces},
                        {"detections", evaluation.detections},
                        {only, protocol_numbers_to_json(evaluation)}});
    }
    const ExitCode code =
        with_max_unreadable(exit_code_of(evaluations, false), lost_inputs(evaluations), max_unreadable);
    return print_numbers(options, std::move(list), format_tables(detection_summary(evaluations)), gates,
                         junit, code, console);
}

// COCO's numbers of every category and their means.
ExitCode evaluate_categories(const EvaluationRequest& request, const Dataset& dataset,
                             const std::vector<AccuracyGate>& gates, const std::optional<std::string>& junit,
                             ThreadLimit& threads, Console& console) {
    const DetectionEvaluationOptions options = options_for(request.evaluation, dataset);
    if (options.protocol != DetectionProtocol::coco) {
        throw UsageError(
            "several categories are evaluated by --protocol coco only; name one with --category");
    }
    Json list = Json::array();
    std::string tables;
    for (const NamedResults& named : request.results) {
        threads.run([&] {
            const CategoriesEvaluation evaluation =
                evaluate_coco_categories(dataset, named.read(dataset), options.mode, named.name);
            print_warnings(named.name, evaluation.warnings);
            list.push_back(categories_json(evaluation));
            tables += format_tables({categories_table(evaluation)});
        });
    }
    return print_numbers(options, std::move(list), tables, gates, junit, ExitCode::done, console);
}

ExitCode evaluate(const EvaluateFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    keep_freed_memory();
    check_baseline_flags(flags.gate);
    const std::vector<AccuracyGate> gates = gates_of(flags);
    EvaluationRequest request = request_of(flags, config);
    if (request.folder) check_report_folder(request.folder->path(), request.configuration, flags.overwrite);
    std::vector<int> points = flags.gate.points();
    for (const AccuracyGate& gate : gates) {
        if (const std::optional<int> point = false_positives_named(gate.key)) points.push_back(*point);
    }
    // The number that a gate asks for has an interval, as all numbers of the report.
    for (const int point : points) {
        std::vector<int>& reported = request.evaluation.options.false_positive_points;
        if (std::find(reported.begin(), reported.end(), point) == reported.end()) reported.push_back(point);
    }
    GateKeeper gate_keeper(gates, flags.gate, "detection");
    ThreadLimit threads(config.threads);
    if (threads.threads() > 1) {
        NamedResults& first = request.results.front();
        first.reader = std::make_shared<ResultsReader>(first.specification);
    }
    Dataset dataset = read_truth(flags, config);
    request.judge = [&](const Json& report, const std::vector<DetectionEvaluation>& evaluations) {
        return gate_keeper.judge(report, [&] { return evaluation_record_text(dataset, evaluations); });
    };
    const DetectionProtocol protocol = options_for(request.evaluation, dataset).protocol;
    refuse_idle_iou_threshold(flags.evaluation, protocol);
    if (dataset.has_several_categories) refuse_reports(flags, config, "--category all");
    if (dataset.has_several_categories && flags.max_unreadable)
        throw UsageError("--max-unreadable does not go with --category all");
    if (flags.only) refuse_reports(flags, config, "--only");
    const InterruptGuard interrupt;
    if (dataset.has_several_categories)
        return evaluate_categories(request, dataset, gates, flags.gate.junit, threads, console);
    const JobHooks hooks = job_hooks(console, interrupt);
    EvaluationResult outcome;
    if (protocol == DetectionProtocol::fddb) {
        // FDDB's program cuts regions off at the images' edges.
        threads.run([&] { outcome.interrupted = !add_image_sizes(dataset, hooks); });
    }
    if (flags.only && !outcome.interrupted) {
        console.clear_progress();
        return evaluate_only(*flags.only, request, dataset, gates, flags.gate.junit, flags.max_unreadable,
                             threads, console);
    }
    if (!outcome.interrupted) threads.run([&] { outcome = evaluate_results(dataset, request, hooks); });
    console.clear_progress();

    // A gate is for all results: with some of them missing it neither holds nor fails.
    ExitCode code = exit_code_of(outcome.evaluations, outcome.interrupted);
    warn_unreadable(outcome.unmeasured, dataset.samples.size());
    if (!outcome.unmeasured.empty() && code == ExitCode::done) code = ExitCode::inputs_skipped;
    code = with_max_unreadable(code, {outcome.images_lost, dataset.samples.size()}, flags.max_unreadable);
    std::string text;
    Json numbers = Json::object();
    if (!outcome.evaluations.empty()) {
        const std::string rule = protocol_description(outcome.evaluations.front().options);
        text = rule + "\n" + format_tables(detection_summary(outcome.evaluations));
        numbers = detection_report_numbers(outcome.evaluations);
        numbers["protocol"] = rule;
    }
    return finish_evaluation(
        "evaluate detection", flags, code, outcome.interrupted, outcome.report, gate_keeper, text,
        std::move(numbers), [&] { return evaluation_record_text(dataset, outcome.evaluations); }, console);
}

}  // namespace

Command add_evaluate_detection_command(CLI::App& evaluate_app) {
    CLI::App* app = evaluate_app.add_subcommand("detection", "Evaluate detections: ROC, AP, IoU, report");
    auto flags = std::make_shared<EvaluateFlags>();
    app->footer(evaluate_detection_footer());
    add_results_flags(*app, *flags, "Dataset with ground truth, FORMAT:PATH or a path");
    app->add_option("--category", flags->category,
                    "Category of a COCO set, by name or id (default: face, or the only one); all: each, and "
                    "their mean")
        ->type_name("NAME")
        ->group("Images");
    add_evaluation_flags(*app, flags->evaluation);
    add_requirement_flag(*app, *flags, "KEY>=VALUE");
    app->add_option(
           "--box-format", flags->box_format,
           "The four numbers of a box in the results: xywh (left, top, width, height) or xyxy (left, "
           "top, right, bottom)")
        ->type_name("xywh|xyxy")
        ->capture_default_str()
        ->group("Images");
    app->add_option("--truth", flags->truth, "Results of another detector to take as ground truth")
        ->type_name("RESULTS")
        ->group("Advanced");
    app->add_option("--only", flags->only,
                    "Compute only the numbers of this protocol, in one mode: no curves, no report; several "
                    "times faster")
        ->type_name("PROTOCOL")
        ->group("Evaluation");
    app->add_option("--operating-point", flags->operating_point,
                    "Point of the confusion counts, slices and pictures; Nfp: at most N false positives "
                    "(default: best-f1; of several results, the median of the false positives that they have "
                    "there)")
        ->type_name(operating_point_forms)
        ->group("Advanced");
    app->add_flag(
           "--calibrate-boxes", flags->calibrate_boxes,
           "Also evaluate the boxes in the dataset's convention: edges moved as learned on other folds")
        ->group("Advanced");
    app->add_flag("--measure-faces", flags->measure_faces,
                  "Decode the images for slices by sharpness and brightness of the faces")
        ->group("Advanced");
    app->add_option("--reference-curve", flags->reference_curves,
                    "Published discrete ROC to draw: lines of 'rate false-positives'")
        ->type_name("[NAME=]FILE")
        ->group("Advanced");
    app->add_option("--reference-continuous", flags->continuous_reference_curves,
                    "The same for the continuous ROC")
        ->type_name("[NAME=]FILE")
        ->group("Advanced");
    app->add_option(
           "--threshold-from", flags->threshold_from,
           "Also evaluate at a threshold of an earlier report, or of one detector in it: that of best-f1 "
           "(default), Nfp, precision>=P or recall>=R there")
        ->type_name("REPORT[:NAME][:POINT]")
        ->group("Accuracy gate");
    add_report_flags(*app, *flags);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return evaluate(*flags, console); }};
}

}  // namespace fovea
