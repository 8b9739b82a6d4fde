#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

/// Names of images as numbers, in the order of their first appearance.
class NameNumbers {
  public:
    NameNumbers() = default;
    NameNumbers(NameNumbers&&) = default;
    NameNumbers& operator=(NameNumbers&&) = default;
    NameNumbers(const NameNumbers&) = delete;  // names_ points into numbers_
    NameNumbers& operator=(const NameNumbers&) = delete;

    /// The number of a name, which gets the next one if it is new.
    std::uint32_t number_of(std::string_view name);
    std::optional<std::uint32_t> find(std::string_view name) const;
    const std::string& name(std::uint32_t number) const { return *names_[number]; }
    std::size_t size() const { return names_.size(); }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
    std::vector<const std::string*> names_;  // keys of the map, which stay where they are
};

/// A key for two numbers below 2^32 that does not depend on their order.
inline std::uint64_t unordered_key(std::uint64_t a, std::uint64_t b) {
    return (std::min(a, b) << 32) | std::max(a, b);
}

/// The comparison of two images by a recogniser.
struct ScoreEntry {
    std::uint32_t first = 0;  ///< number in ScoreList::names; in identification the probe
    std::uint32_t second = 0;
    std::uint32_t line = 0;  ///< in the file, from 1
    double score = 0;
};

struct ScoreList {
    std::string file;
    NameNumbers names;
    std::vector<ScoreEntry> entries;  ///< in the file's order

    /// "FILE:LINE: " for messages.
    std::string place(const ScoreEntry& entry) const;
};

/// Reads a recogniser's scores; "-" is standard input.
///
/// The file has a line per comparison, "NAME_A NAME_B SCORE", separated by blanks, by tabs (names may then
/// hold blanks) or by commas (CSV; names may be in quotes; a first line that ends in "score", "similarity" or
/// "distance" is a heading). Or it is a matrix in CSV: the first row has a corner cell and the gallery's
/// names, every other row a probe's name and its scores. Blank lines and lines that begin with '#' are
/// passed over.
/// \throws UsageError if the file is not there; Error naming file, line, text and what was expected for any
/// other line, and for scores that are not finite numbers.
ScoreList read_scores(const std::string& file);

/// A pair with all that is needed to judge it.
struct LabelledPair {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    std::optional<double> score;  ///< absent: "-", a failure to enrol
    bool same = false;            ///< both show one subject
    std::int32_t fold = 0;
    std::uint32_t line = 0;  ///< in the file, from 1
};

struct PairList {
    std::string file;
    NameNumbers names;
    std::vector<LabelledPair> pairs;
    bool has_folds = false;
};

/// Reads pairs "NAME_A NAME_B SCORE LABEL [FOLD]", separated as for read_scores(). LABEL is 1 for one subject
/// and 0 for two, SCORE "-" if the recogniser could not compare them, FOLD a whole number; all lines have a
/// fold or none.
/// \throws as read_scores(); Error if a pair stands twice, in either order.
PairList read_scored_pairs(const std::string& file);

enum class SubjectRole { unsaid, gallery, probe };

struct SubjectEntry {
    std::string image;
    std::string subject;
    SubjectRole role = SubjectRole::unsaid;
};

/// Reads the subjects of images: "NAME SUBJECT [gallery|probe]", separated as for read_scores().
/// \throws as read_scores(); Error if an image stands twice in one role or with two subjects.
std::vector<SubjectEntry> read_subjects(const std::string& file);

}  // namespace fovea
