#include "lib/job/compare_manifests.hpp"

#include <map>
#include <vector>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

std::vector<std::string> differences(const Json& first, const Json& second) {
    std::map<std::string, std::pair<std::string, std::string>> pairs;  // by JSON pointers
    const Json of_first = first.flatten(), of_second = second.flatten();
    for (const auto& [pointer, value] : of_first.items())
        pairs[pointer] = {excerpt(compact_text(value)), "absent"};
    for (const auto& [pointer, value] : of_second.items()) {
        auto& pair = pairs.try_emplace(pointer, "absent", "").first->second;
        pair.second = excerpt(compact_text(value));
    }
    std::vector<std::string> found;
    for (const auto& [pointer, pair] : pairs) {
        if (pair.first == pair.second) continue;
        found.push_back("'" + pointer + "' is " + pair.first + " and " + pair.second);
    }
    return found;
}

}  // namespace

std::string compare_manifests(const Json& first_manifest, const Json& second_manifest) {
    const Json& first = first_manifest["work"];
    const Json& second = second_manifest["work"];
    if (first["images"] != second["images"]) {
        return "the whole lists have " + first["images"].dump() + " and " + second["images"].dump() +
               " images";
    }
    if (first["images_sha256"] != second["images_sha256"]) {
        return "the whole lists have other images, or the same ones in another order";
    }
    if (first["sha256"] == second["sha256"]) return {};
    const std::vector<std::string> found =
        differences(first.value("description", Json()), second.value("description", Json()));
    if (found.empty()) return "the checksums of what determines their results differ";
    constexpr std::size_t shown = 3;
    std::string text;
    for (std::size_t i = 0; i < found.size() && i < shown; ++i) text += (i > 0 ? ", " : "") + found[i];
    if (found.size() > shown) text += ", and " + counted(found.size() - shown, "more difference");
    return text;
}

std::string first_difference_in_work(const Json& now, const Json& before) {
    const Json patch = Json::diff(before, now);
    if (patch.empty()) return {};
    const std::string path = patch[0]["path"];
    const Json::json_pointer place(path);
    const auto value = [&](const Json& work) {
        return work.contains(place) ? compact_text(work[place]) : std::string("not there");
    };
    const std::string name = path.empty() ? "the work" : path.substr(1);
    return name + " is " + value(now) + " and was " + value(before);
}

}  // namespace fovea
