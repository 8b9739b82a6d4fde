#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/results/readers.hpp"

// Lines of names and what belongs to them: scores, subjects, groups.
namespace fovea::results_detail {

using Fields = std::vector<std::string_view>;

/// Splits lines into fields. The separator is the comma if the first line has one (CSV, whose fields may be
/// in quotes), else the tab if it has one, else blanks.
class FieldSplitter {
  public:
    /// \param first_line tells the separator.
    explicit FieldSplitter(std::string_view first_line)
        : separator_(first_line.find('\t') != std::string_view::npos  ? '\t'
                     : first_line.find(',') != std::string_view::npos ? ','
                                                                      : ' ') {}

    bool is_csv() const { return separator_ == ','; }

    /// The fields, without blanks or quotes around them, of CSV as csv_text() reads them; valid until the
    /// next call. None at all if a quote is not closed or stands within a field: names may not hold quotes.
    const Fields& split(std::string_view line);

  private:
    bool split_csv(std::string_view line);

    char separator_;
    Fields fields_;
};

/// A line with content, for readers to judge.
struct ScoreLine {
    const std::string& file;
    std::size_t number;  ///< from 1
    std::string_view text;
    const Fields& fields;
    bool is_csv;

    /// \throws Error naming the file and this line.
    [[noreturn]] void fail(const std::string& what) const { fail_at_line(file, number, text, what); }
    /// \throws Error unless the field is a finite number.
    double score(std::string_view field) const;
};

/// Calls handle(ScoreLine) for every line with content: blank lines and lines that begin with '#' are passed
/// over. \param bytes as read_results_file() gives them. \param file named in messages.
template <class Handle>
void for_each_score_line(const std::string& bytes, const std::string& file, Handle&& handle) {
    std::optional<FieldSplitter> splitter;
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        // Only from its end: a tab in front is an empty field.
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
        const std::string_view content = trim(line);
        if (content.empty() || content.front() == '#') return;
        if (!splitter) splitter.emplace(line);
        handle(ScoreLine{file, number, line, splitter->split(line), splitter->is_csv()});
    });
}

}  // namespace fovea::results_detail
