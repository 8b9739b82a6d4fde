#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "apps/terminal/progress.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea {

/// How a subcommand shows what it does.
struct OutputFlags {
    bool json = false;
    bool quiet = false;
    std::string log_level = "info";
    std::string progress = "auto";  ///< off, auto or json
    std::chrono::milliseconds log_interval =
        std::chrono::seconds(30);  ///< between lines of progress in a log
};

/// Standard output for data, standard error for messages and progress.
///
/// While it lives, spdlog's default logger writes "fovea: warning: ..." lines to standard error. Progress
/// goes there, too: a bar in a terminal, a line every 30 seconds elsewhere, or JSON (see progress.hpp).
/// Colour is for terminals alone, if NO_COLOR is unset.
class Console {
  public:
    explicit Console(const OutputFlags& flags);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    bool json() const { return flags_.json; }

    /// The short account of a finished job, for people: standard output, or standard error if that is taken
    /// by data. Nothing with --quiet or --json.
    void print_summary(const std::string& text) const;
    /// The outcome for programs: one object on standard output if --json was given.
    void print_json(const Json& outcome) const;

    /// Standard output carries results: summaries go to standard error from now on. \param what is written
    /// there, as "the results". \throws UsageError with --json, whose object would stand among it.
    void reserve_stdout(const std::string& what);

    void stage(const std::string& name);
    void progress(const DetectProgress& progress);
    /// Wipes the progress bar away.
    void clear_progress();

  private:
    OutputFlags flags_;
    bool stdout_reserved_ = false;
    ProgressStyle style_;
    ProgressPace pace_;
    std::string stage_ = "working";
    std::chrono::steady_clock::time_point stage_start_ = std::chrono::steady_clock::now();
};

/// One sentence on standard error: "fovea: error: ...". It begins with a small letter, and a single sentence
/// ends without a full stop, however the message is written.
void print_error(const std::string& message);

/// The outcome of an accuracy gate: "fovea: error: the accuracy gate failed: ...", or "fovea: the accuracy
/// gate held: ...". It is kept until the console ends, so that it stands below the tables.
void print_verdict(bool passed, const std::string& sentence);

/// Columns of text; the first one flush left, the others flush right. The first row is the heading.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

/// The width of the terminal behind a file descriptor, in characters; `unknown` where it is none.
std::size_t terminal_columns(int descriptor, std::size_t unknown);

/// Tables one below the other; in a terminal with the columns that it has room for.
std::string format_tables(const std::vector<report::Table>& tables);

/// Time left, as on a clock: "0:07", "3:07" or "1:02:09".
std::string format_clock(double seconds);

/// Time taken: "0.7 s", from a minute on as format_clock.
std::string format_duration(double seconds);

}  // namespace fovea
