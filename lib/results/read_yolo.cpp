#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

namespace fs = std::filesystem;

constexpr const char* expected_line = "a detection, \"class cx cy w h [score]\" in shares of the image";

std::vector<fs::path> text_files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    for (fs::path& file : entries_below(folder)) {
        if (file.extension() == ".txt" && is_file(file)) files.push_back(std::move(file));
    }
    return files;
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
        ++images_;
        const TextFile file = TextFile::read(path);
        const std::size_t number = collector_.number_of(name);
        std::optional<ImageSize> size;
        file.for_each_content_line([&](const TextLine& line) {
            std::array<double, 6> values{};
            const std::optional<std::size_t> count = parse_numbers(line.text, values);
            if ((count != 5 && count != 6) || values[3] < 0 || values[4] < 0) file.fail(line, expected_line);
            if (!size) size = size_of(*sample->second);
            classes_.insert(values[0]);
            without_score_ += count == 5 ? 1 : 0;
            const double w = values[3] * size->width, h = values[4] * size->height;
            collector_.add(number, {values[1] * size->width - w / 2, values[2] * size->height - h / 2, w, h},
                           count == 5 ? 1 : values[5]);
        });
    }

    void finish(const std::string& folder) {
        if (images_ == 0) {
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
    static ImageSize size_of(const Sample& sample) {
        if (sample.size) return *sample.size;
        try {
            return read_image_size(sample.path);
        } catch (const ImageError& error) {
            throw Error("YOLO results are shares of an image's size, and that of '" + excerpt(sample.image) +
                        "' is not known: " + error.what() + ".");
        }
    }

    KnownImages& known_;
    ResultsCollector& collector_;
    std::map<std::string, const Sample*> samples_;
    std::size_t images_ = 0, strangers_ = 0, without_score_ = 0;
    std::string example_;
    std::set<double> classes_;
};

}  // namespace

bool is_yolo_folder(const std::string& folder) {
    return !files_of(folder, [](const std::string& name) { return name.ends_with(".txt"); }).empty();
}

void read_yolo(const std::string& folder, KnownImages& known, ResultsCollector& collector) {
    if (!is_folder(folder))
        throw UsageError("'" + folder + "' is not a folder; YOLO results are a folder of text files.");
    if (known.dataset() == nullptr) {
        throw UsageError("The YOLO results in '" + folder +
                         "' are shares of images' sizes; name their dataset.");
    }
    const std::vector<fs::path> files = text_files_below(folder);
    if (files.empty()) throw UsageError("The folder '" + folder + "' holds no text file of YOLO results.");
    YoloReader reader(known, collector);
    for (const fs::path& file : files) {
        reader.read(file, file.lexically_relative(folder).replace_extension().generic_string());
    }
    reader.finish(folder);
}

}  // namespace fovea::results_detail
