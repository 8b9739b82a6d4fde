#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/stored/compare.hpp"
#include "lib/report/stored/report_numbers.hpp"

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

void check_detection(const JsonPlace& evaluation) {
    if (evaluation.has("best_f1_threshold")) evaluation["best_f1_threshold"].number();
    if (evaluation.has("roc_thresholds")) evaluation["roc_thresholds"].integer(0, largest_count);
    check_list(evaluation, "rate_at_false_positives", [](const JsonPlace& rate) {
        rate["false_positives"].integer(0, std::numeric_limits<int>::max());
        rate["detection_rate"].number();
        if (rate.has("threshold")) rate["threshold"].number();
    });
    check_list(evaluation, "roc", [](const JsonPlace& point) {
        for (const char* key : {"false_positives", "true_positives"}) {
            point[key].integer(0, std::numeric_limits<int>::max());
        }
        for (const char* key : {"threshold", "detection_rate"}) point[key].number();
    });
}

// An evaluation of one kind, where it is there.
void check_evaluation(const JsonPlace& object, const char* kind) {
    if (!object.has(kind)) return;
    const JsonPlace evaluation = object[kind];
    evaluation.require_object();
    check_text(evaluation, "name");
    check_text(evaluation, "scores");
    if (kind == std::string_view("detection")) check_detection(evaluation);
}

// A report may have been edited, or be another program's: whoever reads it finds of these members what they
// must be.
void check_report(const JsonPlace& report) {
    report.require_object();
    if (report.has("format") && report["format"].text() != "fovea-report")
        report["format"].fail("\"fovea-report\", as in the report.json of this program");
    for (const ReportSection& section : report_sections) {
        check_evaluation(report, section.name);
        check_list(report, section.rivals, [&](const JsonPlace& entry) {
            entry["name"].text();
            check_evaluation(entry, section.name);
        });
    }
    for (const char* record : {"evaluated", "units"}) {
        if (!report.has(record)) continue;
        for (const char* key : {"file", "sha256"}) report[record][key].text();
    }
}

// "out/demo:mct" -> {"out/demo", "mct"}. A path may itself hold colons: then it exists as it stands.
std::pair<fs::path, std::string> split_name(const std::string& specification) {
    const std::size_t colon = specification.rfind(':');
    if (is_there(specification) || colon == std::string::npos) return {specification, ""};
    return {specification.substr(0, colon), specification.substr(colon + 1)};
}

// The place of a name in a list of report.json or of a record; the first of equal ones.
template <class List, class NameOf>
std::optional<std::size_t> place_of(const List& list, const std::string& name, const NameOf& name_of) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (name_of(list[i]) == name) return i;
    }
    return std::nullopt;
}

// The evaluations of that name, empty = the first; what the report has of other names only is not compared.
void choose_rival(StoredReport& report, const std::string& wanted) {
    Json& json = report.json;
    for (auto section = report_sections.rbegin(); section != report_sections.rend(); ++section) {
        if (json.contains(section->name)) report.name = json[section->name].value("name", "");
    }
    if (wanted.empty()) return;
    const std::string stored = valid_utf8(wanted);
    Json chosen = report_of_rival(json, stored);
    if (chosen.empty()) {
        const std::vector<std::string> known = rivals_of(json);
        const bool of_recognisers =
            std::any_of(report_sections.begin(), report_sections.end(), [&](const ReportSection& section) {
                return section.rivals == std::string_view("recognisers") && json.contains(section.name);
            });
        throw UsageError(
            fmt::format("{} has no {} '{}'{}; it has {}", report.file.string(),
                        of_recognisers ? "recogniser" : "detector", wanted, did_you_mean(wanted, known),
                        known.empty() ? "none at all" : fmt::format("{}", fmt::join(known, ", "))));
    }
    report.name = wanted;
    report.detector = place_of(member_of(json, "detectors"), stored, [](const Json& entry) {
                          return entry["name"];
                      }).value_or(0);
    for (const ReportSection& section : report_sections) json.erase(section.name);
    if (!chosen.contains("detection")) {
        json.erase("evaluated");
        report.record.reset();
    }
    json.update(chosen);
}

// A file that the report names, which lies beside it; nothing where it is gone.
std::optional<fs::path> file_beside(const StoredReport& report, const char* key) {
    const Json& named = member_of(report.json, key);
    if (named.is_null()) return std::nullopt;
    const fs::path file = report.file.parent_path() / fs::path(named["file"].get<std::string>()).filename();
    if (!is_file(file)) return std::nullopt;
    if (sha256_of_file(file) != named["sha256"]) {
        throw Error(file.string() + " is not the record that " + report.file.string() +
                    " was written with; write the report again, or remove the record to compare without it.");
    }
    return file;
}

void check_detectors(const StoredReport& report) {
    if (!report.record || report.detector < report.record->detectors.size()) return;
    throw Error("The record of " + report.file.string() + " lacks detectors that the report has; write the " +
                "report again.");
}

// The place of the report's evaluation among those of its units' record. \param wanted the name that was
// given; empty = the first.
void place_unit(StoredReport& report, const std::string& wanted) {
    report.unit.reset();
    if (!report.units || !report.json.contains(report.units->kind)) return;
    const UnitRecord& record = *report.units;
    const auto name_of = [](const auto& evaluation) { return evaluation.name; };
    const std::string name = wanted.empty() ? report.json[record.kind].value("name", "") : valid_utf8(wanted);
    report.unit = record.kind == "landmarks"      ? place_of(record.landmarks, name, name_of)
                  : record.kind == "verification" ? place_of(record.verification, name, name_of)
                                                  : place_of(record.identification, name, name_of);
}

}  // namespace

StoredReport read_report_file(const fs::path& path) {
    StoredReport report;
    report.file = is_folder(path) ? path / "report.json" : path;
    report.json = parse_json_file(report.file.string(), read_file(report.file, "report"),
                                  "name a report.json of this program or its folder");
    check_report(JsonPlace(report.json, report.file.string()));
    return report;
}

void add_inputs_of_report(const std::string& specification, InputFiles& inputs) {
    const fs::path path = split_name(specification).first;
    const fs::path folder = is_folder(path) ? path : folder_above(path);
    inputs.add(path);
    for (const char* name : {"report.json", "evaluated.jsonl", "units.jsonl"}) inputs.add(folder / name);
}

StoredReport read_report(const std::string& specification, bool with_record) {
    const auto [path, name] = split_name(specification);
    StoredReport report = read_report_file(path);
    choose_rival(report, name);
    if (!with_record) return report;
    if (const std::optional<fs::path> file = file_beside(report, "evaluated"))
        report.record = std::make_shared<const EvaluationRecord>(read_evaluation_record(*file));
    if (const std::optional<fs::path> file = file_beside(report, "units"))
        report.units = std::make_shared<const UnitRecord>(read_unit_record(*file));
    check_detectors(report);
    place_unit(report, name);
    return report;
}

StoredReport report_in_memory(Json json, const std::string& section, const std::string& record) {
    StoredReport report{"this evaluation", std::move(json)};
    choose_rival(report, "");
    if (!record.empty() && section == "detection")
        report.record =
            std::make_shared<const EvaluationRecord>(parse_evaluation_record(record, report.file.string()));
    else if (!record.empty())
        report.units = std::make_shared<const UnitRecord>(parse_unit_record(record, report.file.string()));
    place_unit(report, "");
    return report;
}

StoredReport rival_of(const StoredReport& report, const std::string& name) {
    StoredReport rival = report;
    choose_rival(rival, name);
    check_detectors(rival);
    place_unit(rival, name);
    return rival;
}

}  // namespace fovea
