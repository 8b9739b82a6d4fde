#include "lib/evaluate/unit_record.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_statistics.hpp"
#include "lib/files/file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/readers.hpp"

namespace fovea {
namespace {

using results_detail::fail_at_line;

constexpr int most_subjects = 10'000'000;  // a curve has a point for each

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

double number_or(const JsonPlace& place, double absent) {
    return place.json().is_null() ? absent : place.number();
}

std::vector<double> lengths_at(const JsonPlace& place) {
    return place.list_of([](const JsonPlace& item) {
        const double length = item.number();
        if (length < 0) item.fail("at least 0");
        return length;
    });
}

JsonPlace list_at(const JsonPlace& line, const char* key, std::size_t size) {
    const JsonPlace list = line[key];
    if (list.array_size() != size) list.fail("a list of " + std::to_string(size));
    return list;
}

// --- the header: what stands in it for each evaluation ---------------------------------------------

JsonValue normalisers_value(std::vector<LandmarkNormaliser>& normalisers) {
    return {[&normalisers] {
                Json names = Json::array();
                for (const LandmarkNormaliser normaliser : normalisers)
                    names.push_back(normaliser_name(normaliser));
                return names;
            },
            [&normalisers](const JsonPlace& place) {
                normalisers = place.list_of([](const JsonPlace& name) {
                    return name.checked([&] { return normaliser_from_string(name.text()); });
                });
                if (normalisers.empty()) place.fail("a list of names");
            }};
}

void describe_landmarks(FieldVisitor& visitor, UnitRecord::Landmarks& entry) {
    visitor.value({.key = "name"}, &entry.name);
    visitor.value({.key = "normalisers"}, normalisers_value(entry.faces.normalisers));
}

void describe_verification(FieldVisitor& visitor, UnitRecord::Verification& entry) {
    visitor.value({.key = "name"}, &entry.name);
    visitor.value({.key = "distance"}, &entry.options.distance);
    visitor.value({.key = "threshold"}, &entry.options.threshold);
}

void describe_identification(FieldVisitor& visitor, UnitRecord::Identification& entry) {
    visitor.value({.key = "name"}, &entry.name);
    visitor.value({.key = "subjects", .range = from_to(1, most_subjects)}, &entry.gallery_subjects);
}

ObjectList evaluations_of(UnitRecord& record) {
    if (record.kind == "landmarks")
        return list_of<UnitRecord::Landmarks>(record.landmarks, describe_landmarks);
    if (record.kind == "verification")
        return list_of<UnitRecord::Verification>(record.verification, describe_verification);
    return list_of<UnitRecord::Identification>(record.identification, describe_identification);
}

void describe_header(FieldVisitor& visitor, UnitRecord& record) {
    describe_format(visitor, "fovea-units", 1);
    visitor.value({.key = "kind"}, NamedValue{{"landmarks", "verification", "identification"},
                                              [&record] { return record.kind; },
                                              [&record](const std::string& kind) { record.kind = kind; }});
    visitor.value({.key = "units_sha256"}, &record.units_sha256);
    const ObjectList evaluations = evaluations_of(record);
    visitor.objects("evaluations", evaluations);
    visitor.rule("evaluations", evaluations.size() > 0, "a list of at least one evaluation");
}

UnitRecord header_of(const char* kind, const std::string& units_sha256) {
    UnitRecord record;
    record.kind = kind;
    record.units_sha256 = units_sha256;
    return record;
}

std::string header_text(UnitRecord record) {
    return compact_text(write_fields([&](FieldVisitor& visitor) { describe_header(visitor, record); })) +
           "\n";
}

void read_header(const JsonPlace& place, UnitRecord& record) {
    const auto describe = [&](FieldVisitor& visitor) { describe_header(visitor, record); };
    read_fields(place, describe, Absent::is_error);
    check_fields(place, describe);
}

// --- a unit's line ----------------------------------------------------------------------------------

void read_face(const JsonPlace& line, UnitRecord& record) {
    const std::vector<LandmarkFace>& read = record.landmarks[0].faces.outcomes;
    // Images are numbered in their order, so that they are no more than the faces.
    const std::int64_t last = read.empty() ? -1 : static_cast<std::int64_t>(read.back().unit);
    const std::int64_t unit = line["unit"].integer(0, std::numeric_limits<std::uint32_t>::max());
    if (unit < last || unit > last + 1) line["unit"].fail("the number of this image or the next");
    const JsonPlace all = list_at(line, "distances", record.landmarks.size());
    for (std::size_t i = 0; i < record.landmarks.size(); ++i) {
        LandmarkEvaluation& evaluation = record.landmarks[i].faces;
        LandmarkFace& face = evaluation.outcomes.emplace_back();
        face.unit = static_cast<std::uint32_t>(unit);
        face.lengths = lengths_at(list_at(line, "lengths", evaluation.normalisers.size()));
        if (all[i].json().is_null()) continue;
        face.distances = lengths_at(all[i]);
        if (face.distances.empty()) all[i].fail("null, or a list of at least one number");
        face.found.resize(face.distances.size());
    }
}

void read_pair(const JsonPlace& line, UnitRecord& record) {
    const bool same = line["same"].truth();
    const std::int64_t fold = line["fold"].integer(0, std::numeric_limits<std::int32_t>::max());
    const JsonPlace scores = list_at(line, "scores", record.verification.size());
    for (std::size_t i = 0; i < record.verification.size(); ++i) {
        record.verification[i].pairs.push_back(
            {number_or(scores[i], std::numeric_limits<double>::quiet_NaN()), same,
             static_cast<std::int32_t>(fold)});
    }
}

void read_probe(const JsonPlace& line, UnitRecord& record) {
    const bool mated = line["mated"].truth();
    const JsonPlace searches = list_at(line, "searches", record.identification.size());
    for (std::size_t i = 0; i < record.identification.size(); ++i) {
        const JsonPlace values = searches[i];
        const std::int64_t most = record.identification[i].gallery_subjects;  // of other people
        if (values.array_size() != 4) values.fail("[score, count, count, score]");
        record.identification[i].searches.push_back(
            {.mated = mated,
             .mate_score = number_or(values[0], not_enrolled),
             .greater = static_cast<std::uint32_t>(values[1].integer(0, most)),
             .ties = static_cast<std::uint32_t>(values[2].integer(0, most)),
             .best_score = number_or(values[3], not_enrolled)});
    }
}

void read_unit(const JsonPlace& line, UnitRecord& record) {
    if (record.kind == "landmarks") read_face(line, record);
    if (record.kind == "verification") read_pair(line, record);
    if (record.kind == "identification") read_probe(line, record);
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
    UnitRecord record = header_of("landmarks", evaluations[0].units_sha256);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        record.landmarks.emplace_back().name = names[i];
        record.landmarks.back().faces.normalisers = evaluations[i].normalisers;
    }
    std::string text = header_text(std::move(record));
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
    UnitRecord record = header_of("verification", evaluations[0].units_sha256);
    for (const VerificationEvaluation& evaluation : evaluations)
        record.verification.push_back({evaluation.name, evaluation.options, {}});
    std::string text = header_text(std::move(record));
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
    UnitRecord record = header_of("identification", evaluations[0].units_sha256);
    for (const IdentificationEvaluation& evaluation : evaluations)
        record.identification.push_back({evaluation.name, static_cast<int>(evaluation.gallery_subjects), {}});
    std::string text = header_text(std::move(record));
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
            number == 1 ? read_header(JsonPlace(json), record) : read_unit(JsonPlace(json), record);
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
