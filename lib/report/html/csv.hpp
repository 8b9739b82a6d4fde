#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/core/csv.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea::report {

/// Every ROC point of every detector in long form, one row a point, by falling threshold:
/// detector,threshold,true_positives,false_positives,detection_rate,precision,false_positives_per_image,mean_iou,
/// continuous_rate. Numbers are the shortest text that reads back to the same double.
std::string curves_csv(const std::vector<DetectionEvaluation>& evaluations,
                       const std::vector<std::string>& names);

/// numbers.csv: numbers in long form, one row a number: KIND,metric,value,ci95_low,ci95_high,definition; the
/// last three are empty where there is none. Numbers are written as in curves.csv.
class NumbersCsv {
  public:
    /// \param kind of what is evaluated, the first column's heading: "detector".
    explicit NumbersCsv(const std::string& kind)
        : rows_({kind, "metric", "value", "ci95_low", "ci95_high", "definition"}) {}

    /// The numbers that follow are those of `name`.
    void begin(const std::string& name) { name_ = name; }
    void add(const std::string& metric, double value, const std::optional<Interval>& ci95 = {},
             const std::string& definition = {});
    /// Under its key behind `prefix`; undefined numbers have no row.
    void add(const Number& estimate, const std::string& prefix = {});
    void add(const Numbers& estimates, const std::string& prefix = {});

    const std::string& text() const { return rows_.bytes(); }

  private:
    std::string name_;
    CsvRows rows_;
};

/// Every number of every detector.
std::string numbers_csv(const std::vector<DetectionEvaluation>& evaluations,
                        const std::vector<std::string>& names);

}  // namespace fovea::report
