#include "lib/pipeline/manifest.hpp"

#include <opencv2/core/utility.hpp>

#include "kernels/device.hpp"
#include "lib/core/file.hpp"

namespace fovea {
namespace {

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
    if (detector.results != "-") {
        json["results"] = detector.results.lexically_proximate(folder).generic_string();
        if (std::filesystem::is_regular_file(detector.results)) {
            json["results_sha256"] = sha256_of_file(detector.results);
        }
    }
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

Json make_manifest(const std::string& command, const RunConfig& config, const Dataset& dataset,
                   const std::vector<ManifestDetector>& detectors, const DetectImagesOutcome& outcome,
                   const std::string& device, int threads, const std::filesystem::path& folder) {
    Json json;
    json["command"] = command;
    json["interrupted"] = outcome.interrupted;
    if (!outcome.error.empty()) json["error"] = outcome.error;
    json["configuration"] = run_config_to_json(config);
    json["versions"] = versions_to_json();
    json["decoder"] = "cpu";
    json["device"] = device;
    json["dataset"] = dataset_to_json(dataset);
    json["detectors"] = Json::array();
    std::size_t detections = 0;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        json["detectors"].push_back(detector_to_json(detectors[i], outcome.tasks[i], folder));
        detections += outcome.tasks[i].detections;
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
