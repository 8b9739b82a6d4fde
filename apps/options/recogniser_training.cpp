#include "apps/options/recogniser_training.hpp"

#include <CLI/CLI.hpp>

#include "apps/options/max_unreadable.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace {

LoadedFaceFinder load_finder(const RecogniserTrainingFlags& flags, const DetectionDevice& device) {
    FaceFinderConfig config;
    apply(flags.finder, config);
    return {config, device};
}

Dataset read_images(const RecogniserTrainingFlags& flags) {
    DatasetConfig config;
    config.path = *flags.dataset;
    apply(flags.images, config);
    return read_configured_dataset(config);
}

}  // namespace

void add_recogniser_training_flags(CLI::App& app, RecogniserTrainingFlags& flags,
                                   const RecogniserTrainingHelp& help) {
    app.add_option("--dataset", flags.dataset, help.dataset)->type_name("DATASET")->group("Images");
    add_dataset_flags(app, flags.images);
    app.add_option("--recogniser", flags.recogniser, help.recogniser)
        ->type_name("RECOGNISER")
        ->capture_default_str()
        ->group("Training");
    add_face_finder_flags(app, flags.finder);
    app.add_option("--out,-o", flags.out, help.out)->type_name("FILE")->group("Output");
    add_overwrite_flag(app, flags.overwrite, "a file");
    add_device_flag(app, flags.device);
    add_threads_flag(app, flags.threads);
}

void prepare_training_output(const RecogniserTrainingFlags& flags, const std::string& what,
                             Console& console) {
    if (flags.out == "-") {
        console.reserve_stdout(what);
        return;
    }
    prepare_output(flags.out, "--out");
    refuse_to_replace(flags.out, flags.overwrite);
}

RecogniserTrainingInputs::RecogniserTrainingInputs(const RecogniserTrainingFlags& flags,
                                                   const RecogniserConfig& config)
    : device(open_detection_device(flags.device.value_or("auto"))),
      recogniser(config, device),
      finder(load_finder(flags, device)),
      dataset(read_images(flags)) {
    files.add(find_recogniser(flags.recogniser));
    finder.add_inputs(files);
    add_inputs(dataset, files);
    files.refuse(flags.out);
}

RecognitionResult faces_of_training(const DescribedImages& described, const RecogniserTrainingFlags& flags,
                                    const Dataset& dataset) {
    RecognitionResult faces;
    faces.images = described.images;
    faces.faces = described.faces;
    faces.fallbacks = described.fallbacks;
    faces.interrupted = described.interrupted;
    for (const FaceFailure& failure : described.failures) {
        faces.failures.push_back(
            {*flags.dataset, dataset.samples[failure.sample].image, failure.reason, failure.unreadable});
    }
    return faces;
}

ExitCode exit_code_of_training(const RecognitionResult& faces) {
    return exit_code_of_job(faces.interrupted, faces.pages_left_out, faces.failures.size(), std::nullopt);
}

}  // namespace fovea
