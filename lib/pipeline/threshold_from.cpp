#include "lib/pipeline/threshold_from.hpp"

#include <filesystem>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/json_text.hpp"
#include "lib/pipeline/nearest_name.hpp"

namespace fovea {
namespace {

struct Specification {
    std::string file;
    std::string key = "threshold_at_eer";
};

Specification parse(const std::string& text) {
    std::error_code ignored;
    const std::size_t colon = text.rfind(':');
    // A file's name may hold a colon.
    if (colon == std::string::npos || std::filesystem::exists(text, ignored)) return {text};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

// Null where the file is no JSON, which no report is either.
Json read_json(const std::string& file) {
    try {
        return parse_json(read_file(file, "report"));
    } catch (const Json::parse_error&) {
        return {};
    }
}

const Json* find_verification(const Json& report, const std::string& recogniser) {
    if (!report.is_object()) return nullptr;
    const auto several = report.find("recognisers");
    if (several != report.end() && several->is_array()) {
        for (const Json& entry : *several) {
            if (!entry.is_object() || !entry.contains("name") || entry["name"] != recogniser) continue;
            const auto found = entry.find("verification");
            if (found != entry.end() && found->is_object()) return &*found;
        }
    }
    const auto found = report.find("verification");
    return found != report.end() && found->is_object() ? &*found : nullptr;
}

}  // namespace

GivenThreshold threshold_from(const std::string& specification, const std::string& recogniser,
                              bool distance) {
    const Specification wanted = parse(specification);
    const Json report = read_json(wanted.file);
    const Json* verification = find_verification(report, recogniser);
    if (verification == nullptr) {
        throw UsageError("--threshold-from: " + wanted.file +
                         " is not the report.json of 'fovea evaluate verification'");
    }
    std::vector<std::string> thresholds;
    for (const auto& [key, value] : verification->items()) {
        if (key.starts_with("threshold") && value.is_number()) thresholds.push_back(key);
    }
    const auto found = verification->find(wanted.key);
    if (!wanted.key.starts_with("threshold") || found == verification->end() || !found->is_number()) {
        std::string known;
        for (const std::string& key : thresholds) known += (known.empty() ? "" : ", ") + key;
        throw UsageError("--threshold-from: " + wanted.file + " has no '" + wanted.key + "'" +
                         did_you_mean(wanted.key, thresholds) +
                         (known.empty() ? "; it has no threshold at all" : "; it has " + known));
    }
    const auto scores = verification->find("scores");
    const bool was_distance = scores != verification->end() && *scores == "distance";
    if (was_distance != distance) {
        throw UsageError("--threshold-from: the scores of " + wanted.file + " are " +
                         (was_distance ? "distances, but --distance was not given"
                                       : "similarities, but --distance was given"));
    }
    return {found->get<double>(), wanted.file + ", " + wanted.key};
}

}  // namespace fovea
