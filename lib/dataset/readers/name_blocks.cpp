#include "lib/dataset/readers/name_blocks.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "lib/core/spelling.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_numbers = 16;

std::optional<std::size_t> parse_count(std::string_view text) {
    return spelled_whole(text, 0);
}

bool is_zeros(std::string_view line) {
    std::array<double, max_numbers> numbers{};
    const auto count = parse_numbers(line, numbers);
    return count && *count >= 4 &&
           std::all_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(*count),
                       [](double number) { return number == 0; });
}

}  // namespace

void for_each_block(const TextFile& file, const std::function<void(const NameBlock&)>& visit) {
    const std::vector<TextLine> lines = file.content_lines();
    for (std::size_t i = 0; i < lines.size();) {
        const TextLine& name = lines[i];
        if (i + 1 == lines.size())
            file.fail(name, "the number of lines of this image behind it, not the file's end");
        const auto count = parse_count(lines[i + 1].text);
        if (!count)
            file.fail(lines[i + 1], "the number of lines that follow for '" + excerpt(name.text) + "'");
        const std::size_t left = lines.size() - (i + 2);
        if (*count > left) {
            file.fail(lines[i + 1], "as many lines behind it, for '" + excerpt(name.text) + "', but " +
                                        counted(left, "line is", "lines are") + " left");
        }
        visit({name, {lines.data() + i + 2, *count}});
        i += 2 + *count;
        if (*count == 0 && i < lines.size() && is_zeros(lines[i].text)) ++i;
    }
}

bool begins_with_block(std::string_view text, std::size_t count) {
    constexpr std::size_t enough = 65536;
    if (text.size() > enough) text = text.substr(0, text.rfind('\n', enough));
    const TextFile file("", std::string(text));
    const std::vector<TextLine> lines = file.content_lines();
    bool found = false;
    for (std::size_t i = 0; i + 1 < lines.size();) {
        const auto rows = parse_count(lines[i + 1].text);
        if (!rows || parse_count(lines[i].text)) return false;
        found = true;
        if (*rows > 0) {
            std::array<double, max_numbers> numbers{};
            return i + 2 < lines.size() && parse_numbers(lines[i + 2].text, numbers) == count;
        }
        i += 2;
        if (i < lines.size() && is_zeros(lines[i].text)) ++i;
    }
    return found;
}

void NamedOnce::add(const std::string& image, const TextFile& file, const TextLine& line) {
    const std::string place = file.name() + ":" + std::to_string(line.number);
    const auto [other, is_new] = place_of_.emplace(image, place);
    if (!is_new) file.fail(line, "an image that was not named before; it is in " + other->second + " too");
}

}  // namespace fovea
