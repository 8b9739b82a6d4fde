#include "lib/report/plots/svg.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/html/palette.hpp"

namespace fovea::report {
namespace {

using Attribute = std::pair<std::string, std::string>;

/// One piece of markup: a tag, or the text between two tags.
struct Token {
    enum class Kind { open, close, empty, text } kind = Kind::text;
    std::string name;                   ///< of a tag
    std::vector<Attribute> attributes;  ///< values as written (entities are kept)
    std::string text;
};

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// The end of the tag that starts at `begin`: its '>' outside of attribute values.
std::size_t tag_end(const std::string& svg, std::size_t begin) {
    char quote = 0;
    for (std::size_t i = begin; i < svg.size(); ++i) {
        if (quote != 0) {
            if (svg[i] == quote) quote = 0;
        } else if (svg[i] == '"' || svg[i] == '\'') {
            quote = svg[i];
        } else if (svg[i] == '>') {
            return i;
        }
    }
    throw Error("gnuplot's SVG ends inside of a tag.");
}

Token read_tag(std::string_view tag) {
    Token token;
    token.kind = Token::Kind::open;
    if (tag.front() == '/') {
        token.kind = Token::Kind::close;
        tag.remove_prefix(1);
    } else if (tag.back() == '/') {
        token.kind = Token::Kind::empty;
        tag.remove_suffix(1);
    }
    std::size_t i = 0;
    const auto skip_spaces = [&] {
        while (i < tag.size() && is_space(tag[i])) ++i;
    };
    const auto read_name = [&] {
        const std::size_t begin = i;
        while (i < tag.size() && !is_space(tag[i]) && tag[i] != '=') ++i;
        return std::string(tag.substr(begin, i - begin));
    };
    skip_spaces();
    token.name = read_name();
    for (skip_spaces(); i < tag.size(); skip_spaces()) {
        Attribute attribute;
        attribute.first = read_name();
        skip_spaces();
        if (i < tag.size() && tag[i] == '=') {
            ++i;
            skip_spaces();
            const std::size_t end = i < tag.size() ? tag.find(tag[i], i + 1) : std::string_view::npos;
            if (end == std::string_view::npos) throw Error("gnuplot's SVG has an attribute without value.");
            attribute.second = std::string(tag.substr(i + 1, end - i - 1));
            i = end + 1;
        }
        token.attributes.push_back(std::move(attribute));
    }
    return token;
}

std::vector<Token> tokenize(const std::string& svg) {
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < svg.size();) {
        if (svg[i] != '<') {
            const std::size_t end = std::min(svg.find('<', i), svg.size());
            Token token;
            token.text = svg.substr(i, end - i);
            if (!std::all_of(token.text.begin(), token.text.end(), is_space)) tokens.push_back(token);
            i = end;
        } else if (svg.compare(i, 4, "<!--") == 0) {
            const std::size_t end = svg.find("-->", i);
            if (end == std::string::npos) throw Error("gnuplot's SVG ends inside of a comment.");
            i = end + 3;
        } else {
            const std::size_t end = tag_end(svg, i);
            const char next = svg[i + 1];
            if (next != '?' && next != '!' && end > i + 1) {
                tokens.push_back(read_tag(std::string_view(svg).substr(i + 1, end - i - 1)));
            }
            i = end + 1;
        }
    }
    return tokens;
}

const std::string* find_attribute(const Token& token, std::string_view name) {
    for (const Attribute& attribute : token.attributes) {
        if (attribute.first == name) return &attribute.second;
    }
    return nullptr;
}

/// Calls `visit(id)` for every reference that an attribute makes to an id: href="#id" or url(#id).
template <class Visit>
void for_each_reference(const Attribute& attribute, Visit visit) {
    if (attribute.first == "href" || attribute.first == "xlink:href") {
        if (!attribute.second.empty() && attribute.second[0] == '#') visit(attribute.second.substr(1));
    } else if (const std::size_t at = attribute.second.find("url(#"); at != std::string::npos) {
        visit(attribute.second.substr(at + 5, attribute.second.find(')', at) - at - 5));
    }
}

/// Index of the tag that closes tokens[open].
std::size_t closing_tag(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].kind == Token::Kind::open) ++depth;
        if (tokens[i].kind == Token::Kind::close && --depth == 0) return i;
    }
    throw Error("gnuplot's SVG has an element that is not closed: " + tokens[open].name + ".");
}

void erase_elements(std::vector<Token>& tokens, const std::set<std::string>& names) {
    std::vector<Token> kept;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind == Token::Kind::open && names.count(tokens[i].name) != 0) {
            i = closing_tag(tokens, i);
        } else {
            kept.push_back(std::move(tokens[i]));
        }
    }
    tokens = std::move(kept);
}

/// Groups without content, which gnuplot writes by the dozen; repeated as groups hold groups.
void erase_empty_groups(std::vector<Token>& tokens) {
    std::vector<Token> kept;
    for (Token& token : tokens) {
        const bool closes_empty = token.kind == Token::Kind::close && token.name == "g" && !kept.empty() &&
                                  kept.back().kind == Token::Kind::open && kept.back().name == "g";
        if (closes_empty) {
            kept.pop_back();
        } else {
            kept.push_back(std::move(token));
        }
    }
    tokens = std::move(kept);
}

/// Definitions that nothing refers to: gnuplot defines all of its markers in every plot.
void erase_unused_definitions(std::vector<Token>& tokens) {
    for (bool changed = true; changed;) {
        std::set<std::string> used;
        for (const Token& token : tokens) {
            for (const Attribute& attribute : token.attributes) {
                for_each_reference(attribute, [&](const std::string& id) { used.insert(id); });
            }
        }
        changed = false;
        bool in_definitions = false;
        std::vector<Token> kept;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            Token& token = tokens[i];
            if (token.name == "defs") in_definitions = token.kind == Token::Kind::open;
            const std::string* id = find_attribute(token, "id");
            if (in_definitions && token.name != "defs" && id != nullptr && used.count(*id) == 0) {
                if (token.kind == Token::Kind::open) i = closing_tag(tokens, i);
                changed = true;
                continue;
            }
            kept.push_back(std::move(token));
        }
        tokens = std::move(kept);
    }
}

/// "rgb( 27,  34, 44)" -> "#1b222c"; anything else as it is.
std::string hex_colour(const std::string& value) {
    int r = 0;
    int g = 0;
    int b = 0;
    if (std::sscanf(value.c_str(), "rgb( %d , %d , %d )", &r, &g, &b) != 3) return value;
    char hex[32];
    std::snprintf(hex, sizeof hex, "#%02x%02x%02x", r & 255, g & 255, b & 255);
    return hex;
}

/// gnuplot leaves '>' as it is, and behind "]]" XML knows it as an entity only.
std::string xml_content(std::string text) {
    for (std::size_t at = text.find("]]>"); at != std::string::npos; at = text.find("]]>", at)) {
        text.replace(at + 2, 1, "&gt;");
    }
    return text;
}

std::string joined(const std::vector<Token>& tokens) {
    std::string svg;
    for (const Token& token : tokens) {
        if (token.kind == Token::Kind::text) {
            svg += xml_content(token.text);
            continue;
        }
        svg += token.kind == Token::Kind::close ? "</" : "<";
        svg += token.name;
        for (const Attribute& attribute : token.attributes) {
            const char quote = attribute.second.find('"') == std::string::npos ? '"' : '\'';
            svg += ' ' + attribute.first + '=' + quote + attribute.second + quote;
        }
        svg += token.kind == Token::Kind::empty ? "/>" : ">";
        // Lines keep the files readable in a diff; inside of <text> a line break would be drawn.
        if (token.name != "text" || token.kind == Token::Kind::close) svg += '\n';
    }
    return svg;
}

}  // namespace

std::string tidy_svg(const std::string& raw, const std::string& title) {
    std::vector<Token> tokens = tokenize(raw);
    if (tokens.empty() || tokens.front().name != "svg")
        throw Error("gnuplot's output is not an SVG document.");
    closing_tag(tokens, 0);
    erase_elements(tokens, {"title", "desc", "metadata", "script", "style"});
    erase_unused_definitions(tokens);
    erase_empty_groups(tokens);
    for (Token& token : tokens) {
        const std::string* kind = find_attribute(token, "class");
        const bool grid = kind != nullptr && *kind == "gridline";
        std::erase_if(token.attributes, [&](const Attribute& attribute) {
            return grid && attribute.first == "stroke-dasharray";
        });
        for (Attribute& attribute : token.attributes) attribute.second = hex_colour(attribute.second);
    }
    Token open;
    open.kind = Token::Kind::open;
    open.name = "title";
    Token text;
    text.text = escape_html(title);
    Token close;
    close.kind = Token::Kind::close;
    close.name = "title";
    tokens.insert(tokens.begin() + 1, {open, text, close});
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + joined(tokens);
}

std::string inline_svg(const std::string& tidied, const std::string& prefix, const std::string& label) {
    std::vector<Token> tokens = tokenize(tidied);
    erase_elements(tokens, {"title"});
    for (Token& token : tokens) {
        std::erase_if(token.attributes, [](const Attribute& attribute) {
            return attribute.first.rfind("xmlns", 0) == 0 || attribute.first == "font-family";
        });
        for (Attribute& attribute : token.attributes) {
            if (attribute.first == "id") attribute.second = prefix + attribute.second;
            for_each_reference(attribute, [&](const std::string& id) {
                const std::size_t at = attribute.second.find('#' + id);
                attribute.second.insert(at + 1, prefix);
            });
            if (attribute.first == "xlink:href") attribute.first = "href";
            attribute.second = css_variable_of(attribute.second);
        }
    }
    tokens.front().attributes.emplace_back("class", "plot");
    tokens.front().attributes.emplace_back("role", "img");
    tokens.front().attributes.emplace_back("aria-label", escape_html(label));
    return joined(tokens);
}

}  // namespace fovea::report
