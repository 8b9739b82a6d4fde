#include "lib/results/results.hpp"

#include <array>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/landmark_results.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/read_scores.hpp"
#include "lib/video/video_source.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

template <class Read>
void try_to(const Read& read) {
    try {
        read();
    } catch (const Error&) {
        // The other readers are tried all the same.
    }
}

}  // namespace

/// Results and a list of images in COCO's JSON, which its results may need. All formats are tried: which one
/// it is, the fuzzer need not find out.
void read_results_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    const std::string file = write_input("results.txt", parts[0]).string();
    const std::string images = write_input("images.json", parts[1]).string();
    write_input("results/event/image.txt", parts[0]);
    for (const std::string& specification :
         {std::string(file), "jsonl:" + file, "coco:" + file, "coco:" + file + ",images=" + images,
          "text:" + file, "csv:" + file, "fddb:" + file, "voc:" + file, "face-eval:" + file,
          "wider:" + (work_folder() / "results").string()}) {
        try_to([&] {
            for (const ImageResult& image : read_results(specification).images) to_json_line(image);
        });
    }
    // Frames of a video are named by the dataset alone. Its tracks are judged against those read.
    Dataset video;
    for (int frame = 0; frame < 4; ++frame) {
        Sample& sample = video.samples.emplace_back();
        sample.image = frame_name("clip.mp4", frame);
        sample.annotated = true;
        sample.faces.emplace_back().box = {10.0 * frame, 10, 20, 20};
    }
    try_to([&] {
        TrackEvaluationOptions options;
        options.bootstrap_resamples = 2;
        track_evaluation_to_json(evaluate_tracks(video, read_results("mot:" + file, video), options, "fuzz"));
    });
    write_input("yolo/image.txt", parts[0]);
    Dataset one;
    one.samples.emplace_back().image = "image.jpg";
    one.samples.front().size = ImageSize{64, 48};
    try_to([&] { read_results("yolo:" + (work_folder() / "yolo").string(), one); });
    write_input("points/image.pts", parts[0]);
    try_to([] { read_landmark_results("pts:" + (work_folder() / "points").string()); });
}

void read_scores_target(std::string_view input) {
    const std::string file = write_input("scores.txt", input).string();
    try_to([&] { read_scores(file); });
    try_to([&] { read_scored_pairs(file); });
    try_to([&] { read_subjects(file); });
}

}  // namespace fovea::fuzz
