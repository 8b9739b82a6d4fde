#include <cctype>

#include "lib/core/text.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/shapes.hpp"

namespace fovea::fuzz {
namespace {

// Commands as gnuplot 5.4 splits them: '' within single quotes stands for a quote behind another character
// only, and the search for @macro takes every quote for an end or a beginning, so neither may occur within
// quotes.
class PlotScriptReader {
  public:
    explicit PlotScriptReader(std::string_view script) : rest_(script) { read(); }

    const std::string& shape() const { return shape_; }
    const std::vector<std::string>& texts() const { return texts_; }

  private:
    char take() {
        require(!rest_.empty(), "a script ends within quotes");
        const char c = rest_[0];
        rest_.remove_prefix(1);
        return c;
    }

    void read() {
        while (!rest_.empty()) {
            const char c = rest_[0];
            if (c == '\'' || c == '"') {
                add_text(expression());
                continue;
            }
            require(c != '`' && c != '#' && c != '@', "a command, a comment or a macro outside of quotes");
            require(c == '\n' || static_cast<unsigned char>(c) >= 0x20,
                    "a control character outside of quotes");
            shape_ += take();
            line_ = c == '\n' ? "" : line_ + c;
        }
        require(shape_.empty() || shape_.back() == '\n', "the last command is not ended");
    }

    // Texts that are joined: 'it'."\047".'s'.
    std::string expression() {
        std::string text = take() == '\'' ? single_quoted() : double_quoted();
        while (rest_.size() > 1 && rest_[0] == '.' && (rest_[1] == '\'' || rest_[1] == '"')) {
            take();
            text += take() == '\'' ? single_quoted() : double_quoted();
        }
        return text;
    }

    std::string single_quoted() {
        std::string text;
        for (char c = take(); c != '\''; c = take()) {
            require(static_cast<unsigned char>(c) >= 0x20, "a control character within quotes");
            text += c;
        }
        require(rest_.empty() || rest_[0] != '\'', "a quote within single quotes");
        return text;
    }

    std::string double_quoted() {
        std::string text;
        for (char c = take(); c != '"'; c = take()) {
            if (c == '\\') {
                const bool is_quote = rest_.starts_with("047");
                require(is_quote || rest_.starts_with("n"), "an unknown escape within double quotes");
                rest_.remove_prefix(is_quote ? 3 : 1);
                text += is_quote ? '\'' : '\n';
                continue;
            }
            require(static_cast<unsigned char>(c) >= 0x20 && c != '`' && c != '\'' && c != '@',
                    "what is expanded within double quotes");
            text += c;
        }
        return text;
    }

    // Texts at marks are formats.
    static std::string text_of_format(const std::string& format) {
        std::string text;
        for (std::size_t i = 0; i < format.size(); ++i) {
            text += format[i];
            if (format[i] != '%') continue;
            require(i + 1 < format.size() && format[i + 1] == '%', "a format in a mark's label");
            ++i;
        }
        return text;
    }

    void add_text(const std::string& text) {
        require(is_utf8(text), "a text that is not UTF-8");
        const bool at_mark = line_.starts_with("set xtics") || line_.starts_with("set ytics");
        const std::string shown = at_mark ? text_of_format(text) : text;
        texts_.push_back(shown);
        shape_ += "'" + text_shape(shown) + "'";
    }

    std::string_view rest_;
    std::string line_;
    std::string shape_;
    std::vector<std::string> texts_;
};

}  // namespace

std::string plot_script_shape(std::string_view script) {
    return PlotScriptReader(script).shape();
}

std::vector<std::string> plot_script_texts(std::string_view script) {
    return PlotScriptReader(script).texts();
}

}  // namespace fovea::fuzz
