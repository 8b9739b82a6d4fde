#include <filesystem>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/report/browse/write_browse_page.hpp"
#include "lib/run/people/people_file.hpp"
#include "lib/run/people/people_job.hpp"
#include "lib/run/people/track_faces.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* browse_footer = R"(Examples:
  fovea browse people/ --out page/
  fovea browse results.jsonl --images photos/ --out page/

Makes a page of the faces of an archive, however many there are: by person and over time, searched and
sorted, with the photographs and their boxes, and with numbers. Names typed there are saved for
'fovea people --names'. RESULTS is a folder of 'fovea people', or JSON Lines of 'fovea detect' or 'fovea
identify'.

Open page/index.html in any browser: it needs neither a server nor a network. Photographs stay where they
are, and the page refers to them: it must stay where it is, too. Browsers show no HEIC and raw files, no
frames of videos and no members of archives; the page has their faces alone.)";

struct BrowseFlags {
    std::string results;
    std::optional<std::string> images;
    std::string out;
    std::optional<int> threads;
    bool overwrite = false;
    DatasetFlags dataset;
};

/// The configuration of the images: that of the manifest beside the results, with the flags on top.
RunConfig images_config(const BrowseFlags& flags, const fs::path& results) {
    RunConfig config;
    const fs::path manifest = manifest_path(results);
    if (!manifest.empty() && is_file(manifest)) {
        const Json json = read_manifest(manifest);
        Json kept = Json::object();
        for (const char* part : {"dataset", "image"}) {
            const Json::json_pointer place("/configuration/" + std::string(part));
            if (json.contains(place)) kept[part] = json[place];
        }
        config = run_config_from_json(kept);
        // 'fovea identify' names its dataset alone.
        const Json::json_pointer name("/dataset/name");
        if (!kept.contains("dataset") && json.contains(name) && json[name].is_string())
            set_images({json[name].get<std::string>()}, config.dataset);
    }
    if (flags.images) {
        config.dataset = {};
        set_images({*flags.images}, config.dataset);
    }
    apply(flags.dataset, config.dataset);
    if (flags.threads) config.threads = *flags.threads;
    finish_config(config);
    if (config.dataset.path.empty() && config.dataset.files.empty()) {
        throw UsageError("nothing beside '" + results.string() +
                         "' tells where its images are; name their folder or dataset with --images");
    }
    return config;
}

report::KnownPeople known_people(const fs::path& folder) {
    report::KnownPeople known;
    const std::optional<PeopleFile> file = read_people(folder / "people.json");
    if (!file) return known;
    known.id = file->id;
    for (const Person& person : file->people)
        known.people.push_back({person.number, person.name, person.image, person.box});
    for (const TrackTime& track : read_track_times(PeopleFolder{folder}.tracks()))
        known.tracks[{track.image, track.track}] = {track.from, track.to};
    return known;
}

ExitCode browse(const BrowseFlags& flags, Console& console) {
    check_output_folder(flags.out, "--out");
    refuse_to_replace(fs::path(flags.out) / "index.html", flags.overwrite);
    const bool is_of_people = is_folder(flags.results);
    const fs::path results =
        is_of_people ? fs::path(flags.results) / "results.jsonl" : fs::path(flags.results);
    if (!is_file(results)) throw UsageError("there is no file '" + results.string() + "'");
    const RunConfig config = images_config(flags, results);
    const report::KnownPeople known = is_of_people ? known_people(flags.results) : report::KnownPeople{};
    console.stage("reading the list of images");
    const JobImages images = read_job_images(config, std::nullopt, results);
    InputFiles inputs;
    inputs.add(results);
    if (is_of_people) inputs.add(fs::path(flags.results) / "people.json");
    add_inputs(images.images, inputs);

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    std::optional<report::BrowseArchive> page;
    ThreadLimit threads(config.threads);
    try {
        threads.run([&] {
            page = report::write_browse_page(results, known, images.images, decode_options(config.image),
                                             images.images.specification(), {flags.out, inputs}, hooks);
        });
    } catch (const JobCancelled&) {
        console.clear_progress();
        console.print_summary("interrupted, nothing was written\n");
        console.print_json({{"command", "browse"}, {"interrupted", true}});
        return ExitCode::interrupted;
    }
    console.clear_progress();
    warn_unreadable(page->unreadable, page->images.size());
    const ExitCode code = page->unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
    const std::string index = (fs::path(flags.out) / "index.html").string();
    console.print_summary(fmt::format("{} with {}, {}: {}\n", counted(page->images.size(), "image"),
                                      counted(page->faces.size(), "face"),
                                      counted(page->people.size(), "person", "people"), index));
    console.print_json({{"command", "browse"},
                        {"exit_code", static_cast<int>(code)},
                        {"page", index},
                        {"images", page->images.size()},
                        {"faces", page->faces.size()},
                        {"people", page->people.size()},
                        {"unreadable", page->unreadable.size()},
                        {"unreadable_images", unreadable_json(page->unreadable)},
                        {"interrupted", false}});
    return code;
}

}  // namespace

Command add_browse_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("browse", "Make a page to look at the faces of an archive");
    auto flags = std::make_shared<BrowseFlags>();
    app->footer(browse_footer);
    app->add_option("RESULTS", flags->results, "A folder of 'fovea people', or results as JSON Lines")
        ->required()
        ->type_name("");
    app->add_option(
           "--images", flags->images,
           "Where the images are: a folder, an archive, a list or dataset (FORMAT:PATH) (default: by "
           "run.json beside the results)")
        ->type_name("IMAGES")
        ->group("Input");
    app->add_option("--out,-o", flags->out, "Folder for the page")
        ->required()
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a page");
    add_dataset_flags(*app, flags->dataset);
    add_threads_flag(*app, flags->threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return browse(*flags, console); }};
}

}  // namespace fovea
