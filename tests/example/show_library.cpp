// Prints the library's version, whether the models that ship are found, and what the library has to say.

#include <cstdio>
#include <string>
#include <string_view>

#include <fovea/detect.hpp>
#include <fovea/library.hpp>

int main() {
    std::printf("version %s\n", fovea::api::version().c_str());
    fovea::api::add_model_folder(MODELS);
    for (const std::string& name : fovea::api::model_names()) {
        if (name == "wild" || name == "mct") std::printf("model %s\n", name.c_str());
    }
    std::printf("file %s\n", fovea::api::find_model("wild").c_str());
    fovea::api::set_log(
        [](fovea::api::LogLevel, std::string_view message) {
            std::printf("log %.*s\n", static_cast<int>(message.size()), message.data());
        },
        fovea::api::LogLevel::debug);
    fovea::api::Detector({.device = "cpu"});
}
