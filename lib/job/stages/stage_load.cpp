#include "lib/job/stages/stage_load.hpp"

#include <algorithm>

#include "lib/json/json.hpp"

namespace fovea {

std::string limiting_stage(std::span<const StageLoad> stages) {
    const auto busiest =
        std::max_element(stages.begin(), stages.end(),
                         [](const StageLoad& a, const StageLoad& b) { return a.busy() < b.busy(); });
    return busiest == stages.end() || busiest->busy() <= 0 ? std::string() : busiest->name;
}

Json stages_to_json(std::span<const StageLoad> stages) {
    Json json = Json::object();
    for (const StageLoad& stage : stages) {
        Json& entry = json[stage.name];
        entry = {{"threads", stage.threads}, {"busy", stage.busy()}};
        for (const auto& [what, seconds] : stage.work) entry[what + "_seconds"] = seconds;
    }
    return json;
}

}  // namespace fovea
