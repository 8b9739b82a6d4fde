#include "apps/help/footer.hpp"

#include <algorithm>
#include <sstream>

#include "lib/core/text.hpp"

namespace fovea {
namespace {

// The column of a row's description: behind the first two blanks that follow a word.
std::size_t description_column(std::string_view line) {
    const std::size_t word = line.find_first_not_of(' ');
    const std::size_t gap = line.find("  ", word);
    return gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
}

// The words of a command; what stands in quotes, and a comment, is one.
std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> words;
    std::string word;
    char quote = '\0';
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (quote == '\0' && c == '#' && word.empty()) {
            words.emplace_back(command.substr(i));
            return words;
        }
        if (quote == '\0' && c == ' ') {
            if (!word.empty()) words.push_back(std::move(word));
            word.clear();
            continue;
        }
        if (quote == '\0' ? c == '\'' || c == '"' : c == quote) quote = quote == '\0' ? c : '\0';
        word += c;
    }
    if (!word.empty()) words.push_back(std::move(word));
    return words;
}

// Words that should stay in one line: a flag with its value.
std::vector<std::string> units_of(std::string_view command) {
    std::vector<std::string> units;
    bool takes_value = false;
    for (std::string& word : words_of(command)) {
        const bool is_flag = word.starts_with('-') && word.size() > 1;
        if (takes_value && !is_flag && word != "|" && !word.starts_with('#')) {
            units.back() += ' ' + word;
            takes_value = false;
            continue;
        }
        takes_value = is_flag;
        units.push_back(std::move(word));
    }
    return units;
}

std::string row_lines(const FooterPart& row, std::size_t width) {
    const std::size_t column = character_count(row.term);
    const std::size_t least = 20;
    return hanging_lines(row.term, column, row.text, std::max(width, column + least));
}

}  // namespace

std::vector<FooterPart> footer_parts(std::string_view footer) {
    using Kind = FooterPart::Kind;
    std::vector<FooterPart> parts;
    bool are_examples = false;
    std::istringstream stream{std::string(footer)};
    for (std::string line; std::getline(stream, line);) {
        const std::size_t indent = line.find_first_not_of(' ');
        const Kind last = parts.empty() ? Kind::blank : parts.back().kind;
        if (indent == std::string::npos) {
            parts.emplace_back();
            are_examples = false;
        } else if (are_examples) {
            parts.push_back({Kind::command, "", line.substr(indent)});
        } else if (last == Kind::row && indent == character_count(parts.back().term)) {
            parts.back().text += ' ' + line.substr(indent);
        } else if (const std::size_t column = description_column(line); column != std::string::npos) {
            parts.push_back({Kind::row, line.substr(0, column), line.substr(column)});
        } else if (last == Kind::paragraph && !parts.back().text.ends_with(':')) {
            parts.back().text += ' ' + line.substr(indent);
        } else {
            parts.push_back({Kind::paragraph, "", line.substr(indent)});
            are_examples = line == "Examples:";
        }
    }
    return parts;
}

std::string hanging_lines(std::string first, std::size_t column, std::string_view text, std::size_t width) {
    const std::vector<std::string> lines = wrapped_lines(text, width - column);
    for (const std::string& line : lines)
        first += (&line == &lines.front() ? "" : "\n" + std::string(column, ' ')) + line;
    return first + "\n";
}

std::string paragraph_lines(std::string_view paragraph, std::size_t width) {
    std::string text;
    for (const std::string& line : wrapped_lines(paragraph, width)) text += line + "\n";
    return text;
}

std::string broken_command(std::string_view command, std::size_t indent, std::size_t width) {
    const std::string start(indent, ' ');
    if (indent + character_count(command) <= width) return start + std::string(command) + "\n";
    constexpr std::size_t deeper = 4;
    const std::string continuation(indent + deeper, ' ');
    const std::string end = " \\";
    std::string text, line = start;
    std::vector<std::string> units;
    for (const std::string& unit : units_of(command)) {
        const bool is_too_long = continuation.size() + character_count(unit) + end.size() > width;
        for (std::string& part : is_too_long ? words_of(unit) : std::vector{unit})
            units.push_back(std::move(part));
    }
    for (const std::string& unit : units) {
        const bool is_empty = line.find_first_not_of(' ') == std::string::npos;
        if (!is_empty && character_count(line) + 1 + character_count(unit) + end.size() > width) {
            text += line + end + "\n";
            line = continuation + unit;
        } else {
            line += (is_empty ? "" : " ") + unit;
        }
    }
    return text + line + "\n";
}

std::string laid_out_footer(std::string_view footer, std::size_t width) {
    using Kind = FooterPart::Kind;
    std::string text;
    for (const FooterPart& part : footer_parts(footer)) {
        text += part.kind == Kind::blank     ? "\n"
                : part.kind == Kind::command ? broken_command(part.text, 2, width)
                : part.kind == Kind::row     ? row_lines(part, width)
                                             : paragraph_lines(part.text, width);
    }
    return text;
}

}  // namespace fovea
