#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace fovea::results_detail {

/// Lines of fields, separated by one of: commas (if the first line has one: CSV, fields may be in quotes),
/// tabs (likewise), else blanks.
class FieldSplitter {
  public:
    /// \param first_line tells the separator.
    explicit FieldSplitter(std::string_view first_line);

    bool is_csv() const { return separator_ == ','; }

    /// The fields, without blanks or quotes around them, of CSV as csv_text() reads them; valid until the
    /// next call. None at all if a quote is not closed or stands within a field: names may not hold quotes.
    const std::vector<std::string_view>& split(std::string_view line);

  private:
    bool split_csv(std::string_view line);

    char separator_;
    std::vector<std::string_view> fields_;
};

/// A decimal number, possibly with a plus sign, and nothing behind it; may be infinite or NaN ("inf", "nan").
std::optional<double> parse_number(std::string_view text);

}  // namespace fovea::results_detail
