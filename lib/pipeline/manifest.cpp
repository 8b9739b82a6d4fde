#include "lib/pipeline/manifest.hpp"

#include <opencv2/core/utility.hpp>

#include "kernels/device.hpp"
#include "lib/core/file.hpp"

namespace fovea {
namespace {

// Where results are, relative to the folder, and what they hold.
void add_results(const std::filesystem::path& results, const std::filesystem::path& folder, Json& json) {
    if (results == "-") return;
    json["results"] = results.lexically_proximate(folder).generic_string();
    if (std::filesystem::is_regular_file(results)) json["results_sha256"] = sha256_of_file(results);
}

Json detector_to_json(const ManifestDetector& detector, const DetectTaskOutcome& outcome,
                      const std::filesystem::path& folder) {
    Json json;
    json["name"] = detector_name(detector.config);
    json["model"] = detector.model.string();
    json["model_sha256"] = sha256_of_file(detector.model);
    json["description"] = detector.description;
    json["window"] = {detector.window.width, detector.window.height};
    json["detections"] = outcome.detections;
    json["engine"] = {{"device", detector.device},
                      {"images", detector.counters.images},
                      {"graph_replays", detector.counters.graph_replays},
                      {"repeats", detector.counters.repeats},
                      {"host_groupings", detector.counters.host_groupings},
                      {"shrinks", detector.counters.shrinks}};
    add_results(detector.results, folder, json);
    return json;
}

Json landmarks_to_json(const ManifestLandmarks& landmarks) {
    Json json;
    json["model"] = landmarks.model.string();
    json["model_sha256"] = sha256_of_file(landmarks.model);
    json["description"] = landmarks.description;
    json["device"] = landmarks.device;
    json["boxes"] = Json::array();
    for (const BoxRule& rule : landmarks.boxes) {
        json["boxes"].push_back(
            {{"of", rule.of},
             {"convention", rule.convention.empty() ? Json(nullptr) : Json(rule.convention)},
             {"edges", edges_to_json(rule.edges)}});
    }
    return json;
}

Json truth_boxes_to_json(const std::filesystem::path& results, const DetectTaskOutcome& outcome,
                         const std::filesystem::path& folder) {
    Json json{{"name", to_string(BoxSource::truth)}, {"faces", outcome.detections}};
    add_results(results, folder, json);
    return json;
}

Json timings_to_json(const DetectImagesOutcome& outcome, const std::vector<ManifestDetector>& detectors,
                     int threads) {
    Json json;
    json["threads"] = threads;
    json["total_seconds"] = outcome.total_seconds;
    json["decode_wait_seconds"] = outcome.decode_wait_seconds;
    json["write_seconds"] = outcome.write_seconds;
    json["detect_seconds"] = Json::object();
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        json["detect_seconds"][detector_name(detectors[i].config)] = outcome.tasks[i].detect_seconds;
    }
    if (outcome.tasks.size() > detectors.size()) {
        json["detect_seconds"][to_string(BoxSource::truth)] = outcome.tasks.back().detect_seconds;
    }
    if (outcome.total_seconds > 0) {
        json["images_per_second"] = static_cast<double>(outcome.images) / outcome.total_seconds;
        json["megapixels_per_second"] = static_cast<double>(outcome.pixels) / 1e6 / outcome.total_seconds;
    }
    return json;
}

}  // namespace

std::string fovea_version() {
    return FOVEA_VERSION;
}

Json versions_to_json() {
    Json json;
    json["fovea"] = fovea_version();
    json["opencv"] = cv::getVersionString();
    json["decoder"] = decoder_description();
    if (cuda_built()) json["cuda"] = cuda_build_version();
    return json;
}

Json dataset_to_json(const Dataset& dataset) {
    Json json;
    json["name"] = dataset.name;
    json["format"] = dataset.format;
    json["images"] = dataset.samples.size();
    if (dataset.has_ground_truth()) json["faces"] = dataset.face_count();
    json["sources"] = Json::array();
    for (const std::filesystem::path& source : dataset.sources) {
        // A list that came through a pipe cannot be read a second time.
        if (!std::filesystem::is_regular_file(source)) continue;
        json["sources"].push_back({{"path", source.string()}, {"sha256", sha256_of_file(source)}});
    }
    return json;
}

Json manifest_head(const std::string& command, const RunConfig& config, const std::string& device,
                   bool interrupted) {
    Json json;
    json["command"] = command;
    json["interrupted"] = interrupted;
    json["configuration"] = run_config_to_json(config);
    json["versions"] = versions_to_json();
    json["decoder"] = "cpu";
    json["device"] = device;
    return json;
}

Json make_manifest(const std::string& command, const RunConfig& config, const Dataset& dataset,
                   const std::vector<ManifestDetector>& detectors,
                   const std::optional<ManifestLandmarks>& landmarks, const DetectImagesOutcome& outcome,
                   const std::string& device, int threads, const std::filesystem::path& folder) {
    Json json = manifest_head(command, config, device, outcome.interrupted);
    if (!outcome.error.empty()) json["error"] = outcome.error;
    json["dataset"] = dataset_to_json(dataset);
    json["detectors"] = Json::array();
    std::size_t detections = 0;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        json["detectors"].push_back(detector_to_json(detectors[i], outcome.tasks[i], folder));
        detections += outcome.tasks[i].detections;
    }
    if (landmarks) json["landmarks"] = landmarks_to_json(*landmarks);
    if (landmarks && landmarks->truth_results) {
        json["truth_boxes"] = truth_boxes_to_json(*landmarks->truth_results, outcome.tasks.back(), folder);
    }
    json["counts"] = {{"images", outcome.images},
                      {"ok", outcome.images - outcome.unreadable.size()},
                      {"unreadable", outcome.unreadable.size()},
                      {"detections", detections}};
    json["timings"] = timings_to_json(outcome, detectors, threads);
    return json;
}

void write_json_file(const std::filesystem::path& file, const Json& json) {
    // File names are bytes, JSON is UTF-8: what is not UTF-8 is shown with the replacement character.
    replace_file(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

std::filesystem::path manifest_path(const std::filesystem::path& results) {
    if (results == "-") return {};
    if (names_descriptor(results)) return {};
    if (results.filename() == "results.jsonl") return results.parent_path() / "run.json";
    std::filesystem::path manifest = results;
    return manifest.replace_extension(".run.json");
}

}  // namespace fovea
