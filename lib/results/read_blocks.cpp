#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/files/folder.hpp"
#include "lib/results/readers.hpp"

// FDDB's and WIDER FACE's files: per image its name, the number of detections, and those.

namespace fovea::results_detail {
namespace fs = std::filesystem;
namespace {

Detection read_box(const TextFile& file, const TextLine& line, const char* expected) {
    std::array<double, 5> numbers{};
    if (parse_numbers(line.text, numbers) != numbers.size()) file.fail(line, expected);
    if (numbers[2] < 0 || numbers[3] < 0) file.fail(line, "a width and height that are not negative");
    Detection detection;
    detection.box = {numbers[0], numbers[1], numbers[2], numbers[3]};
    detection.score = numbers[4];
    return detection;
}

Detection read_box_or_ellipse(const TextFile& file, const TextLine& line) {
    constexpr const char* expected =
        "a detection, \"x y width height score\", or \"major-radius minor-radius angle x y score\" of an "
        "ellipse, in finite numbers";
    std::array<double, 6> numbers{};
    if (parse_numbers(line.text, numbers) != numbers.size()) return read_box(file, line, expected);
    if (numbers[0] < 0 || numbers[1] < 0) file.fail(line, "radii that are not negative");
    Detection detection;
    detection.details.edit().ellipse = Ellipse{{numbers[3], numbers[4]}, numbers[0], numbers[1], numbers[2]};
    detection.box = bounding_box(*detection.details->ellipse);
    detection.score = numbers[5];
    return detection;
}

std::string place_of(const TextFile& file, const TextLine& line) {
    return file.name() + ":" + std::to_string(line.number);
}

/// The content of a file, or its error.
struct WiderFile {
    ImageResult result;  ///< its image as EVENT/NAME, with an extension where the file has one
    std::string place;
    std::exception_ptr error;
};

/// The image's name in the file and the file's own name say the same; the event is the folder's.
WiderFile read_wider_file(const fs::path& path) {
    const TextFile file = TextFile::read(path);
    const std::string stem = path.stem().string();
    const std::string event = path.parent_path().filename().string();
    WiderFile read;
    bool found = false;
    for_each_block(file, [&](const NameBlock& block) {
        const std::string given = fs::path(std::string(block.name.text)).filename().string();
        if (found || (image_stem(given) != stem && given != stem)) {
            file.fail(block.name, found ? "one image in a file"
                                        : "the image '" + excerpt(stem) + "', as the file is named for it");
        }
        found = true;
        read.result.image = event + "/" + (given == stem ? stem : given);
        read.result.detections.reserve(block.rows.size());
        for (const TextLine& row : block.rows) {
            read.result.detections.push_back(
                read_box(file, row, "a detection, \"x y width height score\", in finite numbers"));
        }
        read.place = place_of(file, block.name);
    });
    if (!found)
        throw Error(file.name() +
                    ": the file is empty: expected a name, the number of detections and those.");
    return read;
}

}  // namespace

Certainty recognise_fddb(const ResultsSource& source) {
    constexpr std::size_t of_box = 5, of_ellipse = 6;
    const std::string_view text = source.begin();
    return shaped_if(begins_with_block(text, of_box) || begins_with_block(text, of_ellipse));
}

/// The files of FDDB's evaluation: per image its name, n, and n lines "x y w h score", or "ra rb angle
/// x y score" for ellipses (radii, radians, centre; Detection::box is then the ellipse's bounding box),
/// as FDDB's evaluate takes them.
void read_fddb(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    const TextFile file(source.path(), source.take_bytes());
    for_each_block(file, [&](const NameBlock& block) {
        ImageResult result;
        result.image = known.named(block.name.text);
        result.detections.reserve(block.rows.size());
        for (const TextLine& row : block.rows) result.detections.push_back(read_box_or_ellipse(file, row));
        collector.add_record(std::move(result), place_of(file, block.name));
    });
}

Certainty recognise_wider(const ResultsSource& source) {
    return source.is_folder() ? Certainty::fallback : Certainty::none;
}

/// A folder with EVENT/IMAGE.txt: name, n, and n lines "x y w h score", as WIDER FACE's evaluation
/// takes them. The image is EVENT/ and the file's name, which the name in the file must agree with.
void read_wider(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    const std::string& folder = source.path();
    std::vector<fs::path> paths;
    for (const fs::path& event : folders_of(folder)) {
        for (fs::path& path : files_ending(event, ".txt")) paths.push_back(std::move(path));
    }
    if (paths.empty()) {
        throw UsageError("The folder '" + folder +
                         "' holds no results of WIDER FACE: no EVENT/IMAGE.txt, such as "
                         "0--Parade/0_Parade_marchingband_1_20.txt.");
    }
    std::vector<WiderFile> files(paths.size());
    tbb::parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
        try {
            files[i] = read_wider_file(paths[i]);
        } catch (...) {
            files[i].error = std::current_exception();
        }
    });
    for (WiderFile& file : files) {
        if (file.error) std::rethrow_exception(file.error);
        file.result.image = known.named(file.result.image);
        collector.add_record(std::move(file.result), file.place);
    }
}

}  // namespace fovea::results_detail
