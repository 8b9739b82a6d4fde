#include "lib/train/checkpoint.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_differences.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr std::string_view beginning = "fovea checkpoint 3, SHA-256 of the rest: ";

std::string first_line(std::string_view rest) {
    return std::string(beginning) + sha256_of(rest) + "\n";
}

// Bytes that are not UTF-8 are replaced in files.
Json as_read(const Json& json) {
    return parse_json(compact_text(json));
}

std::string in_words(const Json* value) {
    return value == nullptr ? "missing" : describe_json(*value);
}

}  // namespace

Checkpoint::Checkpoint(const TrainingJob& job, const std::string& kind, const Json& settings,
                       const Json& data)
    : job_(job), kind_(kind), settings_(as_read(settings)), data_(as_read(data)) {}

void Checkpoint::write(const DescribeFields& state, std::string_view model) const {
    if (job_.checkpoint.empty()) return;
    const Json json = write_fields([&](FieldVisitor& visitor) { describe(visitor, state); });
    write_checkpoint(job_.checkpoint, compact_text(json).append("\n").append(model));
}

std::optional<std::string> Checkpoint::resume(const DescribeFields& state) const {
    if (!job_.resume || !is_file(job_.checkpoint)) return std::nullopt;
    const std::string name = job_.checkpoint.string();
    std::string rest = read_checkpoint(job_.checkpoint);
    const std::size_t line = std::min(rest.find('\n'), rest.size());
    const Json json =
        parse_json_file(name, std::string_view(rest).substr(0, line), "it is no checkpoint of a training");
    read_fields(
        JsonPlace(json, name), [&](FieldVisitor& visitor) { describe(visitor, state); }, Absent::is_error);
    rest.erase(0, line + 1);
    return rest;
}

void Checkpoint::tell_resumed(const std::string& how_far) const {
    spdlog::info("going on from {} with {}", job_.checkpoint.string(), how_far);
}

void Checkpoint::describe(FieldVisitor& visitor, const DescribeFields& state) const {
    visitor.value({.key = "kind"}, same(kind_, "kind", "another kind of training"));
    visitor.value({.key = "settings"}, same(settings_, "", "other settings"));
    visitor.value({.key = "data"}, same(data_, "", "other data"));
    visitor.object("state", state);
}

// Reading takes nothing else.
JsonValue Checkpoint::same(const Json& own, const char* key, const char* other) const {
    return {[&own] { return own; },
            [this, &own, key, other](const JsonPlace& place) {
                const std::vector<JsonDifference> found =
                    json_differences(place.json(), own, PathSpelling::dotted, key);
                if (found.empty()) return;
                throw UsageError(fmt::format(
                    "The checkpoint {} is of {}: '{}' is {} in it and {} now; remove it, or name another "
                    "one, to begin anew.",
                    job_.checkpoint.string(), other, found[0].path, in_words(found[0].first),
                    in_words(found[0].second)));
            }};
}

void write_checkpoint(const std::filesystem::path& file, std::string_view rest) {
    replace_file(file, first_line(rest).append(rest));
}

std::string read_checkpoint(const std::filesystem::path& file) {
    std::string rest = read_file(file, "checkpoint");
    const std::string name = "The checkpoint '" + file.string() + "'";
    if (!rest.starts_with(beginning)) {
        throw Error(
            name +
            " does not begin with a checksum of this version: it is damaged, no checkpoint, or one of "
            "an earlier version of this program; finish the training with that version, or remove the "
            "file to begin anew.");
    }
    const std::string line = rest.substr(0, rest.find('\n') + 1);
    rest.erase(0, line.size());
    if (line != first_line(rest)) {
        throw Error(name +
                    " is damaged: its content does not have the checksum that it begins with; restore the "
                    "file, or remove it to begin anew.");
    }
    return rest;
}

}  // namespace fovea
