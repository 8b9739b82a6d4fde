#pragma once

#include <string>
#include <string_view>
#include <vector>

// The shape of a document: its markup, and its texts with everything harmless in them. A text from outside
// may not change it, so that a document made of hostile texts has the shape of one made of harmless() texts.
namespace fovea::fuzz {

/// Letters, digits and _ - . / : as they are, any other character as x: as long as the text for a writer that
/// shortens it.
std::string harmless(std::string_view text);
/// The harmless text, a run of x once: whoever replaces bytes that are no character may make one or several
/// of them.
std::string text_shape(std::string_view text);

// Each throws std::logic_error for what a strict reader would refuse or take for a command.

/// HTML and SVG: elements are closed, attributes quoted, references lead nowhere, and there is no character
/// that XML forbids.
std::string markup_shape(std::string_view markup);
/// Markdown: what is not escaped and could be markup stays, the rest is text.
std::string markdown_shape(std::string_view markdown);
/// CSV by RFC 4180: as many cells in every row, and none of a text that a spreadsheet takes for a formula.
std::string csv_shape(std::string_view csv);
/// JSON, or a JSON value on each line.
std::string json_shape(std::string_view json);
/// gnuplot's commands, as it reads them: no text but in quotes, and none that it expands.
std::string plot_script_shape(std::string_view script);
/// The texts in quotes.
std::vector<std::string> plot_script_texts(std::string_view script);

/// The end of the file's name tells the kind; empty for what is none of these.
std::string shape_of(std::string_view file_name, std::string_view bytes);

}  // namespace fovea::fuzz
