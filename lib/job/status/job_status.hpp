#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/shard.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

enum class PartState {
    complete,
    running,      ///< its files were written to a short time ago
    interrupted,  ///< it goes on with --resume
    failed,       ///< its manifest tells an error; it goes on with --resume
    unknown,      ///< results without a journal and a manifest
    missing       ///< nothing is there of it
};

/// "complete"; a name for each state.
std::string_view to_string(PartState state);
inline constexpr PartState part_states[] = {PartState::complete, PartState::running, PartState::interrupted,
                                            PartState::failed,   PartState::unknown, PartState::missing};

/// A part of a job of `fovea detect`, as its journal and its manifest tell; a whole job is a part without
/// shard.
struct PartStatus {
    std::filesystem::path results;  ///< empty for missing parts
    std::optional<Shard> shard;
    PartState state = PartState::missing;
    std::size_t images = 0;
    std::size_t done = 0;
    std::size_t unreadable = 0;
    /// The number of images by the reason why they are unreadable; only of parts whose manifest is written.
    std::map<std::string, std::size_t> reasons;
    std::string host;  ///< that worked on it last; empty if unknown
    /// The speed of a complete part as a whole, of a running one of late; 0 if unknown.
    double images_per_second = 0;
    /// The energy of GPUs, processors and memory, as far as it was measured; only of complete parts.
    double joules = 0;
    double quiet_seconds = 0;  ///< since its files were written to last
    std::string error;
};

/// All parts of a job.
struct JobStatus {
    std::vector<PartStatus> parts;  ///< by shard; missing ones are among them
    std::size_t images_of_job = 0;  ///< of all parts; 0 if no part tells it
    std::vector<std::string> warnings;

    std::size_t count(PartState state) const;
    std::size_t images_done() const;
    std::size_t unreadable() const;
    /// The sum of all reasons.
    std::map<std::string, std::size_t> reasons() const;
    double joules() const;
    /// The speed of the parts that are running.
    double images_per_second() const;
    /// Until the running parts' speed has done the images that are left; nothing if nothing runs.
    std::optional<double> seconds_left() const;
    /// Indices, from 0, of the parts that must be sent again: all but complete and running ones.
    std::vector<int> to_send_again() const;
};

/// Reads the states of parts; no file is locked or changed. \param places results files, or folders in which
/// and below which they lie. \param quiet a part whose files were not written to for so long is not running.
/// \throws UsageError if a place is not there, or none holds a part.
JobStatus read_job_status(const std::vector<std::filesystem::path>& places, std::chrono::seconds quiet);

/// The status for programs.
Json status_json(const JobStatus& status);

/// The status as text in the OpenMetrics format, version 1.0.0, for Prometheus' collectors of text files.
std::string open_metrics(const JobStatus& status);

}  // namespace fovea
