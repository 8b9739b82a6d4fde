#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "lib/json/field.hpp"

namespace fovea {

/// Keeps the state of a training as far as it has come; empty: nobody does.
template <class State>
using SaveState = std::function<void(const State&)>;

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

}  // namespace fovea
