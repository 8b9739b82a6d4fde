#include "apps/options/max_unreadable.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "lib/core/text.hpp"

namespace fovea {

void add_max_unreadable_flag(CLI::App& app, std::optional<std::size_t>& most, const char* group) {
    app.add_option("--max-unreadable", most,
                   "Exit code 0, not 3, if at most N images were unreadable or left out (default 0)")
        ->check(CLI::Range(0, 1'000'000'000))
        ->type_name("N")
        ->group(group);
}

ExitCode with_max_unreadable(ExitCode code, std::size_t unreadable, std::size_t others,
                             const std::optional<std::size_t>& most) {
    if (!most) return code;
    if (unreadable > *most) {
        spdlog::warn("{} unreadable or left out; --max-unreadable allows {}",
                     counted(unreadable, "image was", "images were"), *most);
        return code;
    }
    return code == ExitCode::inputs_skipped && others == 0 ? ExitCode::done : code;
}

ExitCode exit_code_of_job(bool is_interrupted, std::size_t unreadable, std::size_t others,
                          const std::optional<std::size_t>& most) {
    if (is_interrupted) return ExitCode::interrupted;
    if (unreadable + others == 0) return ExitCode::done;
    return with_max_unreadable(ExitCode::inputs_skipped, unreadable, others, most);
}

}  // namespace fovea
