#include "lib/report/stored/detector_settings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

/// Without effect on what a detector finds.
constexpr std::array idle{"name", "prefetch_megabytes", "decoder", "video_decoder", "allow_mixed_decoders"};

std::string value_text(const Json& value) {
    if (value.is_string()) return excerpt(value.get<std::string>());
    if (value.is_number_float()) return shortest_number(value.get<double>());
    return value.is_null() ? "default" : compact_text(value);
}

// The leaves of an object, under their paths: "box_offsets.left".
void add_settings(const Json& object, const std::string& prefix, std::vector<DetectorSetting>& settings) {
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items()) {
        if (std::find(idle.begin(), idle.end(), key) != idle.end()) continue;
        if (value.is_object()) {
            add_settings(value, prefix + key + ".", settings);
        } else {
            settings.push_back({prefix + key, value_text(value)});
        }
    }
}

// The place of the detector of that name in the manifest; the only one has any name.
std::size_t place_of(const Json& detectors, const std::string& name) {
    if (!detectors.is_array()) return 0;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        if (member_of(detectors[i], "name") == name) return i;
    }
    return detectors.size() == 1 ? 0 : detectors.size();
}

}  // namespace

std::vector<DetectorSetting> detector_settings(const Json& report, const std::string& name) {
    std::vector<DetectorSetting> settings;
    const Json& manifest = member_of(report, "manifest");
    const Json& made = member_of(manifest, "detectors");
    const std::size_t place = place_of(made, name);
    if (!made.is_array() || place >= made.size()) return settings;
    // A run's report has its configuration beside the manifest, a later evaluation's in it.
    const Json& own = member_of(manifest, "configuration");
    const Json& configuration = own.is_object() ? own : member_of(report, "configuration");
    const Json& detectors = member_of(configuration, "detectors");
    if (detectors.is_array() && place < detectors.size()) {
        Json detector = detectors[place];
        // The folder of a model says less than what it holds, which its hash says.
        if (const Json& model = member_of(detector, "model"); model.is_string()) {
            detector["model"] = std::filesystem::path(model.get<std::string>()).filename().string();
        }
        add_settings(detector, "", settings);
    }
    add_settings(member_of(configuration, "image"), "image.", settings);
    if (const Json& hash = member_of(made[place], "model_sha256"); hash.is_string()) {
        settings.push_back({"model_sha256", hash.get<std::string>().substr(0, 12)});
    }
    return settings;
}

std::vector<SettingDifference> differing_settings(const std::vector<DetectorSetting>& first,
                                                  const std::vector<DetectorSetting>& second) {
    const auto value_in = [](const std::vector<DetectorSetting>& settings, const std::string& name) {
        for (const DetectorSetting& setting : settings) {
            if (setting.name == name) return setting.value;
        }
        return std::string("–");
    };
    std::vector<SettingDifference> differences;
    if (first.empty() || second.empty()) return differences;
    for (const DetectorSetting& setting : first) {
        const std::string other = value_in(second, setting.name);
        if (other != setting.value) differences.push_back({setting.name, setting.value, other});
    }
    for (const DetectorSetting& setting : second) {
        if (value_in(first, setting.name) == "–") differences.push_back({setting.name, "–", setting.value});
    }
    return differences;
}

}  // namespace fovea
