#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

struct OutputFiles;

/// Joins names: "coco, voc, yolo". \param behind stands behind each name.
inline std::string in_one_list(const std::vector<std::string>& names, std::string_view behind = {}) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name + std::string(behind);
    return text;
}

/// How sure it is that a path is of a format, rising.
enum class Certainty {
    none,
    fallback,  ///< files of no other format can be read so
    counted,   ///< a text whose first line has as many numbers as the format's lines
    shaped,    ///< it begins like the format's files
    certain    ///< it has a name or mark that no other format has
};

inline Certainty certain_if(bool is_certain) {
    return is_certain ? Certainty::certain : Certainty::none;
}
inline Certainty shaped_if(bool is_shaped) {
    return is_shaped ? Certainty::shaped : Certainty::none;
}

/// A format of datasets or of results: its functions, and its texts for help, messages and datasets.md.
/// `Kind` has the types of the functions (Recogniser, Reader, Writer) and of the fields that the format can
/// hold (Fields).
template <class Kind>
struct FormatRecord {
    /// The name in specifications (before the colon), behind --to, and in messages: "mit-cmu".
    std::string_view name{};
    /// A few words: "PASCAL VOC XML".
    std::string_view content{};
    /// The things that reading it gives: "boxes, ignore marks".
    std::string_view gives{};
    /// A specification: "voc:VOC2007,set=test".
    std::string_view example{};
    /// The heading in datasets.md that tells more; empty: the name.
    std::string_view section{};

    /// Recognises the format; null if users must name it.
    typename Kind::Recogniser* recognise = nullptr;
    /// The marks by which it is recognised, in words; empty if users must name it.
    std::string_view recognised_by{};
    /// Null for a format that is only written.
    typename Kind::Reader* read = nullptr;

    /// Null for a format that is only read, or written in another way (Fields tell it).
    typename Kind::Writer* write = nullptr;
    /// The reason why it is not written, a clause; empty if it is written.
    std::string_view why_not_written{};
    /// A folder of files is written, else one file.
    bool is_folder = false;
    /// Puts into the files what those of the same names in a folder, which they are going to replace, hold
    /// beside this format's content; null where files hold nothing else. \param losses receives a sentence
    /// for each kind of thing that is not kept. \throws Error if a file cannot be read, so that its content
    /// would be lost.
    void (*keep_other_contents)(OutputFiles& files, const std::filesystem::path& folder,
                                std::vector<std::string>& losses) = nullptr;
    /// The written form, in few words for the help; empty: the name says it.
    std::string_view written{};
    /// The rules by which it is written, for datasets.md.
    std::string_view rules{};
    /// The fields that its written form can hold.
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

    /// The format of this name; null if there is none.
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

    /// The format of the highest certainty, the first one if there are several; null if none recognises the
    /// facts. Formats behind a certain one are not asked.
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
