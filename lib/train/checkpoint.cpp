#include "lib/train/checkpoint.hpp"

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr std::string_view beginning = "fovea checkpoint 2, SHA-256 of the rest: ";

std::string first_line(std::string_view state) {
    return std::string(beginning) + sha256_of(state) + "\n";
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, std::string_view state) {
    replace_file(file, first_line(state).append(state));
}

std::string read_checkpoint(const std::filesystem::path& file) {
    std::string state = read_file(file, "checkpoint");
    const std::string name = "The checkpoint '" + file.string() + "'";
    if (!state.starts_with(beginning)) {
        throw Error(name +
                    " does not begin with a checksum: it is damaged, no checkpoint, or one of an earlier "
                    "version of this program, which wrote none; finish the training with that version, or "
                    "remove the file to begin anew.");
    }
    const std::string line = state.substr(0, state.find('\n') + 1);
    state.erase(0, line.size());
    if (line != first_line(state)) {
        throw Error(name +
                    " is damaged: its content does not have the checksum that it begins with; restore the "
                    "file, or remove it to begin anew.");
    }
    return state;
}

void describe_training(FieldVisitor& visitor, const std::filesystem::path& file, const Json& settings,
                       const Json& data) {
    const auto same = [&file](const Json& value) {
        return JsonValue{[&value] { return value; },
                         [&value, file](const JsonPlace& place) {
                             if (place.json() == value) return;
                             throw UsageError("The checkpoint " + file.string() +
                                              " is of other settings or other data; remove it, or name "
                                              "another one, to begin anew.");
                         }};
    };
    visitor.value({.key = "settings"}, same(settings));
    visitor.value({.key = "data"}, same(data));
}

void read_state(const std::filesystem::path& file, std::string_view state, const DescribeFields& describe) {
    const Json json = parse_json_file(file.string(), state, "it is no checkpoint of this kind of training");
    read_fields(JsonPlace(json, file.string()), describe, Absent::is_error);
}

}  // namespace fovea
