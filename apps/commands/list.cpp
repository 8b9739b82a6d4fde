#include <algorithm>
#include <iostream>
#include <limits>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/media_names.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/inputs/list_file.hpp"
#include "lib/inputs/make_list_file.hpp"
#include "lib/job/job_images.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* list_footer = R"(Examples:
  fovea list photos/ --out photos.fvl
  fovea detect photos.fvl --shard auto/200 --resume --out 'part-{shard}.jsonl'
  fovea list photos.fvl --parts 200

A list file has the names, places, sizes and times of all images. Jobs that are divided among machines
read it in place of the folder or archive: nothing is listed twice, each part reads its own images alone,
and all parts have about the same number of bytes. Images that are added later belong to no part, and
one that was replaced by a file of another size is recorded as unreadable.

Paths in the file are absolute; where the images lie elsewhere, --root names their folder.)";

struct ListFlags {
    std::vector<std::string> images;
    std::string out;
    bool overwrite = false;
    bool names = false;
    int parts = 0;
    DatasetFlags dataset;
    ConfigFlags common;
};

/// Least, greatest and mean size of the parts of a division.
struct Balance {
    PartSize least, most;
    double mean_bytes = 0;

    double ratio() const { return mean_bytes > 0 ? static_cast<double>(most.bytes) / mean_bytes : 1; }
};

Balance balance_of(const ListFile& list, int parts) {
    const std::vector<PartSize> sizes = list.part_sizes(parts);
    const auto [least, most] = std::minmax_element(
        sizes.begin(), sizes.end(), [](const PartSize& a, const PartSize& b) { return a.bytes < b.bytes; });
    return {*least, *most, static_cast<double>(list.bytes()) / parts};
}

Json part_json(const PartSize& part) {
    return {{"images", part.images}, {"bytes", part.bytes}};
}

void show_list(const ListFlags& flags, const std::string& file, Console& console) {
    const ListFile list(file);
    const ImageListData& head = list.head();
    const std::size_t skipped = files_of(head.skipped);
    std::string text =
        fmt::format("{}: {}, {}\n", file, counted(list.images(), "image"), binary_size(list.bytes()));
    if (!head.archives.empty()) text += counted(head.archives.size(), "archive") + "\n";
    if (!head.videos.empty()) text += counted(head.videos.size(), "video") + "\n";
    if (skipped > 0) text += counted(skipped, "input") + " left out\n";
    text += fmt::format("folder: {}\nlist: {}\n", head.root.string(), list.sha256());
    Json json{{"command", "list"},
              {"exit_code", 0},
              {"list", file},
              {"list_sha256", list.sha256()},
              {"images", list.images()},
              {"bytes", list.bytes()},
              {"root", head.root.string()},
              {"images_sha256", head.names_sha256},
              {"archives", head.archives.size()},
              {"videos", head.videos.size()},
              {"skipped", skipped}};
    if (flags.parts > 0) {
        const Balance balance = balance_of(list, flags.parts);
        text += fmt::format("parts: {}, from {} ({}) to {} ({}); the largest has {:.3f} of the mean\n",
                            flags.parts, binary_size(balance.least.bytes),
                            counted(balance.least.images, "image"), binary_size(balance.most.bytes),
                            counted(balance.most.images, "image"), balance.ratio());
        json["parts"] = {{"count", flags.parts},
                         {"smallest", part_json(balance.least)},
                         {"largest", part_json(balance.most)},
                         {"mean_bytes", balance.mean_bytes}};
    }
    console.print_summary(text);
    console.print_json(json);
}

void print_names(const std::string& file) {
    const ListFile list(file);
    for (std::size_t block = 0; block < list.blocks(); ++block) {
        ImageListData data = head_of(list.head());
        list.read_block(block, data);
        for (std::size_t i = 0; i < data.names.size(); ++i) std::cout << data.name(i) << '\n';
    }
    std::cout.flush();
}

void refuse_media_name(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    if (is_image_name(name) || is_video_name(name) || is_archive_name(name)) {
        throw UsageError("--out " + file +
                         " has the name of an image, a video or an archive; a list file is called NAME.fvl");
    }
}

ExitCode run_list(ListFlags flags, Console& console) {
    RunConfig config = start_config(flags.common);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    finish_config(config);
    ImageListRequest request = image_list_request(config);
    const bool is_made = request.files.empty() && is_list_file(request.specification);
    if (flags.names) console.reserve_stdout("the names");
    std::string file;
    if (flags.out.empty()) {
        if (!is_made) {
            throw UsageError("'" + request.specification +
                             "' is no list file; name the one to be made with --out, e.g. --out photos.fvl");
        }
        if (flags.dataset.any())
            throw UsageError("a list that is there is shown as it is; give --out to make another one of it");
        file = format_and_path(request.specification).path;
    } else {
        file = flags.out;
        refuse_media_name(file);
        prepare_output(file, "--out");
        refuse_to_replace(file, flags.overwrite);
        console.stage("listing the images");
        request.may_run_commands = true;  // none is run: a list is taken as it is
        const InterruptGuard interrupt;
        const MakeListFileResult made = make_list_file(request, file, job_hooks(console, interrupt));
        console.clear_progress();
        for (const std::string& warning : made.warnings) spdlog::warn("{}", warning);
        warn_skipped(made.skipped);
    }
    if (flags.names) {
        print_names(file);
    } else {
        show_list(flags, file, console);
    }
    return ExitCode::done;
}

}  // namespace

Command add_list_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("list", "List the images of an archive once, for all parts of a job");
    auto flags = std::make_shared<ListFlags>();
    app->footer(list_footer);
    app->add_option("IMAGES", flags->images,
                    "A folder, a .tar or .zip archive, a command that gives one ('pipe:COMMAND'), a video, a "
                    "list, '-' "
                    "for a list on standard input, several files, or a list file")
        ->type_name("")
        ->required();
    app->add_option("--out,-o", flags->out, "List file that is made")->type_name("FILE")->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a file");
    app->add_flag("--names", flags->names, "Print the names of the images, a line for each")->group("Output");
    app->add_option("--parts", flags->parts, "Say how evenly N parts divide the bytes")
        ->check(CLI::Range(1, std::numeric_limits<int>::max()))
        ->type_name("N")
        ->group("Output");
    add_dataset_flags(*app, flags->dataset);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return run_list(*flags, console); }};
}

}  // namespace fovea
