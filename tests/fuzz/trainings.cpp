#include "lib/files/file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/cascade/cascade_checkpoint.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/config_file.hpp"
#include "lib/train/face_net/face_net_config.hpp"
#include "lib/train/samples/vec_file.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

/// The job of a training that goes on from the file.
TrainingJob resumed_job(const char* file) {
    TrainingJob job;
    job.checkpoint = work_folder() / file;
    job.resume = true;
    return job;
}

/// Writes a checkpoint that gets the kind, the settings and the data of a training, so that the reader comes
/// to what lies behind them. Text that is no JSON stays as it is.
void write_checkpoint_for(const TrainingJob& job, std::string_view input, const char* kind,
                          const Json& settings, const Json& data) {
    std::string text(input);
    try {
        Json json = parse_json(input);
        if (json.is_object()) {
            json["kind"] = kind;
            json["settings"] = settings;
            json["data"] = data;
            text = compact_text(json);
        }
    } catch (const Json::exception&) {
    }
    write_checkpoint(job.checkpoint, text);
}

}  // namespace

/// A .vec file of samples of 3x2 pixels: what is read is written again and reads the same.
void read_vec_target(std::string_view input) {
    const auto file = write_input("samples.vec", input);
    constexpr std::size_t few = 2;
    if_readable([&] { return read_vec(file, {3, 2}, {few, few}); });
    const WindowSamples samples = read_vec(file, {3, 2});
    const auto copy = work_folder() / "copy.vec";
    must([&] {
        write_vec(copy, samples);
        require(read_vec(copy, {3, 2}).pixels == samples.pixels, "samples change as they are written");
        require(read_file(copy).size() == input.size(), "a written file of samples has another size");
    });
}

void read_cascade_config_target(std::string_view input) {
    const CascadeTrainConfig config =
        load_training_config<CascadeTrainConfig>(write_input("cascade.json", input));
    must([&] { return json_of(config).dump(); });
    validate_cascade_config(config);
}

/// A checkpoint of a training of windows of 8x8 pixels.
void read_cascade_checkpoint_target(std::string_view input) {
    CascadeTrainConfig config;
    config.width = config.height = 8;
    config.features = FeatureChoice::lbp;
    config.positives = {"vec:a"};
    config.backgrounds = {"folder:b"};
    const WindowFeatures pool = features_of(config);
    const TrainingJob job = resumed_job("cascade.checkpoint");
    const Checkpoint checkpoint(job, "cascade", settings_without_paths(config), Json::object());
    write_checkpoint_for(job, input, "cascade", settings_without_paths(config), Json::object());
    CascadeTrainingState state;
    checkpoint.resume(fields_of_state(state, config, pool));
    must([&] { checkpoint.write(fields_of_state(state, config, pool)); });
}

void read_face_net_config_target(std::string_view input) {
    const FaceNetTrainConfig config =
        load_training_config<FaceNetTrainConfig>(write_input("net.json", input));
    must([&] { return json_of(config).dump(); });
    validate_face_net_config(config);
}

/// A checkpoint of a small network, with the settings and the data of its training.
void read_face_net_checkpoint_target(std::string_view input) {
    FaceNetTrainConfig config;
    config.photographs.push_back({"folder:a"});
    const TrainingJob job = resumed_job("net.checkpoint");
    const Checkpoint checkpoint(job, "net", settings_without_paths(config), Json::array());
    write_checkpoint_for(job, input, "net", settings_without_paths(config), Json::array());
    FaceNetState state;
    checkpoint.resume(fields_of(state));
    must([&] {
        checkpoint.write(fields_of(state));
        FaceNetState again;
        checkpoint.resume(fields_of(again));
        require(again.parameters == state.parameters && again.step == state.step,
                "a written checkpoint reads differently");
    });
}

}  // namespace fovea::fuzz
