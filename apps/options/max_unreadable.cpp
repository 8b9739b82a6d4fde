#include "apps/options/max_unreadable.hpp"

#include <string_view>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"

namespace fovea {

UnreadableLimit::UnreadableLimit(const std::string& text) : text_(text) {
    if (text == "all") return;
    const bool is_share = text.ends_with('%');
    if (is_share) {
        percent_ = spelled_number(std::string_view(text).substr(0, text.size() - 1));
    } else if (const auto count = spelled_whole(text, 0)) {
        count_ = static_cast<std::size_t>(*count);
    }
    const bool is_right = percent_ ? *percent_ >= 0 && *percent_ <= 100 : count_.has_value();
    if (!is_right) throw UsageError("'" + text + "' must be a number of images, a share like 2.5%, or all");
}

bool UnreadableLimit::allows(std::size_t unreadable, std::size_t images) const {
    if (count_) return unreadable <= *count_;
    if (!percent_) return true;
    return static_cast<double>(unreadable) * 100 <= *percent_ * static_cast<double>(images);
}

void add_max_unreadable_flag(CLI::App& app, std::optional<UnreadableLimit>& limit, const char* group) {
    app.add_option_function<std::string>(
           "--max-unreadable",
           [&limit](const std::string& text) {
               try {
                   limit.emplace(text);
               } catch (const UsageError& error) {
                   throw CLI::ValidationError("--max-unreadable", error.what());
               }
           },
           "Exit code 0, not 3, if at most N images, N% of them, or any number (all) were unreadable or left "
           "out (default 0, of a part by --shard all)")
        ->type_name("N|N%|all")
        ->group(group);
}

ExitCode with_max_unreadable(ExitCode code, const LostInputs& lost,
                             const std::optional<UnreadableLimit>& limit) {
    if (!limit) return code;
    if (!limit->allows(lost.unreadable, lost.images)) {
        spdlog::warn("{} unreadable or left out; --max-unreadable allows {}",
                     counted(lost.unreadable, "image was", "images were"), limit->text());
        return code;
    }
    return code == ExitCode::inputs_skipped && lost.others == 0 ? ExitCode::done : code;
}

ExitCode exit_code_of_job(bool is_interrupted, const LostInputs& lost,
                          const std::optional<UnreadableLimit>& limit) {
    if (is_interrupted) return ExitCode::interrupted;
    if (lost.unreadable + lost.others == 0) return ExitCode::done;
    return with_max_unreadable(ExitCode::inputs_skipped, lost, limit);
}

}  // namespace fovea
