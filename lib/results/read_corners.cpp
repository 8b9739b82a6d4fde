#include <algorithm>
#include <array>

#include "lib/dataset/text_file.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

namespace {

struct CornerLine {
    std::string_view name;
    double score = 0;
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};

// Calls `box_of(line)` for every line "ID SCORE XMIN YMIN XMAX YMAX" and adds the box to its image.
template <class BoxOf>
void read_corner_lines(const std::string& file, std::string_view bytes, KnownImages& known,
                       ResultsCollector& collector, const BoxOf& box_of) {
    constexpr const char* expected = "expected ID SCORE XMIN YMIN XMAX YMAX, in finite numbers";
    std::string_view last_id;
    std::size_t image = 0;
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        const std::string_view text = trim(line);
        if (text.empty() || text.front() == '#') return;
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        std::array<double, 5> numbers{};
        if (parse_numbers(text.substr(end), numbers) != numbers.size())
            fail_at_line(file, number, line, expected);
        CornerLine corners{text.substr(0, end), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
        const Box box = box_of(corners);
        if (box.w < 0 || box.h < 0) {
            fail_at_line(file, number, line,
                         std::string(expected) + ", with XMAX and YMAX not below XMIN and YMIN");
        }
        if (corners.name != last_id) {
            image = collector.number_of(known.named(corners.name));
            last_id = corners.name;
        }
        collector.add(image, box, corners.score);
    });
}

}  // namespace

/// Lines "id score xmin ymin xmax ymax" of PASCAL VOC's development kit (comp4_det_test_face.txt),
/// corners counted from 1 and inclusive; read as Box{xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin
/// + 1}.
void read_voc(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    collector.expect_detections_only();
    read_corner_lines(source.path(), source.bytes(), known, collector, [](const CornerLine& line) {
        return Box{line.left - 1, line.top - 1, line.right - line.left + 1, line.bottom - line.top + 1};
    });
}

void read_face_eval_lines(const std::string& file, std::string_view bytes, KnownImages& known,
                          ResultsCollector& collector) {
    read_corner_lines(file, bytes, known, collector, [](CornerLine& line) {
        line.name = line.name.substr(0, line.name.find('.'));
        return Box{line.left, line.top, line.right - line.left, line.bottom - line.top};
    });
}

}  // namespace fovea::results_detail
