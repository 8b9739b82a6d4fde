#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

/// "coco, voc, yolo". \param behind stands behind each name.
inline std::string in_one_list(const std::vector<std::string>& names, std::string_view behind = {}) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name + std::string(behind);
    return text;
}

/// How sure it is that a path is of a format, from least to most.
enum class Certainty {
    none,
    fallback,  ///< whatever is of no other format can be read so
    counted,   ///< a text whose first line has as many numbers as the format's
    shaped,    ///< it begins as the format's files do
    certain    ///< a name or mark that no other format has
};

inline Certainty certain_if(bool is_certain) {
    return is_certain ? Certainty::certain : Certainty::none;
}
inline Certainty shaped_if(bool is_shaped) {
    return is_shaped ? Certainty::shaped : Certainty::none;
}

/// A format of datasets, or of results: all that is said of it, and its one place in what recognises, reads
/// and writes formats, in help, messages and datasets.md. `Kind` has the types of its functions (Recogniser,
/// Reader, Writer) and of what can be held (Fields).
template <class Kind>
struct FormatRecord {
    /// Before the colon of a specification, behind --to, and in messages: "mit-cmu".
    std::string_view name{};
    /// A few words: "PASCAL VOC XML".
    std::string_view content{};
    /// The things that reading it gives: "boxes, ignore marks".
    std::string_view gives{};
    /// A specification: "voc:VOC2007,set=test".
    std::string_view example{};
    /// The heading that tells more in datasets.md; empty: the name.
    std::string_view section{};

    /// Tells it from the other formats; null where it has to be named.
    typename Kind::Recogniser* recognise = nullptr;
    /// The same in words; empty where it has to be named.
    std::string_view recognised_by{};
    /// Null for a format that is written only.
    typename Kind::Reader* read = nullptr;

    /// Null for a format that is read only, or written in another way (Fields say in which).
    typename Kind::Writer* write = nullptr;
    /// A clause: the reason that it is not written.
    std::string_view why_not_written{};
    /// A folder of files is written, else one file.
    bool is_folder = false;
    /// The written form, in as few words as help has room for; empty: the name says it.
    std::string_view written{};
    /// The rules by which it is written, for datasets.md.
    std::string_view rules{};
    /// The things that it can hold, as it is written.
    typename Kind::Fields holds{};

    bool is_written() const { return why_not_written.empty(); }
};

/// All formats of a kind.
template <class Kind>
class FormatTable {
  public:
    using Record = FormatRecord<Kind>;

    explicit FormatTable(std::vector<Record> records) : records_(std::move(records)) {}

    auto begin() const { return records_.begin(); }
    auto end() const { return records_.end(); }

    /// Null without one of that name.
    const Record* find(std::string_view name) const {
        const auto found = std::find_if(begin(), end(), [&](const Record& row) { return row.name == name; });
        return found == end() ? nullptr : &*found;
    }

    std::vector<std::string> names_read() const {
        return names([](const Record& row) { return row.read != nullptr; });
    }
    std::vector<std::string> names_written() const {
        return names([](const Record& row) { return row.is_written(); });
    }

    /// The format that is the most certain of what it is asked for, the first one of several; null if none
    /// is. The formats behind one that is certain are not asked.
    template <class Facts>
    std::pair<const Record*, Certainty> recognise(const Facts& facts) const {
        std::pair<const Record*, Certainty> best{nullptr, Certainty::none};
        for (const Record& row : *this) {
            if (row.recognise == nullptr) continue;
            const Certainty certainty = row.recognise(facts);
            if (certainty > best.second) best = {&row, certainty};
            if (certainty == Certainty::certain) break;
        }
        return best;
    }

  private:
    template <class Test>
    std::vector<std::string> names(Test is_wanted) const {
        std::vector<std::string> names;
        for (const Record& row : *this) {
            if (is_wanted(row)) names.emplace_back(row.name);
        }
        return names;
    }

    std::vector<Record> records_;
};

}  // namespace fovea
