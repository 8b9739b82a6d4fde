#include <algorithm>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/format_help.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/publish.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/formats/results_formats.hpp"
#include "lib/results/formats/write_results.hpp"
#include "lib/results/results_lines.hpp"
#include "lib/results/tables/results_table.hpp"
#include "lib/run/detection/evaluate_results.hpp"
#include "lib/run/detection/image_sizes.hpp"

namespace fovea {
namespace {

std::string convert_footer() {
    return R"(Examples:
  fovea convert mit-cmu:DIR --to coco --out mit-cmu.json
  fovea convert --results results.jsonl --to csv --out faces.csv
  fovea convert photos/ --results people/results.jsonl --to xmp --out photos/

Formats of datasets:
)" + help_on_written_formats(dataset_formats()) +
           "\nFormats of results (--results):\n" + help_on_written_formats(results_formats()) + R"(
Names with line breaks, commas or quotes stand in jsonl, coco, csv and sqlite; text and the other
formats refuse them and name the image. Tables of JSON Lines are written image by image, whatever
their size.

Images keep their names, relative to the folder of the dataset. If the file moves elsewhere, read it
with --root DIR. A warning names what the format cannot hold, with its count. COCO, VOC, XMP and YOLO need
the sizes of the images; the exit code is 3 if a size could not be read. Photographs are never
written to: xmp writes sidecars, and --overwrite replaces only the faces in one that is there.)";
}

struct ConvertFlags {
    std::optional<std::string> dataset;
    std::optional<std::string> results;
    std::optional<std::string> to;
    std::string out = "-";
    bool overwrite = false;
    DatasetFlags images;
};

constexpr const char* default_dataset = "fovea";
constexpr const char* default_results = "jsonl";

/// The conversion's result, for the summary.
struct Conversion {
    OutputFiles files;           ///< to be written; none for a table, which is written already
    std::size_t file_count = 0;  ///< written
    std::vector<std::string> losses;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;
    std::size_t images = 0;  ///< written
    std::size_t things = 0;  ///< faces or detections written
};

/// \throws UsageError that says why it is not written, if that is known.
template <class Kind>
const FormatRecord<Kind>& format_to_write(const FormatTable<Kind>& formats, const std::string& name,
                                          const std::string& what) {
    const FormatRecord<Kind>* const found = formats.find(name);
    if (found != nullptr && found->is_written()) return *found;
    const ResultsFormat* const of_results = results_formats().find(name);
    throw UsageError(fmt::format(
        "{} cannot be written as {}{}; --to is one of {}{}", what, name,
        found == nullptr ? "" : ": " + std::string(found->why_not_written),
        in_one_list(formats.names_written()),
        of_results != nullptr && of_results->is_written() ? "; results are named with --results" : ""));
}

std::optional<Dataset> read_dataset_of(const ConvertFlags& flags) {
    if (!flags.dataset) return std::nullopt;
    RunConfig config;
    set_images({*flags.dataset}, config.dataset);
    apply(flags.images, config.dataset);
    finish_config(config);
    return read_configured_dataset(config.dataset);
}

Conversion convert_dataset(const Dataset& dataset, const DatasetFormat& format, const JobHooks& hooks) {
    Conversion conversion;
    const ImageSizes sizes = format.holds.needs_sizes ? read_image_sizes(dataset, hooks) : ImageSizes{};
    conversion.unreadable = sizes.unreadable;
    conversion.interrupted = sizes.interrupted;
    if (conversion.interrupted) return conversion;
    WrittenDataset written = render_dataset(
        dataset, format.name, [&](const Sample& sample) { return sizes.find(sample); }, conversion.losses);
    conversion.images = written.images;
    conversion.things = written.faces;
    conversion.files = std::move(written);
    return conversion;
}

ExitCode exit_code_of(const Conversion& conversion) {
    if (conversion.interrupted) return ExitCode::interrupted;
    return conversion.unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
}

InputFiles inputs_of(const ConvertFlags& flags, const Dataset* dataset) {
    InputFiles inputs;
    if (dataset != nullptr) add_inputs(*dataset, inputs);
    if (flags.results) add_inputs_of_results(*flags.results, inputs);
    return inputs;
}

std::unique_ptr<ResultsTable> make_table(const ConvertFlags& flags, const ResultsFields& held) {
    if (flags.out != "-") {
        prepare_output(flags.out, "--out");
        refuse_to_replace(flags.out, flags.overwrite);
    }
    RunFacts facts{*flags.results, ""};
    const Json manifest = held.is_database ? find_manifest(*flags.results) : Json();
    if (!manifest.is_null()) facts.manifest = compact_text(manifest);
    return held.make_table(flags.out, facts);
}

// One row after the other; JSON Lines are not read as a whole.
Conversion convert_to_table(const ConvertFlags& flags, const ResultsFormat& format, const Dataset* dataset,
                            const std::atomic<bool>* cancel) {
    Conversion conversion;
    const std::vector<std::filesystem::path> lines =
        dataset == nullptr ? files_of_json_lines(*flags.results) : std::vector<std::filesystem::path>{};
    std::vector<ImageResult> images;
    if (lines.empty()) {
        const DetectionResults results =
            dataset != nullptr ? read_results(*flags.results, *dataset) : read_results(*flags.results);
        for (const std::string& warning : results.warnings) spdlog::warn("{}", warning);
        images = images_to_write(results, dataset, format.name, conversion.losses);
    }
    const std::unique_ptr<ResultsTable> table = make_table(flags, format.holds);
    const auto add = [&](const ImageResult& image) {
        table->add(image);
        ++conversion.images;
        conversion.things += image.detections.size();
        conversion.interrupted = is_cancelled(cancel);
        return !conversion.interrupted;
    };
    for (const ImageResult& image : images) {
        if (!add(image)) return conversion;
    }
    for (const std::filesystem::path& file : lines) {
        ResultsLines reader(file);
        while (const std::optional<ImageResult> image = reader.next()) {
            if (!add(*image)) return conversion;
        }
    }
    table->finish();
    conversion.file_count = 1;
    return conversion;
}

ExitCode convert(const ConvertFlags& flags, Console& console) {
    if (!flags.dataset && !flags.results)
        throw UsageError("there is nothing to convert: name a DATASET or --results");
    const bool to_stdout = flags.out == "-";
    if (to_stdout) console.reserve_stdout("the converted data");
    const std::string to = flags.to.value_or(flags.results ? default_results : default_dataset);
    const ResultsFormat* const of_results =
        flags.results ? &format_to_write(results_formats(), to, "results") : nullptr;
    const DatasetFormat* const of_dataset =
        flags.results ? nullptr : &format_to_write(dataset_formats(), to, "a dataset");
    const bool is_folder = of_results != nullptr ? of_results->is_folder : of_dataset->is_folder;
    const bool is_table = of_results != nullptr && of_results->holds.make_table != nullptr;
    if (of_results != nullptr && of_results->holds.is_database && to_stdout)
        throw UsageError(to + " is a database; name its file with --out");
    if (is_folder && to_stdout) throw UsageError(to + " is a folder of files; name it with --out");
    if (is_folder) check_output_folder(flags.out, "--out");

    const std::optional<Dataset> dataset = read_dataset_of(flags);
    const InputFiles inputs = inputs_of(flags, dataset ? &*dataset : nullptr);
    inputs.refuse(flags.out);
    Conversion conversion;
    if (is_table) {
        const InterruptGuard interrupt;
        conversion = convert_to_table(flags, *of_results, dataset ? &*dataset : nullptr,
                                      job_hooks(console, interrupt).cancel);
    } else if (flags.results) {
        const DetectionResults results =
            dataset ? read_results(*flags.results, *dataset) : read_results(*flags.results);
        for (const std::string& warning : results.warnings) spdlog::warn("{}", warning);
        conversion.files = render_results(results, dataset ? &*dataset : nullptr, to, conversion.losses);
        conversion.images = results.images.size();
        for (const ImageResult& image : results.images) conversion.things += image.detections.size();
    } else {
        if (!is_folder) refuse_to_replace(flags.out, flags.overwrite);
        const InterruptGuard interrupt;
        conversion = convert_dataset(*dataset, *of_dataset, job_hooks(console, interrupt));
    }
    const auto keep_other_contents =
        of_results != nullptr ? of_results->keep_other_contents : of_dataset->keep_other_contents;
    if (flags.overwrite && keep_other_contents != nullptr && !conversion.interrupted)
        keep_other_contents(conversion.files, flags.out, conversion.losses);
    console.clear_progress();
    warn_unreadable(conversion.unreadable, dataset ? dataset->samples.size() : conversion.images);
    if (!conversion.interrupted) {
        for (const std::string& loss : conversion.losses) spdlog::warn("{}", loss);
        if (!is_table) publish(conversion.files, flags.out, flags.overwrite, inputs);
    }
    const ExitCode code = exit_code_of(conversion);
    console.print_summary(fmt::format("{}, {}{}\n", counted(conversion.images, "image"),
                                      counted(conversion.things, flags.results ? "detection" : "face"),
                                      conversion.interrupted ? ": interrupted, nothing was written"
                                      : to_stdout            ? ""
                                                             : " written to " + flags.out));
    console.print_json({{"command", "convert"},
                        {"exit_code", static_cast<int>(code)},
                        {"output", flags.out},
                        {"format", to},
                        {"files", is_table ? conversion.file_count : conversion.files.files.size()},
                        {"images", conversion.images},
                        {flags.results ? "detections" : "faces", conversion.things},
                        {"unreadable", conversion.unreadable.size()},
                        {"unreadable_images", unreadable_json(conversion.unreadable)},
                        {"interrupted", conversion.interrupted},
                        {"losses", conversion.losses}});
    return code;
}

/// The formats that are written. Others that are known pass, so that convert() can say why they are not.
CLI::Validator format_check() {
    std::set<std::string> written;
    for (const std::string& name : dataset_formats().names_written()) written.insert(name);
    for (const std::string& name : results_formats().names_written()) written.insert(name);
    const std::string choices = "{" + fmt::format("{}", fmt::join(written, ",")) + "}";
    const auto check = [choices](const std::string& name) {
        const bool is_known =
            dataset_formats().find(name) != nullptr || results_formats().find(name) != nullptr;
        return is_known ? std::string() : name + " not in " + choices;
    };
    return {check, choices};
}

}  // namespace

Command add_convert_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand(
        "convert", "Convert a dataset's list and ground truth, or results, to another format");
    auto flags = std::make_shared<ConvertFlags>();
    app->footer(convert_footer());
    app->add_option("DATASET", flags->dataset, "Dataset, FORMAT:PATH or a path")->type_name("");
    app->add_option("--results", flags->results, "Results to convert instead of the dataset")
        ->type_name("RESULTS")
        ->group("Input");
    app->add_option(
           "--to", flags->to,
           fmt::format("Format to write (default {}; of results {})", default_dataset, default_results))
        ->check(format_check())
        ->type_name("FORMAT")
        ->group("Output");
    app->add_option("--out,-o", flags->out, "File or folder to write; '-' is standard output (default)")
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a file");
    add_dataset_flags(*app, flags->images, {"from", "to"});
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return convert(*flags, console); }};
}

}  // namespace fovea
