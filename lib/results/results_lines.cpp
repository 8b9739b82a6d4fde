#include "lib/results/results_lines.hpp"

#include <array>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/readers.hpp"

namespace fovea {

ResultsLines::ResultsLines(const std::filesystem::path& file) : file_(file), stream_(file, std::ios::binary) {
    if (!stream_) throw Error("'" + file.string() + "' cannot be opened");
}

// False at the end of the file.
bool ResultsLines::read_line(std::string& line) {
    line.clear();
    std::array<char, std::size_t{1} << 14> part;
    for (;;) {
        stream_.getline(part.data(), part.size());
        line.append(part.data(), static_cast<std::size_t>(stream_.gcount()));
        next_ += static_cast<std::uint64_t>(stream_.gcount());
        if (line.size() > max_line_bytes) throw_line_too_long(file_);
        if (stream_.good()) {
            line.pop_back();  // the line break, of which only the count tells
            return true;
        }
        if (stream_.bad() || (stream_.eof() && line.empty())) return false;
        if (stream_.eof()) return true;
        stream_.clear();  // the part is full
    }
}

std::optional<ImageResult> ResultsLines::next() {
    std::string line;
    do {
        place_ = next_;
        if (!read_line(line)) {
            if (!stream_.eof()) throw Error("'" + file_.string() + "' cannot be read to its end");
            return std::nullopt;
        }
        ++number_;
        if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    } while (line.find_first_not_of(" \t\r") == std::string::npos);
    try {
        const Json json = parse_json(line);
        return results_detail::result_from_json(JsonPlace(json));
    } catch (const UsageError& error) {
        results_detail::fail_at_line(file_.string(), number_, line, error.what());
    } catch (const Json::exception& error) {
        results_detail::fail_at_line(file_.string(), number_, line, results_detail::json_reason(error));
    }
}

void ResultsLines::go_to(std::uint64_t place) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(place));
    if (!stream_) throw Error("'" + file_.string() + "' cannot be read at byte " + std::to_string(place));
    next_ = place;
}

}  // namespace fovea
