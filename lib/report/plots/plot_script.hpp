#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "lib/report/model/palette.hpp"

namespace fovea::report {

namespace plot_script_detail {

/// Text from outside: written in quotes.
struct Text {
    std::string_view value;
};

template <class... Parts>
class Commands;

}  // namespace plot_script_detail

/// Commands for gnuplot, or a part of one. Only plot_script() makes them: what is a command stands in this
/// program's source, and all other text is in quotes. A std::string never becomes a command.
class PlotScript {
  public:
    PlotScript() = default;

    PlotScript& operator+=(const PlotScript& more) {
        text_ += more.text_;
        return *this;
    }
    friend PlotScript operator+(PlotScript first, const PlotScript& second) { return first += second; }

    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }

  private:
    explicit PlotScript(std::string text) : text_(std::move(text)) {}
    template <class... Parts>
    friend PlotScript make_plot_script(const plot_script_detail::Commands<Parts...>& commands,
                                       const Parts&... parts);

    std::string text_;
};

namespace plot_script_detail {

template <class T>
concept Number =
    (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>) || std::floating_point<T>;
template <class T>
concept TextLike = std::convertible_to<const T&, std::string_view>;

inline const PlotScript& part_of(const PlotScript& script) {
    return script;
}
template <Number T>
T part_of(T number) {
    return number;
}
template <TextLike T>
Text part_of(const T& text) {
    return {text};
}
template <class T>
using PartOf = std::remove_cvref_t<decltype(part_of(std::declval<const T&>()))>;

/// Whether all quotes are closed and every placeholder stands outside of them: it brings its own.
consteval bool quotes_hold_no_placeholder(std::string_view commands) {
    char quote = 0;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const char c = commands[i];
        if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (quote != 0 && (c == '{' || c == '}' || c == '\n')) {
            return false;
        } else if (c == quote) {
            quote = 0;
        }
    }
    return quote == 0;
}

/// A format string, checked when it is compiled.
template <class... Parts>
class Commands {
  public:
    template <std::size_t n>
    consteval Commands(const char (&commands)[n]) : format_(commands, n - 1) {
        static_cast<void>(fmt::format_string<Parts...>(commands));
        if (!quotes_hold_no_placeholder(format_)) throw "a placeholder within quotes, or a quote not closed";
    }
    std::string_view format() const { return format_; }

  private:
    std::string_view format_;
};

}  // namespace plot_script_detail

template <class... Parts>
PlotScript make_plot_script(const plot_script_detail::Commands<Parts...>& commands, const Parts&... parts) {
    return PlotScript(fmt::vformat(commands.format(), fmt::make_format_args(parts...)));
}

/// Writes commands: plot_script("set label {} at {:.6g},0\n", name, x). `commands` is a literal with fmt's
/// placeholders, which stand outside of quotes. A text comes to stand in quotes of its own, a number as its
/// format says, a script as it is.
template <class... Parts>
PlotScript plot_script(const plot_script_detail::Commands<plot_script_detail::PartOf<Parts>...>& commands,
                       const Parts&... parts) {
    return make_plot_script(commands, plot_script_detail::part_of(parts)...);
}

/// A gnuplot string in which nothing is expanded (no `command`, no @macro, no escape). Control characters
/// become blanks: a newline would end the command.
std::string gnuplot_quoted(std::string_view text);

// Pieces of gnuplot scripts that the plots share.

enum class PlotFormat { svg, pdf };

/// Terminal, colours, axes and grid; the key above the plot, a row a detector. \param wide as wide as two
/// plots side by side.
PlotScript prelude(std::size_t key_rows, PlotFormat format = PlotFormat::svg, bool wide = false);
PlotScript axis_labels(std::string_view x, std::string_view y);
/// The dashes of a series, as a line's option.
PlotScript dash(const SeriesStyle& style);
/// "fs ... lc rgb ...": bars in the detector's colour; those of calibrated boxes are pale with a dark edge.
PlotScript bar_fill(const SeriesStyle& style);
/// A name as the key shows it: shortened, and by `reserved` characters more.
std::string key_name(const std::string& name, std::size_t reserved = 0);

/// The marks of an axis with their labels.
class Tics {
  public:
    /// Adds a mark. \param place on the axis, and the mark's level behind it if that is not 0.
    void add(std::string_view label, const PlotScript& place);
    /// A label of two lines.
    void add(std::string_view label, std::string_view second_line, const PlotScript& place);
    /// "('a' 1, 'b' 2)", as `set xtics` takes it.
    PlotScript script() const;

  private:
    PlotScript marks_;
};

/// Which labels of a plot's horizontal axis have room beside the labels that were taken before.
class LabelRoom {
  public:
    /// \param from, to ends of the axis.
    LabelRoom(double from, double to) : from_(from), to_(to) {}
    /// Whether there is room; if so, it is taken. The label's centre is at `place`.
    bool take(double place, std::string_view label);

  private:
    double from_;
    double to_;
    std::vector<std::pair<double, double>> taken_;
};
/// Pixels of a plot's horizontal axis, and what a label of an axis takes of them; somewhat too large.
double axis_pixels();
double label_pixels(std::string_view label);

/// Rows of numbers as the data "$name".
PlotScript data_block(const PlotScript& name, const PlotScript& rows);
/// The command that draws these parts.
PlotScript plot_command(const std::vector<PlotScript>& parts);
/// A text in the middle of the plot.
PlotScript note(std::string_view text);

}  // namespace fovea::report

template <>
struct fmt::formatter<fovea::report::plot_script_detail::Text> {
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    template <class Context>
    auto format(const fovea::report::plot_script_detail::Text& text, Context& context) const {
        return fmt::format_to(context.out(), "{}", fovea::report::gnuplot_quoted(text.value));
    }
};

template <>
struct fmt::formatter<fovea::report::PlotScript> {
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    template <class Context>
    auto format(const fovea::report::PlotScript& script, Context& context) const {
        return fmt::format_to(context.out(), "{}", script.text());
    }
};
