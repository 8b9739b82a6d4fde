#include "lib/pipeline/work_description.hpp"

#include "lib/core/sha256.hpp"
#include "lib/pipeline/decoder_choice.hpp"
#include "lib/pipeline/manifest.hpp"

namespace fovea {

Json describe_work(const DetectionJob& job, const RunConfig& effective, const ChosenDecoder& decoder) {
    const Json configuration = run_config_to_json(effective);
    Json work;
    work["image"] = configuration["image"];
    // Who decodes is said below; how much waits in memory changes nothing.
    for (const char* key : {"prefetch_megabytes", "decoder", "allow_mixed_decoders"})
        work["image"].erase(key);
    work["decoder"] = decoder.to_json();
    work["decoder"]["versions"] = versions_to_json()["decoder"];
    work["fovea"] = fovea_version();
    work["detectors"] = configuration["detectors"];
    for (std::size_t i = 0; i < job.detectors.size(); ++i) {
        work["detectors"][i].erase("model");
        work["detectors"][i]["model_sha256"] = sha256_of_file(job.detectors[i].model);
    }
    if (job.landmarker != nullptr) {
        work["landmarks"] = {{"model_sha256", sha256_of_file(job.landmarker->model)},
                             {"boxes", configuration["landmarks"]["boxes"]},
                             {"convention", configuration["landmarks"]["convention"]}};
    }
    if (job.recogniser) work["recogniser"] = feature_fingerprint(*job.recogniser);
    work["images"] = {{"count", job.images.images.whole_size()},
                      {"sha256", job.images.images.names_sha256()}};
    return work;
}

Json describe_job(const DetectionJob& job, const Json& work) {
    const std::optional<Shard>& shard = job.images.shard;
    return {{"work", work},
            {"request", run_config_to_json(job.config)["dataset"]},
            {"shard", shard ? Json(to_string(*shard)) : Json()}};
}

std::string work_sha256(const Json& work) {
    return sha256_of(work.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string work_difference(const Json& now, const Json& before) {
    const Json patch = Json::diff(before, now);
    if (patch.empty()) return {};
    const std::string path = patch[0]["path"];
    const Json::json_pointer place(path);
    const auto value = [&](const Json& work) {
        return work.contains(place) ? work[place].dump(-1, ' ', false, Json::error_handler_t::replace)
                                    : std::string("not there");
    };
    return path.substr(1) + " is " + value(now) + " and was " + value(before);
}

}  // namespace fovea
