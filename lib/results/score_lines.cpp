#include "lib/results/score_lines.hpp"

#include "lib/core/csv.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"

namespace fovea::results_detail {

const Fields& FieldSplitter::split(std::string_view line) {
    fields_.clear();
    if (separator_ == ',') {
        if (!split_csv(line)) fields_.clear();
        return fields_;
    }
    const std::string_view between = separator_ == '\t' ? "\t" : " \t";
    while (!line.empty()) {
        const std::size_t end = line.find_first_of(between);
        const std::string_view field = trim(line.substr(0, end));
        // Several blanks are one separator, several tabs are several.
        if (!field.empty() || separator_ == '\t') fields_.push_back(field);
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    return fields_;
}

bool FieldSplitter::split_csv(std::string_view line) {
    while (true) {
        line = trim(line);
        std::size_t comma;
        if (!line.empty() && line.front() == '"') {
            const std::size_t closing = line.find('"', 1);
            if (closing == std::string_view::npos) return false;
            fields_.push_back(csv_text(line.substr(1, closing - 1)));
            line.remove_prefix(closing + 1);
            comma = line.find(',');
            if (!trim(line.substr(0, comma)).empty()) return false;
        } else {
            comma = line.find(',');
            const std::string_view field = trim(line.substr(0, comma));
            if (field.find('"') != std::string_view::npos) return false;
            fields_.push_back(csv_text(field));
        }
        if (comma == std::string_view::npos) return true;
        line.remove_prefix(comma + 1);
    }
}

double ScoreLine::score(std::string_view field) const {
    const std::optional<double> score = spelled_number(field);
    if (!score) fail("the score is '" + excerpt(field) + "', expected a finite number");
    return *score;
}

}  // namespace fovea::results_detail
