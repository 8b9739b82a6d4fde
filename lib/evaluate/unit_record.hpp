#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/verification.hpp"

namespace fovea {

/// The units that the numbers of landmarkers or recognisers are made of, so that two reports can be resampled
/// together: units.jsonl beside report.json.
///
/// The first line is {"format": "fovea-units", "version": 1, "kind": "landmarks", "verification" or
/// "identification", "units_sha256", "evaluations": [...]}, then one line a unit:
///
/// - landmarks, a face that counts: {"unit": number of its image, "lengths": [pixels, ...], "distances":
///   [[pixels, ...] or null where it was missed, for each evaluation]}; evaluations: {"name",
///   "normalisers": [...]}
/// - verification, a pair: {"same", "fold", "scores": [score or null, for each evaluation]}; evaluations:
///   {"name", "distance", "threshold" or null}
/// - identification, a probe: {"mated", "searches": [[mate's score or null, greater, ties, best score or
///   null], for each evaluation]}; evaluations: {"name", "subjects"}; scores are similarities
///
/// units_sha256 identifies the units (faces, pairs, probes and gallery): only records with an equal one are
/// resampled together. Numbers read back to the same double.
struct UnitRecord {
    struct Landmarks {
        std::string name;
        LandmarkEvaluation faces;  ///< name, normalisers and outcomes only, see LandmarkStatistics
    };
    struct Verification {
        std::string name;
        VerificationOptions options;
        std::vector<VerificationPair> pairs;  ///< scores as given
    };
    struct Identification {
        std::string name;
        int gallery_subjects = 0;
        std::vector<ProbeSearch> searches;
    };
    std::string kind;
    std::string units_sha256;
    std::vector<Landmarks> landmarks;  ///< of these three lists one is not empty
    std::vector<Verification> verification;
    std::vector<Identification> identification;
};

/// Its name beside report.json.
constexpr const char* units_file = "units.jsonl";

/// More units are not recorded: their intervals are narrow enough without pairing.
constexpr std::size_t max_recorded_units = 1'000'000;

// The texts of units.jsonl; empty if there are too many units, or the evaluations are not of the same.
// \param names parallel to the evaluations.
std::string landmark_units_text(const std::vector<LandmarkEvaluation>& evaluations,
                                const std::vector<std::string>& names);
std::string verification_units_text(const std::vector<VerificationEvaluation>& evaluations);
std::string identification_units_text(const std::vector<IdentificationEvaluation>& evaluations);

/// Reads a record. \throws UsageError if the file is not there; Error naming file and line if it is broken or
/// of another version.
UnitRecord read_unit_record(const std::filesystem::path& file);
/// Reads a record from its text. \param file named in messages.
UnitRecord parse_unit_record(const std::string& bytes, const std::string& file);

/// The numbers of two evaluations of one record's kind, resampled together; keys are those of report.json,
/// with the section: "landmarks.pixels.mean". \param first, second places in the records. \throws Error if
/// the records are of different kinds or units.
std::vector<PairedNumber> paired_units(const UnitRecord& a, std::size_t first, const UnitRecord& b,
                                       std::size_t second, int resamples, std::uint64_t seed);

}  // namespace fovea
