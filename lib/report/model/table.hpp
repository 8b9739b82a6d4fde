#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/numbers/number.hpp"
#include "lib/numbers/number_text.hpp"
#include "lib/report/model/palette.hpp"

namespace fovea::report {

/// A number that follows from counts that a threshold moves. For whole images, see OperatingTally.
enum class TallyNumber {
    threshold,
    found,
    missed,
    false_positives,
    true_negatives,
    errors,
    accuracy,
    precision,
    recall,
    f1,
    false_positives_per_image,
};

/// The number of a rival that a cell shows and a reader's threshold moves.
struct FollowedNumber {
    /// The rival: its place in Report::operating.
    std::size_t rival = 0;
    /// 0 = all faces and detections; else one more than the place in OperatingCurve::tallies.
    std::size_t tally = 0;
    TallyNumber number = TallyNumber::recall;
};

/// The content of one place of a table. All text is plain.
struct Cell {
    std::string text;
    /// The value of a number: tables are sorted and the best is chosen by it.
    std::optional<double> value{};
    /// The interval of a number as it reads, and its ends in the unit of `value`.
    std::string interval{};
    std::optional<Interval> ci95{};
    /// Further lines in small type.
    std::vector<std::string> notes{};
    /// Which of two values is better, where cells of several rivals stand beside or above one another.
    Better better = Better::neither;
    /// Length of a bar beside the text, in [0, 1].
    std::optional<double> bar{};
    /// Colour of the rival whose name the text is.
    std::optional<SeriesStyle> style{};
    std::optional<FollowedNumber> follows{};

    Cell() = default;
    Cell(std::string words) : text(std::move(words)) {}
    Cell(const char* words) : text(words) {}
};

/// A number as it reads, with its interval; "–" where it is undefined.
Cell number_cell(const Number& number, const Decimals& decimals = {});
/// A whole number: "1 234".
Cell count_cell(double count);
/// A share in percent: "86.2 %".
Cell share_cell(double share, int decimals = 1);
/// A share in percent with its interval; "–" if it is undefined.
Cell share_cell(const std::optional<double>& share, const std::optional<Interval>& ci95);
/// A share in percent, or "3e-05" if it is too small for a percentage with one decimal.
Cell small_share_cell(double share);
/// A value that is no Quantity, with so many decimals.
Cell value_cell(double value, int decimals);
/// A score or threshold: at most 6 significant digits.
Cell score_cell(double score);
/// A rival's name, with its colour where there are several.
Cell rival_cell(const std::vector<std::string>& names, std::size_t i);

struct Column {
    std::string title;
    /// The meaning of its numbers, in a sentence; may be empty.
    std::string definition{};
    bool is_numeric = true;
};
/// A column of words.
Column words(std::string title, std::string definition = {});

/// The rivals that a table compares: the best of them stands out.
enum class Rivals {
    none,
    rows,
    columns,
};

struct Table {
    std::string title{};
    std::vector<Column> columns{};
    std::vector<std::vector<Cell>> rows{};
    Rivals rivals = Rivals::none;
    /// Rows may be sorted by a column.
    bool is_sortable = false;
    /// A sentence below the table.
    std::string note{};
};

/// For each cell, whether it is the best of its rivals, as far as the digits shown tell. No cell is best if
/// all rivals read alike.
std::vector<std::vector<bool>> best_cells(const Table& table);

}  // namespace fovea::report
