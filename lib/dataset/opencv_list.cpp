#include "lib/dataset/opencv_list.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"

namespace fovea {
namespace {

constexpr std::size_t numbers_per_box = 4;

/// A line in its parts.
struct ListedBoxes {
    std::string_view path;
    std::vector<double> numbers;  ///< four for each box
};

bool is_number(std::string_view field, std::size_t number) {
    return spelled_whole(field) == static_cast<std::int64_t>(number);
}

/// The numbers at the end of a line, the last one first.
std::vector<double> last_numbers(const std::vector<std::string_view>& fields) {
    std::vector<double> numbers;
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
        const std::optional<double> number = parse_pixels(*field);
        if (!number) break;
        numbers.push_back(*number);
    }
    return numbers;
}

std::optional<ListedBoxes> parts_of_line(std::string_view line) {
    const std::vector<std::string_view> fields = split_fields(line);
    std::vector<double> numbers = last_numbers(fields);
    if (fields.size() < 2) return std::nullopt;
    // The first field belongs to the path, even if it is a number.
    const std::size_t most = std::min(numbers.size(), fields.size() - 2) / numbers_per_box;
    for (std::size_t boxes = most + 1; boxes-- > 0;) {
        const std::size_t at = fields.size() - 1 - boxes * numbers_per_box;
        if (!is_number(fields[at], boxes)) continue;
        numbers.resize(boxes * numbers_per_box);
        std::reverse(numbers.begin(), numbers.end());
        const auto length = static_cast<std::size_t>(fields[at].data() - line.data());
        return ListedBoxes{trim(line.substr(0, length)), std::move(numbers)};
    }
    return std::nullopt;
}

class OpencvListReader {
  public:
    OpencvListReader(const std::filesystem::path& file, const std::filesystem::path& root)
        : file_(TextFile::read(file)) {
        dataset_.format = "opencv";
        dataset_.root = root.empty() ? folder_of(file) : root;
        dataset_.sources.push_back(file);
    }

    Dataset read() {
        file_.for_each_content_line([&](const TextLine& line) { add_line(line); });
        if (dataset_.samples.empty()) {
            throw Error(file_.name() + ": the list names no image: expected lines " + form + ".");
        }
        if (repeated_ > 0) {
            dataset_.warnings.push_back(file_.name() + " names " + counted(repeated_, "box", "boxes") +
                                        " more than once; each counts once, first: " + first_repeated_);
        }
        return std::move(dataset_);
    }

  private:
    static constexpr const char* form = "\"path n x y w h x y w h ...\" with n boxes";

    void add_line(const TextLine& line) {
        const std::optional<ListedBoxes> listed = parts_of_line(line.text);
        if (!listed) file_.fail(line, std::string("an image and its boxes, ") + form);
        const std::size_t sample = sample_of(line, listed->path);
        const std::vector<double>& numbers = listed->numbers;
        for (std::size_t i = 0; i < numbers.size(); i += numbers_per_box) {
            Face face;
            face.box = {numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]};
            if (!(face.box.w > 0 && face.box.h > 0)) {
                file_.fail(line, "boxes whose width and height are above 0");
            }
            if (boxes_.emplace(sample, face.box.x, face.box.y, face.box.w, face.box.h).second) {
                dataset_.samples[sample].faces.push_back(face);
            } else if (repeated_++ == 0) {
                first_repeated_ = "line " + std::to_string(line.number);
            }
        }
    }

    std::size_t sample_of(const TextLine& line, std::string_view given) {
        const std::string path = listed_name(given, dataset_.root);
        const std::string key = image_key(path, dataset_.root, dataset_.root);
        if (path.find('\0') != std::string::npos || path.back() == '/' || key.empty() || key == ".") {
            file_.fail(line, "the path of an image before the number of boxes");
        }
        const auto [known, is_new] = sample_of_.emplace(key, dataset_.samples.size());
        if (is_new) {
            Sample& sample = dataset_.samples.emplace_back();
            sample.image = key;
            sample.path = dataset_.root / std::filesystem::path(path);
            sample.annotated = true;
        }
        return known->second;
    }

    TextFile file_;
    Dataset dataset_;
    std::unordered_map<std::string, std::size_t> sample_of_;
    std::set<std::tuple<std::size_t, double, double, double, double>> boxes_;  // of all samples
    std::size_t repeated_ = 0;
    std::string first_repeated_;
};

}  // namespace

Dataset read_opencv_list(const std::filesystem::path& file, const std::filesystem::path& root) {
    return OpencvListReader(file, root).read();
}

bool is_opencv_line(std::string_view line) {
    const std::optional<ListedBoxes> listed = parts_of_line(line);
    return listed && !listed->numbers.empty() && split_fields(listed->path).size() == 1;
}

}  // namespace fovea
