#include "lib/job/job_material.hpp"

#include "lib/core/version.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {

void add_inputs(const JobMaterial& material, InputFiles inputs) {
    inputs.add(material.config.file);
    for (const LoadedDetector& detector : material.detectors) inputs.add(detector.model);
    if (material.landmarker != nullptr) inputs.add(material.landmarker->model);
    add_inputs(material.images.images, inputs);
}

Json result_fingerprint(const JobMaterial& material, const ChosenDecoder& decoder, const Json& more) {
    const Json configuration = run_config_to_json(effective_config(material.config, material.detectors));
    Json work;
    work["image"] = configuration["image"];
    // Who decodes is said below; how much waits in memory changes nothing.
    for (const char* key : {"prefetch_megabytes", "decoder", "allow_mixed_decoders", "video_decoder"})
        work["image"].erase(key);
    work["decoder"] = decoder.to_json();
    work["decoder"]["versions"] = versions_to_json()["decoder"];
    work["fovea"] = fovea_version();
    work["detectors"] = configuration["detectors"];
    for (std::size_t i = 0; i < material.detectors.size(); ++i) {
        work["detectors"][i].erase("model");
        work["detectors"][i]["model_sha256"] = sha256_of_file(material.detectors[i].model);
        // Another library's version belongs to what it finds.
        const Detector& detector = *material.detectors[i].detector;
        if (detector.as_cascade() == nullptr) work["detectors"][i]["run_by"] = detector.description();
    }
    if (material.landmarker != nullptr) {
        work["landmarks"] = {{"model_sha256", sha256_of_file(material.landmarker->model)},
                             {"boxes", configuration["landmarks"]["boxes"]},
                             {"convention", configuration["landmarks"]["convention"]}};
    }
    work.update(more);
    const ImageList& images = material.images.images;
    work["images"] = {{"count", images.whole_size()}, {"sha256", images.names_sha256()}};
    if (!images.list_sha256().empty()) work["images"]["list_sha256"] = images.list_sha256();
    return work;
}

Json job_fingerprint(const JobMaterial& material, const Json& work) {
    const std::optional<Shard>& shard = material.images.shard;
    const Json description{{"work", work},
                           {"request", run_config_to_json(material.config)["dataset"]},
                           {"shard", shard ? Json(to_string(*shard)) : Json()}};
    // This is the form in which it is read back: paths are bytes, JSON is UTF-8.
    return Json::parse(compact_text(description));
}

std::string work_sha256(const Json& work) {
    return sha256_of(compact_text(work));
}

}  // namespace fovea
