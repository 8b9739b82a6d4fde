#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// A piece of what stands below the flags in a command's help.
struct FooterPart {
    enum class Kind {
        blank,      ///< an empty line
        paragraph,  ///< also a heading: "Examples:"
        command,    ///< an example
        row         ///< of a list: a term with its description
    };

    Kind kind = Kind::blank;
    std::string term{};  ///< of rows, as it stands before the description: "    0  "
    std::string text{};  ///< without the line breaks that it was written with
};

/// The parts of a footer. Lines below "Examples:" are commands. A row is a term with two blanks or more
/// before its description, whose further lines are indented to the description. Other lines are paragraphs.
std::vector<FooterPart> footer_parts(std::string_view footer);

/// A text whose lines all begin at one column, behind `first`: that is as wide as the column, or ends with a
/// line break and as many blanks.
std::string hanging_lines(std::string first, std::size_t column, std::string_view text, std::size_t width);

/// A paragraph in lines of at most `width` characters.
std::string paragraph_lines(std::string_view paragraph, std::size_t width);

/// A command in lines of at most `width` characters, as a shell takes them: it is broken before flags, or
/// else at another blank outside quotes. A longer word has a line of its own. \param indent of the first line
std::string broken_command(std::string_view command, std::size_t indent, std::size_t width);

/// The footer in lines of at most `width` characters.
std::string laid_out_footer(std::string_view footer, std::size_t width);

}  // namespace fovea
