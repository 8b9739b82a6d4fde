#include <algorithm>
#include <array>

#include "lib/dataset/text_file.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

void read_voc(const std::string& file, std::string_view bytes, KnownImages& known,
              ResultsCollector& collector) {
    constexpr const char* expected = "expected ID SCORE XMIN YMIN XMAX YMAX, in finite numbers";
    std::string_view last_id;
    std::size_t image = 0;
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        const std::string_view text = trim(line);
        if (text.empty() || text.front() == '#') return;
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        std::array<double, 5> numbers{};
        if (parse_numbers(text.substr(end), numbers) != numbers.size())
            fail_at_line(file, number, line, expected);
        const auto [score, left, top, right, bottom] = numbers;
        const Box box{left - 1, top - 1, right - left + 1, bottom - top + 1};
        if (box.w < 0 || box.h < 0) {
            fail_at_line(file, number, line,
                         std::string(expected) + ", with XMAX and YMAX not below XMIN and YMIN");
        }
        if (const std::string_view id = text.substr(0, end); id != last_id) {
            image = collector.number_of(known.named(id));
            last_id = id;
        }
        collector.add(image, box, score);
    });
}

}  // namespace fovea::results_detail
