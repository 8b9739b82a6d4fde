#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/results/readers.hpp"

// MOTChallenge's results: a file a sequence, lines "frame,id,left,top,w,h,conf,x,y,z", frames from 1.

namespace fovea::results_detail {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t min_mot_columns = 6;
constexpr std::size_t max_mot_columns = 10;

/// The numbers that say something: all but x, y, z.
struct MotNumbers {
    std::array<double, 7> values{};
    std::size_t count = 0;
};

/// Nothing if the line is something else than columns between commas or blanks, the first seven of them
/// numbers.
std::optional<MotNumbers> mot_numbers(std::string_view line) {
    MotNumbers numbers;
    const std::vector<std::string_view> columns = split_columns(line);
    if (columns.size() > max_mot_columns) return std::nullopt;
    for (; numbers.count < std::min(columns.size(), numbers.values.size()); ++numbers.count) {
        const std::optional<double> number = spelled_number(columns[numbers.count]);
        if (!number) return std::nullopt;
        numbers.values[numbers.count] = *number;
    }
    return numbers;
}

bool is_whole_up_to(double number, double least, double most) {
    return number == std::floor(number) && number >= least && number <= most;
}

/// A detection of a line, and its frame from 0.
struct MotDetection {
    std::int64_t frame = 0;
    Detection detection;
};

MotDetection read_mot_detection(const TextFile& file, const TextLine& line) {
    const std::optional<MotNumbers> numbers = mot_numbers(line.text);
    if (!numbers || numbers->count < min_mot_columns) {
        file.fail(line,
                  "6 to 10 numbers, \"frame,id,left,top,width,height[,confidence[,x,y,z]]\", as MOTChallenge "
                  "has them");
    }
    const auto& value = numbers->values;
    constexpr double most = std::numeric_limits<int>::max();
    if (!is_whole_up_to(value[0], 1, most)) file.fail(line, "the number of a frame, 1 or more, first");
    if (!is_whole_up_to(value[1], 0, most))
        file.fail(
            line,
            "the number of a track, 0 or more, second; detections without tracks cannot be judged as tracks");
    // Filters of trackers make widths and heights below 0; TrackEval takes them for boxes that nothing hits.
    MotDetection read;
    read.frame = static_cast<std::int64_t>(value[0]) - 1;
    read.detection.box = {value[2], value[3], value[4], value[5]};
    read.detection.score = numbers->count > 6 ? value[6] : 1;
    read.detection.details.edit().track = static_cast<int>(value[1]);
    return read;
}

/// The images of a sequence by their frames.
using ImagesOfFrames = std::unordered_map<std::int64_t, const std::string*>;

ImagesOfFrames images_of(const Dataset& dataset, const VideoSequence& sequence) {
    ImagesOfFrames images;
    for (std::size_t i = 0; i < sequence.samples.size(); ++i)
        images.emplace(sequence.frames[i], &dataset.samples[sequence.samples[i]].image);
    return images;
}

void read_mot_lines(const TextFile& file, const Dataset& dataset, const VideoSequence& sequence,
                    ResultsCollector& collector) {
    const ImagesOfFrames images = images_of(dataset, sequence);
    std::size_t elsewhere = 0;
    std::int64_t first_elsewhere = 0;
    std::int64_t frame = -1;
    std::size_t number = 0;
    file.for_each_content_line([&](const TextLine& line) {
        MotDetection read = read_mot_detection(file, line);
        const auto image = images.find(read.frame);
        if (image == images.end()) {
            if (elsewhere++ == 0) first_elsewhere = read.frame + 1;
            return;
        }
        if (read.frame != frame) number = collector.number_of(*image->second);
        frame = read.frame;
        collector.add(number, std::move(read.detection));
    });
    if (elsewhere > 0) {
        collector.warn(file.name() + ": " + counted(elsewhere, "box lies", "boxes lie") +
                       " in frames that '" + sequence.name +
                       "' does not have in the dataset, first in frame " + std::to_string(first_elsewhere) +
                       "; left out.");
    }
}

std::string names_of(const std::vector<VideoSequence>& sequences) {
    std::string names;
    for (std::size_t i = 0; i < sequences.size() && i < 5; ++i)
        names += (i == 0 ? "'" : ", '") + sequences[i].name + "'";
    return names + (sequences.size() > 5 ? ", …" : "");
}

/// The file of a sequence: NAME.txt, or data/NAME.txt as TrackEval has it. Nothing if there is none.
std::optional<fs::path> file_of(const fs::path& folder, const VideoSequence& sequence) {
    for (const fs::path& place : {folder, folder / "data"}) {
        const fs::path file = place / (sequence.name + ".txt");
        if (is_file(file)) return file;
    }
    return std::nullopt;
}

void read_mot_folder(const fs::path& folder, const Dataset& dataset,
                     const std::vector<VideoSequence>& sequences, ResultsCollector& collector) {
    std::size_t missing = 0;
    std::string first_missing;
    for (const VideoSequence& sequence : sequences) {
        const std::optional<fs::path> file = file_of(folder, sequence);
        if (file) {
            read_mot_lines(TextFile(file->string(), read_results_file(file->string())), dataset, sequence,
                           collector);
        } else if (missing++ == 0) {
            first_missing = sequence.name;
        }
    }
    if (missing == sequences.size()) {
        throw UsageError("The folder '" + folder.string() +
                         "' holds no results of the dataset's sequences, " + names_of(sequences) +
                         ": expected '" + first_missing + ".txt'.");
    }
    if (missing > 0) {
        collector.warn(folder.string() + ": " + counted(missing, "sequence has", "sequences have") +
                       " no file, so nothing counts as found there; first missing: '" + first_missing +
                       ".txt'.");
    }
}

const VideoSequence& sequence_of_file(const std::string& file, const std::vector<VideoSequence>& sequences) {
    if (sequences.size() == 1) return sequences.front();
    const std::string stem = fs::path(file).stem().string();
    for (const VideoSequence& sequence : sequences) {
        if (sequence.name == stem) return sequence;
    }
    throw UsageError("The results '" + file + "' are of one sequence, but the dataset has several, " +
                     names_of(sequences) +
                     "; name the file as its sequence, or give a folder with a file for each.");
}

const std::vector<VideoSequence>& known_sequences(const std::string& path, KnownImages& known) {
    if (known.dataset() == nullptr) {
        throw UsageError("The results '" + path +
                         "' number the frames of a video, whose names only a dataset tells; name that, too.");
    }
    if (known.sequences().empty())
        throw UsageError("The dataset '" + known.dataset()->name + "' has no image.");
    return known.sequences();
}

}  // namespace

/// The first line has seven numbers or more between commas.
Certainty recognise_mot(const ResultsSource& source) {
    constexpr std::size_t columns_of_mot = 7;  // fewer could be something else
    const std::string_view begin = source.begin();
    const std::string_view line = trim(begin.substr(0, begin.find('\n')));
    if (line.find(',') == std::string_view::npos) return Certainty::none;
    const std::optional<MotNumbers> numbers = mot_numbers(line);
    return certain_if(numbers && numbers->count >= columns_of_mot);
}

/// MOTChallenge's results, lines "frame,id,left,top,w,h,conf,x,y,z" with frames from 1: the file of a
/// sequence, or a folder with SEQUENCE.txt of each sequence of the dataset (video_sequences), which
/// must be given. Detection::score is conf, or 1 where there are only six columns.
void read_mot(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    collector.expect_detections_only();
    if (source.is_folder()) {
        const std::vector<VideoSequence>& sequences = known_sequences(source.path(), known);
        read_mot_folder(source.path(), *known.dataset(), sequences, collector);
        return;
    }
    const TextFile file(source.path(), source.take_bytes());
    const std::vector<VideoSequence>& sequences = known_sequences(source.path(), known);
    read_mot_lines(file, *known.dataset(), sequence_of_file(source.path(), sequences), collector);
}

}  // namespace fovea::results_detail
