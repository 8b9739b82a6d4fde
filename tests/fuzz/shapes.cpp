#include "tests/fuzz/shapes.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>
#include <string>

#include "lib/core/csv.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_text.hpp"
#include "tests/fuzz/checks.hpp"

namespace fovea::fuzz {
namespace {

bool is_ascii_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

void add_json_shape(const Json& json, std::string& shape) {
    if (json.is_object()) {
        shape += '{';
        for (const auto& [key, value] : json.items()) {
            shape += text_shape(key) + '=';
            // Checksums are of texts.
            if (key.find("sha256") == std::string::npos) add_json_shape(value, shape);
            shape += ',';
        }
        shape += '}';
    } else if (json.is_array()) {
        shape += '[';
        for (const Json& value : json) {
            add_json_shape(value, shape);
            shape += ',';
        }
        shape += ']';
    } else {
        shape += json.is_string() ? '"' + text_shape(json.get_ref<const std::string&>()) + '"' : json.dump();
    }
}

// Cells as they are written, of texts without the quotes around them.
class CsvReader {
  public:
    explicit CsvReader(std::string_view csv) : csv_(csv) {}

    bool at_end() const { return at_ == csv_.size(); }
    char separator() { return csv_[at_++]; }
    std::string cell() {
        std::string text;
        if (at_ < csv_.size() && csv_[at_] == '"') {
            for (++at_;; ++at_) {
                require(at_ < csv_.size(), "a cell's quotes are not closed");
                if (csv_[at_] != '"') {
                    text += csv_[at_];
                } else if (at_ + 1 < csv_.size() && csv_[at_ + 1] == '"') {
                    text += csv_[at_++];
                } else {
                    ++at_;
                    break;
                }
            }
        } else {
            const std::size_t end = std::min(csv_.find_first_of(",\n", at_), csv_.size());
            text = csv_.substr(at_, end - at_);
            require(text.find_first_of("\"\r") == std::string::npos, "a cell needs quotes");
            at_ = end;
        }
        require(at_ < csv_.size() && (csv_[at_] == ',' || csv_[at_] == '\n'),
                "text follows the closing quote of a cell");
        return text;
    }

  private:
    std::string_view csv_;
    std::size_t at_ = 0;
};

}  // namespace

std::string harmless(std::string_view text) {
    std::string shape;
    while (!text.empty()) {
        const Utf8Piece piece = utf8_piece(text);
        const char c = text[0];
        const bool kept =
            is_ascii_letter_or_digit(c) || std::string_view("_-./:").find(c) != std::string_view::npos;
        shape += kept ? c : 'x';
        text.remove_prefix(piece.length);
    }
    return shape;
}

std::string text_shape(std::string_view text) {
    // Pages show a byte that acts as \xNN: that is text, as the byte was.
    static const std::regex escaped_byte(R"(\\x[0-9A-F]{2})");
    std::string shape = harmless(std::regex_replace(std::string(text), escaped_byte, "x"));
    const auto both_x = [](char a, char b) { return a == 'x' && b == 'x'; };
    shape.erase(std::unique(shape.begin(), shape.end(), both_x), shape.end());
    return shape;
}

std::string markdown_shape(std::string_view markdown) {
    std::string shape;
    std::string text;
    const auto end_text = [&] {
        shape += text_shape(text);
        text.clear();
    };
    for (std::size_t i = 0; i < markdown.size(); ++i) {
        const char c = markdown[i];
        const auto byte = static_cast<unsigned char>(c);
        require(c == '\n' || (byte >= 0x20 && byte != 0x7F), "a control character in Markdown");
        const bool escapes = c == '\\' && i + 1 < markdown.size() &&
                             std::ispunct(static_cast<unsigned char>(markdown[i + 1])) != 0;
        if (escapes) {
            text += markdown[++i];
        } else if (std::string_view("\n\\`*_{}[]<>#|~").find(c) != std::string_view::npos) {
            end_text();
            shape += c;
        } else {
            text += c;
        }
    }
    end_text();
    return shape;
}

std::string csv_shape(std::string_view csv) {
    CsvReader reader(csv);
    std::string shape;
    std::size_t columns = 0;
    for (std::size_t cells = 1; !reader.at_end(); ++cells) {
        const std::string cell = reader.cell();
        const bool dangerous =
            !cell.empty() && std::string_view("=+-@\t\r").find(cell[0]) != std::string_view::npos;
        require(!dangerous || is_number(cell), "a spreadsheet takes a cell for a formula");
        shape += text_shape(csv_text(cell));
        const char separator = reader.separator();
        shape += separator;
        if (separator != '\n') continue;
        if (columns == 0) columns = cells;
        require(cells == columns, "a row has more or fewer cells than the heading");
        cells = 0;
    }
    return shape;
}

std::string json_shape(std::string_view json) {
    std::string shape;
    try {
        add_json_shape(parse_json(json), shape);
        return shape;
    } catch (const Json::parse_error&) {
        shape.clear();
    }
    while (!json.empty()) {
        const std::size_t end = std::min(json.find('\n'), json.size());
        add_json_shape(parse_json(json.substr(0, end)), shape);
        shape += '\n';
        json.remove_prefix(std::min(end + 1, json.size()));
    }
    return shape;
}

namespace {

/// Texts that are JSON themselves, as configurations are, become their shapes.
void shape_listings(Json& json) {
    if (!json.is_structured()) return;
    if (json.is_object() && json.value("type", Json()) == "code") {
        Json& text = json["text"];
        text = json_shape(text.get<std::string>());
        return;
    }
    for (Json& element : json) shape_listings(element);
}

/// The shape of a report's page: its title, and the data. The rest is the viewer, which is the same in every
/// page.
std::string page_shape(std::string_view page) {
    constexpr std::string_view begin = "<script type=\"application/json\" id=\"report\">";
    const std::size_t title = page.find("<title>");
    const std::size_t data = page.find(begin);
    require(title != std::string_view::npos && data != std::string_view::npos, "a page without its data");
    const std::size_t first = data + begin.size();
    const std::size_t end = page.find("</script>", first);
    require(end != std::string_view::npos, "a page's data have no end");
    const std::string_view json = page.substr(first, end - first);
    require(json.find('<') == std::string_view::npos, "a page's data hold what may be markup");
    Json view = parse_json(json);
    shape_listings(view);
    return markup_shape(page.substr(title, page.find("</title>") + 8 - title)) + json_shape(view.dump());
}

}  // namespace

std::string shape_of(std::string_view file_name, std::string_view bytes) {
    if (file_name.ends_with(".html")) return page_shape(bytes);
    if (file_name.ends_with(".svg")) return markup_shape(bytes);
    if (file_name.ends_with(".md")) return markdown_shape(bytes);
    if (file_name.ends_with(".csv")) return csv_shape(bytes);
    if (file_name.ends_with(".json") || file_name.ends_with(".jsonl")) return json_shape(bytes);
    return {};
}

}  // namespace fovea::fuzz
