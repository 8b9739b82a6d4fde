#include "lib/evaluate/unit_record.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_statistics.hpp"
#include "lib/evaluate/record_fields.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/readers.hpp"

namespace fovea {
namespace {

using record_detail::text_of;
using record_detail::whole_of;
using results_detail::fail_at_line;
using results_detail::FieldError;
using results_detail::finite_number;
using results_detail::member;

constexpr const char* units_format = "fovea-units";
constexpr int units_version = 1;
constexpr std::int64_t most_subjects = 10'000'000;  // a curve has a point for each

Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

/// The evaluations have the same units, and not too many of them.
template <class Evaluations, class Count>
bool can_be_recorded(const Evaluations& evaluations, Count&& count) {
    if (evaluations.empty() || evaluations[0].units_sha256.empty()) return false;
    const std::size_t units = count(evaluations[0]);
    return units > 0 && units <= max_recorded_units &&
           std::all_of(evaluations.begin(), evaluations.end(), [&](const auto& evaluation) {
               return evaluation.units_sha256 == evaluations[0].units_sha256 && count(evaluation) == units;
           });
}

Json header_of(const char* kind, const std::string& units_sha256, Json evaluations) {
    return {{"format", units_format},
            {"version", units_version},
            {"kind", kind},
            {"units_sha256", units_sha256},
            {"evaluations", std::move(evaluations)}};
}

const Json& list_of(const Json& object, const char* key, std::size_t size) {
    const Json* list = member(object, key);
    if (list == nullptr || !list->is_array() || list->size() != size) {
        throw FieldError{"\"" + std::string(key) + "\" is not a list of " + std::to_string(size)};
    }
    return *list;
}

bool truth_of(const Json& object, const char* key) {
    const Json* value = member(object, key);
    if (value == nullptr || !value->is_boolean()) {
        throw FieldError{"\"" + std::string(key) + "\" is neither true nor false"};
    }
    return value->get<bool>();
}

std::vector<double> numbers_of(const Json& list, const std::string& name) {
    if (!list.is_array()) throw FieldError{"\"" + name + "\" is not a list of numbers"};
    std::vector<double> numbers;
    for (const Json& number : list) {
        numbers.push_back(finite_number(&number, name));
        if (numbers.back() < 0) throw FieldError{"\"" + name + "\" holds a number below 0"};
    }
    return numbers;
}

double number_or(const Json& value, double absent, const std::string& name) {
    return value.is_null() ? absent : finite_number(&value, name);
}

// --- what stands in the header for each evaluation --------------------------------------------------

void read_evaluation(const Json& json, UnitRecord& record) {
    if (record.kind == "landmarks") {
        UnitRecord::Landmarks& entry = record.landmarks.emplace_back();
        entry.name = text_of(json, "name");
        entry.faces.name = entry.name;
        const Json* normalisers = member(json, "normalisers");
        if (normalisers == nullptr || !normalisers->is_array()) {
            throw FieldError{"\"normalisers\" is not a list of names"};
        }
        for (const Json& name : *normalisers) {
            if (!name.is_string()) throw FieldError{"\"normalisers\" is not a list of names"};
            entry.faces.normalisers.push_back(normaliser_from_string(name.get<std::string>()));
        }
        if (entry.faces.normalisers.empty()) throw FieldError{"\"normalisers\" is empty"};
    } else if (record.kind == "verification") {
        UnitRecord::Verification& entry = record.verification.emplace_back();
        entry.name = text_of(json, "name");
        entry.options.distance = truth_of(json, "distance");
        const Json* threshold = member(json, "threshold");
        if (threshold != nullptr && !threshold->is_null()) {
            entry.options.threshold = finite_number(threshold, "threshold");
        }
    } else {
        UnitRecord::Identification& entry = record.identification.emplace_back();
        entry.name = text_of(json, "name");
        const std::int64_t subjects = whole_of(json, "subjects");
        if (subjects < 1 || subjects > most_subjects) {
            throw FieldError{"\"subjects\" is out of range"};
        }
        entry.gallery_subjects = static_cast<int>(subjects);
    }
}

void read_header(const Json& json, UnitRecord& record) {
    if (!json.is_object() || json.value("format", Json()) != units_format) {
        throw FieldError{"this is no record of units: expected \"format\": \"" + std::string(units_format) +
                         "\""};
    }
    if (json.value("version", Json()) != units_version) {
        throw FieldError{"expected \"version\": 1; another was written by another release"};
    }
    record.kind = text_of(json, "kind");
    if (record.kind != "landmarks" && record.kind != "verification" && record.kind != "identification") {
        throw FieldError{"\"kind\" is none of landmarks, verification and identification"};
    }
    record.units_sha256 = text_of(json, "units_sha256");
    const Json* evaluations = member(json, "evaluations");
    if (evaluations == nullptr || !evaluations->is_array() || evaluations->empty()) {
        throw FieldError{"\"evaluations\" is not a list"};
    }
    for (const Json& entry : *evaluations) read_evaluation(entry, record);
}

// --- a unit's line ----------------------------------------------------------------------------------

void read_face(const Json& json, UnitRecord& record) {
    const std::int64_t unit = whole_of(json, "unit");
    const Json& all = list_of(json, "distances", record.landmarks.size());
    for (std::size_t i = 0; i < record.landmarks.size(); ++i) {
        std::vector<LandmarkFace>& faces = record.landmarks[i].faces.outcomes;
        // Images are numbered in their order, so that they are no more than the faces.
        const std::int64_t last = faces.empty() ? -1 : static_cast<std::int64_t>(faces.back().unit);
        if (unit < last || unit > last + 1) throw FieldError{"\"unit\" is not the next image's number"};
        LandmarkFace& face = faces.emplace_back();
        face.unit = static_cast<std::uint32_t>(unit);
        face.lengths =
            numbers_of(list_of(json, "lengths", record.landmarks[i].faces.normalisers.size()), "lengths");
        if (!all[i].is_null()) face.distances = numbers_of(all[i], "distances");
        if (!all[i].is_null() && face.distances.empty()) throw FieldError{"\"distances\" holds no number"};
        face.found.resize(face.distances.size());
    }
}

void read_pair(const Json& json, UnitRecord& record) {
    const bool same = truth_of(json, "same");
    const std::int64_t fold = whole_of(json, "fold");
    if (fold > std::numeric_limits<std::int32_t>::max()) throw FieldError{"\"fold\" is too large"};
    const Json& scores = list_of(json, "scores", record.verification.size());
    for (std::size_t i = 0; i < record.verification.size(); ++i) {
        record.verification[i].pairs.push_back(
            {number_or(scores[i], std::numeric_limits<double>::quiet_NaN(), "scores"), same,
             static_cast<std::int32_t>(fold)});
    }
}

void read_probe(const Json& json, UnitRecord& record) {
    const bool mated = truth_of(json, "mated");
    const Json& searches = list_of(json, "searches", record.identification.size());
    for (std::size_t i = 0; i < record.identification.size(); ++i) {
        const Json& values = searches[i];
        const std::int64_t most = record.identification[i].gallery_subjects;  // of other people
        const auto is_count = [&](const Json& value) {
            return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
                   value.get<std::int64_t>() <= most;
        };
        if (!values.is_array() || values.size() != 4 || !is_count(values[1]) || !is_count(values[2])) {
            throw FieldError{"\"searches\" has an entry that is not [score, count, count, score]"};
        }
        ProbeSearch& search = record.identification[i].searches.emplace_back();
        search.mated = mated;
        search.mate_score = number_or(values[0], not_enrolled, "searches");
        search.greater = values[1].get<std::uint32_t>();
        search.ties = values[2].get<std::uint32_t>();
        search.best_score = number_or(values[3], not_enrolled, "searches");
    }
}

void read_unit(const Json& json, UnitRecord& record) {
    if (!json.is_object()) throw FieldError{"expected a JSON object"};
    if (record.kind == "landmarks") read_face(json, record);
    if (record.kind == "verification") read_pair(json, record);
    if (record.kind == "identification") read_probe(json, record);
}

// --- resampling -------------------------------------------------------------------------------------

// Adds the statistics that `wanted` accepts, under the section's keys.
void add_paired(const BootstrapStatistics& a, const BootstrapStatistics& b, const std::string& section,
                const std::function<bool(const std::string& key)>& wanted, int resamples, std::uint64_t seed,
                std::vector<PairedNumber>& estimates) {
    for (PairedNumber& estimate : paired_bootstrap(a, b, resamples, seed)) {
        if (!wanted(estimate.quantity.key)) continue;
        estimate.quantity.key = section + estimate.quantity.key;
        estimates.push_back(std::move(estimate));
    }
}

// Points of the bands are for the curves: theirs are the statistics from `first_band` on.
std::function<bool(const std::string&)> before_band(const BootstrapStatistics& curve,
                                                    std::size_t first_band) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < first_band; ++i) keys.push_back(curve.quantities()[i].key);
    return [keys](const std::string& key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
}

VerificationCurve curve_of(const UnitRecord::Verification& entry) {
    return verification_curve(entry.pairs, entry.options);
}

}  // namespace

std::string landmark_units_text(const std::vector<LandmarkEvaluation>& evaluations,
                                const std::vector<std::string>& names) {
    const auto count = [](const LandmarkEvaluation& evaluation) { return evaluation.outcomes.size(); };
    if (!can_be_recorded(evaluations, count)) return {};
    Json entries = Json::array();
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        Json normalisers = Json::array();
        for (const LandmarkNormaliser normaliser : evaluations[i].normalisers) {
            normalisers.push_back(normaliser_name(normaliser));
        }
        entries.push_back({{"name", names[i]}, {"normalisers", std::move(normalisers)}});
    }
    std::string text =
        compact_text(header_of("landmarks", evaluations[0].units_sha256, std::move(entries))) + "\n";
    for (std::size_t f = 0; f < evaluations[0].outcomes.size(); ++f) {
        const LandmarkFace& first = evaluations[0].outcomes[f];
        Json line{{"unit", first.unit}, {"lengths", first.lengths}};
        line["distances"] = Json::array();
        for (const LandmarkEvaluation& evaluation : evaluations) {
            const LandmarkFace& face = evaluation.outcomes[f];
            line["distances"].push_back(face.missed() ? Json() : Json(face.distances));
        }
        text += compact_text(line) + "\n";
    }
    return text;
}

std::string verification_units_text(const std::vector<VerificationEvaluation>& evaluations) {
    const auto count = [](const VerificationEvaluation& evaluation) { return evaluation.scored.size(); };
    if (!can_be_recorded(evaluations, count)) return {};
    Json entries = Json::array();
    for (const VerificationEvaluation& evaluation : evaluations) {
        const std::optional<double>& threshold = evaluation.options.threshold;
        entries.push_back({{"name", evaluation.name},
                           {"distance", evaluation.options.distance},
                           {"threshold", threshold ? Json(*threshold) : Json()}});
    }
    std::string text =
        compact_text(header_of("verification", evaluations[0].units_sha256, std::move(entries))) + "\n";
    for (std::size_t p = 0; p < evaluations[0].scored.size(); ++p) {
        const VerificationPair& first = evaluations[0].scored[p];
        Json line{{"same", first.same}, {"fold", first.fold}, {"scores", Json::array()}};
        for (const VerificationEvaluation& evaluation : evaluations) {
            line["scores"].push_back(number_or_null(evaluation.scored[p].score));
        }
        text += compact_text(line) + "\n";
    }
    return text;
}

std::string identification_units_text(const std::vector<IdentificationEvaluation>& evaluations) {
    const auto count = [](const IdentificationEvaluation& evaluation) { return evaluation.searches.size(); };
    if (!can_be_recorded(evaluations, count)) return {};
    Json entries = Json::array();
    for (const IdentificationEvaluation& evaluation : evaluations) {
        entries.push_back({{"name", evaluation.name}, {"subjects", evaluation.gallery_subjects}});
    }
    std::string text =
        compact_text(header_of("identification", evaluations[0].units_sha256, std::move(entries))) + "\n";
    for (std::size_t p = 0; p < evaluations[0].searches.size(); ++p) {
        Json line{{"mated", evaluations[0].searches[p].mated}, {"searches", Json::array()}};
        for (const IdentificationEvaluation& evaluation : evaluations) {
            const ProbeSearch& search = evaluation.searches[p];
            line["searches"].push_back({number_or_null(search.mate_score), search.greater, search.ties,
                                        number_or_null(search.best_score)});
        }
        text += compact_text(line) + "\n";
    }
    return text;
}

UnitRecord read_unit_record(const std::filesystem::path& file) {
    return parse_unit_record(read_file(file, "record of units"), file.string());
}

UnitRecord parse_unit_record(const std::string& bytes, const std::string& file) {
    UnitRecord record;
    results_detail::for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        std::string wrong;
        try {
            const Json json = parse_json(line);
            number == 1 ? read_header(json, record) : read_unit(json, record);
        } catch (const FieldError& error) {
            wrong = error.what;
        } catch (const Json::exception& error) {
            wrong = "expected a JSON object (" + results_detail::json_reason(error) + ")";
        } catch (const Error& error) {
            wrong = error.what();
        }
        if (!wrong.empty()) fail_at_line(file, number, line, wrong);
    });
    if (record.kind.empty()) throw Error(file + " is empty; write the report again.");
    const std::size_t units = record.kind == "landmarks"      ? record.landmarks[0].faces.outcomes.size()
                              : record.kind == "verification" ? record.verification[0].pairs.size()
                                                              : record.identification[0].searches.size();
    if (units == 0) throw Error(file + " holds no unit; write the report again.");
    return record;
}

std::vector<PairedNumber> paired_units(const UnitRecord& a, std::size_t first, const UnitRecord& b,
                                       std::size_t second, int resamples, std::uint64_t seed) {
    if (a.kind != b.kind || a.units_sha256 != b.units_sha256) {
        throw Error("Two records of different units cannot be resampled together.");
    }
    std::vector<PairedNumber> estimates;
    if (a.kind == "landmarks") {
        const LandmarkStatistics of_a(a.landmarks.at(first).faces, {});
        const LandmarkStatistics of_b(b.landmarks.at(second).faces, {});
        const auto wanted = [](const std::string& key) { return key.find(".ced_") == std::string::npos; };
        add_paired(of_a, of_b, "landmarks.", wanted, resamples, seed, estimates);
    } else if (a.kind == "verification") {
        const VerificationCurve of_a = curve_of(a.verification.at(first));
        const VerificationCurve of_b = curve_of(b.verification.at(second));
        add_paired(of_a, of_b, "verification.", before_band(of_a, of_a.first_band()), resamples, seed,
                   estimates);
    } else {
        const std::vector<ProbeSearch>& searches_a = a.identification.at(first).searches;
        const std::vector<ProbeSearch>& searches_b = b.identification.at(second).searches;
        const IdentificationCurve of_a(searches_a, a.identification[first].gallery_subjects);
        const IdentificationCurve of_b(searches_b, b.identification[second].gallery_subjects);
        add_paired(of_a, of_b, "identification.", before_band(of_a, of_a.first_band()), resamples, seed,
                   estimates);
        const OpenSetCurve open_a(searches_a), open_b(searches_b);
        if (open_a.unmated() > 0 && open_a.unmated() < searches_a.size()) {
            add_paired(open_a, open_b, "identification.open_set.", before_band(open_a, open_a.first_band()),
                       resamples, seed, estimates);
        }
    }
    return estimates;
}

}  // namespace fovea
