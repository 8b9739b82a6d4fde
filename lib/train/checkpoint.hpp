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
    /// The configuration was read from it; empty without one.
    std::filesystem::path config_file{};
    /// The model.
    std::filesystem::path out{};
    /// Empty: none is kept.
    std::filesystem::path checkpoint{};
    /// Go on from the checkpoint if it is there.
    bool resume = false;
    /// A folder; empty: none is written.
    std::filesystem::path report{};
    /// 0: all cores.
    int threads = 0;
};

/// Writes what a training goes on from, as a whole or not at all. The first line of the file holds the
/// SHA-256 of the rest. \throws Error as replace_file.
void write_checkpoint(const std::filesystem::path& file, std::string_view state);

/// The state that a checkpoint holds.
/// \throws UsageError if it is not there; Error if it cannot be read, has no checksum, as those of earlier
/// versions, or differs from it in a single bit.
std::string read_checkpoint(const std::filesystem::path& file);

/// The members "settings" and "data" of a checkpoint. Reading throws UsageError if they differ from those of
/// the training that is to go on. \param settings, data must outlive what is described.
void describe_training(FieldVisitor& visitor, const std::filesystem::path& file, const Json& settings,
                       const Json& data);

/// Reads the state of a checkpoint, which is JSON, into the fields.
/// \throws Error naming the file and what is wrong with it; what the description throws.
void read_state(const std::filesystem::path& file, std::string_view state, const DescribeFields& describe);

/// For the beginning of a training: its report is drawn at the end, hours later. \param report its folder;
/// empty = none. \throws UsageError if it may not be written to; Error without gnuplot.
void check_training_report(const std::filesystem::path& report);

/// For a training that has read its data: it would end, hours later, in place of what it was made from.
/// \param inputs  the data. Gets the file of the configuration. \throws UsageError if the model or the
/// checkpoint is one of them, or both are one file.
void check_training_outputs(const TrainingJob& job, InputFiles& inputs);

/// The end of a training whose model is written: writes the report if one is wanted, then removes the
/// checkpoint, as nothing is left to go on from. \throws Error if the report fails: the model and the
/// checkpoint stay then, and it says so; what else `write_report` throws, with the checkpoint in its place.
void finish_training(const TrainingJob& job, const std::function<void()>& write_report);

}  // namespace fovea
