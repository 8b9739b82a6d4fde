#include "lib/pipeline/manifest.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <opencv2/core/utility.hpp>

#include "kernels/device.hpp"
#include "lib/core/error.hpp"

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

// Devices and another process's pipes: neither may be replaced, and beside them is no place for a file.
bool names_descriptor(const std::filesystem::path& file) {
    const std::string folder = file.parent_path().string() + "/";
    return folder.rfind("/dev/", 0) == 0 || folder.rfind("/proc/", 0) == 0;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
    errno = 0;
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        throw Error("cannot write " + file.string() +
                    (errno != 0 ? ": " + std::string(std::strerror(errno)) : ""));
    }
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
    namespace fs = std::filesystem;
    // File names are bytes, JSON is UTF-8: what is not UTF-8 is shown with the replacement character.
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    std::error_code error;
    const fs::file_type type = fs::status(file, error).type();
    // A rename would put a file in the place of a device or a pipe.
    if (names_descriptor(file) || (type != fs::file_type::not_found && type != fs::file_type::regular)) {
        write_text(file, text);
        return;
    }
    // A link stays, and what it leads to is replaced.
    error.clear();
    const fs::path target = type == fs::file_type::regular ? fs::canonical(file, error) : file;
    if (error) throw Error("cannot write " + file.string() + ": " + error.message());
    fs::path temporary = target;
    temporary += ".part";
    try {
        write_text(temporary, text);
    } catch (const Error&) {
        fs::remove(temporary, error);
        throw;
    }
    fs::rename(temporary, target, error);
    if (error) throw Error("cannot write " + file.string() + ": " + error.message());
}

std::filesystem::path manifest_path(const std::filesystem::path& results) {
    if (results == "-") return {};
    if (names_descriptor(results)) return {};
    if (results.filename() == "results.jsonl") return results.parent_path() / "run.json";
    std::filesystem::path manifest = results;
    return manifest.replace_extension(".run.json");
}

}  // namespace fovea
