#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/analysis/operating_point.hpp"
#include "lib/evaluate/compare/comparison.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/json/json.hpp"

namespace fovea {

class InputFiles;

/// A report as it lies on disk.
struct StoredReport {
    /// The path of report.json.
    std::filesystem::path file{};
    /// Its member "detection" is that of the chosen detector.
    Json json{};
    /// The detector's name; empty if the report names none.
    std::string name{};
    /// evaluated.jsonl beside it.
    std::shared_ptr<const EvaluationRecord> record{};
    /// The detector's place in the record.
    std::size_t detector = 0;
    /// units.jsonl beside it.
    std::shared_ptr<const UnitRecord> units{};
    /// The evaluation's place in the units' record.
    std::optional<std::size_t> unit{};
};

/// Adds the report that a specification of read_report() names, and its records, to the inputs.
void add_inputs_of_report(const std::string& specification, InputFiles& inputs);

/// Reads a report without choosing among its evaluations. \param path report.json or its folder.
/// All members that are read back have the right type: "detection", "landmarks", "verification",
/// "identification" and "clustering" are objects, "detectors", "landmarkers" and "recognisers" are lists of
/// objects with a "name", and a detection's curve and rates have their numbers.
/// \throws UsageError if there is no such file; Error naming the file and the first unexpected place in it.
StoredReport read_report_file(const std::filesystem::path& path);

/// Reads a report: "PATH", or "PATH:NAME" for one of several detectors or recognisers, where PATH is
/// report.json or its folder; without NAME the first one is read. The name of a detector also chooses the
/// landmarks in its boxes; "truth" chooses the landmarks in annotated boxes. A record that is missing is left
/// out; without `with_record` all are.
/// \throws as read_report_file; UsageError if there is no such detector; Error if the record is broken or not
/// the one that the report was written with.
StoredReport read_report(const std::string& specification, bool with_record);

/// The first evaluation of a report that is not on disk. \param json as report.json. \param section the
/// member that holds the evaluation: "detection". \param record the text of its record; empty = none.
/// \throws Error if the record is broken.
StoredReport report_in_memory(Json json, const std::string& section, const std::string& record);

/// The evaluations of another detector or recogniser of a report. \throws UsageError if none has that name.
StoredReport rival_of(const StoredReport& report, const std::string& name);

/// The difference that keeps a gate from comparing two reports of one kind: protocol, images, faces, pairs or
/// probes. Empty if there is none.
std::string incomparable(const Json& first, const Json& second);

/// The numbers that both reports have, by report.json alone: values side by side, and an unpaired z test
/// where both give intervals (compare_intervals).
std::vector<ComparedNumber> compare_numbers(const Json& first, const Json& second);

struct CompareRequest {
    std::string first;  ///< as read_report takes it
    std::string second;
    bool intersection = false;  ///< compare the images that both have
    /// The operating point of the comparison face by face.
    OperatingPointChoice at{.kind = OperatingPointChoice::Kind::every_detection};
    std::vector<int> false_positive_points;  ///< further ones to compare the detection rate at
    int resamples = 1000;
    std::uint64_t seed = 1;
    /// The curves of detections get their 95 % intervals, which doubles the time.
    bool with_bands = false;
    std::filesystem::path root;  ///< where the images are; empty = where the record says
};

/// {"a": {"name", "report"}, "b": ...}: what compare_reports() compares, as comparison_to_json() has it.
Json compared_sides(const StoredReport& first, const StoredReport& second, const CompareRequest& request);

/// Compares two reports that were read with their records; the request says how they are called. Both are
/// evaluated again on the same images if both have a record: paired bootstrap of every number of detections,
/// McNemar's test, and the images that changed. Numbers of landmarks, pairs and probes are resampled
/// together where both have records of the same units (unit_record.hpp). Without records, the numbers of
/// report.json stand side by side. \throws UsageError if the records were made by different protocols, name
/// different images (unless request.intersection is set) or have no image in common; Error if an image's
/// ground truth differs.
Comparison compare_reports(const StoredReport& first, const StoredReport& second,
                           const CompareRequest& request);
/// Reads the reports that the request names and compares them. \throws also what read_report() throws.
Comparison compare_reports(const CompareRequest& request);

}  // namespace fovea
