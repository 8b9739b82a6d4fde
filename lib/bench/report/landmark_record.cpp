#include "lib/bench/report/records.hpp"
#include "lib/core/time_summary.hpp"

namespace fovea::report {
namespace {

using Landmarks = LandmarkMeasurement;

/// Two fields: the times of a batch, and faces a second.
std::vector<BenchField<Landmarks>> batch_fields(const std::string& key,
                                                std::vector<double> Landmarks::*times_ms) {
    const auto faces_per_second = [times_ms](const Landmarks& m) -> BenchValue {
        const std::vector<double>& times = m.*times_ms;
        if (times.empty()) return {};
        const double faces = static_cast<double>(m.faces) / median_time(times) * 1000;
        return exact_value(faces, value_cell(faces, 0));
    };
    const bool is_total = key == "total";
    return {{key, {key + " ms"}, [times_ms](const Landmarks& m) { return times_value(m.*times_ms); }},
            {key + "/faces_per_second", {is_total ? "faces/s" : key + " faces/s"}, faces_per_second}};
}

}  // namespace

BenchRecord landmark_record(const std::vector<LandmarkMeasurement>& measurements,
                            const std::string& machine) {
    std::vector<BenchField<Landmarks>> fields{
        {{}, words("backend"), [](const Landmarks& m) { return text_value(m.backend); }},
        {"device", {}, [](const Landmarks& m) { return text_value(m.device); }},
        {"threads", {}, [](const Landmarks& m) { return count_value(static_cast<std::size_t>(m.threads)); }},
        {"faces", {"faces"}, [](const Landmarks& m) { return count_value(m.faces); }},
        {"repeat", {}, [](const Landmarks& m) { return count_value(m.total_ms.size()); }}};
    append(fields, batch_fields("total", &Landmarks::total_ms));
    append(fields, batch_fields("resident", &Landmarks::resident_ms));
    return {
        "Landmarks",
        "Measured on " + machine + ".",
        {list_of<Landmarks>({"measurements", "Landmarks of a batch of faces", {}}, fields, measurements)}};
}

}  // namespace fovea::report
