#include "lib/job/manifest_file.hpp"

#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {

void write_json_file(const std::filesystem::path& file, const Json& json) {
    // File names are bytes, JSON is UTF-8: what is not UTF-8 is shown with the replacement character.
    replace_file(file, indented_text(json) + '\n');
}

Json read_manifest(const std::filesystem::path& manifest) {
    try {
        return parse_json(read_file(manifest, "manifest"));
    } catch (const Json::parse_error&) {
        return nullptr;
    }
}

void remove_stale_manifest(const std::filesystem::path& manifest) {
    if (!manifest.empty() && is_file(manifest)) remove_file(manifest);
}

std::filesystem::path manifest_path(const std::filesystem::path& results) {
    if (results == "-") return {};
    if (is_device_path(results)) return {};
    if (results.filename() == "results.jsonl") return results.parent_path() / "run.json";
    std::filesystem::path manifest = results;
    return manifest.replace_extension(".run.json");
}

}  // namespace fovea
