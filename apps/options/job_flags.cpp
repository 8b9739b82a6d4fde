#include "apps/options/job_flags.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/files/appended_file.hpp"

namespace fovea {

void add_job_flags(CLI::App& app, JobFlags& flags, const std::string& replaced, const std::string& named) {
    app.add_flag("--resume", flags.resume,
                 "Continue an interrupted run of the same command; the results are those of one run")
        ->group(job_flags_group);
    app.add_flag("--overwrite", flags.overwrite,
                 fmt::format("Replace {}, and discard what an interrupted run has left", replaced))
        ->group(job_flags_group);
    app.add_option(
           "--shard", flags.shard,
           fmt::format("Only part I of N, for 'fovea merge'. auto/N takes I from the index of the task of a "
                       "job array (Slurm, Kubernetes, cloud batch, MPI, ...), auto also N. {{shard}} and "
                       "{{shards}} in {} become I and N, {{index}} the index from 0",
                       named))
        ->type_name("I/N")
        ->group(job_flags_group);
    app.add_option("--wait-lock", flags.wait_lock,
                   "Wait up to so long for another program that is writing the same results, as a requeued "
                   "task does whose first run has not ended yet (default 0)")
        ->check(CLI::Range(0.0, 1e7))
        ->type_name("SECONDS")
        ->group(job_flags_group);
    app.add_flag("--run-commands", flags.run_commands,
                 "Run the commands that a list file names, which was made of 'pipe:COMMAND'")
        ->group(job_flags_group);
}

void wait_for_results(const JobFlags& flags, const std::filesystem::path& results) {
    if (flags.wait_lock <= 0 || wait_for_writer(results, std::chrono::duration<double>(0))) return;
    spdlog::warn("'{}' is being written by another program: waiting up to {:g} s", results.string(),
                 flags.wait_lock);
    wait_for_writer(results, std::chrono::duration<double>(flags.wait_lock));
}

ExistingResults existing_results(const JobFlags& flags) {
    if (flags.resume && flags.overwrite) {
        throw UsageError("--resume continues and --overwrite starts again; give one of them");
    }
    return flags.resume      ? ExistingResults::resume
           : flags.overwrite ? ExistingResults::overwrite
                             : ExistingResults::replace_own;
}

std::optional<Shard> wanted_shard(const JobFlags& flags,
                                  std::initializer_list<std::optional<std::string>*> outputs) {
    if (!flags.shard) return std::nullopt;
    const Shard shard = parse_shard(*flags.shard);
    for (std::optional<std::string>* output : outputs) {
        if (!*output) continue;
        if (*flags.shard == "auto") {
            if (const auto other = part_of_other_division(**output, shard))
                throw UsageError("--shard auto: this is part " + to_string(shard) + ", but '" +
                                 other->string() + "' is no part of " + std::to_string(shard.count) +
                                 "; write auto/N with the N of all parts, or name other files");
        }
        *output = with_shard(**output, shard);
    }
    return shard;
}

}  // namespace fovea
