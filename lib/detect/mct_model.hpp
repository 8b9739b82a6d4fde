#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mct/mct_cascade.hpp"
#include "lib/core/types.hpp"
#include "lib/json/json.hpp"

namespace fovea {

class FieldVisitor;

/// A point of the curve from a group's summed margins to the odds that it is a face.
struct ConfidenceKnot {
    double margin = 0;  ///< >= 0
    double odds = 0;    ///< > 0: probability / (1 - probability)

    friend bool operator==(const ConfidenceKnot&, const ConfidenceKnot&) = default;
};

/// Everything a file of an MCT cascade holds.
struct MctModel {
    std::string name;
    MctCascade cascade;
    /// The face's box when a window fits it, in level pixels of the window: what detections report.
    Box face;
    /// At least one, both members strictly rising. Empty in a model that is still being trained.
    std::vector<ConfidenceKnot> confidence;
    /// How the model came about: data with counts and SHA-256, settings, validation curve. Kept as it is.
    Json training;
};

/// A model as its file has it.
void describe(FieldVisitor& visitor, MctModel& model);

/// The probability that a group whose margins sum to `margin_sum` is a face: odds / (1 + odds). The odds run
/// linearly from 0 at margin 0 to the first knot and between knots; beyond the last one the last segment goes
/// on. Strictly rising. Only sums, products and quotients are used, so it is equal on every machine.
double mct_confidence(const std::vector<ConfidenceKnot>& knots, double margin_sum);

/// Reads a model: JSON, "format": "fovea-mct-cascade", "version": 1.
/// \throws Error if the file is broken: file, the key's path or line, what was expected.
MctModel read_mct_model(const std::filesystem::path& file);

/// A model in memory. \param name of its file, for messages. \throws Error as read_mct_model.
MctModel parse_mct_model(std::string_view text, const std::string& name);

/// A model as its file has it. \param name of the file, for messages. \throws Error if the model breaks
/// a rule.
std::string mct_model_text(const MctModel& model, const std::string& name);

/// Writes a model. \throws Error if it cannot be written. The file is replaced as a whole or not at all.
void write_mct_model(const MctModel& model, const std::filesystem::path& file);

/// True if the file's beginning looks like JSON rather than XML: how load_detector tells the kinds apart.
bool is_mct_model(const std::filesystem::path& file);

}  // namespace fovea
