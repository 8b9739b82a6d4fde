#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// A piece of a footer: the text below the flags in a command's help.
struct FooterPart {
    enum class Kind {
        blank,      ///< an empty line
        paragraph,  ///< also a heading: "Examples:"
        command,    ///< an example
        row         ///< a term of a list, with its description
    };

    Kind kind = Kind::blank;
    std::string term{};  ///< only of rows, with the blanks around it: "    0  "
    std::string text{};  ///< without line breaks
};

/// Splits a footer into parts. Lines below "Examples:" are commands. A row is a term, two blanks or more, and
/// a description, whose further lines are indented to its beginning. Other lines are paragraphs.
std::vector<FooterPart> footer_parts(std::string_view footer);

/// Writes a text behind a word or term, in lines of at most `width` characters that begin at one column.
/// \param first precedes the text: it is as wide as the column, or ends with a line break and as many blanks.
std::string hanging_lines(std::string first, std::size_t column, std::string_view text, std::size_t width);

/// Breaks a paragraph into lines of at most `width` characters.
std::string paragraph_lines(std::string_view paragraph, std::size_t width);

/// Breaks a command into lines of at most `width` characters, as a shell takes them: before flags, or else at
/// another blank outside quotes. A longer word has a line of its own. \param indent the first line's.
std::string broken_command(std::string_view command, std::size_t indent, std::size_t width);

/// Breaks a footer into lines of at most `width` characters.
std::string laid_out_footer(std::string_view footer, std::size_t width);

}  // namespace fovea
