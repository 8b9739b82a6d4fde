#include "lib/run/detection/evaluate_results.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/analysis/face_appearance.hpp"
#include "lib/evaluate/detection/at_threshold.hpp"
#include "lib/evaluate/detection/box_calibration.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/skipped.hpp"
namespace fovea {
namespace {

// "coco:out/results.json" -> "out/results.json". A Windows drive or a URL cannot occur here, but a bare path
// may hold a colon: then it exists as it stands.
std::filesystem::path file_of(const std::string& specification) {
    if (is_there(specification)) return specification;
    const std::size_t colon = specification.find(':');
    return colon == std::string::npos ? specification : specification.substr(colon + 1);
}

bool is_text(const Json& object, const char* key) {
    const auto member = object.find(key);
    return member != object.end() && member->is_string();
}

// True if an entry of a manifest is for a results file and the bytes that it holds now.
bool is_entry_of(const Json& entry, const std::filesystem::path& results) {
    const bool complete = entry.is_object() && is_text(entry, "name") && is_text(entry, "results") &&
                          is_text(entry, "results_sha256");
    return complete && entry["results"] == results.filename().string() &&
           entry["results_sha256"] == sha256_of_file(results);
}

// The entry of a manifest for a results file: a detector's, or that of annotated boxes; else nullptr.
const Json* find_entry(const Json& manifest, const std::filesystem::path& results) {
    if (!manifest.is_object()) return nullptr;
    if (manifest.contains("detectors") && manifest["detectors"].is_array()) {
        for (const Json& entry : manifest["detectors"]) {
            if (is_entry_of(entry, results)) return &entry;
        }
    }
    const auto truth = manifest.find("truth_boxes");
    return truth != manifest.end() && is_entry_of(*truth, results) ? &*truth : nullptr;
}

// Results are called after their file, or, if they are several ("fold-1.txt,fold-2.txt"), after the folder of
// the first.
std::filesystem::path named_after(const std::filesystem::path& files) {
    if (!files.has_filename()) return files.parent_path();  // "labels/"
    if (is_there(files)) return files;
    std::vector<std::filesystem::path> paths;
    std::istringstream list(files.string());
    for (std::string part; std::getline(list, part, ',');) {
        const bool is_option = part.find('=') != std::string::npos && !is_there(part);
        if (!is_option) paths.emplace_back(part);
    }
    if (paths.size() > 1 && paths[0].has_parent_path()) return paths[0].parent_path();
    return paths.empty() ? files : paths[0];
}

// The detector's by the manifest beside the results; empty if there is none.
std::string detector_of(const std::string& specification) {
    const Json manifest = find_manifest(specification);
    const Json* entry = find_entry(manifest, named_after(file_of(specification)));
    return entry == nullptr ? std::string() : (*entry)["name"].get<std::string>();
}

std::string name_of_file(const std::string& specification) {
    const std::filesystem::path file = named_after(file_of(specification));
    // "score_0.5" has no extension, and a folder never has.
    const std::string extension = file.extension().string();
    const bool is_extension = extension.size() > 1 &&
                              std::isalpha(static_cast<unsigned char>(extension[1])) != 0 && !is_folder(file);
    std::string stem = (is_extension ? file.stem() : file.filename()).string();
    const std::string prefix = "results-";
    if (stem.size() > prefix.size() && stem.rfind(prefix, 0) == 0) stem = stem.substr(prefix.size());
    return stem;
}

std::string folder_name_of(const std::string& specification) {
    return file_of(specification).parent_path().filename().string();
}

}  // namespace

Json find_manifest(const std::string& specification) {
    const std::filesystem::path file = file_of(specification);
    // Standard input and pipes can be read only once, and not for this.
    if (!is_file(file)) return {};
    // One run writes several results files beside one run.json.
    for (const std::filesystem::path& candidate : {manifest_path(file), file.parent_path() / "run.json"}) {
        if (!is_file(candidate)) continue;
        Json manifest = read_manifest(candidate);
        if (find_entry(manifest, file) != nullptr) return manifest;
    }
    return {};
}

std::vector<NamedResults> name_results(const std::vector<std::string>& specifications) {
    std::vector<std::string> names, files, folders;
    for (const std::string& specification : specifications) {
        const std::string detector = detector_of(specification);
        files.push_back(name_of_file(specification));
        folders.push_back(folder_name_of(specification));
        names.push_back(detector.empty() ? files.back() : detector);
    }
    // Files, and folders of files that are all called "results", tell apart what one detector found with
    // different settings.
    const auto name_of = [&](std::size_t i) {
        for (const auto* list : {&names, &files, &folders}) {
            const std::string& name = (*list)[i];
            const bool is_telling = list == &names || (!name.empty() && name != "results");
            if (is_telling && std::count(list->begin(), list->end(), name) == 1) return name;
        }
        return names[i];
    };
    std::vector<NamedResults> results;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < specifications.size(); ++i) {
        const std::string name = name_of(i);
        std::string free_name = name;
        for (int number = 2; !taken.insert(free_name).second; ++number)
            free_name = name + "-" + std::to_string(number);
        results.push_back({free_name, specifications[i], nullptr});
    }
    return results;
}

void add_inputs(const Dataset& dataset, const std::vector<NamedResults>& results, InputFiles inputs) {
    add_inputs(dataset, inputs);
    for (const NamedResults& named : results) add_inputs_of_results(named.specification, inputs);
}

void ResultsRequest::describe(ReportContext& context) const {
    context.origin = report_origin_now();
    context.title = report.title;
    context.thumbnails = report.thumbnails;
    context.latex = report::latex_intervals_of(report.latex);
    context.configuration = configuration;
    context.decode = decode;
}

EvaluationResult evaluate_detections(const Dataset& dataset, const EvaluationRequest& request,
                                     const JobHooks& hooks, ReportContext& context) {
    const auto interrupted = [&] { return hooks.is_cancelled(); };
    EvaluationResult outcome;
    hooks.begin_stage("evaluating");
    const DetectionEvaluationOptions options = options_for(request.evaluation, dataset);
    std::set<std::string> said;
    const std::size_t evaluations = request.results.size() * (request.calibrate_boxes ? 2 : 1);
    const auto evaluate = [&](DetectionResults results, const std::string& name) -> const DetectionResults& {
        const ShareProgress progress = share_hook(hooks, outcome.evaluations.size(), evaluations);
        // Reading the results was a part of it.
        outcome.evaluations.push_back(evaluate_detection(dataset, std::move(results), options, name,
                                                         part_of_progress(progress, 0.2, 1)));
        DetectionEvaluation& evaluation = outcome.evaluations.back();
        // Calibrated results have the images of those that they were made of.
        if (!evaluation.results->is_calibrated) said.clear();
        for (const std::string& warning : evaluation.warnings) {
            if (said.insert(warning).second) spdlog::warn("{}: {}", name, warning);
        }
        if (request.threshold_from) {
            ReportThreshold fixed = threshold_for(*request.threshold_from, name);
            evaluation.at_threshold = evaluate_at_threshold(evaluation, fixed.value, std::move(fixed.origin));
        }
        return *evaluation.results;
    };
    for (const NamedResults& named : request.results) {
        const DetectionResults& results = evaluate(named.read(dataset), named.name);
        const std::vector<SkippedImage> skipped = images_without_results(dataset, results, named.name);
        if (request.calibrate_boxes) {
            CalibratedResults calibrated = calibrated_results(dataset, results);
            const std::string name = calibrated_name(named.name);
            context.box_calibrations.emplace_back(name, box_calibration_to_json(calibrated));
            evaluate(std::move(calibrated.results), name);
            for (SkippedImage image : skipped) {
                image.detector = name;
                context.skipped.push_back(std::move(image));
            }
        }
        context.skipped.insert(context.skipped.end(), skipped.begin(), skipped.end());
        if (interrupted()) {
            outcome.interrupted = true;
            return outcome;
        }
    }
    request.describe(context);
    context.pictures = {static_cast<std::size_t>(request.report.pictures),
                        static_cast<std::size_t>(1e6 * request.report.picture_megabytes)};
    context.manifest = request.manifest;
    context.references = request.references;
    context.analysis.operating_point = request.operating_point;
    return outcome;
}

namespace {

/// The images that a detector has no result of and those that cannot be measured, each once: the most of any
/// detector.
std::size_t count_lost_images(const std::vector<SkippedImage>& skipped,
                              const std::vector<UnreadableImage>& unmeasured) {
    std::set<std::string> names;
    for (const UnreadableImage& image : unmeasured) names.insert(image.image);
    std::map<std::string, std::set<std::string>> by_detector;
    for (const SkippedImage& image : skipped)
        by_detector.try_emplace(image.detector, names).first->second.insert(image.image);
    std::size_t most = names.size();
    for (const auto& [detector, images] : by_detector) most = std::max(most, images.size());
    return most;
}

}  // namespace

EvaluationResult evaluate_results(const Dataset& dataset, const EvaluationRequest& request,
                                  const JobHooks& hooks) {
    ReportContext context;
    EvaluationResult outcome = evaluate_detections(dataset, request, hooks, context);
    outcome.images_lost = count_lost_images(context.skipped, outcome.unmeasured);
    if (outcome.interrupted || !request.folder) return outcome;
    if (request.measure_faces) {
        hooks.begin_stage("measuring the faces");
        context.appearance =
            measure_faces(dataset, {request.decode, resolve_threads(request.threads), hooks});
        for (const auto& [image, reason] : context.appearance->unreadable) {
            outcome.unmeasured.push_back({image, reason});
        }
        outcome.images_lost = count_lost_images(context.skipped, outcome.unmeasured);
        if (context.appearance->interrupted) {
            outcome.interrupted = true;
            return outcome;
        }
    }
    if (request.judge)
        context.judge = [&](const Json& report) { return request.judge(report, outcome.evaluations); };
    request.write_report(dataset, hooks, outcome.report, [&] {
        return write_detection_report(*request.folder, dataset, outcome.evaluations, context);
    });
    return outcome;
}

}  // namespace fovea
