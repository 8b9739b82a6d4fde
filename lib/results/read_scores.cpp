#include "lib/results/read_scores.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include <tbb/parallel_sort.h>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/results/readers.hpp"
#include "lib/results/score_fields.hpp"

namespace fovea {
namespace {

using namespace results_detail;

// A file of lines of fields.
class ScoreFile {
  public:
    explicit ScoreFile(const std::string& file) : file_(file), bytes_(read_results_file(file)) {}

    /// Calls handle(fields, line number, line, splitter) for every line with content.
    template <class Handle>
    void for_each(Handle&& handle) const {
        std::optional<FieldSplitter> splitter;
        for_each_line(bytes_, [&](std::size_t number, std::string_view line) {
            // Only from its end: a tab in front is an empty field.
            while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
            const std::string_view content = trim(line);
            if (content.empty() || content.front() == '#') return;
            if (!splitter) splitter.emplace(line);
            handle(splitter->split(line), number, line, *splitter);
        });
    }

    const std::string& name() const { return file_; }

  private:
    std::string file_;
    std::string bytes_;
};

double score_of(const ScoreFile& file, std::string_view field, std::size_t number, std::string_view line) {
    const std::optional<double> score = spelled_number(field);
    if (!score) {
        fail_at_line(file.name(), number, line,
                     "the score is '" + excerpt(field) + "', expected a finite number");
    }
    return *score;
}

bool is_score_heading(std::string_view field) {
    std::string lower(field);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower == "score" || lower == "similarity" || lower == "distance";
}

using Fields = std::vector<std::string_view>;

// A list's first line names two images and a score; anything else with commas begins a matrix.
bool begins_list(const Fields& fields) {
    return fields.size() == 3 && !fields[0].empty() &&
           (parse_number(fields[2]).has_value() || is_score_heading(fields[2]));
}

class ScoreReader {
  public:
    ScoreReader(const ScoreFile& file, ScoreList& list) : file_(file), list_(list) {}

    void line(const Fields& fields, std::size_t number, std::string_view line, bool csv) {
        const bool first = !seen_line_;
        seen_line_ = true;
        if (first && csv && !begins_list(fields)) {
            matrix_heading(fields, number, line);
        } else if (!columns_.empty()) {
            matrix_row(fields, number, line);
        } else if (!(first && fields.size() == 3 && is_score_heading(fields[2]))) {
            comparison(fields, number, line);
        }
    }

  private:
    void comparison(const Fields& fields, std::size_t number, std::string_view line) {
        if (fields.size() != 3 || fields[0].empty() || fields[1].empty()) {
            fail_at_line(
                file_.name(), number, line,
                "expected NAME_A NAME_B SCORE (names that hold blanks need tabs or commas between the "
                "fields)");
        }
        const double score = score_of(file_, fields[2], number, line);
        list_.entries.push_back({list_.names.number_of(fields[0]), list_.names.number_of(fields[1]),
                                 static_cast<std::uint32_t>(number), score});
    }

    void matrix_heading(const Fields& fields, std::size_t number, std::string_view line) {
        for (std::size_t i = 1; i < fields.size(); ++i) {
            if (fields[i].empty()) {
                fail_at_line(file_.name(), number, line, "a name of the matrix's first row is empty");
            }
            columns_.push_back(list_.names.number_of(fields[i]));
        }
        if (columns_.empty()) {
            fail_at_line(file_.name(), number, line,
                         "expected NAME_A,NAME_B,SCORE or the first row of a matrix");
        }
    }

    void matrix_row(const Fields& fields, std::size_t number, std::string_view line) {
        if (fields.size() != columns_.size() + 1 || fields[0].empty()) {
            fail_at_line(file_.name(), number, line,
                         "expected a name and " + counted(columns_.size(), "score") +
                             ", as many as the first row has names");
        }
        const std::uint32_t row = list_.names.number_of(fields[0]);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const double score = score_of(file_, fields[i + 1], number, line);
            list_.entries.push_back({row, columns_[i], static_cast<std::uint32_t>(number), score});
        }
    }

    const ScoreFile& file_;
    ScoreList& list_;
    std::vector<std::uint32_t> columns_;  // of a matrix
    bool seen_line_ = false;
};

std::int32_t fold_of(const ScoreFile& file, std::string_view field, std::size_t number,
                     std::string_view line) {
    using Limits = std::numeric_limits<std::int32_t>;
    const std::optional<std::int64_t> fold = spelled_whole(field, Limits::min(), Limits::max());
    if (!fold) {
        fail_at_line(file.name(), number, line,
                     "the fold is '" + excerpt(field) + "', expected a whole number");
    }
    return static_cast<std::int32_t>(*fold);
}

void refuse_duplicates(const PairList& list) {
    struct Keyed {
        std::uint64_t key;
        std::uint32_t line;
    };
    std::vector<Keyed> keys;
    keys.reserve(list.pairs.size());
    for (const LabelledPair& pair : list.pairs)
        keys.push_back({unordered_key(pair.first, pair.second), pair.line});
    tbb::parallel_sort(keys.begin(), keys.end(), [](const Keyed& a, const Keyed& b) {
        return a.key != b.key ? a.key < b.key : a.line < b.line;
    });
    const Keyed* found = nullptr;
    std::uint32_t earlier = 0;
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (keys[i].key != keys[i - 1].key || (found != nullptr && found->line <= keys[i].line)) continue;
        found = &keys[i];
        earlier = keys[i - 1].line;
    }
    if (found == nullptr) return;
    throw Error(list.file + ":" + std::to_string(found->line) + ": the pair '" +
                excerpt(list.names.name(static_cast<std::uint32_t>(found->key >> 32))) + "', '" +
                excerpt(list.names.name(static_cast<std::uint32_t>(found->key))) + "' stands in line " +
                std::to_string(earlier) + " already; a pair may be listed once, in either order.");
}

}  // namespace

std::uint32_t NameTable::number_of(std::string_view name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.push_back(&numbers_.emplace(std::string(name), number).first->first);
    return number;
}

std::optional<std::uint32_t> NameTable::find(std::string_view name) const {
    const auto known = numbers_.find(name);
    return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

std::string ScoreList::place(const ScoreEntry& entry) const {
    return file + ":" + std::to_string(entry.line) + ": ";
}

ScoreList read_scores(const std::string& file) {
    const ScoreFile scores(file);
    ScoreList list;
    list.file = file;
    ScoreReader reader(scores, list);
    scores.for_each(
        [&](const Fields& fields, std::size_t number, std::string_view line, const FieldSplitter& splitter) {
            reader.line(fields, number, line, splitter.is_csv());
        });
    return list;
}

PairList read_scored_pairs(const std::string& file) {
    const ScoreFile scores(file);
    PairList list;
    list.file = file;
    bool first = true;
    scores.for_each([&](const Fields& fields, std::size_t number, std::string_view line,
                        const FieldSplitter&) {
        const bool heading = first && fields.size() >= 3 && is_score_heading(fields[2]);
        if (heading) {
            first = false;
            return;
        }
        if (fields.size() != 4 && fields.size() != 5) {
            fail_at_line(file, number, line, "expected NAME_A NAME_B SCORE LABEL [FOLD]");
        }
        const bool has_fold = fields.size() == 5;
        if (list.pairs.empty()) list.has_folds = has_fold;
        if (has_fold != list.has_folds) {
            fail_at_line(file, number, line,
                         has_fold ? "a fold, where the lines before have none"
                                  : "no fold, where the lines before have one");
        }
        const std::optional<bool> same = spelled_mark(fields[3]);
        if (!same) {
            fail_at_line(file, number, line,
                         "the label is '" + excerpt(fields[3]) + "', expected 1 (one subject) or 0 (two)");
        }
        LabelledPair pair;
        pair.first = list.names.number_of(fields[0]);
        pair.second = list.names.number_of(fields[1]);
        if (fields[2] != "-") pair.score = score_of(scores, fields[2], number, line);
        pair.same = *same;
        if (has_fold) pair.fold = fold_of(scores, fields[4], number, line);
        pair.line = static_cast<std::uint32_t>(number);
        list.pairs.push_back(pair);
        first = false;
    });
    refuse_duplicates(list);
    return list;
}

std::vector<SubjectEntry> read_subjects(const std::string& file) {
    const ScoreFile lines(file);
    std::vector<SubjectEntry> entries;
    std::map<std::string, std::string, std::less<>> subject_of;
    std::map<std::pair<std::string, SubjectRole>, std::size_t> line_of;
    lines.for_each(
        [&](const Fields& fields, std::size_t number, std::string_view line, const FieldSplitter&) {
            if (fields.size() < 2 || fields.size() > 3 || fields[0].empty() || fields[1].empty()) {
                fail_at_line(file, number, line, "expected NAME SUBJECT [gallery|probe]");
            }
            SubjectEntry entry{std::string(fields[0]), std::string(fields[1]), SubjectRole::unsaid};
            if (fields.size() == 3) {
                if (fields[2] != "gallery" && fields[2] != "probe") {
                    fail_at_line(file, number, line,
                                 "the role is '" + excerpt(fields[2]) + "', expected gallery or probe");
                }
                entry.role = fields[2] == "gallery" ? SubjectRole::gallery : SubjectRole::probe;
            }
            const auto [known, is_new] = subject_of.emplace(entry.image, entry.subject);
            if (!is_new && known->second != entry.subject) {
                fail_at_line(file, number, line,
                             "the image shows '" + excerpt(known->second) +
                                 "' in an earlier line, here another "
                                 "subject");
            }
            const auto [place, is_first] = line_of.emplace(std::pair(entry.image, entry.role), number);
            if (!is_first) {
                fail_at_line(file, number, line,
                             "the image stands in line " + std::to_string(place->second) + " already");
            }
            entries.push_back(std::move(entry));
        });
    return entries;
}

}  // namespace fovea
