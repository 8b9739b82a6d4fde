#include "lib/pipeline/compare_work.hpp"

#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "lib/core/text.hpp"

namespace fovea {
namespace {

using Values = std::map<std::string, std::string>;  // by their JSON pointers

void collect(const Json& json, const std::string& pointer, Values& values) {
    if (json.is_object() && !json.empty()) {
        for (const auto& item : json.items()) collect(item.value(), pointer + "/" + item.key(), values);
    } else if (json.is_array() && !json.empty()) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect(json[i], pointer + "/" + std::to_string(i), values);
    } else {
        values[pointer] = excerpt(json.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
}

bool is_model(const std::string& pointer) {
    return pointer.ends_with("/model") || pointer.ends_with("/model_sha256");
}

// The results depend on these values.
Values values_of_work(const Json& manifest) {
    Values all;
    Values values;
    if (manifest.contains("configuration")) collect(manifest["configuration"], "", all);
    for (const auto& [pointer, value] : all) {
        constexpr std::array<std::string_view, 4> others{"/output", "/device", "/threads", "/dataset/path"};
        bool is_other = false;
        for (const std::string_view other : others) is_other |= pointer == other;
        if (!is_other) values.emplace(pointer, value);
    }
    all.clear();
    for (const char* key : {"detectors", "landmarks"}) {
        if (manifest.contains(key)) collect(manifest[key], std::string("/") + key, all);
    }
    for (const auto& [pointer, value] : all) {
        if (is_model(pointer)) values.emplace(pointer, value);
    }
    return values;
}

std::string difference_of_images(const Json& first, const Json& second) {
    if (first["images"] != second["images"]) {
        return "the whole lists have " + first["images"].dump() + " and " + second["images"].dump() +
               " images";
    }
    if (first["images_sha256"] != second["images_sha256"]) {
        return "the whole lists have other images, or the same ones in another order";
    }
    return {};
}

}  // namespace

std::string work_difference(const Json& first, const Json& second) {
    const std::string images = difference_of_images(first["work"], second["work"]);
    if (!images.empty()) return images;
    if (first["work"]["sha256"] == second["work"]["sha256"]) return {};
    const Values before = values_of_work(first);
    Values after = values_of_work(second);
    std::vector<std::string> differences;
    for (const auto& [pointer, value] : before) {
        const auto found = after.find(pointer);
        const std::string other = found == after.end() ? "absent" : found->second;
        if (other != value) differences.push_back("'" + pointer + "' is " + value + " and " + other);
        if (found != after.end()) after.erase(found);
    }
    for (const auto& [pointer, value] : after)
        differences.push_back("'" + pointer + "' is absent and " + value);
    if (differences.empty()) return "the checksums of what determines their results differ";
    constexpr std::size_t shown = 3;
    std::string text;
    for (std::size_t i = 0; i < differences.size() && i < shown; ++i) {
        text += (i > 0 ? ", " : "") + differences[i];
    }
    if (differences.size() > shown) text += ", and " + counted(differences.size() - shown, "more difference");
    return text;
}

}  // namespace fovea
