#include "lib/job/earlier_crops.hpp"

#include <optional>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/results/results_lines.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

std::optional<ImageResult> next_readable(ResultsLines& lines) {
    try {
        return lines.next();
    } catch (const ShortageError&) {
        throw;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

fs::path crops_folder_of(const Json& manifest, const fs::path& file) {
    const Json& folder = member_of(member_of(manifest, "crops"), "folder");
    return folder.is_string() ? file.parent_path() / fs::path(folder.get<std::string>()) : fs::path();
}

void remove_earlier_crops(const DetectionFiles& files) {
    if (files.crops.empty() || files.manifest.empty() || !is_file(files.manifest)) return;
    const fs::path& results = files.results.at(0);
    const fs::path folder = crops_folder_of(read_manifest(files.manifest), files.manifest);
    if (!is_same_place(folder, files.crops) || !is_file(results)) return;
    ResultsLines lines(results);
    while (const std::optional<ImageResult> image = next_readable(lines)) {
        for (const std::string& crop : image->crops) {
            if (!is_name_below(crop)) continue;
            files.inputs.refuse(files.crops / crop);
            remove_file(files.crops / crop);
        }
    }
}

}  // namespace fovea
