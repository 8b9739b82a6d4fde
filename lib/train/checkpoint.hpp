#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/json/field.hpp"
#include "lib/json/json.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {

/// Keeps the state of a training as far as it has come; empty: nobody does.
template <class State>
using SaveState = std::function<void(const State&)>;

// The file of a checkpoint:
//
// - a line with the SHA-256 of the rest
// - a line of JSON: {"kind", "settings", "data", "state"}: the training, what the model depends on, the
//   manifest of the data, and how far the training has come
// - the unfinished model as its own file has it; empty for trainings whose state holds it

/// The checkpoint of a training.
class Checkpoint {
  public:
    /// \param job whose checkpoint it is; it must outlive this. \param kind the command: "mct".
    Checkpoint(const TrainingJob& job, const std::string& kind, const Json& settings, const Json& data);

    /// Writes it, as a whole or not at all; does nothing if the job keeps none. \param model the unfinished
    /// one. \throws Error as replace_file.
    void write(const DescribeFields& state, std::string_view model = {}) const;

    /// Reads the state and returns the model, if the job resumes and the file is there; else the training
    /// begins anew. \throws UsageError that names what differs if it is of another kind of training, other
    /// settings or other data; Error as read_checkpoint, or naming what is wrong with the state; what the
    /// description throws.
    std::optional<std::string> resume(const DescribeFields& state) const;

    /// Tells the user that the training goes on. \param how_far "3 stages".
    void tell_resumed(const std::string& how_far) const;

  private:
    void describe(FieldVisitor& visitor, const DescribeFields& state) const;
    JsonValue same(const Json& own, const char* key, const char* other) const;

    const TrainingJob& job_;
    const Json kind_, settings_, data_;
};

/// Writes the rest of a checkpoint behind its first line. \throws Error as replace_file.
void write_checkpoint(const std::filesystem::path& file, std::string_view rest);

/// Reads the rest of a checkpoint, behind its first line.
/// \throws UsageError if it is not there; Error if it cannot be read, or its checksum is wrong or missing, or
/// it is of an earlier version.
std::string read_checkpoint(const std::filesystem::path& file);

}  // namespace fovea
