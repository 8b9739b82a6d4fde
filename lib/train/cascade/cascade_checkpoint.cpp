#include "lib/train/cascade/cascade_checkpoint.hpp"

#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<TrainingEnd, 4> end_names{{"all_stages", "no_negatives", "no_positives", "no_split"},
                                              "is no end of a training"};

/// The cascade of the stages, which are read before it.
Cascade cascade_at(const JsonPlace& place, const std::vector<CascadeStageResult>& stages,
                   const WindowFeatures& pool) {
    const std::string xml = place.text();
    Cascade cascade;
    try {
        cascade = parse_cascade({xml.data(), xml.size()}, "the cascade");
    } catch (const Error& error) {
        place.fail_because(error.what());
    }
    if (cascade.stages.size() != stages.size() || cascade.feature != pool.kind ||
        cascade.window != pool.window)
        place.fail_because("its stages do not fit its cascade; the file is damaged");
    // The thresholds become those of the file again: the reader lowers them.
    for (std::size_t s = 0; s < stages.size(); ++s) cascade.stages[s].threshold = stages[s].threshold;
    return cascade;
}

/// Stages and cascade; of a training that is done also why it ended.
void describe_result(FieldVisitor& visitor, CascadeTrainerResult& result, bool is_done,
                     const CascadeTrainConfig& config, const WindowFeatures& pool) {
    visitor.objects("stages", list_of(result.stages));
    const Presence presence = result.stages.empty() ? Presence::optional : Presence::always;
    visitor.value(
        {.key = "cascade", .presence = presence},
        JsonValue{[&] { return result.stages.empty() ? "" : cascade_xml(result.cascade, xml_info(config)); },
                  [&](const JsonPlace& place) { result.cascade = cascade_at(place, result.stages, pool); }});
    if (!is_done) return;
    visitor.value({.key = "end"}, named(result.end, end_names));
    visitor.value({.key = "negatives_left"}, &result.negatives_left);
    visitor.value({.key = "flat_positives"}, &result.flat_positives);
}

}  // namespace

DescribeFields fields_of_state(CascadeTrainingState& state, const CascadeTrainConfig& config,
                               const WindowFeatures& pool) {
    return [&](FieldVisitor& visitor) {
        describe_result(visitor, state.current, false, config, pool);
        if (config.sweep.empty()) return;
        visitor.objects("done", list_of<CascadeTrainerResult>(
                                    state.done, [&](FieldVisitor& members, CascadeTrainerResult& done) {
                                        describe_result(members, done, true, config, pool);
                                    }));
    };
}

}  // namespace fovea
