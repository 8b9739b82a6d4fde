#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "lib/files/input_files.hpp"
#include "lib/json/field.hpp"

namespace fovea {

/// The files of a training, and how much of the machine it takes.
struct TrainingJob {
    /// The file of the configuration; empty if there is none.
    std::filesystem::path config_file{};
    /// The model.
    std::filesystem::path out{};
    /// Empty: no checkpoint is kept.
    std::filesystem::path checkpoint{};
    /// Continue from the checkpoint if it is there.
    bool resume = false;
    /// The report's folder; empty: no report is written.
    std::filesystem::path report{};
    /// 0: all cores.
    int threads = 0;
};

/// Writes the state of a training, as a whole or not at all. The first line of the file holds the SHA-256 of
/// the rest.
/// \throws Error as replace_file.
void write_checkpoint(const std::filesystem::path& file, std::string_view state);

/// The state that a checkpoint holds.
/// \throws UsageError if it is not there; Error if it cannot be read, or its checksum is wrong or missing
/// (earlier versions wrote none).
std::string read_checkpoint(const std::filesystem::path& file);

/// Describes the members "settings" and "data" of a checkpoint. Reading throws UsageError if they differ from
/// the given ones of the training that is to continue. \param settings, data must outlive the description.
void describe_training(FieldVisitor& visitor, const std::filesystem::path& file, const Json& settings,
                       const Json& data);

/// Reads the state of a checkpoint, which is JSON, into the fields.
/// \throws Error naming the file and what is wrong with it; what the description throws.
void read_state(const std::filesystem::path& file, std::string_view state, const DescribeFields& describe);

/// Checks, at the beginning of a training, that its report can be drawn at the end, hours later.
/// \param report its folder; empty = none. \throws UsageError if the folder may not be written to; Error
/// without gnuplot.
void check_training_report(const std::filesystem::path& report);

/// Checks, for a training that has read its data, that its outputs do not replace its inputs hours later.
/// \param inputs the data; the file of the configuration is added. \throws UsageError if the model or the
/// checkpoint is one of them, or both are one file.
void check_training_outputs(const TrainingJob& job, InputFiles& inputs);

/// Ends a training whose model is written: writes the report if one is wanted, then removes the
/// checkpoint. If the report fails, model and checkpoint stay. \throws Error that says so; what else
/// `write_report` throws.
void finish_training(const TrainingJob& job, const std::function<void()>& write_report);

}  // namespace fovea
