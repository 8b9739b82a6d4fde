#include "lib/recognise/region_weights.hpp"

#include "lib/files/model_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

template <class T, class Read>
JsonValue lists_value(std::vector<std::vector<T>>& lists, const Read& read) {
    return {[&lists] { return Json(lists); },
            [&lists, read](const JsonPlace& place) {
                lists = place.list_of([&](const JsonPlace& list) { return list.list_of(read); });
            }};
}

void describe(FieldVisitor& visitor, FoldWeights& folds) {
    visitor.value({.key = "threshold"}, &folds.threshold);
    visitor.value({.key = "weights", .presence = Presence::always},
                  lists_value(folds.weights, [](const JsonPlace& place) { return place.number(); }));
    visitor.value({.key = "subjects", .presence = Presence::always},
                  lists_value(folds.subjects, [](const JsonPlace& place) { return place.text(); }));
    visitor.rule("subjects", folds.subjects.size() == folds.weights.size(),
                 "a list of the subjects of every fold");
}

}  // namespace

std::string subject_key(const std::string& subject) {
    constexpr std::size_t digits = 12;
    return sha256_of(subject).substr(0, digits);
}

RegionWeights read_region_weights(const std::filesystem::path& file) {
    const Json json = parse_json_file(file.string(), read_model_file(file, "file of region weights"),
                                      "train the weights again with 'fovea train lbp-weights'");
    RegionWeights weights;
    read_struct(JsonPlace(json, file.string()), weights, Absent::keeps_default);
    return weights;
}

void describe(FieldVisitor& visitor, RegionWeights& weights) {
    describe_format(visitor, "fovea-region-weights", 1);
    visitor.value({.key = "fingerprint"}, &weights.fingerprint);
    visitor.value({.key = "origin"}, &weights.origin);
    visitor.value({.key = "weights"}, &weights.weights);
    visitor.object(
        "folds", [&](FieldVisitor& members) { describe(members, weights.folds); },
        weights.folds.empty() ? Presence::left_out : Presence::optional);
}

}  // namespace fovea
