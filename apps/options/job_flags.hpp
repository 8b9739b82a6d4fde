#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/inputs/shard.hpp"
#include "lib/job/job_images.hpp"

namespace fovea {

/// The flags of jobs that can be resumed, and divided among machines.
struct JobFlags {
    bool resume = false;
    bool overwrite = false;
    std::optional<std::string> shard;
    double wait_lock = 0;  ///< seconds
    bool run_commands = false;
};

/// The heading of these flags in the help.
inline constexpr const char* job_flags_group = "Large jobs";

/// \param replaced  what --overwrite replaces, for the help: "results of other work"
/// \param named     the outputs whose names may hold {shard}, for the help: "--out and --features"
void add_job_flags(CLI::App& app, JobFlags& flags, const std::string& replaced, const std::string& named);

/// Waits as long as --wait-lock says for another program that is writing these results, and says so.
void wait_for_results(const JobFlags& flags, const std::filesystem::path& results);

/// The treatment of the results of an earlier job. \throws UsageError if two flags exclude each other.
ExistingResults existing_results(const JobFlags& flags);

/// The shard, if one is wanted; its numbers are put into the names of the outputs. \throws UsageError as
/// parse_shard().
std::optional<Shard> wanted_shard(const JobFlags& flags,
                                  std::initializer_list<std::optional<std::string>*> outputs);

}  // namespace fovea
