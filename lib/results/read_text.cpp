#include <array>

#include "lib/core/spelling.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

constexpr const char* expected_fields = "expected NAME X Y WIDTH HEIGHT SCORE";

}  // namespace

Certainty recognise_text(const ResultsSource& source) {
    return source.is_folder() ? Certainty::none : Certainty::fallback;
}

/// Lines "name x y w h score"; '#' begins a comment line and names may hold blanks.
void read_text(ResultsSource& source, KnownImages&, ResultsCollector& collector) {
    const std::string& file = source.path();
    const std::string& bytes = source.bytes();
    collector.expect_detections_only();
    static constexpr std::array<const char*, 5> names{"X", "Y", "WIDTH", "HEIGHT", "SCORE"};
    std::string image;
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        std::string_view rest = trim(line);
        if (rest.empty() || rest.front() == '#') return;

        // From the end, since the name may hold blanks.
        std::array<double, 5> values{};
        for (std::size_t i = values.size(); i-- > 0;) {
            const std::size_t blank = rest.find_last_of(" \t");
            if (blank == std::string_view::npos) fail_at_line(file, number, line, expected_fields);
            const std::string_view field = rest.substr(blank + 1);
            rest = trim(rest.substr(0, blank));
            const std::optional<double> value = spelled_number(field);
            if (!value) {
                fail_at_line(file, number, line,
                             std::string(expected_fields) + ", but " + names[i] + " is '" + excerpt(field) +
                                 "', which is not a finite number");
            }
            values[i] = *value;
        }
        if (values[2] < 0 || values[3] < 0) {
            fail_at_line(file, number, line,
                         std::string(expected_fields) + " with a width and height that are not negative");
        }
        image.assign(rest);
        collector.add(collector.number_of(image), {values[0], values[1], values[2], values[3]}, values[4]);
    });
}

}  // namespace fovea::results_detail
