#include "lib/train/cascade/cascade_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "lib/train/samples/contact_sheet.hpp"

namespace fovea::report {
namespace {

/// Features that are drawn of a stage, and stages that are shown.
constexpr int max_drawn = 8;
constexpr std::size_t max_drawn_stages = 4;

constexpr const char* style = R"(
.features { display: flex; flex-wrap: wrap; gap: 6px; }
.features svg { width: 96px; height: auto; }
)";

std::string rate(double share) {
    return share >= 0.001 ? percent(share) : fmt::format("{:.2g}", share);
}

std::string stages_table(const std::vector<CascadeStageResult>& stages) {
    const std::vector<Column> columns{
        {"Stage"},
        {"Positives"},
        {"Negatives"},
        {"Trees"},
        {"Hit rate", true, "share of the positives that the stage keeps, on the samples that decide"},
        {"False alarm", true, "share of its negatives that the stage lets pass, on the samples that decide"},
        {"Windows that reach it", true, "share of all windows of the backgrounds"},
        {"Search"},
        {"Boosting"}};
    std::vector<Row> rows;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const CascadeStageResult& stage = stages[i];
        rows.push_back({{std::to_string(i + 1)},
                        {std::to_string(stage.positives)},
                        {std::to_string(stage.negatives) + (stage.ran_dry ? " (all there are)" : "")},
                        {std::to_string(stage.trees)},
                        {rate(stage.hit_rate)},
                        {rate(stage.false_alarm)},
                        {rate(stage.pass_rate)},
                        {fmt::format("{:.1f} s", stage.mining_seconds)},
                        {fmt::format("{:.1f} s", stage.bin_seconds + stage.boosting_seconds)}});
    }
    return table(columns, rows);
}

GreyImage mean_of(const WindowSamples& samples) {
    std::vector<std::uint64_t> sums(pixels_of(samples.window));
    for (std::size_t i = 0; i < samples.pixels.size(); ++i) sums[i % sums.size()] += samples.pixels[i];
    GreyImage mean{samples.window.width, samples.window.height, {}};
    for (const std::uint64_t sum : sums)
        mean.pixels.push_back(static_cast<std::uint8_t>(sum / std::max<std::size_t>(1, samples.count())));
    return mean;
}

std::string rectangle(const Rect& r, bool tilted, bool is_positive) {
    const char* const fill = is_positive ? "#ffffff" : "#000000";
    if (!tilted) {
        return fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
            "fill-opacity=\"0.6\"/>",
            r.x, r.y, r.width, r.height, fill);
    }
    return fmt::format("<path d=\"M{} {} l{} {} l{} {} l{} {} z\" fill=\"{}\" fill-opacity=\"0.6\"/>", r.x,
                       r.y, r.width, r.width, -r.height, r.height, -r.width, -r.width, fill);
}

std::string drawn_feature(const Cascade& cascade, int feature, const std::string& mean) {
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Feature\"><image "
        "href=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\"/>",
        cascade.window.width, cascade.window.height, mean, cascade.window.width, cascade.window.height);
    const auto place = static_cast<std::size_t>(feature);
    if (cascade.feature == Cascade::Feature::haar) {
        const HaarFeature& haar = cascade.haar_features[place];
        for (std::size_t r = 0; r < haar.rects.size(); ++r) {
            if (haar.weights[r] != 0) svg += rectangle(haar.rects[r], haar.tilted, haar.weights[r] > 0);
        }
    } else {
        const Rect& cell = cascade.lbp_features[place].cell;
        for (int i = 0; i < 9; ++i) {
            svg += fmt::format(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" "
                "stroke=\"#ffffff\" stroke-width=\"0.3\"/>",
                cell.x + i % 3 * cell.width, cell.y + i / 3 * cell.height, cell.width, cell.height);
        }
    }
    return svg + "</svg>";
}

std::string features_of_stages(const Cascade& cascade, const std::string& mean) {
    std::string html;
    for (std::size_t s = 0; s < std::min(cascade.stages.size(), max_drawn_stages); ++s) {
        const CascadeStage& stage = cascade.stages[s];
        std::string pictures;
        for (int t = 0; t < std::min(stage.tree_count, max_drawn); ++t) {
            const CascadeTree& tree = cascade.trees[static_cast<std::size_t>(stage.first_tree + t)];
            pictures += drawn_feature(cascade,
                                      cascade.nodes[static_cast<std::size_t>(tree.first_node)].feature, mean);
        }
        html += small_line(fmt::format("Stage {}: {} of {}.", s + 1, std::min(stage.tree_count, max_drawn),
                                       counted(static_cast<std::size_t>(stage.tree_count), "tree")));
        html += element("div", "features", pictures);
    }
    return html;
}

}  // namespace

void write_cascade_report(const std::filesystem::path& folder, const CascadeTrainJob& job,
                          const CascadeTrainResult& result, const WindowSamples& positives) {
    make_output_folder(folder, "the report");
    write_contact_sheet(folder / "samples.png", positives);
    const CascadeTrainerResult& training = result.training;
    Document page;
    page.title = "Training of " + job.config.name;
    page.style = style;
    const std::string end = reason_of_end(training, job.config);
    page.lead = escape_html(
        fmt::format("{} of {}x{} pixels, {} and {} in {}.{}", counted(training.stages.size(), "stage"),
                    job.config.width, job.config.height, counted(training.cascade.trees.size(), "tree"),
                    counted(positives.count(), "positive"), fmt::format("{:.0f} s", result.train_seconds),
                    end.empty() ? "" : " The training ended early: " + end + "."));
    page.parts.push_back({"stages", "Stages", stages_table(training.stages)});
    page.parts.push_back({"features", "First features on the mean positive",
                          features_of_stages(training.cascade, base64(png_of(mean_of(positives))))});
    page.footer = "samples.png shows positives as the training saw them.";
    replace_file(folder / "training.html", document_page(page));
}

}  // namespace fovea::report
