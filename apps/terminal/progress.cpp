#include "apps/terminal/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <spdlog/fmt/fmt.h>

#include "apps/terminal/console.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

double tenths(double value) {
    return std::round(10 * value) / 10;
}

/// Counts without a decimal point.
Json plain_number(double number) {
    constexpr double largest_whole = 0x1p53;
    if (number != std::floor(number) || std::abs(number) > largest_whole) return number;
    return static_cast<std::int64_t>(number);
}

std::string rate_text(const StageProgress& progress) {
    return progress.now.unit.empty() ? "" : fmt::format("{:.3g} {}/s", progress.rate(), progress.now.unit);
}

}  // namespace

ProgressStyle progress_style(const std::string& choice, bool quiet, bool is_terminal) {
    if (choice == "json") return ProgressStyle::json;
    if (choice == "off" || quiet) return ProgressStyle::none;
    return is_terminal ? ProgressStyle::bar : ProgressStyle::lines;
}

double StageProgress::share() const {
    return now.total == 0 ? 0 : static_cast<double>(now.done) / static_cast<double>(now.total);
}

double StageProgress::rate() const {
    return static_cast<double>(now.done - now.resumed) / std::max(1e-3, seconds);
}

std::optional<double> StageProgress::seconds_left() const {
    if (!(rate() > 0) || now.total < now.done) return std::nullopt;
    return static_cast<double>(now.total - now.done) / rate();
}

std::string progress_bar(const StageProgress& progress, std::size_t columns) {
    const JobProgress& now = progress.now;
    constexpr int bar_width = 24;
    const int filled = static_cast<int>(progress.share() * bar_width);
    std::string line = fmt::format("{} [{:=<{}}{:<{}}] {:3.0f} %", progress.stage, "", filled, "",
                                   bar_width - filled, 100 * progress.share());
    if (!now.unit.empty()) line += fmt::format(" {}/{}  {}", now.done, now.total, rate_text(progress));
    line += fmt::format("  {} left", format_clock(progress.seconds_left().value_or(0)));
    if (now.pixels > 0) {
        const double megapixels = static_cast<double>(now.pixels) / 1e6;
        line += fmt::format("  {:.3g} MP/s  {} {}", megapixels / std::max(1e-3, progress.seconds), now.faces,
                            now.faces == 1 ? "face" : "faces");
    }
    if (!now.video.empty()) line += fmt::format("  at {} of {}", format_clock(now.video_seconds), now.video);
    if (now.unreadable > 0) line += fmt::format("  {} unreadable", now.unreadable);
    return line.substr(0, columns);
}

std::string progress_line(const StageProgress& progress) {
    const JobProgress& now = progress.now;
    // Rounded down: 100 % is the end and nothing before it.
    std::string line = fmt::format("{}: {:.0f} %", progress.stage, std::floor(100 * progress.share()));
    if (!now.unit.empty()) {
        line += fmt::format(" ({} of {} {}), {}", now.done, now.total, now.unit, rate_text(progress));
    }
    const std::optional<double> left = progress.seconds_left();
    if (now.done >= now.total) {
        line += fmt::format(", in {}", format_duration(progress.seconds));
    } else {
        line += left ? fmt::format(", {} left", format_clock(*left)) : ", time left not known yet";
    }
    if (now.unreadable > 0) line += fmt::format(", {} unreadable", now.unreadable);
    return line;
}

Json progress_json(const StageProgress& progress) {
    const JobProgress& now = progress.now;
    Json json{{"stage", progress.stage},
              {"done", now.done},
              {"total", now.total},
              {"unit", now.unit.empty() ? Json() : Json(now.unit)},
              {"seconds", tenths(progress.seconds)}};
    const std::optional<double> left = progress.seconds_left();
    json["seconds_left"] = left ? Json(tenths(*left)) : Json();
    if (now.unreadable > 0) json["unreadable"] = now.unreadable;
    return {{"progress", std::move(json)}};
}

Json round_json(const std::string& stage, double seconds, const JobRound& round) {
    Json numbers = Json::object();
    for (const auto& [name, number] : round.numbers) numbers[name] = plain_number(number);
    return {{"progress", {{"stage", stage}, {"seconds", tenths(seconds)}, {"round", std::move(numbers)}}}};
}

void ProgressPace::begin(Time now) {
    last_ = now;
    has_told_ = false;
    has_ended_ = false;
}

bool ProgressPace::is_due(Time now, bool is_end) {
    const bool has_waited = now - last_ >= interval_ || (at_once_ && !has_told_);
    const bool is_due = is_end ? !has_ended_ && (has_told_ || has_waited) : has_waited;
    if (!is_due) return false;
    last_ = now;
    has_told_ = true;
    has_ended_ = is_end;
    return true;
}

}  // namespace fovea
