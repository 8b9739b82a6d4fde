#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t min_columns = 5;  // class cx cy w h
constexpr std::size_t max_columns = 7;
constexpr const char* expected_line =
    "a detection, \"class cx cy w h [score [track]]\" in shares of the image";

/// The sixth column of a folder's lines.
enum class SixthColumn {
    score,
    track,  ///< as trackers write that save no scores
};

/// A line; what its columns mean shows when all files are read.
struct YoloLine {
    std::array<double, max_columns> values{};
    std::size_t columns = 0;
};

std::optional<int> track_of(double value) {
    const std::optional<std::int64_t> number = whole_of(value);
    const bool is_track = number && *number >= 1 && *number <= std::numeric_limits<int>::max();
    return is_track ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

class YoloReader {
  public:
    YoloReader(KnownImages& known, ResultsCollector& collector) : known_(known), collector_(collector) {
        const std::vector<Sample>& samples = known.dataset()->samples;
        for (const Sample& sample : samples) samples_.emplace(sample.image, &sample);
    }

    /// \param stem the file's name below the folder, without extension
    void read(const fs::path& path, const std::string& stem) {
        const std::string name = known_.named(stem);
        const auto sample = samples_.find(name);
        if (sample == samples_.end()) {
            ++strangers_;
            if (example_.empty()) example_ = path.string();
            return;
        }
        const TextFile file = TextFile::read(path);
        FileLines& found = files_.emplace_back();
        found.image = collector_.number_of(name);
        std::set<int> tracks;
        file.for_each_content_line([&](const TextLine& text) {
            YoloLine line;
            line.columns = parse_numbers(text.text, line.values).value_or(0);
            const auto& values = line.values;
            if (line.columns < min_columns || values[3] < 0 || values[4] < 0) file.fail(text, expected_line);
            if (line.columns == max_columns) {
                if (!track_of(values[6])) file.fail(text, "the number of a track, 1 or more, seventh");
                has_seven_ = true;
            }
            if (line.columns == max_columns - 1) {
                const std::optional<int> track = track_of(values[5]);
                // A track has one box in a frame.
                may_be_tracks_ = may_be_tracks_ && track && tracks.insert(*track).second;
                has_six_ = true;
            }
            classes_.insert(values[0]);
            found.lines.push_back(line);
        });
        if (!found.lines.empty()) found.size = size_of_shares(sample->second->image, sample->second);
    }

    void finish(const std::string& folder) {
        if (files_.empty()) {
            throw Error("The YOLO results in '" + folder +
                        "' and the dataset have no image in common: the results name, for example, '" +
                        excerpt(example_) + "'.");
        }
        if (strangers_ > 0) {
            collector_.warn(
                counted(strangers_, "file") +
                " of YOLO results left out, as the dataset has no image of the name, for example '" +
                example_ + "'.");
        }
        const SixthColumn sixth =
            has_six_ && !has_seven_ && may_be_tracks_ ? SixthColumn::track : SixthColumn::score;
        for (const FileLines& file : files_) {
            for (const YoloLine& line : file.lines) add(file, line, sixth);
        }
        if (sixth == SixthColumn::track) {
            collector_.warn(
                "The sixth column in '" + folder +
                "' holds whole numbers from 1, none twice in a file: it is read as the track, not "
                "as a score.");
        }
        if (without_score_ > 0) {
            collector_.warn(counted(without_score_, "line") + " in '" + folder +
                            "' without a score (save_conf) count with the score 1.");
        }
        if (classes_.size() > 1) {
            collector_.warn("The results in '" + folder + "' are of " +
                            counted(classes_.size(), "class", "classes") + ", which are not told apart.");
        }
    }

  private:
    struct FileLines {
        std::size_t image = 0;
        ImageSize size;
        std::vector<YoloLine> lines;
    };

    void add(const FileLines& file, const YoloLine& line, SixthColumn sixth) {
        const auto& values = line.values;
        Detection detection;
        const double w = values[3] * file.size.width, h = values[4] * file.size.height;
        detection.box = {values[1] * file.size.width - w / 2, values[2] * file.size.height - h / 2, w, h};
        const bool has_score = line.columns > min_columns && sixth == SixthColumn::score;
        detection.score = has_score ? values[5] : 1;
        without_score_ += has_score ? 0 : 1;
        if (line.columns == max_columns) detection.details.edit().track = track_of(values[6]);
        if (line.columns > min_columns && sixth == SixthColumn::track)
            detection.details.edit().track = track_of(values[5]);
        collector_.add(file.image, std::move(detection));
    }

    KnownImages& known_;
    ResultsCollector& collector_;
    std::map<std::string, const Sample*> samples_;
    std::vector<FileLines> files_;
    bool has_six_ = false, has_seven_ = false, may_be_tracks_ = true;
    std::size_t strangers_ = 0, without_score_ = 0;
    std::string example_;
    std::set<double> classes_;
};

}  // namespace

ImageSize size_of_shares(const std::string& image, const Sample* sample) {
    if (sample != nullptr && sample->size) return *sample->size;
    std::string why = "name the dataset";
    try {
        if (sample != nullptr) return read_image_size(sample->path);
    } catch (const ImageError& error) {
        why = error.what();
    }
    throw Error("YOLO results are shares of an image's size, and that of '" + excerpt(image) +
                "' is not known: " + why + ".");
}

/// Text files lie in the folder itself, as those of WIDER FACE do not.
Certainty recognise_yolo(const ResultsSource& source) {
    return certain_if(source.is_folder() && !files_ending(source.path(), ".txt").empty());
}

/// A folder with NAME.txt of each image, also below it.
void read_yolo(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    const std::string& folder = source.path();
    collector.expect_detections_only();
    if (!source.is_folder())
        throw UsageError("'" + folder + "' is not a folder; YOLO results are a folder of text files.");
    if (known.dataset() == nullptr) {
        throw UsageError("The YOLO results in '" + folder +
                         "' are shares of images' sizes; name their dataset.");
    }
    const std::vector<fs::path> files = files_below_ending(folder, ".txt");
    if (files.empty()) throw UsageError("The folder '" + folder + "' holds no text file of YOLO results.");
    YoloReader reader(known, collector);
    for (const fs::path& file : files) {
        reader.read(file, file.lexically_relative(folder).replace_extension().generic_string());
    }
    reader.finish(folder);
}

}  // namespace fovea::results_detail
