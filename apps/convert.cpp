#include "lib/dataset/convert.hpp"

#include <iostream>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/image/decode.hpp"
#include "lib/pipeline/detection_job.hpp"
#include "lib/pipeline/manifest.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea convert mit-cmu:DIR --to coco --out mit-cmu.json
  fovea convert dlib:faces/training.xml --to fovea --out - | jq '.images | length'

What the chosen format cannot hold is told as a warning.)";

struct ConvertFlags {
    std::string dataset;
    std::string to = "fovea";
    std::string out = "-";
    DatasetFlags images;
};

ExitCode convert(const ConvertFlags& flags, Console& console) {
    const bool to_stdout = flags.out == "-";
    if (to_stdout && console.json()) {
        throw UsageError("--json and the dataset cannot both go to standard output; name a file with --out");
    }
    if (to_stdout) console.reserve_stdout();
    DatasetConfig config;
    config.path = flags.dataset;
    apply(flags.images, config);
    const Dataset dataset = read_configured_dataset(config);

    std::vector<std::string> losses;
    // COCO wants every image's size, which only the image itself tells.
    const ImageSizeLookup size_of = [](const Sample& sample) -> std::optional<ImageSize> {
        try {
            const GreyImage image = read_grey_image(sample.path);
            return ImageSize{image.width, image.height};
        } catch (const ImageError& error) {
            spdlog::warn("{} cannot be read: {}", sample.image, error.what());
            return std::nullopt;
        }
    };
    const Json converted =
        flags.to == "coco" ? dataset_to_coco_json(dataset, losses, size_of) : dataset_to_fovea_json(dataset);
    for (const std::string& loss : losses) spdlog::warn("{}", loss);
    if (to_stdout) {
        std::cout << converted.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    } else {
        write_json_file(flags.out, converted);
    }
    console.print_summary(fmt::format("{}, {}{}\n", count_of(dataset.samples.size(), "image", "images"),
                                      count_of(dataset.face_count(), "face", "faces"),
                                      to_stdout ? "" : " written to " + flags.out));
    console.print_json({{"command", "convert"},
                        {"exit_code", 0},
                        {"output", flags.out},
                        {"format", flags.to},
                        {"images", dataset.samples.size()},
                        {"faces", dataset.face_count()},
                        {"losses", losses}});
    return ExitCode::done;
}

}  // namespace

Command add_convert_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("convert", "Convert a dataset's list and ground truth to JSON");
    auto flags = std::make_shared<ConvertFlags>();
    app->footer(footer);
    app->add_option("DATASET", flags->dataset, "Dataset, FORMAT:PATH or a path")->type_name("")->required();
    app->add_option("--to", flags->to, "Format to write")
        ->check(CLI::IsMember({"fovea", "coco"}))
        ->type_name("FORMAT")
        ->capture_default_str()
        ->group("Output");
    app->add_option("--out,-o", flags->out, "File to write; '-' is standard output (default)")
        ->type_name("FILE")
        ->group("Output");
    add_dataset_flags(*app, flags->images);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return convert(*flags, console); }};
}

}  // namespace fovea
