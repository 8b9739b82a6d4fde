#include "lib/files/file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/cascade/cascade_checkpoint.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/face_net/face_net_checkpoint.hpp"
#include "lib/train/face_net/face_net_config.hpp"
#include "lib/train/samples/vec_file.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

/// A checkpoint with other settings and data. Text that is no JSON stays as it is.
std::string with_settings(std::string_view input, const Json& settings, const Json& data) {
    try {
        Json json = parse_json(input);
        if (!json.is_object()) return std::string(input);
        json["settings"] = settings;
        json["data"] = data;
        return json.dump();
    } catch (const Json::exception&) {
        return std::string(input);
    }
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
    const CascadeTrainConfig config = load_cascade_config(write_input("cascade.json", input));
    must([&] { return json_of(config).dump(); });
    validate_cascade_config(config);
}

/// A checkpoint of a training of windows of 8x8 pixels. It gets the settings and the data of the training, so
/// that the reader comes to what lies behind them.
void read_cascade_checkpoint_target(std::string_view input) {
    CascadeTrainConfig config;
    config.width = config.height = 8;
    config.features = FeatureChoice::lbp;
    config.positives = {"vec:a"};
    config.backgrounds = {"folder:b"};
    const Json data = Json::object();
    const std::string text = with_settings(input, settings_without_paths(config), data);
    const auto file = work_folder() / "cascade.checkpoint";
    write_checkpoint(file, text);
    const CascadeCheckpoint checkpoint = read_cascade_checkpoint(file, config, features_of(config), data);
    must([&] { write_cascade_checkpoint(work_folder() / "copy.checkpoint", config, data, checkpoint); });
}

void read_face_net_config_target(std::string_view input) {
    const FaceNetTrainConfig config = load_face_net_config(write_input("net.json", input));
    must([&] { return json_of(config).dump(); });
    validate_face_net_config(config);
}

/// A checkpoint of a small network, with the settings and the data of its training.
void read_face_net_checkpoint_target(std::string_view input) {
    FaceNetTrainConfig config;
    config.photographs.push_back({"folder:a"});
    const Json data = Json::array();
    const auto file = work_folder() / "net.checkpoint";
    write_checkpoint(file, with_settings(input, settings_without_paths(config), data));
    const FaceNetState checkpoint = read_face_net_checkpoint(file, config, data);
    must([&] {
        const auto copy = work_folder() / "copy.checkpoint";
        write_face_net_checkpoint(copy, config, data, checkpoint);
        const FaceNetState again = read_face_net_checkpoint(copy, config, data);
        require(again.parameters == checkpoint.parameters && again.step == checkpoint.step,
                "a written checkpoint reads differently");
    });
}

}  // namespace fovea::fuzz
