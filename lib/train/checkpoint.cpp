#include "lib/train/checkpoint.hpp"

#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/plots/gnuplot.hpp"

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

void check_training_report(const std::filesystem::path& report) {
    if (report.empty()) return;
    check_output_folder(report, "--report");
    report::require_gnuplot();
}

void check_training_outputs(const TrainingJob& job, InputFiles& inputs) {
    inputs.add(job.config_file);
    inputs.refuse_clashes(std::vector<PlannedOutput>{{job.out, "model"}, {job.checkpoint, "checkpoint"}});
}

void finish_training(const TrainingJob& job, const std::function<void()>& write_report) {
    try {
        if (!job.report.empty()) write_report();
    } catch (const Error& error) {
        std::string why = error.what();
        if (!why.ends_with('.')) why += '.';
        throw Error("The model " + job.out.string() +
                    " is written, but not the report of its training: " + why +
                    (is_file(job.checkpoint) ? " The checkpoint " + job.checkpoint.string() +
                                                   " stays: --resume goes on from it to the report."
                                             : " Train again for a report."));
    }
    std::error_code ignored;
    if (!job.checkpoint.empty()) std::filesystem::remove(job.checkpoint, ignored);
}

}  // namespace fovea
