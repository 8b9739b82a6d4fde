#include <algorithm>
#include <optional>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/json_text.hpp"
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

// Of several evaluations of a kind the one of that name; their place, if it is there, with the names of all in `names`.
std::optional<std::size_t> choose_among(Json& report, const char* list, const char* kind,
                                        const std::string& wanted, std::vector<std::string>& names) {
    const auto entries = report.find(list);
    if (entries == report.end() || !entries->is_array()) {
        if (!report.contains(kind)) return std::nullopt;
        names.push_back(report[kind].value("name", ""));
        return names.back() == wanted ? std::optional<std::size_t>(0) : std::nullopt;
    }
    std::optional<std::size_t> place;
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const Json& entry = (*entries)[i];
        names.push_back(entry.value("name", ""));
        if (names.back() == wanted && entry.contains(kind) && !place) place = i;
    }
    if (place) report[kind] = Json((*entries)[*place][kind]);
    return place;
}

// Detections and landmarks of that name; what the report has of other names only is not compared.
void choose_detector(StoredReport& report, const std::string& wanted) {
    const char* const first_kind = report.json.contains("detection") ? "detection" : "landmarks";
    if (report.json.contains(first_kind)) report.name = report.json[first_kind].value("name", "");
    if (wanted.empty()) return;
    std::vector<std::string> names;
    const auto detector = choose_among(report.json, "detectors", "detection", wanted, names);
    const auto landmarker = choose_among(report.json, "landmarkers", "landmarks", wanted, names);
    if (!detector && !landmarker) {
        std::vector<std::string> known;
        for (const std::string& name : names) {
            if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
        }
        throw UsageError(fmt::format("{} has no detector '{}'{}; it has {}", report.file.string(), wanted,
                                     did_you_mean(wanted, known), fmt::join(known, ", ")));
    }
    report.name = wanted;
    report.detector = detector.value_or(0);
    if (!landmarker) report.json.erase("landmarks");
    if (detector) return;
    for (const char* key : {"detection", "evaluated"}) report.json.erase(key);
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
        report.json = parse_json(bytes);
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
