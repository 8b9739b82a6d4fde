#pragma once

#include <optional>
#include <string>

#include "apps/options/common_options.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/files/input_files.hpp"
#include "lib/recognise/enrolment.hpp"
#include "lib/recognise/recogniser.hpp"
#include "lib/run/recognition/describe_dataset.hpp"
#include "lib/run/recognition/face_finder.hpp"
#include "lib/run/recognition/recognition_run.hpp"

namespace fovea {

/// The flags of all trainings on faces that a recogniser describes.
struct RecogniserTrainingFlags {
    std::optional<std::string> dataset;
    std::string recogniser = default_recogniser;
    std::string out;
    DatasetFlags images;
    FaceFinderFlags finder;
    std::optional<std::string> device;
    std::optional<int> threads;
    bool overwrite = false;
};

/// The help of the flags that trainings describe differently.
struct RecogniserTrainingHelp {
    std::string dataset, recogniser, out;
};

void add_recogniser_training_flags(CLI::App& app, RecogniserTrainingFlags& flags,
                                   const RecogniserTrainingHelp& help);

/// Makes the folder of --out. Call it before the work. \param what the training writes: "the weights".
/// \throws UsageError if the file may not be written, or --json and the file would both go to
/// standard output.
void prepare_training_output(const RecogniserTrainingFlags& flags, const std::string& what, Console& console);

/// The models and images of a training, loaded in the order of the members.
struct RecogniserTrainingInputs {
    /// Loads them. \throws as loading each of them; UsageError if --out is one of the files.
    RecogniserTrainingInputs(const RecogniserTrainingFlags& flags, const RecogniserConfig& config);

    const DetectionDevice device;
    const Recogniser recogniser;
    const LoadedFaceFinder finder;
    const Dataset dataset;
    InputFiles files;  ///< the files of all of them
};

/// The faces of a training, as a recognition reports them.
RecognitionResult faces_of_training(const DescribedImages& described, const RecogniserTrainingFlags& flags,
                                    const Dataset& dataset);

/// The exit code of a training: inputs_skipped if images gave no face.
ExitCode exit_code_of_training(const RecognitionResult& faces);

}  // namespace fovea
