#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"
#include "lib/run/compare.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

// --- the members that are read back ---------------------------------------------------------------

constexpr auto largest_count = std::numeric_limits<std::int64_t>::max();

void check_text(const JsonPlace& object, const char* key) {
    if (object.has(key)) object[key].text();
}

// Calls check(element) for every element of a list, where it is there.
template <class Check>
void check_list(const JsonPlace& object, const char* key, const Check& check) {
    if (!object.has(key)) return;
    const JsonPlace list = object[key];
    for (std::size_t i = 0; i < list.array_size(); ++i) check(list[i]);
}

JsonPlace required(const JsonPlace& object, const char* key) {
    if (!object.has(key)) object.fail(std::string("an object with \"") + key + "\"");
    return object[key];
}

void check_detection(const JsonPlace& evaluation) {
    if (evaluation.has("best_f1_threshold")) evaluation["best_f1_threshold"].number();
    if (evaluation.has("roc_thresholds")) evaluation["roc_thresholds"].integer(0, largest_count);
    check_list(evaluation, "rate_at_false_positives", [](const JsonPlace& rate) {
        required(rate, "false_positives").integer(0, std::numeric_limits<int>::max());
        required(rate, "detection_rate").number();
        if (rate.has("threshold")) rate["threshold"].number();
    });
    check_list(evaluation, "roc", [](const JsonPlace& point) {
        for (const char* key : {"false_positives", "true_positives"}) {
            required(point, key).integer(0, largest_count);
        }
        for (const char* key : {"threshold", "detection_rate"}) required(point, key).number();
    });
}

// A detection, landmarks, tracks, a verification or an identification, where it is there.
void check_evaluation(const JsonPlace& object, const char* kind) {
    if (!object.has(kind)) return;
    const JsonPlace evaluation = object[kind];
    if (!evaluation.json().is_object()) evaluation.fail("an object");
    check_text(evaluation, "name");
    check_text(evaluation, "scores");
    if (kind == std::string_view("detection")) check_detection(evaluation);
}

// A report may have been edited, or be another program's: whoever reads it finds of these members what they
// must be.
void check_report(const JsonPlace& report) {
    if (!report.json().is_object()) report.fail("an object: the report.json of this program");
    if (report.has("format") && report["format"].text() != "fovea-report") {
        report["format"].fail("\"fovea-report\": the report.json of this program");
    }
    constexpr std::array kinds{"detection", "landmarks", "tracks", "verification", "identification"};
    for (const char* kind : kinds) check_evaluation(report, kind);
    for (const char* list : {"detectors", "landmarkers", "trackers", "recognisers"}) {
        check_list(report, list, [&](const JsonPlace& entry) {
            required(entry, "name").text();
            for (const char* kind : kinds) check_evaluation(entry, kind);
        });
    }
    if (report.has("evaluated")) {
        for (const char* key : {"file", "sha256"}) required(report["evaluated"], key).text();
    }
    if (report.has("units")) {
        for (const char* key : {"file", "sha256"}) required(report["units"], key).text();
    }
}

// "out/demo:mct" -> {"out/demo", "mct"}. A path may itself hold colons: then it exists as it stands.
std::pair<fs::path, std::string> split_name(const std::string& specification) {
    const std::size_t colon = specification.rfind(':');
    if (is_there(specification) || colon == std::string::npos) return {specification, ""};
    return {specification.substr(0, colon), specification.substr(colon + 1)};
}

// The one of that name of several evaluations of a kind; their place, if it is there, with the names of all
// in `names`.
std::optional<std::size_t> choose_among(Json& report, const char* list, const char* kind,
                                        const std::string& wanted, std::vector<std::string>& names) {
    const Json& entries = member_of(report, list);
    if (entries.is_null()) {
        if (!report.contains(kind)) return std::nullopt;
        names.push_back(report[kind].value("name", ""));
        return names.back() == wanted ? std::optional<std::size_t>(0) : std::nullopt;
    }
    std::optional<std::size_t> place;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Json& entry = entries[i];
        names.push_back(entry["name"].get<std::string>());
        if (names.back() == wanted && entry.contains(kind) && !place) place = i;
    }
    if (place) report[kind] = Json(entries[*place][kind]);
    return place;
}

// Detections, landmarks and tracks of that name; what the report has of other names only is not compared.
void choose_detector(StoredReport& report, const std::string& wanted) {
    for (const char* kind : {"identification", "verification", "tracks", "landmarks", "detection"}) {
        if (report.json.contains(kind)) report.name = report.json[kind].value("name", "");
    }
    if (wanted.empty()) return;
    std::vector<std::string> names;
    const std::string stored = valid_utf8(wanted);
    const auto detector = choose_among(report.json, "detectors", "detection", stored, names);
    const auto landmarker = choose_among(report.json, "landmarkers", "landmarks", stored, names);
    const auto tracker = choose_among(report.json, "trackers", "tracks", stored, names);
    const auto verifier = choose_among(report.json, "recognisers", "verification", stored, names);
    const auto identifier = choose_among(report.json, "recognisers", "identification", stored, names);
    if (!detector && !landmarker && !tracker && !verifier && !identifier) {
        std::vector<std::string> known;
        for (const std::string& name : names) {
            const bool is_new = std::find(known.begin(), known.end(), name) == known.end();
            if (is_new && !name.empty()) known.push_back(name);
        }
        const bool of_recognisers =
            report.json.contains("verification") || report.json.contains("identification");
        throw UsageError(
            fmt::format("{} has no {} '{}'{}; it has {}", report.file.string(),
                        of_recognisers ? "recogniser" : "detector", wanted, did_you_mean(wanted, known),
                        known.empty() ? "none at all" : fmt::format("{}", fmt::join(known, ", "))));
    }
    report.name = wanted;
    report.detector = detector.value_or(0);
    if (!landmarker) report.json.erase("landmarks");
    if (!tracker) report.json.erase("tracks");
    if (!verifier) report.json.erase("verification");
    if (!identifier) report.json.erase("identification");
    if (detector) return;
    for (const char* key : {"detection", "evaluated"}) report.json.erase(key);
}

void read_record(StoredReport& report) {
    const Json& evaluated = member_of(report.json, "evaluated");
    if (evaluated.is_null()) return;
    const fs::path file =
        report.file.parent_path() / fs::path(evaluated["file"].get<std::string>()).filename();
    if (!is_file(file)) return;
    if (sha256_of_file(file) != evaluated["sha256"]) {
        throw Error(file.string() + " is not the record that " + report.file.string() +
                    " was written with; write the report again, or remove the record to compare without it.");
    }
    report.record = read_evaluation_record(file);
    if (report.detector >= report.record->detectors.size()) {
        throw Error(file.string() + " lacks detectors that " + report.file.string() +
                    " has; write the report again.");
    }
}

// The place of the report's evaluation among those of its units' record.
template <class Evaluations>
std::optional<std::size_t> place_among(const Evaluations& evaluations, const std::string& name) {
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (evaluations[i].name == name) return i;
    }
    return std::nullopt;
}

// \param wanted the name that was given; empty = the first.
void read_units(StoredReport& report, const std::string& wanted) {
    const Json& units = member_of(report.json, "units");
    if (units.is_null()) return;
    const fs::path file = report.file.parent_path() / fs::path(units["file"].get<std::string>()).filename();
    if (!is_file(file)) return;
    if (sha256_of_file(file) != units["sha256"]) {
        throw Error(file.string() + " is not the record that " + report.file.string() +
                    " was written with; write the report again, or remove the record to compare without it.");
    }
    report.units = read_unit_record(file);
    const UnitRecord& record = *report.units;
    if (!report.json.contains(record.kind)) return;
    const std::string name = wanted.empty() ? report.json[record.kind].value("name", "") : valid_utf8(wanted);
    report.unit = record.kind == "landmarks"      ? place_among(record.landmarks, name)
                  : record.kind == "verification" ? place_among(record.verification, name)
                                                  : place_among(record.identification, name);
}

}  // namespace

StoredReport read_report_file(const fs::path& path) {
    StoredReport report;
    report.file = is_folder(path) ? path / "report.json" : path;
    report.json = parse_json_file(report.file.string(), read_file(report.file, "report"),
                                  "name a report.json of this program or its folder");
    check_report({report.json, report.file.string()});
    return report;
}

StoredReport read_report(const std::string& specification, bool with_record) {
    const auto [path, name] = split_name(specification);
    StoredReport report = read_report_file(path);
    choose_detector(report, name);
    if (with_record) read_record(report);
    if (with_record) read_units(report, name);
    return report;
}

}  // namespace fovea
