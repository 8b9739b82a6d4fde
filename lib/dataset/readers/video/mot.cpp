#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/video/frame_truth.hpp"
#include "lib/dataset/readers/video/video_readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

const fs::path truth_in_sequence = fs::path("gt") / "gt.txt";

struct TrackSequence {
    fs::path truth;
    std::optional<fs::path> folder;  ///< the sequence's own; nothing: the file stands alone
    std::string prefix;              ///< of the names of its images
};

/// The facts of a seqinfo.ini.
struct SequenceInfo {
    std::string image_folder = "img1";
    std::string extension;  ///< ".jpg"
    std::optional<std::size_t> frames;
    int width = 0;
    int height = 0;
};

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

std::optional<int> whole_number(std::string_view text, int least, int most) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
        return std::nullopt;
    return number;
}

int positive_number(const TextFile& file, const TextLine& line, std::string_view value, int most) {
    const std::optional<int> number = whole_number(value, 1, most);
    if (!number) file.fail(line, "a whole number from 1 to " + std::to_string(most));
    return *number;
}

void read_info_line(const TextFile& file, const TextLine& line, SequenceInfo& info) {
    constexpr int max_side = 1'000'000;
    if (line.text.front() == '[' || line.text.front() == ';') return;
    const std::size_t equals = line.text.find('=');
    if (equals == std::string_view::npos) file.fail(line, "a key and its value, e.g. \"seqLength=600\"");
    const std::string key = lower_case(trim(line.text.substr(0, equals)));
    const std::string_view value = trim(line.text.substr(equals + 1));
    if (key == "imdir") info.image_folder = value;
    if (key == "imext") info.extension = value;
    if (key == "seqlength")
        info.frames = static_cast<std::size_t>(positive_number(file, line, value, max_tracked_frames));
    if (key == "imwidth") info.width = positive_number(file, line, value, max_side);
    if (key == "imheight") info.height = positive_number(file, line, value, max_side);
}

/// That of the images that are there.
std::string extension_in(const fs::path& folder) {
    const std::vector<fs::path> images = files_of(
        folder, [](const std::string& name) { return is_image_name(name) && !name.starts_with('.'); });
    return images.empty() ? ".jpg" : images.front().extension().string();
}

SequenceInfo read_sequence_info(const TrackSequence& sequence, std::vector<fs::path>& sources) {
    SequenceInfo info;
    if (!sequence.folder) return info;
    const fs::path path = *sequence.folder / "seqinfo.ini";
    if (is_file(path)) {
        const TextFile file = TextFile::read(path);
        file.for_each_content_line([&](const TextLine& line) { read_info_line(file, line, info); });
        sources.push_back(path);
    }
    if (info.extension.empty()) info.extension = extension_in(*sequence.folder / info.image_folder);
    return info;
}

/// "000001.jpg" for the first.
std::string image_name(std::size_t frame, const std::string& extension) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%06zu", frame + 1);
    return digits + extension;
}

struct TrackOptions {
    fs::path video;  ///< whose frames are annotated; empty: the sequence has images
    std::optional<int> category;
};

void add_sequence(Dataset& dataset, const TrackSequence& sequence, const TrackOptions& options) {
    const SequenceInfo info = read_sequence_info(sequence, dataset.sources);
    FramesOfFaces frames = read_track_file(sequence.truth, {info.frames, options.category});
    dataset.sources.push_back(sequence.truth);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        Sample& sample = dataset.samples.emplace_back();
        if (options.video.empty()) {
            const fs::path image = fs::path(info.image_folder) / image_name(i, info.extension);
            sample.path = *sequence.folder / image;
            sample.image = sequence.prefix + image.generic_string();
        } else {
            sample.path = options.video;
            sample.image = frame_name(options.video.filename().string(), static_cast<std::int64_t>(i));
        }
        if (info.width > 0 && info.height > 0) sample.size = ImageSize{info.width, info.height};
        sample.faces = std::move(frames[i]);
        sample.annotated = true;
    }
}

std::vector<TrackSequence> sequences_of(const fs::path& folder) {
    if (is_file(folder / truth_in_sequence)) return {{folder / truth_in_sequence, folder, ""}};
    std::vector<TrackSequence> sequences;
    for (const fs::path& entry : folders_of(folder)) {
        if (is_file(entry / truth_in_sequence))
            sequences.push_back({entry / truth_in_sequence, entry, entry.filename().string() + "/"});
    }
    return sequences;
}

/// A file at its usual place, SEQUENCE/gt/gt.txt, is that of the sequence.
TrackSequence sequence_of_file(const fs::path& file) {
    TrackSequence sequence{file, std::nullopt, ""};
    if (fs::absolute(file).lexically_normal().parent_path().filename() == "gt")
        sequence.folder = (folder_of(file) / "..").lexically_normal();
    return sequence;
}

/// A video that is not there is no error: evaluations need names, not images.
fs::path video_of(const DatasetSpecification& specification, Dataset& dataset) {
    const fs::path given = specification.option("video");
    if (given.empty()) return {};
    if (!is_video_name(given.filename().string())) {
        specification.fail("names the video '" + given.string() +
                           "', which does not end as the names of videos do, e.g. in .mp4.");
    }
    if (is_there(given)) return given;
    if (is_there(specification.folder() / given)) return specification.folder() / given;
    dataset.warnings.push_back("the video '" + given.string() +
                               "' is not there; its frames have names and annotation, but no images");
    return given;
}

TrackOptions options_of(const DatasetSpecification& specification, Dataset& dataset) {
    TrackOptions options{video_of(specification, dataset), std::nullopt};
    const std::string category = specification.option("class");
    if (category.empty()) return options;
    options.category = whole_number(category, 0, std::numeric_limits<int>::max());
    if (!options.category) specification.fail("has class=" + category + ", expected the number of a class.");
    return options;
}

std::vector<TrackSequence> sequences_of(const DatasetSpecification& specification) {
    if (specification.paths().size() > 1)
        specification.fail("names several paths; tracks are read from one folder or file.");
    const fs::path& path = specification.paths().front();
    if (!is_folder(path)) return {sequence_of_file(path)};
    std::vector<TrackSequence> sequences = sequences_of(path);
    if (sequences.empty())
        specification.fail(
            "is a folder without gt/gt.txt, and no folder in it has one; name a sequence of "
            "MOTChallenge, a folder of sequences or a file of tracks.");
    return sequences;
}

void require_names(const DatasetSpecification& specification, const std::vector<TrackSequence>& sequences,
                   const fs::path& video) {
    if (!video.empty() && sequences.size() > 1)
        specification.fail("has several sequences, but video= names the video of one; name that sequence.");
    const TrackSequence& first = sequences.front();
    if (video.empty() && (!first.folder || is_ltft_file(first.truth)))
        specification.fail("is a file of tracks alone; name the video that it annotates with ,video=FILE.");
}

}  // namespace

Dataset read_mot_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("mot", path, {"PATH", "video=FILE", "class=NUMBER"});
    Dataset dataset;
    dataset.format = "mot";
    const TrackOptions tracks = options_of(specification, dataset);
    const std::vector<TrackSequence> sequences = sequences_of(specification);
    require_names(specification, sequences, tracks.video);
    const bool is_file_alone = !is_folder(specification.paths().front());
    dataset.root = !tracks.video.empty() ? folder_of(tracks.video)
                   : is_file_alone       ? *sequences.front().folder
                                         : specification.folder();
    for (const TrackSequence& sequence : sequences) add_sequence(dataset, sequence, tracks);
    if (std::all_of(dataset.samples.begin(), dataset.samples.end(),
                    [](const Sample& sample) { return sample.faces.empty(); })) {
        dataset.warnings.push_back("no frame has a box of class " +
                                   std::to_string(tracks.category.value_or(1)) +
                                   "; class=NUMBER names another one");
    }
    expand_annotated_frames(dataset, options.frames);
    if (dataset.samples.empty()) throw_no_frame("mot:" + path);
    return dataset;
}

bool is_mot_folder(const fs::path& folder) {
    return is_folder(folder) && !sequences_of(folder).empty();
}

}  // namespace fovea
