#include "lib/results/read_scores.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include <tbb/parallel_sort.h>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/results/score_lines.hpp"

namespace fovea {
namespace {

using namespace results_detail;

/// A decimal number, possibly with a plus sign, and nothing behind it; may be infinite or NaN ("inf", "nan").
std::optional<double> parse_number(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

bool is_score_heading(std::string_view field) {
    const std::string lower = lower_case(field);
    return lower == "score" || lower == "similarity" || lower == "distance";
}

// A list's first line names two images and a score; anything else with commas begins a matrix.
bool begins_list(const Fields& fields) {
    return fields.size() == 3 && !fields[0].empty() &&
           (parse_number(fields[2]).has_value() || is_score_heading(fields[2]));
}

class ScoreReader {
  public:
    explicit ScoreReader(ScoreList& list) : list_(list) {}

    void add(const ScoreLine& line) {
        const Fields& fields = line.fields;
        const bool first = !seen_line_;
        seen_line_ = true;
        if (first && line.is_csv && !begins_list(fields)) {
            matrix_heading(line);
        } else if (!columns_.empty()) {
            matrix_row(line);
        } else if (!(first && fields.size() == 3 && is_score_heading(fields[2]))) {
            comparison(line);
        }
    }

  private:
    void add_entry(std::uint32_t first, std::uint32_t second, const ScoreLine& line, std::size_t field) {
        list_.entries.push_back(
            {first, second, static_cast<std::uint32_t>(line.number), line.score(line.fields[field])});
    }

    void comparison(const ScoreLine& line) {
        const Fields& fields = line.fields;
        if (fields.size() != 3 || fields[0].empty() || fields[1].empty()) {
            line.fail(
                "expected NAME_A NAME_B SCORE (names that hold blanks need tabs or commas between the "
                "fields)");
        }
        const std::uint32_t first = list_.names.number_of(fields[0]);
        add_entry(first, list_.names.number_of(fields[1]), line, 2);
    }

    void matrix_heading(const ScoreLine& line) {
        for (std::size_t i = 1; i < line.fields.size(); ++i) {
            if (line.fields[i].empty()) line.fail("a name of the matrix's first row is empty");
            columns_.push_back(list_.names.number_of(line.fields[i]));
        }
        if (columns_.empty()) line.fail("expected NAME_A,NAME_B,SCORE or the first row of a matrix");
    }

    void matrix_row(const ScoreLine& line) {
        const Fields& fields = line.fields;
        if (fields.size() != columns_.size() + 1 || fields[0].empty()) {
            line.fail("expected a name and " + counted(columns_.size(), "score") +
                      ", as many as the first row has names");
        }
        const std::uint32_t row = list_.names.number_of(fields[0]);
        for (std::size_t i = 0; i < columns_.size(); ++i) add_entry(row, columns_[i], line, i + 1);
    }

    ScoreList& list_;
    std::vector<std::uint32_t> columns_;  // of a matrix
    bool seen_line_ = false;
};

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

std::uint32_t NameNumbers::number_of(std::string_view name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.push_back(&numbers_.emplace(std::string(name), number).first->first);
    return number;
}

std::optional<std::uint32_t> NameNumbers::find(std::string_view name) const {
    const auto known = numbers_.find(name);
    return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

std::string ScoreList::place(const ScoreEntry& entry) const {
    return file + ":" + std::to_string(entry.line) + ": ";
}

ScoreList read_scores(const std::string& file) {
    ScoreList list;
    list.file = file;
    ScoreReader reader(list);
    for_each_score_line(read_results_file(file), file, [&](const ScoreLine& line) { reader.add(line); });
    return list;
}

PairList read_scored_pairs(const std::string& file) {
    using Limits = std::numeric_limits<std::int32_t>;
    PairList list;
    list.file = file;
    bool first = true;
    for_each_score_line(read_results_file(file), file, [&](const ScoreLine& line) {
        const Fields& fields = line.fields;
        if (std::exchange(first, false) && fields.size() >= 3 && is_score_heading(fields[2])) return;
        if (fields.size() != 4 && fields.size() != 5) line.fail("expected NAME_A NAME_B SCORE LABEL [FOLD]");
        const bool has_fold = fields.size() == 5;
        if (list.pairs.empty()) list.has_folds = has_fold;
        if (has_fold != list.has_folds) {
            line.fail(has_fold ? "a fold, where the lines before have none"
                               : "no fold, where the lines before have one");
        }
        const std::optional<bool> same = spelled_mark(fields[3]);
        if (!same) {
            line.fail("the label is '" + excerpt(fields[3]) + "', expected 1 (one subject) or 0 (two)");
        }
        LabelledPair pair;
        pair.first = list.names.number_of(fields[0]);
        pair.second = list.names.number_of(fields[1]);
        if (fields[2] != "-") pair.score = line.score(fields[2]);
        pair.same = *same;
        if (has_fold) {
            const auto fold = spelled_whole(fields[4], Limits::min(), Limits::max());
            if (!fold) line.fail("the fold is '" + excerpt(fields[4]) + "', expected a whole number");
            pair.fold = static_cast<std::int32_t>(*fold);
        }
        pair.line = static_cast<std::uint32_t>(line.number);
        list.pairs.push_back(pair);
    });
    refuse_duplicates(list);
    return list;
}

std::vector<SubjectEntry> read_subjects(const std::string& file) {
    std::vector<SubjectEntry> entries;
    std::map<std::string, std::string, std::less<>> subject_of;
    std::map<std::pair<std::string, SubjectRole>, std::size_t> line_of;
    for_each_score_line(read_results_file(file), file, [&](const ScoreLine& line) {
        const Fields& fields = line.fields;
        if (fields.size() < 2 || fields.size() > 3 || fields[0].empty() || fields[1].empty())
            line.fail("expected NAME SUBJECT [gallery|probe]");
        SubjectEntry entry{std::string(fields[0]), std::string(fields[1]), SubjectRole::unsaid};
        if (fields.size() == 3) {
            if (fields[2] != "gallery" && fields[2] != "probe")
                line.fail("the role is '" + excerpt(fields[2]) + "', expected gallery or probe");
            entry.role = fields[2] == "gallery" ? SubjectRole::gallery : SubjectRole::probe;
        }
        const auto [known, is_new] = subject_of.emplace(entry.image, entry.subject);
        if (!is_new && known->second != entry.subject) {
            line.fail("the image shows '" + excerpt(known->second) +
                      "' in an earlier line, here another subject");
        }
        const auto [place, is_first] = line_of.emplace(std::pair(entry.image, entry.role), line.number);
        if (!is_first) line.fail("the image stands in line " + std::to_string(place->second) + " already");
        entries.push_back(std::move(entry));
    });
    return entries;
}

}  // namespace fovea
