#include "lib/bench/report/recognition_bench_report.hpp"

#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "lib/core/time_summary.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/markdown.hpp"

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

double median_ms(const std::vector<double>& times) {
    return summarise_times(times).median_ms;
}

std::string milliseconds(double value) {
    return value < 10 ? fmt::format("{:.4f}", value) : fmt::format("{:.1f}", value);
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

std::string html_table(const TextTable& rows, std::size_t names) {
    std::vector<HtmlColumn> columns;
    for (std::size_t c = 0; c < rows[0].size(); ++c) columns.push_back({rows[0][c], c >= names});
    std::vector<HtmlRow> cells;
    for (std::size_t r = 1; r < rows.size(); ++r) {
        HtmlRow& row = cells.emplace_back();
        for (const std::string& text : rows[r]) row.push_back({escape_html(text)});
    }
    return table(columns, cells);
}

std::string markdown_of(const TextTable& rows) {
    MarkdownRows cells;
    for (const std::vector<std::string>& row : rows) {
        std::vector<std::string>& escaped = cells.emplace_back();
        for (const std::string& text : row) escaped.push_back(escape_markdown(text));
    }
    return markdown_table(cells);
}

constexpr const char* features_title = "Features";
constexpr const char* searches_title = "Searches";
constexpr const char* batches_title = "Many queries at once";
constexpr const char* features_note =
    "Faces of 130x150. One face: from host memory to counts in host memory. Faces/s: a large batch, on GPUs "
    "within the "
    "device's memory. Medians. Tek 2012, table 4.2: GTX 580, and one thread of an i5-2500K.";
constexpr const char* searches_note =
    "Exact 1-NN by chi-square, one query, from host memory to host memory. Medians, milliseconds. Tek 2012, "
    "table 4.3: "
    "his method on a GTX 580, and the ANN library on one thread of an i5-2500K.";
constexpr const char* batches_note =
    "Exact 1-NN by chi-square of all queries, from host memory to host memory. A term is one bin of one "
    "pair.";

}  // namespace

TextTable feature_table(const RecognitionBenchmark& benchmark) {
    const std::vector<std::string> backends = backends_of(benchmark.features);
    const std::vector<std::size_t> batches = values_of(benchmark.features, &FeatureMeasurement::faces);
    TextTable rows{{"LBP", "region", "d"}};
    for (const std::string& backend : backends) {
        rows[0].push_back(backend + ", " + std::to_string(batches.front()) + " [ms]");
        rows[0].push_back(backend + ", " + std::to_string(batches.back()) + " [faces/s]");
    }
    rows[0].insert(rows[0].end(), {"Tek GPU [ms]", "Tek CPU [ms]"});
    for (const RecognitionCase& of : tek_cases()) {
        std::vector<std::string> row{operator_name(of), fmt::format("{}x{}", of.cell.width, of.cell.height),
                                     std::to_string(of.bins)};
        for (const std::string& backend : backends) {
            const FeatureMeasurement* few = find(benchmark, backend, of.bins, batches.front());
            const FeatureMeasurement* many = find(benchmark, backend, of.bins, batches.back());
            row.push_back(few == nullptr ? "-" : milliseconds(median_ms(few->total_ms)));
            if (many == nullptr) {
                row.emplace_back("-");
                continue;
            }
            const double ms = median_ms(many->resident_ms.empty() ? many->total_ms : many->resident_ms);
            row.push_back(fmt::format("{:.0f}", static_cast<double>(many->faces) / ms * 1000));
        }
        for (const TekFeature& tek : tek_features) {
            if (tek.bins != of.bins) continue;
            row.push_back(fmt::format("{:.2f}", tek.gpu_ms));
            row.push_back(fmt::format("{:.2f}", tek.cpu_ms));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

TextTable search_table(const RecognitionBenchmark& benchmark) {
    const std::vector<std::size_t> lengths{2891, 8496, 11907};
    TextTable rows{{"N", "method"}};
    for (const std::size_t bins : lengths) rows[0].push_back("d = " + std::to_string(bins));
    const std::vector<std::size_t> queries = values_of(benchmark.searches, &SearchMeasurement::queries);
    if (queries.empty()) return rows;
    for (const std::size_t gallery : values_of(benchmark.searches, &SearchMeasurement::gallery)) {
        for (const std::string& backend : backends_of(benchmark.searches)) {
            std::vector<std::string> row{std::to_string(gallery), backend};
            for (const std::size_t bins : lengths) {
                const SearchMeasurement* m = find(benchmark, backend, bins, gallery, queries.front());
                row.push_back(m == nullptr ? "-" : milliseconds(median_ms(m->total_ms)));
            }
            rows.push_back(std::move(row));
        }
        std::vector<std::string> gpu{std::to_string(gallery), "Tek GPU"},
            ann{std::to_string(gallery), "Tek ANN"};
        for (const TekSearch& tek : tek_searches) {
            if (tek.gallery != gallery) continue;
            gpu.push_back(fmt::format("{:.2f}", tek.gpu_ms));
            ann.push_back(fmt::format("{:.2f}", tek.ann_ms));
        }
        if (gpu.size() == 2) continue;
        rows.push_back(std::move(gpu));
        rows.push_back(std::move(ann));
    }
    return rows;
}

TextTable batch_table(const RecognitionBenchmark& benchmark) {
    TextTable rows{
        {"backend", "d", "N", "queries", "total [ms]", "quartiles", "in device memory [ms]", "terms/s"}};
    for (const SearchMeasurement& m : benchmark.searches) {
        const TimeSummary total = summarise_times(m.total_ms);
        const double terms =
            static_cast<double>(m.of.bins) * static_cast<double>(m.gallery) * static_cast<double>(m.queries);
        rows.push_back({m.backend, std::to_string(m.of.bins), std::to_string(m.gallery),
                        std::to_string(m.queries), milliseconds(total.median_ms),
                        milliseconds(total.quartile_1_ms) + " - " + milliseconds(total.quartile_3_ms),
                        m.resident_ms.empty() ? "-" : milliseconds(median_ms(m.resident_ms)),
                        fmt::format("{:.3g}", terms / total.median_ms * 1000)});
    }
    return rows;
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
    Document document;
    document.title = "Recognition: features and searches";
    document.lead = "<p>Measured on " + escape_html(machine) + ".</p>";
    const auto part = [](const char* note, const TextTable& rows, std::size_t names) {
        return html_table(rows, names) + "<p>" + escape_html(note) + "</p>";
    };
    document.parts = {{"features", features_title, part(features_note, feature_table(benchmark), 2)},
                      {"searches", searches_title, part(searches_note, search_table(benchmark), 2)},
                      {"batches", batches_title, part(batches_note, batch_table(benchmark), 1)}};
    document.footer = "All times are in bench.json.";
    std::string markdown = "# " + document.title + "\n\nMeasured on " + escape_markdown(machine) + ".\n";
    const auto section = [&](const char* title, const char* note, const TextTable& rows) {
        markdown +=
            std::string("\n## ") + title + "\n\n" + escape_markdown(note) + "\n\n" + markdown_of(rows);
    };
    section(features_title, features_note, feature_table(benchmark));
    section(searches_title, searches_note, search_table(benchmark));
    section(batches_title, batches_note, batch_table(benchmark));
    StagedFiles files(folder);
    files.add("bench.json", indented_text(json) + "\n");
    files.add("report.md", markdown);
    files.add("report.html", document_page(document));
    files.publish_report("bench");
    return folder / "report.html";
}

}  // namespace fovea::report
