#include "lib/dataset/readers/xml_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/text_encoding.hpp"

namespace fovea {
namespace {

/// The encoding named by the XML declaration in lower case; empty if there is none.
std::string declared_encoding(std::string_view text) {
    if (!text.starts_with("<?xml")) return {};
    const std::string_view declaration = text.substr(0, text.find("?>"));
    const std::size_t at = declaration.find("encoding");
    if (at == std::string_view::npos) return {};
    const std::size_t open = declaration.find_first_of("'\"", at);
    if (open == std::string_view::npos) return {};
    const std::size_t close = declaration.find(declaration[open], open + 1);
    if (close == std::string_view::npos) return {};
    return lower_case(declaration.substr(open + 1, close - open - 1));
}

}  // namespace

XmlFile::XmlFile(const std::filesystem::path& path) : XmlFile(TextFile::read(path)) {}

XmlFile::XmlFile(const TextFile& file) : name_(file.name()), text_(file.text()) {
    // Converted here and not by the parser, whose offsets then count in text_.
    const std::string encoding = declared_encoding(text_);
    if (encoding == "iso-8859-1" || encoding == "latin1" || encoding == "windows-1252") {
        text_ = windows_1252_as_utf8(text_);
    }
    if (!is_utf8(text_)) {
        throw Error("'" + name_ + "' is XML in an encoding that is not read" +
                    (encoding.empty() ? "" : " (" + excerpt(encoding) + ")") + "; save it as UTF-8.");
    }
    const pugi::xml_parse_result result =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    for (std::size_t i = text_.find('\n'); i != std::string::npos; i = text_.find('\n', i + 1)) {
        line_ends_.push_back(i);
    }
    if (result) return;
    const auto offset =
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text_.size());
    const std::size_t line_start = offset == 0 ? 0 : text_.rfind('\n', offset - 1) + 1;
    const std::size_t line_end = std::min(text_.find('\n', offset), text_.size());
    const std::string_view line = trim(std::string_view(text_).substr(line_start, line_end - line_start));
    throw_line_error(name_, line_at(text_, offset), line,
                     std::string("well-formed XML (") + result.description() + ")");
}

int XmlFile::line_of(pugi::xml_node element) const {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0));
    return 1 + static_cast<int>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) -
                                line_ends_.begin());
}

void XmlFile::fail(pugi::xml_node element, const std::string& expected) const {
    const auto name_at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 1));
    const std::size_t end = std::min(text_.find('>', name_at), text_.size() - 1);
    throw_line_error(name_, line_of(element), std::string_view(text_).substr(name_at - 1, end - name_at + 2),
                     expected);
}

std::string XmlFile::text(pugi::xml_node element, const char* attribute) const {
    const std::string value(trim(element.attribute(attribute).value()));
    if (value.empty()) fail(element, std::string("an attribute ") + attribute + "='...'");
    return value;
}

double XmlFile::pixels(pugi::xml_node element, const char* attribute) const {
    const auto value = parse_pixels(text(element, attribute));
    if (!value) fail(element, std::string("the attribute ") + attribute + " to be a number of pixels");
    return *value;
}

std::string xml_root_name(std::string_view text) {
    const auto skip_past = [&](std::string_view mark) {
        const std::size_t at = text.find(mark);
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
    };
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (text.starts_with("<?")) {
            skip_past("?>");
        } else if (text.starts_with("<!--")) {
            skip_past("-->");
        } else if (text.starts_with("<!")) {
            skip_past(">");
        } else {
            break;
        }
    }
    if (!text.starts_with("<")) return {};
    return std::string(text.substr(1, std::min(text.find_first_of(" \t\r\n/>"), text.size()) - 1));
}

std::string head_of(const std::filesystem::path& path) {
    constexpr std::size_t head_bytes = 4096;
    const std::optional<OpenFile> file = open_to_read(path);
    const auto fail_if_short = [&] { throw_if_short("'" + path.string() + "' cannot be read", errno, "."); };
    std::string head(file ? head_bytes : 0, '\0');
    if (!file) fail_if_short();
    const std::ptrdiff_t got = file ? read_at(file->descriptor.get(), head.data(), head.size(), 0) : 0;
    if (got < 0) fail_if_short();
    head.resize(static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
    return head_as_utf8(std::move(head));
}

}  // namespace fovea
