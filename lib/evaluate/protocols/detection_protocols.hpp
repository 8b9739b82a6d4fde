#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/protocols/protocol.hpp"

namespace fovea {

/// A mode of a protocol, and the program or paper that it follows: "pycocotools".
struct ModeRecord {
    ProtocolMode mode = ProtocolMode::strict;
    std::string origin{};
};

/// A protocol: everything about it outside of its own file. Configurations, flags, help, reports and gates
/// read it from here.
struct ProtocolRecord {
    /// In configurations, flags and report.json: "mit-cmu".
    std::string name{};
    /// The rule in sentences.
    std::string rule{};
    /// The format of datasets that are evaluated by it unless another protocol is named; may be empty.
    std::string dataset_format{};
    /// The strict one first; none for a protocol without numbers of its own.
    std::vector<ModeRecord> modes{};
    /// Its numbers; null for a protocol without numbers of its own.
    std::unique_ptr<ProtocolEvaluation> (*evaluate)(const std::vector<ProtocolImage>& images,
                                                    const DetectionEvaluationOptions& options,
                                                    ProtocolMode mode) = nullptr;
    /// Equal scores are taken in the order of the results' file.
    bool takes_file_order = false;

    DetectionProtocol protocol() const { return DetectionProtocol(name); }
    bool has_numbers() const { return evaluate != nullptr; }
};

/// Every protocol. The rows live as long as the program.
const std::vector<ProtocolRecord>& detection_protocols();
/// Their names, in the same order.
std::vector<std::string> protocol_names();
/// The row of a protocol. \throws std::logic_error for a protocol that is no row.
const ProtocolRecord& record_of(DetectionProtocol protocol);
/// The protocol of this name; null if there is none.
const ProtocolRecord* find_protocol(std::string_view name);

/// The protocol in sentences for people: the rule with its numbers, the matching, the treatment of ignored
/// faces, the mode and its origin.
std::string protocol_description(const DetectionEvaluationOptions& options);

/// "strict", "port" or "corrected".
std::string mode_name(ProtocolMode mode);
/// The mode of this name; nothing if there is none.
std::optional<ProtocolMode> find_mode(const std::string& name);

/// The corrected value, without ignored faces, of a protocol's number that counts ignored faces; nothing if
/// the number counts none or is undefined. \param evaluation in all modes.
std::optional<double> without_ignored_faces(const DetectionEvaluation& evaluation, std::size_t number);

/// A clause that names the numbers that count ignored faces, for an evaluation that has such numbers.
std::string with_ignored_faces(const DetectionEvaluation& evaluation);

}  // namespace fovea
