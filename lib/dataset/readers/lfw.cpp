#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int largest_number = 9'999'999;

std::optional<int> parse_whole(std::string_view text) {
    return spelled_whole(text, 1, largest_number);
}

/// The names and numbers of a pair; one name where both images are of one subject.
struct PairFields {
    std::string first;
    int first_number = 0;
    std::string second;
    int second_number = 0;
};

std::optional<PairFields> pair_of(const std::vector<std::string>& fields, bool same) {
    const std::size_t last = same ? 2 : 3;
    if (fields.size() != last + 1) return std::nullopt;
    const std::optional<int> first = parse_whole(fields[1]);
    const std::optional<int> second = parse_whole(fields[last]);
    if (!first || !second) return std::nullopt;
    return PairFields{fields[0], *first, same ? fields[0] : fields[2], *second};
}

/// Between tabs, as LFW has them, a name may hold blanks.
std::optional<PairFields> pair_of(std::string_view line, bool same) {
    std::vector<std::string> between_tabs = split_list(line, '\t');
    std::erase(between_tabs, "");
    if (auto pair = pair_of(between_tabs, same)) return pair;
    const std::vector<std::string_view> fields = split_fields(line);
    return pair_of(std::vector<std::string>(fields.begin(), fields.end()), same);
}

/// "Abel_Pacheco/Abel_Pacheco_0001.jpg"
std::string lfw_image(std::string_view subject, int number) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "_%04d.jpg", number);
    return std::string(subject) + "/" + std::string(subject) + digits.data();
}

/// Folds, and the pairs of each: as many of one subject as of two.
struct PairsHeader {
    std::size_t folds = 1;
    std::size_t half = 0;
};

PairsHeader read_header(const TextFile& file, const TextLine& line) {
    const auto fields = split_fields(line.text);
    std::vector<std::size_t> numbers;
    for (const std::string_view field : fields) {
        if (const auto number = parse_whole(field)) numbers.push_back(static_cast<std::size_t>(*number));
    }
    if (numbers.size() != fields.size() || numbers.empty() || numbers.size() > 2) {
        file.fail(line, "the number of folds and of pairs in half a fold, \"10 300\", or the latter alone");
    }
    return numbers.size() == 1 ? PairsHeader{1, numbers[0]} : PairsHeader{numbers[0], numbers[1]};
}

class LfwReader {
  public:
    LfwReader(Dataset& dataset, const fs::path& folder) : dataset_(dataset), index_(folder, 1) {
        dataset_.root = folder;
        dataset_.warnings = index_.warnings();
    }

    void read(const fs::path& path) {
        const TextFile file = TextFile::read(path);
        dataset_.sources.push_back(path);
        const std::vector<TextLine> lines = file.content_lines();
        if (lines.empty()) throw Error(file.name() + ": the file is empty: expected pairs of images.");
        const PairsHeader header = read_header(file, lines.front());
        const std::size_t expected = header.folds * header.half * 2;
        for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
            const TextLine& line = lines[i + 1];
            if (i == expected)
                file.fail(line, "the end of the file: its first line announces " + counted(expected, "pair"));
            const bool same = i / header.half % 2 == 0;
            add_pair(file, line, same, static_cast<int>(i / (2 * header.half)));
        }
        if (lines.size() - 1 < expected) {
            throw Error(file.name() + ": its first line announces " + counted(expected, "pair") +
                        ", but the file holds " + std::to_string(lines.size() - 1) + ".");
        }
        warn_of_missing_images(missing_, dataset_);
    }

  private:
    void add_pair(const TextFile& file, const TextLine& line, bool same, int fold) {
        const std::optional<PairFields> fields = pair_of(line.text, same);
        if (!fields) {
            file.fail(line, same ? "a pair of one subject, \"NAME i j\""
                                 : "a pair of two subjects, \"NAME i OTHER j\"");
        }
        if (!same && fields->first == fields->second) file.fail(line, "two subjects");
        ImagePair pair;
        pair.first = sample_of(fields->first, fields->first_number);
        pair.second = sample_of(fields->second, fields->second_number);
        pair.same = same;
        pair.fold = fold;
        dataset_.pairs.push_back(pair);
    }

    std::size_t sample_of(std::string_view subject, int number) {
        const std::string name = lfw_image(subject, number);
        const auto [known, is_new] = sample_of_.emplace(name, dataset_.samples.size());
        if (!is_new) return known->second;
        Sample sample;
        const auto found = index_.find(name);
        if (!found) missing_.push_back(name);
        sample.image = found.value_or(name);
        sample.path = dataset_.root / sample.image;
        sample.subject = subject;
        dataset_.samples.push_back(std::move(sample));
        return known->second;
    }

    Dataset& dataset_;
    ImageIndex index_;
    std::map<std::string, std::size_t> sample_of_;
    std::vector<std::string> missing_;
};

}  // namespace

Dataset read_lfw_dataset(const std::string& path, const DatasetOptions&) {
    const DatasetSpecification specification("lfw", path, {"DIR", "pairs=FILE"});
    const fs::path& folder = specification.paths().front();
    if (specification.paths().size() > 1 || !is_folder(folder)) {
        specification.fail("is not one folder: lfw: needs the one with NAME/NAME_0001.jpg.");
    }
    fs::path pairs = specification.option_path("pairs");
    if (pairs.empty()) pairs = folder / "pairs.txt";
    if (!is_there(pairs)) {
        throw UsageError("There is no '" + pairs.string() + "'; name the list of pairs with ,pairs=FILE.");
    }
    Dataset dataset;
    dataset.format = "lfw";
    LfwReader(dataset, folder).read(pairs);
    return dataset;
}

}  // namespace fovea
