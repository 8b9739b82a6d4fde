#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/sha256.hpp"
#include "lib/pipeline/compare.hpp"
#include "lib/pipeline/nearest_name.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

// "out/demo:mct" -> {"out/demo", "mct"}. A path may itself hold colons: then it exists as it stands.
std::pair<fs::path, std::string> split_name(const std::string& specification) {
    std::error_code ignored;
    const std::size_t colon = specification.rfind(':');
    if (fs::exists(specification, ignored) || colon == std::string::npos) return {specification, ""};
    return {specification.substr(0, colon), specification.substr(colon + 1)};
}

void choose_detector(StoredReport& report, const std::string& wanted) {
    const auto detectors = report.json.find("detectors");
    if (report.json.contains("detection")) report.name = report.json["detection"].value("name", "");
    if (wanted.empty()) return;
    std::vector<std::string> names;
    if (detectors != report.json.end() && detectors->is_array()) {
        for (const Json& entry : *detectors) {
            names.push_back(entry.value("name", ""));
            if (names.back() != wanted || !entry.contains("detection")) continue;
            report.detector = names.size() - 1;
            report.name = wanted;
            report.json["detection"] = Json(entry["detection"]);
            return;
        }
    } else {
        names.push_back(report.name);
        if (report.name == wanted) return;
    }
    throw UsageError(fmt::format("{} has no detector '{}'{}; it has {}", report.file.string(), wanted,
                                 did_you_mean(wanted, names), fmt::join(names, ", ")));
}

void read_record(StoredReport& report) {
    const auto evaluated = report.json.find("evaluated");
    if (evaluated == report.json.end() || !evaluated->is_object()) return;
    const fs::path file = report.file.parent_path() / fs::path(evaluated->value("file", "")).filename();
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return;
    if (sha256_of_file(file) != evaluated->value("sha256", "")) {
        throw Error(file.string() + " is not the record that " + report.file.string() +
                    " was written with; write the report again, or remove the record to compare without it.");
    }
    report.record = read_evaluation_record(file);
    if (report.detector >= report.record->detectors.size()) {
        throw Error(file.string() + " lacks detectors that " + report.file.string() +
                    " has; write the report again.");
    }
}

}  // namespace

StoredReport read_report(const std::string& specification, bool with_record) {
    const auto [path, name] = split_name(specification);
    StoredReport report;
    std::error_code ignored;
    report.file = fs::is_directory(path, ignored) ? path / "report.json" : path;
    const std::string bytes = read_file(report.file, "report");
    try {
        report.json = Json::parse(bytes);
        if (!report.json.is_object()) throw Error("it is no object");
        choose_detector(report, name);
        if (with_record) read_record(report);
    } catch (const Json::exception& error) {
        throw Error(report.file.string() + " cannot be read as a report: " + error.what() +
                    "; name a report.json of this program or its folder.");
    }
    return report;
}

}  // namespace fovea
