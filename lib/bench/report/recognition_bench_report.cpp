#include "lib/bench/report/recognition_bench_report.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_page.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

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
    double ann_ms;
};
constexpr std::array tek_searches{
    TekSearch{1000, 2891, 0.88, 2.55},     TekSearch{1000, 8496, 1.12, 7.47},
    TekSearch{1000, 11907, 1.52, 10.46},   TekSearch{5000, 2891, 1.09, 12.72},
    TekSearch{5000, 8496, 1.61, 37.32},    TekSearch{5000, 11907, 2.15, 52.32},
    TekSearch{10000, 2891, 1.52, 25.46},   TekSearch{10000, 8496, 2.77, 74.71},
    TekSearch{10000, 11907, 3.72, 104.51}, TekSearch{20000, 2891, 2.21, 52.47},
    TekSearch{20000, 8496, 5.18, 151.13},  TekSearch{20000, 11907, 7.38, 210.46}};

// A length or a size: without commas, as Tek has them.
Cell plain_cell(std::size_t number) {
    return value_cell(static_cast<double>(number), 0);
}

std::string operator_name(const RecognitionCase& of) {
    return fmt::format("({}, {:g}) u2", of.lbp.points, of.lbp.radius);
}

// In the order in which they were measured.
template <class Measurement>
std::vector<std::string> backends_of(const std::vector<Measurement>& measurements) {
    std::vector<std::string> names;
    for (const Measurement& m : measurements) {
        if (std::find(names.begin(), names.end(), m.backend) == names.end()) names.push_back(m.backend);
    }
    return names;
}

template <class Measurement, class Value>
std::vector<std::size_t> values_of(const std::vector<Measurement>& measurements, Value value) {
    std::vector<std::size_t> values;
    for (const Measurement& m : measurements) values.push_back(std::invoke(value, m));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

const FeatureMeasurement* find(const RecognitionBenchmark& benchmark, const std::string& backend,
                               std::size_t bins, std::size_t faces) {
    for (const FeatureMeasurement& m : benchmark.features) {
        if (m.backend == backend && m.of.bins == bins && m.faces == faces) return &m;
    }
    return nullptr;
}

const SearchMeasurement* find(const RecognitionBenchmark& benchmark, const std::string& backend,
                              std::size_t bins, std::size_t gallery, std::size_t queries) {
    for (const SearchMeasurement& m : benchmark.searches) {
        if (m.backend == backend && m.of.bins == bins && m.gallery == gallery && m.queries == queries)
            return &m;
    }
    return nullptr;
}

double faces_per_second(const FeatureMeasurement& m) {
    return static_cast<double>(m.faces) / median_time(m.resident_ms.empty() ? m.total_ms : m.resident_ms) *
           1000;
}

constexpr const char* features_note =
    "Faces of 130x150. One face: from host memory to counts in host memory. Faces/s: a large batch, on GPUs "
    "within the device's memory. Medians. Tek 2012, table 4.2: GTX 580, and one thread of an i5-2500K.";
constexpr const char* searches_note =
    "Exact 1-NN by chi-square, one query, from host memory to host memory. Medians, milliseconds. Tek 2012, "
    "table 4.3: his method on a GTX 580, and the ANN library on one thread of an i5-2500K.";
constexpr const char* batches_note =
    "Exact 1-NN by chi-square of all queries, from host memory to host memory. A term is one bin of one "
    "pair.";

}  // namespace

Table feature_table(const RecognitionBenchmark& benchmark) {
    const std::vector<std::string> backends = backends_of(benchmark.features);
    const std::vector<std::size_t> batches = values_of(benchmark.features, &FeatureMeasurement::faces);
    Table table{.columns = {words("LBP"), words("region"), {"d"}}};
    for (const std::string& backend : backends) {
        table.columns.push_back({fmt::format("{}, {} [ms]", backend, batches.front())});
        table.columns.push_back({fmt::format("{}, {} [faces/s]", backend, batches.back())});
    }
    table.columns.insert(table.columns.end(), {{"Tek GPU [ms]"}, {"Tek CPU [ms]"}});
    for (const RecognitionCase& of : tek_cases()) {
        std::vector<Cell> row{operator_name(of), fmt::format("{}x{}", of.cell.width, of.cell.height),
                              plain_cell(of.bins)};
        for (const std::string& backend : backends) {
            const FeatureMeasurement* few = find(benchmark, backend, of.bins, batches.front());
            const FeatureMeasurement* many = find(benchmark, backend, of.bins, batches.back());
            row.push_back(few == nullptr ? not_measured : ms_cell(median_time(few->total_ms)));
            row.push_back(many == nullptr ? not_measured : value_cell(faces_per_second(*many), 0));
        }
        for (const TekFeature& tek : tek_features) {
            if (tek.bins == of.bins)
                row.insert(row.end(), {value_cell(tek.gpu_ms, 2), value_cell(tek.cpu_ms, 2)});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table search_table(const RecognitionBenchmark& benchmark) {
    const std::vector<std::size_t> lengths{2891, 8496, 11907};
    Table table{.columns = {{"N"}, words("method")}};
    for (const std::size_t bins : lengths) table.columns.push_back({"d = " + std::to_string(bins)});
    const std::vector<std::size_t> queries = values_of(benchmark.searches, &SearchMeasurement::queries);
    for (const std::size_t gallery : values_of(benchmark.searches, &SearchMeasurement::gallery)) {
        for (const std::string& backend : backends_of(benchmark.searches)) {
            std::vector<Cell> row{plain_cell(gallery), backend};
            for (const std::size_t bins : lengths) {
                const SearchMeasurement* m = find(benchmark, backend, bins, gallery, queries.front());
                row.push_back(m == nullptr ? not_measured : ms_cell(median_time(m->total_ms)));
            }
            table.rows.push_back(std::move(row));
        }
        for (const auto& [method, ms] :
             {std::pair{"Tek GPU", &TekSearch::gpu_ms}, {"Tek ANN", &TekSearch::ann_ms}}) {
            std::vector<Cell> row{plain_cell(gallery), method};
            for (const TekSearch& tek : tek_searches) {
                if (tek.gallery == gallery) row.push_back(value_cell(tek.*ms, 2));
            }
            if (row.size() > 2) table.rows.push_back(std::move(row));
        }
    }
    return table;
}

Table batch_table(const RecognitionBenchmark& benchmark) {
    using Search = SearchMeasurement;
    ShownColumns<Search> columns{{words("backend"), [](const Search& m) { return Cell(m.backend); }},
                                 {{"d"}, [](const Search& m) { return plain_cell(m.of.bins); }},
                                 {{"N"}, [](const Search& m) { return plain_cell(m.gallery); }},
                                 {{"queries"}, [](const Search& m) { return plain_cell(m.queries); }}};
    add_median(columns, {"total [ms]"}, &Search::total_ms, ms_cell);
    append(columns, {{{"in device memory [ms]"},
                      [](const Search& m) {
                          return m.resident_ms.empty() ? not_measured : ms_cell(median_time(m.resident_ms));
                      }},
                     {{"terms/s"}, [](const Search& m) {
                          Cell cell;
                          cell.value = static_cast<double>(m.of.bins * m.gallery * m.queries) /
                                       median_time(m.total_ms) * 1000;
                          cell.text = fmt::format("{:.3g}", *cell.value);
                          return cell;
                      }}});
    return table_of(columns, benchmark.searches);
}

Json recognition_benchmark_json(const RecognitionBenchmark& benchmark) {
    const auto times = [](const std::vector<double>& values) -> Json {
        const TimeSummary summary = summarise_times(values);
        return {{"repeat", values.size()},
                {"median_ms", summary.median_ms},
                {"quartile_1_ms", summary.quartile_1_ms},
                {"quartile_3_ms", summary.quartile_3_ms}};
    };
    const auto entry = [&](const auto& m) {
        Json json{{"backend", m.backend},      {"points", m.of.lbp.points},
                  {"radius", m.of.lbp.radius}, {"cell", {m.of.cell.width, m.of.cell.height}},
                  {"bins", m.of.bins},         {"equal", m.equal},
                  {"total", times(m.total_ms)}};
        if (!m.resident_ms.empty()) json["resident"] = times(m.resident_ms);
        return json;
    };
    Json json{{"features", Json::array()}, {"searches", Json::array()}, {"equal", benchmark.equal()}};
    for (const FeatureMeasurement& m : benchmark.features) {
        Json e = entry(m);
        e["faces"] = m.faces;
        json["features"].push_back(std::move(e));
    }
    for (const SearchMeasurement& m : benchmark.searches) {
        Json e = entry(m);
        e["gallery"] = m.gallery;
        e["queries"] = m.queries;
        json["searches"].push_back(std::move(e));
    }
    return json;
}

std::filesystem::path write_recognition_benchmark(const std::filesystem::path& folder, const Json& json,
                                                  const RecognitionBenchmark& benchmark,
                                                  const std::string& machine) {
    make_output_folder(folder, "benchmark");
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    Report report = bench_report("Recognition: features and searches", "Measured on " + machine + ".");
    add_table(report, "features", "Features", feature_table(benchmark), features_note);
    add_table(report, "searches", "Searches", search_table(benchmark), searches_note);
    add_table(report, "batches", "Many queries at once", batch_table(benchmark), batches_note);
    report.footer = "All times are in bench.json.";
    return publish_benchmark(files, folder, report, "report");
}

}  // namespace fovea::report
