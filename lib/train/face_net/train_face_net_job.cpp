#include "lib/train/face_net/train_face_net_job.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/face_net/crop_drawer.hpp"
#include "lib/train/face_net/face_net_report.hpp"
#include "lib/train/face_net/quantise_face_net.hpp"
#include "lib/train/face_net/read_photographs.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {
namespace {

constexpr std::uint8_t face_level = 255, ignored_level = 128;

void draw_frame(const Box& box, int side, std::uint8_t level, std::uint8_t* pixels) {
    const int left = static_cast<int>(std::floor(box.x)), right = static_cast<int>(std::ceil(box.x + box.w));
    const int top = static_cast<int>(std::floor(box.y)), bottom = static_cast<int>(std::ceil(box.y + box.h));
    const auto set = [&](int x, int y) {
        if (x >= 0 && y >= 0 && x < side && y < side) pixels[std::ptrdiff_t{y} * side + x] = level;
    };
    for (int x = std::max(left, 0); x <= std::min(right, side - 1); ++x) {
        set(x, top);
        set(x, bottom);
    }
    for (int y = std::max(top, 0); y <= std::min(bottom, side - 1); ++y) {
        set(left, y);
        set(right, y);
    }
}

// The first crops of a training as grey pictures, with white frames about the faces and grey ones about what
// is ignored. \param count at least 1
WindowSamples shown_crops(const CropDrawer& drawer, std::size_t side, std::size_t count) {
    const int edge = static_cast<int>(side);
    WindowSamples samples;
    samples.window = {edge, edge};
    samples.sources = {"crops"};
    std::vector<float> pixels(side * side);
    for (std::size_t i = 0; i < count; ++i) {
        const CropTruth truth = drawer.draw(0, i, pixels.data());
        std::vector<std::uint8_t> levels = grey_levels(pixels);
        for (const Box& box : truth.ignored) draw_frame(box, edge, ignored_level, levels.data());
        for (const Box& box : truth.faces) draw_frame(box, edge, face_level, levels.data());
        samples.add(levels, 0);
    }
    return samples;
}

constexpr std::size_t crops_in_report = 64;
// Models and reports list the losses of each round.
constexpr std::size_t min_round_steps = 100, max_rounds = 400;

/// Checkpoints take at most this share of a training's time: a GPU may take a round in less time than one.
constexpr double checkpoint_share = 0.02;

std::string name_of_gpu(int index) {
    for (const CudaDeviceInfo& gpu : cuda_devices()) {
        if (gpu.index == index) return gpu.name;
    }
    return "cuda";
}

FaceNetTrainResult train_in_arena(const FaceNetTrainJob& job, const JobHooks& hooks) {
    FaceNetTrainResult result;
    Stopwatch watch = begin_timed(hooks, "reading");
    ReadPhotographs photographs = read_photographs(job.config, job.threads, hooks.counter("images"));
    check_training_outputs(job, photographs.inputs);
    result.data = photographs.manifest;
    result.unreadable = std::move(photographs.unreadable);
    result.images = photographs.images;
    result.load_seconds = watch.seconds();

    watch = begin_timed(hooks, "training");
    const Checkpoint checkpoint(job, "net", settings_without_paths(job.config), result.data);
    FaceNetState begun;
    if (checkpoint.resume(fields_of(begun))) checkpoint.tell_resumed(counted(begun.step, "step"));
    Stopwatch since_saved;
    double wait_seconds = 0;
    const auto save = [&](FaceNetState now) {
        if (now.step < job.config.training.steps && since_saved.seconds() < wait_seconds) return;
        wait_seconds = host_seconds([&] { checkpoint.write(fields_of(now)); }) / checkpoint_share;
        since_saved = {};
    };
    const std::size_t round_steps = std::max(min_round_steps, job.config.training.steps / max_rounds);
    const FaceNetState state = train_face_net(job.config.training, photographs.sources, std::move(begun),
                                              job.device, hooks, save, round_steps);
    result.train_seconds = watch.seconds();
    result.losses = state.losses;

    result.model.name = job.config.name;
    const FaceNetSettings& settings = job.config.training;
    result.model.net = quantised(make_net_plan(settings.width, settings.crops.side), state,
                                 photographs.sources, settings.crops, settings.seed);
    if (!job.config.kept.empty()) {
        hooks.begin_stage("judging");
        result.judgements =
            judge_face_net(result.model, job.config.kept, job.threads, hooks.counter("images"));
    }
    hooks.begin_stage("writing");
    Json losses = Json::array();
    for (const FaceNetProgress& progress : result.losses) losses.push_back(json_of(progress));
    result.model.training = {
        {"settings", settings_without_paths(job.config)}, {"data", result.data}, {"losses", losses}};
    if (job.device.is_cuda()) result.model.training["device"] = name_of_gpu(job.device.gpus[0]);
    for (const FaceNetJudgement& judgement : result.judgements)
        result.model.training["kept"].push_back(face_net_judgement_to_json(judgement));
    write_face_net_model(result.model, job.out);
    finish_training(job, [&] {
        CropDrawer drawer(photographs.sources, settings.crops, settings.seed);
        drawer.show_often(state.hard_negatives, settings.mining.share);
        result.crops = shown_crops(drawer, settings.crops.side, crops_in_report);
        report::write_face_net_report({job.report, photographs.inputs}, result);
    });
    return result;
}

}  // namespace

FaceNetTrainResult train_face_net_model(const FaceNetTrainJob& job, const JobHooks& hooks) {
    validate_face_net_config(job.config);
    return run_training_job(job, [&] { return train_in_arena(job, hooks); });
}

}  // namespace fovea
