#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "apps/terminal/progress.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea {

/// The flags of a subcommand's output.
struct OutputFlags {
    bool json = false;
    bool quiet = false;
    std::string log_level = "info";
    std::string progress = "auto";  ///< off, auto or json
    /// The time between lines of progress in a log.
    std::chrono::milliseconds log_interval = std::chrono::seconds(30);
};

/// Writes data to standard output, messages and progress to standard error.
///
/// While it lives, spdlog's default logger writes "fovea: warning: ..." lines to standard error. Progress
/// goes there, too: a bar in a terminal, a line every log_interval elsewhere, or JSON (see progress.hpp).
/// Only terminals get colours, if NO_COLOR is unset.
class Console {
  public:
    explicit Console(const OutputFlags& flags);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    bool json() const { return flags_.json; }

    /// Prints the summary of a finished job for people, on standard output, or on standard error after
    /// reserve_stdout(). It prints nothing with --quiet or --json.
    void print_summary(const std::string& text) const;
    /// Prints the outcome for programs, one object on standard output, if --json was given.
    void print_json(const Json& outcome) const;

    /// Reserves standard output for results: from now on summaries go to standard error. \param what is
    /// written there: "the results". \throws UsageError with --json, whose object would be among them.
    void reserve_stdout(const std::string& what);

    /// Begins a stage of the work, which messages and progress name.
    void stage(const std::string& name);
    /// Shows it if it is time to; a round in it at once.
    void progress(const JobProgress& progress);
    /// Removes the progress bar.
    void clear_progress();

  private:
    double seconds_of_stage(std::chrono::steady_clock::time_point now) const;
    void tell_round(const JobRound& round) const;

    OutputFlags flags_;
    bool stdout_reserved_ = false;
    ProgressStyle style_;
    ProgressPace pace_;
    std::string stage_ = "working";
    std::chrono::steady_clock::time_point stage_start_ = std::chrono::steady_clock::now();
};

/// Prints "fovea: error: ..." on standard error. The message is made to begin with a small letter and, if it
/// is one sentence, to end without a full stop.
void print_error(const std::string& message);

/// Prints the verdict of an accuracy gate on standard error, below the tables, as the console keeps it to its
/// end: "fovea: error: the accuracy gate failed: ...", or "fovea: the accuracy gate held: ...".
void print_verdict(bool passed, const std::string& sentence);

/// A table as text; the first column is flush left, the others are flush right. The first row is the heading.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

/// The width, in characters, of the terminal of a file descriptor; `unknown` if it is no terminal.
std::size_t terminal_columns(int descriptor, std::size_t unknown);

/// Tables as text, one below the other; a terminal gets only the columns that it has room for.
std::string format_tables(const std::vector<report::Table>& tables);

/// A time as on a clock: "0:07", "3:07" or "1:02:09".
std::string format_clock(double seconds);

/// A duration: "0.7 s", from a minute on as format_clock().
std::string format_duration(double seconds);

}  // namespace fovea
