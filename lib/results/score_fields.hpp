#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace fovea::results_detail {

/// Splits lines into fields.
class FieldSplitter {
  public:
    /// \param first_line tells the separator: a comma if it has one (CSV, where fields may be in quotes),
    /// else a tab if it has one, else blanks.
    explicit FieldSplitter(std::string_view first_line);

    bool is_csv() const { return separator_ == ','; }

    /// The fields of a line, without blanks or quotes around them (in CSV also csv_text()); valid until the
    /// next call. None if a quote is not closed or stands within a field: names may not hold quotes.
    const std::vector<std::string_view>& split(std::string_view line);

  private:
    bool split_csv(std::string_view line);

    char separator_;
    std::vector<std::string_view> fields_;
};

/// Reads a decimal number with nothing around it; it may have a plus sign, or be infinite or NaN
/// ("inf", "nan").
std::optional<double> parse_number(std::string_view text);

}  // namespace fovea::results_detail
