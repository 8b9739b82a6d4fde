#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/records.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea::report {
namespace {

/// Tek 2012, table 4.2: milliseconds a face on a GTX 580 and on one thread of an i5-2500K.
struct TekFeature {
    std::size_t bins;
    double gpu_ms;
    double cpu_ms;
};
constexpr std::array tek_features{TekFeature{8496, 0.17, 4.25}, TekFeature{2891, 0.17, 3.85},
                                  TekFeature{1475, 0.17, 4.01}, TekFeature{11907, 0.18, 7.45},
                                  TekFeature{6075, 0.18, 7.86}};

/// Tek 2012, table 4.3: milliseconds of a 1-NN search on the GTX 580, and with the ANN library on one thread.
struct TekSearch {
    std::size_t gallery;
    std::size_t bins;
    double gpu_ms;
    double cpu_ms;
};
constexpr std::array tek_searches{
    TekSearch{1000, 2891, 0.88, 2.55},     TekSearch{1000, 8496, 1.12, 7.47},
    TekSearch{1000, 11907, 1.52, 10.46},   TekSearch{5000, 2891, 1.09, 12.72},
    TekSearch{5000, 8496, 1.61, 37.32},    TekSearch{5000, 11907, 2.15, 52.32},
    TekSearch{10000, 2891, 1.52, 25.46},   TekSearch{10000, 8496, 2.77, 74.71},
    TekSearch{10000, 11907, 3.72, 104.51}, TekSearch{20000, 2891, 2.21, 52.47},
    TekSearch{20000, 8496, 5.18, 151.13},  TekSearch{20000, 11907, 7.38, 210.46}};

const TekFeature* tek_of(const FeatureMeasurement& m) {
    const auto* const found = std::find_if(tek_features.begin(), tek_features.end(),
                                           [&](const TekFeature& tek) { return tek.bins == m.of.length; });
    return m.of.recogniser.empty() && m.faces == 1 && found != tek_features.end() ? &*found : nullptr;
}

const TekSearch* tek_of(const SearchMeasurement& m) {
    const auto* const found = std::find_if(
        tek_searches.begin(), tek_searches.end(),
        [&](const TekSearch& tek) { return tek.bins == m.of.length && tek.gallery == m.gallery; });
    return m.of.recogniser.empty() && m.queries == 1 && found != tek_searches.end() ? &*found : nullptr;
}

/// A value that only rows of Tek's have.
template <class M, class Value>
auto of_tek(Value value) {
    return [value](const M& m) { return m.of.recogniser.empty() ? value(m) : BenchValue{}; };
}

/// The names that features and searches share, before the fields of one kind; their times stand behind these.
template <class M>
std::vector<BenchField<M>> name_fields() {
    return {{"backend", words("backend"), [](const M& m) { return text_value(m.backend); }},
            {"recogniser", words("recogniser"),
             [](const M& m) { return m.of.recogniser.empty() ? BenchValue{} : text_value(m.of.recogniser); }},
            {"bins", {"d"}, [](const M& m) { return count_value(m.of.length); }},
            {"points", {}, of_tek<M>([](const M& m) {
                 return count_value(static_cast<std::size_t>(m.of.lbp.points));
             })},
            {"radius", {}, of_tek<M>([](const M& m) { return exact_value(m.of.lbp.radius); })},
            {"cell", {}, of_tek<M>([](const M& m) {
                 return bulky_value({m.of.cell.width, m.of.cell.height});
             })}};
}

template <class M>
std::vector<BenchField<M>> time_fields() {
    const auto tek = [](const auto member) {
        return [member](const M& m) {
            const auto* const his = tek_of(m);
            return his == nullptr ? BenchValue{} : BenchValue{{}, value_cell(his->*member, 2)};
        };
    };
    using Tek = std::remove_cv_t<std::remove_pointer_t<decltype(tek_of(std::declval<const M&>()))>>;
    return {{"total", {"total [ms]"}, [](const M& m) { return times_value(m.total_ms); }},
            {"resident", {"in device memory [ms]"}, [](const M& m) { return times_value(m.resident_ms); }},
            {"repeat", {}, [](const M& m) { return count_value(m.total_ms.size()); }},
            {"equal", {}, [](const M& m) { return flag_value(m.equal); }},
            {{}, {"Tek GPU [ms]", "on a GTX 580"}, tek(&Tek::gpu_ms)},
            {{},
             {"Tek CPU [ms]", "on one thread of an i5-2500K; searches with the ANN library"},
             tek(&Tek::cpu_ms)}};
}

BenchValue faces_per_second(const FeatureMeasurement& m) {
    const double per_second =
        static_cast<double>(m.faces) / median_time(m.resident_ms.empty() ? m.total_ms : m.resident_ms) * 1000;
    return {{}, value_cell(per_second, 0)};
}

BenchValue terms_per_second(const SearchMeasurement& m) {
    Cell cell;
    cell.value = static_cast<double>(m.of.length * m.gallery * m.queries) / median_time(m.total_ms) * 1000;
    cell.text = fmt::format("{:.3g}", *cell.value);
    return {{}, std::move(cell)};
}

std::vector<BenchField<FeatureMeasurement>> feature_fields() {
    using M = FeatureMeasurement;
    std::vector<BenchField<M>> fields = name_fields<M>();
    append<M>(fields, {{{}, words("LBP"), of_tek<M>([](const M& m) {
                            return text_value(fmt::format("({}, {:g}) u2", m.of.lbp.points, m.of.lbp.radius));
                        })},
                       {{}, words("region"), of_tek<M>([](const M& m) {
                            return text_value(fmt::format("{}x{}", m.of.cell.width, m.of.cell.height));
                        })},
                       {"faces", {"faces"}, [](const M& m) { return count_value(m.faces); }}});
    append(fields, time_fields<M>());
    append<M>(fields, {{{}, {"faces/s"}, faces_per_second}});
    return fields;
}

std::vector<BenchField<SearchMeasurement>> search_fields() {
    using M = SearchMeasurement;
    std::vector<BenchField<M>> fields = name_fields<M>();
    append<M>(fields, {{"gallery", {"N"}, [](const M& m) { return count_value(m.gallery); }},
                       {"queries", {"queries"}, [](const M& m) { return count_value(m.queries); }}});
    append(fields, time_fields<M>());
    append<M>(fields, {{{}, {"terms/s", "a term is one bin of one pair"}, terms_per_second}});
    return fields;
}

constexpr const char* features_note =
    "From normalised faces in host memory to features in host memory. Faces/s: on GPUs within the device's "
    "memory. Medians. Rows without a recogniser: faces of 130x150, and Tek 2012, table 4.2.";
constexpr const char* searches_note =
    "Exact 1-NN of all queries, from host memory to host memory. Medians. Rows without a recogniser: by "
    "chi-square, and Tek 2012, table 4.3.";

}  // namespace

BenchRecord recognition_record(const RecognitionBenchmark& benchmark, const std::string& machine) {
    BenchRecord record{"Recognition: features and searches",
                       "Measured on " + machine + ".",
                       {list_of<FeatureMeasurement>({"features", "Features", features_note}, feature_fields(),
                                                    benchmark.features),
                        list_of<SearchMeasurement>({"searches", "Searches", searches_note}, search_fields(),
                                                   benchmark.searches)}};
    record.interrupted = benchmark.interrupted;
    return record;
}

}  // namespace fovea::report
