#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// --- UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) --------------------

/// The beginning of a text: a whole character, or bytes that are no character.
struct Utf8Piece {
    std::size_t length = 0;  ///< bytes; 0 only for an empty text
    bool valid = false;
};

/// The piece that a text begins with. Bytes that are no character are taken together as far as they could
/// begin one (Unicode standard, section 3.9, "maximal subpart"), else one by one.
Utf8Piece utf8_piece(std::string_view text);

bool is_utf8(std::string_view text);

/// The text with U+FFFD in place of every piece that is not valid UTF-8. File names need not be UTF-8; JSON
/// must be, and is written with this replacement.
std::string valid_utf8(std::string_view text);

// --- parts of a text -------------------------------------------------------------------------------

/// The text without blanks (" \t\r\v\f") at either end.
std::string_view trim(std::string_view text);

/// The number, from 1, of the line that holds byte `offset` of a text; offsets beyond its end: the last line.
int line_at(std::string_view text, std::size_t offset);

/// Text from a file for an error message: the characters within its first `longest` bytes, then "..." if
/// there are more. A tab becomes \t; other is_control() characters and bytes that are no UTF-8: \xNN.
std::string excerpt(std::string_view text, std::size_t longest = 100);

// --- numbers in sentences --------------------------------------------------------------------------

/// "image" for 1, else "images". \param plural unless it is made with "s": pluralise(2, "box", "boxes").
std::string pluralise(long long count, std::string_view singular, std::string_view plural = {});

/// "1 image", "5 images"; `plural` as for pluralise().
std::string counted(std::size_t count, std::string_view singular, std::string_view plural = {});

/// Adds the sentence "1 face has no box." or "2 faces have no box."; none for 0. \param for_one, for_more
/// what follows the noun, beginning with a blank.
void add_counted(std::vector<std::string>& sentences, std::size_t count, std::string_view noun,
                 std::string_view for_one, std::string_view for_more);

/// "3.1 GiB"; "0.5 KiB" for 512 bytes.
std::string binary_size(std::uint64_t bytes);

/// 5171 -> "5,171"
std::string grouped(long long count);

/// The count in the words of a report: "1 image", "5,171 images", "no images".
std::string number_of(long long count, std::string_view noun);

/// The shortest text that reads back as the same double, in any locale. Whole numbers up to 2^53 have no
/// fraction or exponent; -0 is "0"; numbers that are not finite are "inf", "-inf" and "nan".
std::string shortest_number(double value);

/// The number of characters of a UTF-8 text.
std::size_t character_count(std::string_view text);

/// Breaks a text between its words into lines of at most `width` characters; a longer word has a line of its
/// own. Line breaks stay; blanks between words become one. \param width 0 = lines are not broken.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

}  // namespace fovea
