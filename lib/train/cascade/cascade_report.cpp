#include "lib/train/cascade/cascade_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/train/cascade/cascade_plots.hpp"
#include "lib/train/cascade/cascade_rates.hpp"
#include "lib/train/cascade/cascade_speed.hpp"
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

std::string stages_table(const CascadeTrainResult& result, const CascadeRates& rates) {
    const std::vector<HtmlColumn> columns{
        {"Stage"},
        {"Positives"},
        {"Negatives"},
        {"Trees"},
        {"Hit rate", true, "share of the positives that the stage keeps, on the samples that decide"},
        {"False alarm", true, "share of its negatives that the stage lets pass, on the samples that decide"},
        {"Windows that reach it", true,
         "share of all windows of the backgrounds, in the search for negatives"},
        {"Rejects", true, "share of all windows that a scan visits, see Curves"},
        {"Hits so far", true, "share of the positives of the ROC that pass this stage and all before it"},
        {"Search"},
        {"Boosting"}};
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < result.training.stages.size(); ++i) {
        const CascadeStageResult& stage = result.training.stages[i];
        const bool falls_short = !shortfall_of(stage, i + 1, result.config).empty();
        rows.push_back({{std::to_string(i + 1)},
                        {std::to_string(stage.positives)},
                        {std::to_string(stage.negatives) + (stage.ran_dry ? " (all there are)" : "")},
                        {std::to_string(stage.trees)},
                        {rate(stage.hit_rate)},
                        {rate(stage.false_alarm) + (falls_short ? " (too many)" : "")},
                        {rate(stage.pass_rate)},
                        {rate(rates.rejection(i))},
                        {percent(rates.stages[i].hit_rate)},
                        {fmt::format("{:.1f} s", stage.mining_seconds)},
                        {fmt::format("{:.1f} s", stage.bin_seconds + stage.boosting_seconds)}});
    }
    return table(columns, rows);
}

std::string test_table(const WindowTestResult& test) {
    const auto count = [](std::size_t number) { return grouped(static_cast<long long>(number)); };
    return table({{"True positives"},
                  {"False positives"},
                  {"True negatives"},
                  {"False negatives"},
                  {"Accuracy"},
                  {"Precision"},
                  {"Recall"},
                  {"F1"}},
                 {{{count(test.true_positives)},
                   {count(test.false_positives)},
                   {count(test.true_negatives)},
                   {count(test.false_negatives)},
                   {percent(test.accuracy())},
                   {percent(test.precision())},
                   {percent(test.recall())},
                   {fixed(test.f1(), 3)}}});
}

std::string speed_table(const std::vector<CascadeSpeed>& speeds) {
    std::vector<HtmlRow> rows;
    for (const CascadeSpeed& speed : speeds) {
        rows.push_back({{breakable(speed.cascade)},
                        {speed.by_opencv ? "OpenCV" : "Fovea"},
                        {std::to_string(speed.stages)},
                        {std::to_string(speed.trees)},
                        {fixed(speed.time.median_ms, 1) + " ms"},
                        {fixed(speed.time.quartile_1_ms, 1) + "–" + fixed(speed.time.quartile_3_ms, 1)},
                        {std::to_string(speed.repetitions)}});
    }
    return table({{"Cascade", false},
                  {"Run by", false},
                  {"Stages"},
                  {"Trees"},
                  {"Median"},
                  {"Quartiles, ms"},
                  {"Times"}},
                 rows);
}

/// The samples of the ROC, in words.
std::string subject_of(const CascadeReportInput& input, const CascadeRates& rates) {
    const std::string images = counted(rates.images, "background"),
                      windows = grouped(rates.windows) + " windows";
    if (input.job.config.has_test()) {
        return fmt::format("Tested on {} of other files and {} in {} in which no negatives were searched.",
                           counted(rates.positives, "positive"), windows, images);
    }
    return fmt::format(
        "No samples were kept for a test (--test-share, --test-backgrounds): these are {} and {} in {} in "
        "which negatives were searched, so the figures flatter the cascade.",
        input.data.held_out.count() > 0
            ? counted(rates.positives, "held-out positive") + ", which decided when a stage was done,"
            : counted(rates.positives, "positive") + " that it was trained on",
        windows, images);
}

std::string paragraph(const std::string& text) {
    return element("p", "", escape_html(text)) + "\n";
}

std::string shortfall_section(const CascadeTrainResult& result) {
    std::vector<std::string> sentences = shortfalls_of(result.training, result.config);
    if (sentences.empty()) return {};
    std::string text;
    for (std::string& sentence : sentences) {
        sentence[0] = 'S';
        text += element("li", "", escape_html(sentence + "."));
    }
    return paragraph(fmt::format("The stages should let pass {} at most.",
                                 percent(result.config.stages.max_false_alarm))) +
           element("ul", "", text) + paragraph(fmt::format("What to do: {}.", shortfall_advice));
}

Json points_json(const std::vector<RatePoint>& points) {
    Json list = Json::array();
    for (const RatePoint& point : points) list.push_back({point.false_alarm, point.hit_rate});
    return list;
}

Json report_json(const CascadeReportInput& input, const CascadeRates& rates,
                 const std::vector<CascadeSpeed>& speeds) {
    const CascadeTrainResult& result = input.result;
    Json rejection = Json::array();
    for (std::size_t s = 0; s < rates.rejected.size(); ++s) rejection.push_back(rates.rejection(s));
    Json times = Json::array();
    for (const CascadeSpeed& speed : speeds) {
        times.push_back({{"cascade", speed.cascade},
                         {"run_by", speed.by_opencv ? "opencv" : "fovea"},
                         {"stages", speed.stages},
                         {"trees", speed.trees},
                         {"repetitions", speed.repetitions},
                         {"median_ms", speed.time.median_ms},
                         {"quartile_1_ms", speed.time.quartile_1_ms},
                         {"quartile_3_ms", speed.time.quartile_3_ms},
                         {"min_ms", speed.time.min_ms}});
    }
    Json json = {{"name", result.config.name},
                 {"stages", stages_to_json(result.training, result.config)},
                 {"end", reason_of_end(result.training, result.config)},
                 {"shortfalls", shortfalls_of(result.training, result.config)},
                 {"rates",
                  {{"kept_for_the_test", input.job.config.has_test()},
                   {"positives", rates.positives},
                   {"images", rates.images},
                   {"windows", rates.windows},
                   {"without_contrast", rates.flat},
                   {"rejection_by_stage", std::move(rejection)},
                   {"columns", {"false_alarm", "hit_rate"}},
                   {"roc_by_stage", points_json(rates.stages)},
                   {"roc_by_last_threshold", points_json(rates.last_stage)}}},
                 {"speed_1080p_one_thread", std::move(times)}};
    if (result.test) json["test"] = window_test_to_json(*result.test);
    return json;
}

/// The picture with the most pixels.
const BackgroundImage& largest(const std::vector<BackgroundImage>& images) {
    return *std::max_element(images.begin(), images.end(),
                             [](const BackgroundImage& a, const BackgroundImage& b) {
                                 return std::int64_t{a.image.width} * a.image.height <
                                        std::int64_t{b.image.width} * b.image.height;
                             });
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

std::string lead_of(const CascadeTrainResult& result, std::size_t positives) {
    const CascadeTrainerResult& training = result.training;
    const std::string end = reason_of_end(training, result.config);
    return fmt::format("{} of {}x{} pixels, {} and {} in {:.0f} s.{}",
                       counted(training.stages.size(), "stage"), result.config.width, result.config.height,
                       counted(training.cascade.trees.size(), "tree"), counted(positives, "positive"),
                       result.train_seconds, end.empty() ? "" : " The training ended early: " + end + ".");
}

void add_sweep_page(StagedFiles& files, const CascadeTrainJob& job, const CascadeTrainResult& result) {
    std::vector<HtmlRow> rows;
    std::string ends;
    for (std::size_t i = 0; i < result.sweep.size(); ++i) {
        const SweepPoint& point = result.sweep[i];
        const WindowTestResult& test = point.test;
        const bool is_best = i == result.best;
        HtmlRow row{{point.value.text, {}, is_best},
                    {std::to_string(point.training.stages.size())},
                    {std::to_string(point.training.cascade.trees.size())}};
        for (const std::size_t count :
             {test.true_positives, test.false_positives, test.true_negatives, test.false_negatives})
            row.push_back({point.is_trained() ? grouped(static_cast<long long>(count)) : "–"});
        for (const double share : {test.accuracy(), test.precision(), test.recall(), test.f1()})
            row.push_back({point.is_trained() ? fixed(share, 3) : "–"});
        row.back().best = is_best;
        if (!point.end.empty()) {
            ends += element("li", "",
                            escape_html(fmt::format("{} {}: {}.", point.field, point.value.text, point.end)));
        }
        rows.push_back(std::move(row));
    }
    const SweepPoint& best = result.sweep[result.best];
    const std::vector<DrawnPlot> plots{sweep_plot(result.sweep), sweep_rates_plot(result.sweep)};
    add_plot_files(files, plots);
    Document page;
    page.title = fmt::format("{} by {}", job.config.name, best.field);
    page.lead = escape_html(
        fmt::format("{} were trained on the same samples. The best F1, {}, is at {} = {}: it is {}.",
                    counted(result.sweep.size(), "cascade"), fixed(best.test.f1(), 3), best.field,
                    best.value.text, job.out.filename().string()));
    page.protocol = fmt::format(
        "Each was tested on the same {} of other files and {} drawn from backgrounds in which no negatives "
        "were searched.",
        counted(best.test.true_positives + best.test.false_negatives, "positive"),
        counted(best.test.false_positives + best.test.true_negatives, "window"));
    page.parts = {
        {"curves", "Curves", charts(plots)},
        {"cascades", "Cascades",
         table({{best.field},
                {"Stages"},
                {"Trees"},
                {"TP", true, "positives that pass"},
                {"FP", true, "windows of backgrounds that pass"},
                {"TN", true, "windows of backgrounds that are rejected"},
                {"FN", true, "positives that are rejected"},
                {"Accuracy"},
                {"Precision"},
                {"Recall"},
                {"F1"}},
               rows, true) +
             (ends.empty() ? "" : paragraph("Trainings that ended early:") + element("ul", "", ends))}};
    page.footer = fmt::format("{} has the same table.", sweep_table_path(job.out).filename().string());
    files.add("sweep.html", document_page(page));
}

}  // namespace

void write_cascade_report(const std::filesystem::path& folder, const CascadeReportInput& input,
                          const std::function<void(std::size_t, std::size_t)>& progress) {
    const auto& [job, result, data, samples] = input;
    const CascadeTrainerResult& training = result.training;
    const WindowSamples& positives = data.positives;
    const bool has_test = job.config.has_test();
    const std::vector<BackgroundImage>& images = has_test ? data.test_backgrounds : samples.backgrounds;
    const WindowSamples& tested = has_test                    ? data.test_positives
                                  : data.held_out.count() > 0 ? data.held_out
                                                              : positives;
    const CascadeRates rates = cascade_rates(
        training.cascade, tested.pixels, images,
        {.scale_factor = job.config.scale_factor, .max_object_iou = job.config.max_object_iou}, progress);
    const BackgroundImage& picture = largest(images);
    const std::vector<CascadeSpeed> speeds =
        cascade_speeds(training.cascade, job.out, picture.image, progress);

    make_output_folder(folder, "report");
    StagedFiles files(folder);
    files.add("samples.png", png_of(contact_sheet(positives)));
    files.add("training.json", indented_text(report_json(input, rates, speeds)) + "\n");
    const std::vector<DrawnPlot> plots{
        cascade_roc_plot(rates), rejection_plot(rates),
        stage_rates_plot(training.stages, result.config.stages.max_false_alarm)};
    add_plot_files(files, plots);

    Document page;
    page.title = "Training of " + job.config.name;
    page.style = style;
    page.lead = escape_html(lead_of(result, positives.count()));
    if (!result.sweep.empty()) {
        page.lead += " " + element("span", "",
                                   "It is the best of " + counted(result.sweep.size(), "cascade") +
                                       ": <a href=\"sweep.html\">the sweep</a>.");
    }
    page.parts.push_back({"shortfalls", "Stages that let too much pass", shortfall_section(result)});
    if (result.test) {
        page.parts.push_back(
            {"test", "Test on windows",
             paragraph(
                 fmt::format("{} and {} of backgrounds, none of them trained on.",
                             counted(result.test->true_positives + result.test->false_negatives, "positive"),
                             counted(result.test->false_positives + result.test->true_negatives, "window"))) +
                 test_table(*result.test)});
    }
    page.parts.push_back({"curves", "Curves", paragraph(subject_of(input, rates)) + charts(plots)});
    page.parts.push_back({"stages", "Stages", stages_table(result, rates)});
    page.parts.push_back(
        {"speed", "Speed",
         paragraph(fmt::format("One thread, from grey pixels to the windows that pass, which are not "
                               "grouped; scale factor 1.1, "
                               "on '{}' scaled to {}x{}; in turns after one round that does not count.",
                               picture.name, speed_image_size.width, speed_image_size.height)) +
             speed_table(speeds)});
    page.parts.push_back({"features", "First features on the mean positive",
                          features_of_stages(training.cascade, base64(png_of(mean_of(positives))))});
    page.footer =
        "samples.png shows positives as the training saw them; training.json has the numbers of the curves.";
    files.add("training.html", document_page(page));
    if (!result.sweep.empty()) add_sweep_page(files, job, result);
    files.publish_report("training");
}

}  // namespace fovea::report
