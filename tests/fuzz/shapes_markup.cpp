#include <algorithm>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "lib/core/text.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/shapes.hpp"

namespace fovea::fuzz {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':' || c == '_';
}

void check_characters(std::string_view text) {
    while (!text.empty()) {
        const Utf8Piece piece = utf8_piece(text);
        require(piece.valid, "bytes that are not UTF-8");
        const std::string_view bytes = text.substr(0, piece.length);
        const auto first = static_cast<unsigned char>(bytes[0]);
        require(first >= 0x20 || is_space(bytes[0]), "a control character");
        require(bytes != "\uFFFE" && bytes != "\uFFFF", "a character that XML does not know");
        text.remove_prefix(piece.length);
    }
}

// The text that an element's content or an attribute's value stands for.
std::string decoded(std::string_view text) {
    constexpr std::pair<std::string_view, char> entities[]{
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    require(text.find("]]>") == std::string_view::npos, "']]>' in a text");
    std::string plain;
    while (!text.empty()) {
        std::size_t length = 1;
        char c = text[0];
        require(c != '<', "'<' in a text");
        if (c == '&') {
            const auto found =
                std::find_if(std::begin(entities), std::end(entities),
                             [&](const auto& entity) { return text.starts_with(entity.first); });
            // Numbers of pictures' references are the writers' own.
            require(found != std::end(entities) || text.starts_with("&#"), "'&' in a text");
            if (found != std::end(entities)) {
                length = found->first.size();
                c = found->second;
            }
        }
        plain += c;
        text.remove_prefix(length);
    }
    return plain;
}

class Markup {
  public:
    explicit Markup(std::string_view text) : rest_(text) {}

    std::string shape() {
        while (!rest_.empty()) {
            if (rest_[0] != '<') {
                add_text(rest_.substr(0, rest_.find('<')));
            } else if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
                take(rest_.find('>') + 1);  // the document's own first line
                require(shape_.find('<') == std::string::npos, "a declaration within the document");
            } else if (rest_.starts_with("</")) {
                close();
            } else {
                open();
            }
        }
        require(open_.empty(), "an element is not closed");
        return shape_;
    }

  private:
    std::string_view take(std::size_t length) {
        require(length > 0 && length <= rest_.size(), "the markup ends too early");
        const std::string_view taken = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return taken;
    }

    void add_text(std::string_view text) {
        // Configurations are shown as JSON, which has escapes of its own.
        const bool is_json = !open_.empty() && open_.back() == "pre";
        shape_ += is_json ? json_shape(decoded(text)) : text_shape(decoded(text));
        take(text.size());
    }

    std::string_view name() {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name_character);
        return take(static_cast<std::size_t>(end - rest_.begin()));
    }

    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_[0])) rest_.remove_prefix(1);
    }

    void close() {
        take(2);
        require(!open_.empty() && name() == open_.back(), "an element is closed that is not open");
        shape_ += "</>";
        open_.pop_back();
        require(take(1) == ">", "a closing tag holds more than its name");
    }

    void open() {
        take(1);
        const std::string_view tag = name();
        shape_ += "<" + std::string(tag);
        for (skip_spaces(); !rest_.empty() && is_name_character(rest_[0]); skip_spaces()) attribute();
        const bool closed = !rest_.empty() && rest_[0] == '/';
        if (closed) take(1);
        require(take(1) == ">", "a tag holds what is no attribute");
        shape_ += ">";
        const bool is_void = tag == "meta" || tag == "br" || tag == "wbr";
        if (closed || is_void) return;
        if (tag == "script" || tag == "style") {
            const std::size_t end = rest_.find("</" + std::string(tag) + ">");
            shape_ += take(end);  // of no text from outside
        }
        open_.push_back(tag);
    }

    void attribute() {
        const std::string_view key = name();
        shape_ += " " + std::string(key);
        if (rest_.empty() || rest_[0] != '=') return;  // <details open>
        take(1);
        const char quote = take(1)[0];
        require(quote == '"' || quote == '\'', "an attribute without quotes");
        const std::string value = decoded(take(rest_.find(quote)));
        take(1);
        require(!key.starts_with("on"), "an attribute that is a script");
        const bool leads = key == "href" || key == "xlink:href" || key == "src";
        require(!leads || value.starts_with("#") || value.starts_with("data:image/jpeg;base64,"),
                "a reference to the outside");
        shape_ += "=\"" + text_shape(value) + '"';
    }

    std::string_view rest_;
    std::string shape_;
    std::vector<std::string_view> open_;
};

}  // namespace

std::string markup_shape(std::string_view markup) {
    check_characters(markup);
    if (markup.starts_with("<?xml")) {
        pugi::xml_document document;
        require(document.load_buffer(markup.data(), markup.size(), pugi::parse_full, pugi::encoding_utf8),
                "pugixml refuses an SVG");
    }
    return Markup(markup).shape();
}

}  // namespace fovea::fuzz
