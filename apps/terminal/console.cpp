#include "apps/terminal/console.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/process/library_messages.hpp"
#include "lib/report/write/text.hpp"

namespace fovea {
namespace {

constexpr const char* erase_line = "\r\033[K";

bool is_smart_terminal(int descriptor) {
    const char* terminal = std::getenv("TERM");
    return ::isatty(descriptor) != 0 && terminal != nullptr && std::string(terminal) != "dumb";
}

bool colour_wanted() {
    const char* no_colour = std::getenv("NO_COLOR");
    return is_smart_terminal(STDERR_FILENO) && (no_colour == nullptr || *no_colour == '\0');
}

// Names may hold what a terminal obeys, or a line break that would forge a message: they are shown as \x1B
// and the like. Blanks that do not break are plain ones, which grep finds.
std::string printable(std::string_view line) {
    constexpr std::string_view fixed_blank = "\u00A0";
    std::string text = excerpt(line, std::string_view::npos);
    for (std::size_t at = 0; (at = text.find(fixed_blank, at)) != std::string::npos;)
        text.replace(at, fixed_blank.size(), " ");
    return text;
}

std::string printable_lines(std::string_view text) {
    std::string shown;
    while (true) {
        const std::size_t end = text.find('\n');
        shown += printable(text.substr(0, end));
        if (end == std::string_view::npos) return shown;
        shown += '\n';
        text.remove_prefix(end + 1);
    }
}

// Standard error is shared by the progress bar and by messages from any thread.
std::mutex stderr_mutex;
bool bar_drawn = false;

// The sentences of accuracy gates; one thread checks them.
std::vector<std::pair<bool, std::string>> verdicts;

void write_message(const std::string& kind, const char* colour, const std::string& message) {
    std::string line = "fovea: ";
    if (!kind.empty()) line += colour_wanted() ? colour + kind + ":\033[0m " : kind + ": ";
    line += printable(message) + "\n";
    const std::lock_guard lock(stderr_mutex);
    if (bar_drawn) line = erase_line + line;
    bar_drawn = false;
    std::fwrite(line.data(), 1, line.size(), message_stream());
}

// "There is no folder 'a'." as "there is no folder 'a'": some messages are written as sentences, some as
// parts of one. Names keep their capitals.
std::string as_part_of_sentence(std::string message) {
    const std::string word = message.substr(0, message.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                                         "abcdefghijklmnopqrstuvwxyz"));
    const bool is_plain =
        std::count_if(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) == 1;
    const bool is_name = word == "Fovea" || word == "Debian";
    if (is_plain && !is_name && word.size() > 1 && word[0] >= 'A' && word[0] <= 'Z')
        message[0] = static_cast<char>(message[0] - 'A' + 'a');
    const bool is_single = message.find(". ") == std::string::npos;
    if (is_single && message.ends_with('.') && !message.ends_with("..")) message.pop_back();
    return message;
}

class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text(message.payload.data(), message.payload.size());
        if (message.level >= spdlog::level::err) {
            write_message("error", "\033[1;31m", text);
        } else if (message.level == spdlog::level::warn) {
            write_message("warning", "\033[1;33m", text);
        } else {
            write_message(message.level == spdlog::level::info ? "" : "debug", "\033[2m", text);
        }
    }
    void flush_() override { std::fflush(message_stream()); }
};

ProgressPace pace_of(ProgressStyle style, std::chrono::milliseconds log_interval) {
    using namespace std::chrono_literals;
    if (style == ProgressStyle::lines) return {log_interval, false};
    return {style == ProgressStyle::json ? 1000ms : 100ms, true};
}

void write_line(const std::string& line) {
    const std::lock_guard lock(stderr_mutex);
    std::fwrite(line.data(), 1, line.size(), message_stream());
    std::fflush(message_stream());
}

std::string json_line(const Json& json) {
    return compact_text(json) + "\n";
}

}  // namespace

Console::Console(const OutputFlags& flags)
    : flags_(flags),
      style_(progress_style(flags.progress, flags.quiet, is_smart_terminal(STDERR_FILENO))),
      pace_(pace_of(style_, flags.log_interval)) {
    pace_.begin(stage_start_);
    auto logger = std::make_shared<spdlog::logger>("fovea", std::make_shared<StderrSink>());
    logger->set_level(flags.quiet ? spdlog::level::err : spdlog::level::from_str(flags.log_level));
    spdlog::set_default_logger(std::move(logger));
    take_library_messages([](std::string_view line) { spdlog::debug("a library says: {}", line); });
}

Console::~Console() {
    take_library_messages(nullptr);
    clear_progress();
    for (const auto& [passed, sentence] : verdicts) {
        if (passed) {
            spdlog::info("the accuracy gate held: {}", sentence);
        } else {
            print_error("the accuracy gate failed: " + sentence);
        }
    }
    verdicts.clear();
}

void Console::print_summary(const std::string& text) const {
    if (flags_.quiet || flags_.json) return;
    if (stdout_reserved_)
        write_line(printable_lines(text));
    else
        std::cout << printable_lines(text) << std::flush;
}

void Console::print_json(const Json& outcome) const {
    if (!flags_.json) return;
    std::cout << indented_text(outcome) << '\n' << std::flush;
}

void Console::reserve_stdout(const std::string& what) {
    if (json()) {
        throw UsageError("--json and " + what + " cannot both go to standard output; name a file with --out");
    }
    stdout_reserved_ = true;
}

void Console::stage(const std::string& name) {
    clear_progress();
    stage_ = printable(name);
    stage_start_ = std::chrono::steady_clock::now();
    pace_.begin(stage_start_);
    spdlog::debug("{}", stage_);
    if (style_ == ProgressStyle::json) {
        write_line(json_line({{"progress", {{"stage", stage_}, {"seconds", 0}}}}));
    }
    if (style_ != ProgressStyle::bar) return;
    const std::lock_guard lock(stderr_mutex);
    std::fprintf(message_stream(), "%s ...", stage_.c_str());
    std::fflush(message_stream());
    bar_drawn = true;
}

void Console::progress(const JobProgress& progress) {
    tell_round(progress.round);
    if (style_ == ProgressStyle::none || progress.total == 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (!pace_.is_due(now, progress.done >= progress.total)) return;
    const StageProgress told{stage_, seconds_of_stage(now), progress};
    if (style_ == ProgressStyle::json) {
        write_line(json_line(progress_json(told)));
    } else if (style_ == ProgressStyle::lines) {
        spdlog::info("{}", progress_line(told));
    } else {
        const std::string line = progress_bar(told, terminal_columns(STDERR_FILENO, 80) - 1);
        const std::lock_guard lock(stderr_mutex);
        std::fprintf(message_stream(), "%s%s", erase_line, line.c_str());
        std::fflush(message_stream());
        bar_drawn = true;
    }
}

double Console::seconds_of_stage(std::chrono::steady_clock::time_point now) const {
    return std::chrono::duration<double>(now - stage_start_).count();
}

void Console::tell_round(const JobRound& round) const {
    if (!round.text.empty())
        spdlog::log(round.is_detail ? spdlog::level::debug : spdlog::level::info, "{}", round.text);
    if (!round.warning.empty()) spdlog::warn("{}", round.warning);
    if (style_ != ProgressStyle::json || round.numbers.empty()) return;
    write_line(json_line(round_json(stage_, seconds_of_stage(std::chrono::steady_clock::now()), round)));
}

void Console::clear_progress() {
    const std::lock_guard lock(stderr_mutex);
    if (!bar_drawn) return;
    std::fputs(erase_line, message_stream());
    std::fflush(message_stream());
    bar_drawn = false;
}

void print_error(const std::string& message) {
    write_message("error", "\033[1;31m", as_part_of_sentence(message));
}

void print_verdict(bool passed, const std::string& sentence) {
    verdicts.emplace_back(passed, sentence);
}

std::string format_table(const std::vector<std::vector<std::string>>& given_rows) {
    std::vector<std::vector<std::string>> rows = given_rows;
    for (auto& row : rows) {
        for (std::string& cell : row) cell = printable(cell);
    }
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                           : fmt::format("  {:>{}}", row[i], widths[i]);
        }
        text += '\n';
    }
    return text;
}

std::size_t terminal_columns(int descriptor, std::size_t unknown) {
    winsize size{};
    const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : unknown;
}

std::string format_tables(const std::vector<report::Table>& tables) {
    std::string text;
    for (const report::Table& table : tables)
        text += (text.empty() ? "" : "\n") + report::text_table(table, terminal_columns(STDOUT_FILENO, 0));
    return text;
}

std::string format_clock(double seconds) {
    const long long whole = std::llround(std::clamp(seconds, 0.0, 1e9));
    const long long hours = whole / 3600;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string format_duration(double seconds) {
    return seconds < 59.95 ? fmt::format("{:.1f} s", std::max(0.0, seconds)) : format_clock(seconds);
}

}  // namespace fovea
