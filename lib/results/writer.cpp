#include "lib/results/results.hpp"

namespace fovea {

void ResultsWriter::write(const ImageResult& result) {
    write_lines(to_json_line(result) + '\n');
}

}  // namespace fovea
