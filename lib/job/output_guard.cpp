#include "lib/job/output_guard.hpp"

#include <string>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {

void refuse_other_report(const std::filesystem::path& file, const Json& work, bool overwrite,
                         const std::string& within) {
    if (overwrite || !is_file(file)) return;
    Json report;
    try {
        report = parse_json(read_file(file, "report"));
    } catch (const Json::parse_error&) {
        // It is of other work, then.
    }
    // This is the form in which it is read back: paths are bytes, JSON is UTF-8.
    const Json now = Json::parse(compact_text(work));
    Json before;
    const Json& holder = within.empty() ? report : member_of(report, within.c_str());
    for (const auto& [key, value] : now.items()) before[key] = member_of(holder, key.c_str());
    const std::string difference = first_difference_in_work(now, before);
    if (difference.empty()) return;
    throw UsageError("the report '" + file.string() + "' is of other work (" + difference +
                     "); name another folder with --out, or replace it with --overwrite");
}

}  // namespace fovea
