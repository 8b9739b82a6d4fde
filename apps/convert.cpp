#include "lib/dataset/convert.hpp"

#include <iostream>
#include <map>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/common_options.hpp"
#include "apps/interrupt.hpp"
#include "apps/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/pipeline/manifest.hpp"
#include "lib/pipeline/output_guard.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  fovea convert mit-cmu:DIR --to coco --out mit-cmu.json
  fovea convert dlib:faces/training.xml --to fovea --out - | jq '.images | length'

What the chosen format cannot hold is told as a warning. COCO wants the images' sizes: exit code 3 if one could not
be read.)";

struct ConvertFlags {
    std::string dataset;
    std::string to = "fovea";
    std::string out = "-";
    DatasetFlags images;
};

// COCO wants every image's size, which only the image itself tells.
struct ImageSizes {
    std::map<std::string, ImageSize> by_name;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;
};

ImageSizes read_sizes(const Dataset& dataset, const RunHooks& hooks) {
    std::vector<std::filesystem::path> paths;
    for (const Sample& sample : dataset.samples) paths.push_back(sample.path);
    ImagePrefetcher prefetcher(std::move(paths), {resolve_threads(0), std::size_t{64} << 20, {}});
    ImageSizes sizes;
    hooks.stage("reading the sizes of images");
    while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
        const std::string& name = dataset.samples[loaded->index].image;
        if (loaded->unreadable.empty()) {
            sizes.by_name[name] = {loaded->image.width, loaded->image.height};
        } else {
            sizes.unreadable.push_back({name, loaded->unreadable});
        }
        const std::size_t done = loaded->index + 1;
        hooks.progress({done, dataset.samples.size(), sizes.unreadable.size()});
        sizes.interrupted = hooks.cancel->load() && done < dataset.samples.size();
        if (sizes.interrupted) break;
    }
    return sizes;
}

ExitCode convert(const ConvertFlags& flags, Console& console) {
    const bool to_stdout = flags.out == "-";
    if (to_stdout && console.json()) {
        throw UsageError("--json and the dataset cannot both go to standard output; name a file with --out");
    }
    if (to_stdout) console.reserve_stdout();
    RunConfig config;
    set_images({flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    finish_config(config);
    const InterruptGuard interrupt;
    const Dataset dataset = read_configured_dataset(config.dataset);

    refuse_to_overwrite_inputs(flags.out, dataset, {});

    const bool to_coco = flags.to == "coco";
    const ImageSizes sizes = to_coco ? read_sizes(dataset, run_hooks(console, interrupt)) : ImageSizes{};
    console.clear_progress();
    warn_unreadable(sizes.unreadable, dataset.samples.size());
    std::vector<std::string> losses;
    if (!sizes.interrupted) {
        const ImageSizeLookup size_of = [&](const Sample& sample) -> std::optional<ImageSize> {
            const auto found = sizes.by_name.find(sample.image);
            return found == sizes.by_name.end() ? std::nullopt : std::optional(found->second);
        };
        const Json converted =
            to_coco ? dataset_to_coco_json(dataset, losses, size_of) : dataset_to_fovea_json(dataset);
        for (const std::string& loss : losses) spdlog::warn("{}", loss);
        if (to_stdout) {
            std::cout << converted.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        } else {
            write_json_file(flags.out, converted);
        }
    }
    const ExitCode code = sizes.interrupted           ? ExitCode::interrupted
                          : !sizes.unreadable.empty() ? ExitCode::inputs_skipped
                                                      : ExitCode::done;
    console.print_summary(fmt::format("{}, {}{}\n", counted(dataset.samples.size(), "image"),
                                      counted(dataset.face_count(), "face"),
                                      sizes.interrupted ? ": interrupted, nothing was written"
                                      : to_stdout       ? ""
                                                        : " written to " + flags.out));
    console.print_json({{"command", "convert"},
                        {"exit_code", static_cast<int>(code)},
                        {"output", flags.out},
                        {"format", flags.to},
                        {"images", dataset.samples.size()},
                        {"faces", dataset.face_count()},
                        {"unreadable", sizes.unreadable.size()},
                        {"unreadable_images", unreadable_json(sizes.unreadable)},
                        {"interrupted", sizes.interrupted},
                        {"losses", losses}});
    return code;
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
