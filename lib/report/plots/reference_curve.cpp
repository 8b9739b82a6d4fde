#include "lib/report/plots/reference_curve.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "lib/dataset/text_file.hpp"

namespace fovea::report {
namespace {

std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

}  // namespace

ReferenceCurve read_reference_curve(const std::string& specification, bool continuous) {
    std::error_code ignored;
    const std::size_t equal =
        std::filesystem::exists(specification, ignored) ? std::string::npos : specification.find('=');
    const std::filesystem::path file =
        equal == std::string::npos ? specification : specification.substr(equal + 1);
    ReferenceCurve curve;
    curve.name = equal == std::string::npos ? file.stem().string() : specification.substr(0, equal);
    curve.continuous = continuous;
    const TextFile text = TextFile::read(file);
    const std::vector<TextLine> lines = text.content_lines();
    for (const TextLine& line : lines) {
        std::string blanks(line.text);
        for (char& c : blanks) c = c == ',' || c == ';' ? ' ' : c;
        const std::vector<std::string_view> fields = split_fields(blanks);
        const bool is_heading = &line == lines.data() && !fields.empty() && !number(fields[0]);
        if (is_heading) continue;
        const std::optional<double> rate = fields.size() > 1 ? number(fields[0]) : std::nullopt;
        const std::optional<double> false_positives = fields.size() > 1 ? number(fields[1]) : std::nullopt;
        if (!rate || !false_positives || *rate < 0 || *rate > 1 || *false_positives < 0) {
            text.fail(line, "a point of a curve: RATE FALSE_POSITIVES, the rate from 0 to 1");
        }
        curve.rates.push_back(*rate);
        curve.false_positives.push_back(*false_positives);
    }
    if (curve.rates.empty()) {
        text.fail({1, ""}, "lines of RATE FALSE_POSITIVES, but there is none");
    }
    return curve;
}

}  // namespace fovea::report
