#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// --- UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) --------------------

/// The piece that a text begins with: a whole character, or bytes that are none.
struct Utf8Piece {
    std::size_t length = 0;  ///< bytes; 0 only for an empty text
    bool valid = false;
};

/// Bytes that are no character are taken together as far as they could have begun one, as the Unicode
/// standard recommends (section 3.9, "maximal subpart"), else one by one.
Utf8Piece utf8_piece(std::string_view text);

bool is_utf8(std::string_view text);

/// The text with every piece that is not valid UTF-8 replaced by U+FFFD. File names need not be UTF-8; JSON
/// must be, and is written with the same replacement.
std::string valid_utf8(std::string_view text);

// --- parts of a text -------------------------------------------------------------------------------

/// Without blanks (" \t\r\v\f") at either end.
std::string_view trim(std::string_view text);

/// The number, from 1, of the line in which byte `offset` of `text` lies; the last line for offsets beyond
/// it.
int line_at(std::string_view text, std::size_t offset);

/// Text from a file for an error message: its first `longest` bytes (whole characters; "..." marks that there
/// is more), with a tab as \t and other characters of is_control() and bytes that are no UTF-8 as \xNN.
std::string excerpt(std::string_view text, std::size_t longest = 100);

// --- numbers in sentences --------------------------------------------------------------------------

/// "image" for 1, else "images"; `plural` where it is not made with "s": pluralise(2, "box", "boxes").
std::string pluralise(long long count, std::string_view singular, std::string_view plural = {});

/// "1 image", "5 images"; `plural` as for pluralise().
std::string counted(std::size_t count, std::string_view singular, std::string_view plural = {});

/// Adds the sentence "1 face has no box." or "2 faces have no box."; none for 0. `for_one` and `for_more` are
/// the rest behind the noun, beginning with a blank.
void add_counted(std::vector<std::string>& sentences, std::size_t count, std::string_view noun,
                 std::string_view for_one, std::string_view for_more);

/// 5171 -> "5,171"
std::string grouped(long long count);

/// The count in the words of a report: "1 image", "5,171 images", "no images".
std::string number_of(long long count, std::string_view noun);

/// The shortest text that reads back to the same double, in any locale; whole numbers up to 2^53 without a
/// fraction or exponent, and -0 as "0". "inf" and "nan" if not finite.
std::string shortest_number(double value);

/// The number of characters of a UTF-8 text.
std::size_t character_count(std::string_view text);

/// The words of a text in lines of at most `width` characters; a longer word has a line of its own. Line
/// breaks stay; blanks between words become one. \param width 0 = as long as they are
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

}  // namespace fovea
