#include <spdlog/fmt/fmt.h>

#include "lib/job/status/job_status.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

Json part_json(const PartStatus& part) {
    Json json{{"state", to_string(part.state)}};
    if (part.shard) json["shard"] = to_string(*part.shard);
    if (part.state == PartState::missing) return json;
    json["results"] = part.results.string();
    json["images"] = part.images;
    json["done"] = part.done;
    json["unreadable"] = part.unreadable;
    json["images_per_second"] = part.images_per_second;
    json["quiet_seconds"] = part.quiet_seconds;
    if (!part.host.empty()) json["host"] = part.host;
    if (part.joules > 0) json["joules"] = part.joules;
    if (!part.error.empty()) json["error"] = part.error;
    return json;
}

/// A metric with its lines, which begin behind its name.
void add_metric(std::string& text, const char* name, const char* unit, const char* help,
                const std::vector<std::string>& lines) {
    text += fmt::format("# TYPE {} gauge\n", name);
    if (*unit != '\0') text += fmt::format("# UNIT {} {}\n", name, unit);
    text += fmt::format("# HELP {} {}\n", name, help);
    for (const std::string& line : lines) text += name + line + "\n";
}

/// A label's value: backslashes, quotes and line feeds are escaped.
std::string label(std::string_view value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace

Json status_json(const JobStatus& status) {
    Json json{{"parts", status.parts.size()},
              {"images", status.images_of_job},
              {"done", status.images_done()},
              {"unreadable", status.unreadable()},
              {"images_per_second", status.images_per_second()}};
    const std::optional<double> left = status.seconds_left();
    json["seconds_left"] = left ? Json(*left) : Json();
    if (status.joules() > 0) json["joules"] = status.joules();
    json["states"] = Json::object();
    for (const PartState state : part_states)
        json["states"][std::string(to_string(state))] = status.count(state);
    json["reasons"] = status.reasons();
    json["send_again"] = array_expression(ranges_of(status.to_send_again()));
    json["warnings"] = status.warnings;
    json["each"] = Json::array();
    for (const PartStatus& part : status.parts) json["each"].push_back(part_json(part));
    return json;
}

std::string open_metrics(const JobStatus& status) {
    std::string text;
    std::vector<std::string> states, reasons;
    for (const PartState state : part_states)
        states.push_back(fmt::format("{{state=\"{}\"}} {}", to_string(state), status.count(state)));
    for (const auto& [reason, images] : status.reasons())
        reasons.push_back(fmt::format("{{reason=\"{}\"}} {}", label(reason), images));
    add_metric(text, "fovea_parts", "", "Parts of the job by state.", states);
    const auto add_number = [&](const char* name, const char* unit, const char* help, double value) {
        add_metric(text, name, unit, help, {fmt::format(" {}", value)});
    };
    add_number("fovea_images", "", "Images of the job.", static_cast<double>(status.images_of_job));
    add_number("fovea_images_done", "", "Images whose results are written.",
               static_cast<double>(status.images_done()));
    add_number("fovea_images_unreadable", "", "Images that could not be read.",
               static_cast<double>(status.unreadable()));
    if (!reasons.empty()) {
        add_metric(text, "fovea_images_unreadable_reason", "",
                   "Images that could not be read, of finished parts, by reason.", reasons);
    }
    add_number("fovea_images_per_second", "", "Speed of the running parts.", status.images_per_second());
    if (const std::optional<double> left = status.seconds_left())
        add_number("fovea_left_seconds", "seconds", "Time until the job is done at this speed.", *left);
    if (status.joules() > 0)
        add_number("fovea_energy_joules", "joules", "Energy of complete parts.", status.joules());
    return text + "# EOF\n";
}

}  // namespace fovea
