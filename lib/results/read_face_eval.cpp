#include <algorithm>
#include <array>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/readers/mat_file.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/results/readers.hpp"

// The files of detectors that the toolbox face-eval distributes: lines, two kinds of .mat, and the .csv of
// Picasa.

namespace fovea::results_detail {
namespace {

// Up to the first dot, without folders of either kind.
std::string_view short_name(std::string_view name) {
    const std::size_t slash = name.find_last_of("/\\");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    return name.substr(0, name.find('.'));
}

void add(const MatValue& place, std::string_view name, const Box& box, double score, KnownImages& known,
         ResultsCollector& collector) {
    const bool is_valid = std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) &&
                          std::isfinite(box.h) && std::isfinite(score) && box.w >= 0 && box.h >= 0;
    if (!is_valid) place.fail("finite numbers, with x2 and y2 not below x1 and y1");
    collector.add(collector.number_of(known.named(short_name(name))), box, score);
}

// ids{i} with the corners BB(:, i), the score sc(i) or confidence(i), and del(i) = 1 for those that are left
// out.
void read_columns(MatFile& mat, KnownImages& known, ResultsCollector& collector) {
    const MatValue names = mat.read("ids");
    const std::vector<MatValue> ids = names.cells();
    const MatValue corners = mat.read("BB");
    const std::vector<std::vector<double>> rows = corners.rows();
    if (rows.size() < 4 || rows[0].size() != ids.size())
        corners.fail("four rows, x1 y1 x2 y2, and a column for each of ids");
    const auto numbers = [&](const std::string& variable) {
        std::vector<double> values = mat.read(variable).numbers();
        if (values.size() != ids.size()) mat.read(variable).fail("a number for each of ids");
        return values;
    };
    std::vector<double> scores(ids.size(), 1);
    if (mat.has("sc")) scores = numbers("sc");
    if (mat.has("confidence")) scores = numbers("confidence");
    std::vector<double> left_out(ids.size(), 0);
    if (mat.has("del")) left_out = numbers("del");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (left_out[i] == 1) continue;
        const Box box{rows[0][i], rows[1][i], rows[2][i] - rows[0][i], rows[3][i] - rows[1][i]};
        add(corners, ids[i].text(), box, scores[i], known, collector);
    }
}

// DetectionResults{i} with filename and faces, whose rows are x y w h score.
void read_cells(MatFile& mat, KnownImages& known, ResultsCollector& collector) {
    for (const MatValue& image : mat.read("DetectionResults").cells()) {
        const std::vector<MatValue> names = image.field("filename");
        const std::vector<MatValue> faces = image.field("faces");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name = names[i].text();
            for (const std::vector<double>& row : faces[i].rows()) {
                if (row.size() < 5) faces[i].fail("rows of five numbers, x y width height score");
                add(faces[i], name, {row[0], row[1], row[2], row[3]}, row[4], known, collector);
            }
        }
    }
}

// A line of headings, then fields between semicolons: the third is the name, the eighth to eleventh are x y w
// h.
void read_picasa(const std::string& file, std::string_view bytes, KnownImages& known,
                 ResultsCollector& collector) {
    constexpr std::size_t place_of_name = 2;
    constexpr std::size_t place_of_box = 7;
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        if (number == 1 || trim(line).empty()) return;
        const std::vector<std::string> fields = split_list(line, ';');
        std::array<double, 4> box{};
        bool is_read = fields.size() >= place_of_box + box.size();
        for (std::size_t i = 0; is_read && i < box.size(); ++i) {
            const std::optional<double> value = spelled_number(fields[place_of_box + i]);
            is_read = value.has_value();
            box[i] = value.value_or(0);
        }
        if (!is_read || box[2] < 0 || box[3] < 0) {
            fail_at_line(
                file, number, line,
                "expected fields between semicolons, the third a name, the eighth to eleventh X Y WIDTH "
                "HEIGHT");
        }
        const std::string image = known.named(short_name(fields[place_of_name]));
        collector.add(collector.number_of(image), {box[0], box[1], box[2], box[3]}, 1);
    });
}

}  // namespace

/// Lines "name score x1 y1 x2 y2", as the toolbox of AFW and PASCAL faces takes them; the name ends at
/// its first dot; read as Box{x1, y1, x2 - x1, y2 - y1}. Its .mat files (ids, BB and sc or confidence;
/// DetectionResults) and Picasa's .csv are read, too.
void read_face_eval(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    const std::string& file = source.path();
    const std::string_view bytes = source.bytes();
    collector.expect_detections_only();
    if (bytes.starts_with("MATLAB 5.0 MAT-file")) {
        MatFile mat(file);
        if (mat.has("DetectionResults")) return read_cells(mat, known, collector);
        if (mat.has("ids") && mat.has("BB")) return read_columns(mat, known, collector);
        throw Error(file + ": expected the variables ids and BB, or DetectionResults.");
    }
    const std::string_view first_line = bytes.substr(0, bytes.find('\n'));
    if (std::ranges::count(first_line, ';') >= 10) return read_picasa(file, bytes, known, collector);
    read_face_eval_lines(file, bytes, known, collector);
}

}  // namespace fovea::results_detail
