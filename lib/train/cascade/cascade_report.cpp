#include "lib/train/cascade/cascade_report.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/model/shown_columns.hpp"
#include "lib/report/page/report_part.hpp"
#include "lib/train/cascade/cascade_plots.hpp"
#include "lib/train/cascade/cascade_rates.hpp"
#include "lib/train/cascade/cascade_speed.hpp"
#include "lib/train/samples/contact_sheet.hpp"

namespace fovea::report {
namespace {

/// Features that are drawn of a stage, and stages that are shown.
constexpr int max_drawn = 8;
constexpr std::size_t max_drawn_stages = 4;

/// Pixels of a drawn feature for one of the window.
constexpr int feature_scale = 8;

Cell text_behind(Cell cell, bool is_so, const char* text) {
    if (is_so) cell.text += text;
    return cell;
}

Cell plain_count(std::size_t count) {
    return value_cell(static_cast<double>(count), 0);
}

Cell seconds_cell(double seconds) {
    return text_behind(value_cell(seconds, 1), true, " s");
}

Table stages_table(const CascadeTrainResult& result, const CascadeRates& rates) {
    struct StageRow {
        const CascadeStageResult& stage;
        std::size_t number;
        double rejection;
        double hits;
    };
    const ShownColumns<StageRow> columns{
        {{"Stage"}, [](const StageRow& row) { return count_cell(static_cast<double>(row.number)); }},
        {{"Positives"}, [](const StageRow& row) { return plain_count(row.stage.positives); }},
        {{"Negatives"},
         [](const StageRow& row) {
             return text_behind(plain_count(row.stage.negatives), row.stage.ran_dry, " (all there are)");
         }},
        {{"Trees"}, [](const StageRow& row) { return plain_count(row.stage.trees); }},
        {{"Hit rate", "share of the positives that the stage keeps, on the samples that decide"},
         [](const StageRow& row) { return small_share_cell(row.stage.hit_rate); }},
        {{"False alarm", "share of its negatives that the stage lets pass, on the samples that decide"},
         [&](const StageRow& row) {
             return text_behind(small_share_cell(row.stage.false_alarm),
                                !shortfall_of(row.stage, row.number, result.config).empty(), " (too many)");
         }},
        {{"Windows that reach it", "share of all windows of the backgrounds, in the search for negatives"},
         [](const StageRow& row) { return small_share_cell(row.stage.pass_rate); }},
        {{"Rejects", "share of all windows that a scan visits, see Curves"},
         [](const StageRow& row) { return small_share_cell(row.rejection); }},
        {{"Hits so far", "share of the positives of the ROC that pass this stage and all before it"},
         [](const StageRow& row) { return share_cell(row.hits); }},
        {{"Search"}, [](const StageRow& row) { return seconds_cell(row.stage.mining_seconds); }},
        {{"Boosting"}, [](const StageRow& row) {
             return seconds_cell(row.stage.bin_seconds + row.stage.boosting_seconds);
         }}};
    std::vector<StageRow> rows;
    for (std::size_t i = 0; i < result.training.stages.size(); ++i)
        rows.push_back({result.training.stages[i], i + 1, rates.rejection(i), rates.stages[i].hit_rate});
    return table_of(columns, rows);
}

/// The outcome of a test on windows. \param are_short heads and numbers as the sweep's table has them
ShownColumns<WindowTestResult> test_columns(bool are_short) {
    using Test = WindowTestResult;
    const auto share = [are_short](double value) {
        return are_short ? value_cell(value, 3) : share_cell(value);
    };
    const auto count = [](std::size_t number) { return count_cell(static_cast<double>(number)); };
    return {{{are_short ? "TP" : "True positives", "positives that pass"},
             [=](const Test& test) { return count(test.true_positives); }},
            {{are_short ? "FP" : "False positives", "windows of backgrounds that pass"},
             [=](const Test& test) { return count(test.false_positives); }},
            {{are_short ? "TN" : "True negatives", "windows of backgrounds that are rejected"},
             [=](const Test& test) { return count(test.true_negatives); }},
            {{are_short ? "FN" : "False negatives", "positives that are rejected"},
             [=](const Test& test) { return count(test.false_negatives); }},
            {{"Accuracy"}, [=](const Test& test) { return share(test.accuracy()); }},
            {{"Precision"}, [=](const Test& test) { return share(test.precision()); }},
            {{"Recall"}, [=](const Test& test) { return share(test.recall()); }},
            {{"F1"}, [](const Test& test) { return value_cell(test.f1(), 3); }}};
}

Table speed_table(const std::vector<CascadeSpeed>& speeds) {
    static const ShownColumns<CascadeSpeed> columns{
        {words("Cascade"), [](const CascadeSpeed& speed) { return Cell(speed.cascade); }},
        {words("Run by"),
         [](const CascadeSpeed& speed) { return Cell(speed.by_opencv ? "OpenCV" : "Fovea"); }},
        {{"Stages"}, [](const CascadeSpeed& speed) { return plain_count(speed.stages); }},
        {{"Trees"}, [](const CascadeSpeed& speed) { return plain_count(speed.trees); }},
        {{"Median"},
         [](const CascadeSpeed& speed) {
             return text_behind(value_cell(speed.time.median_ms, 1), true, " ms");
         }},
        {{"Quartiles, ms"},
         [](const CascadeSpeed& speed) {
             return Cell(fixed(speed.time.quartile_1_ms, 1) + "–" + fixed(speed.time.quartile_3_ms, 1));
         }},
        {{"Times"}, [](const CascadeSpeed& speed) { return plain_count(speed.repetitions); }}};
    return table_of(columns, speeds);
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

Section shortfall_section(const CascadeTrainResult& result) {
    Section section{"shortfalls", "Stages that let too much pass"};
    std::vector<std::string> sentences = shortfalls_of(result.training, result.config);
    if (sentences.empty()) return section;
    for (std::string& sentence : sentences) {
        sentence[0] = 'S';
        sentence += ".";
    }
    section.blocks = {Paragraph{fmt::format("The stages should let pass {} at most.",
                                            percent(result.config.stages.max_false_alarm))},
                      List{sentences}, Paragraph{fmt::format("What to do: {}.", shortfall_advice)}};
    return section;
}

Section test_section(const WindowTestResult& test) {
    return {"test",
            "Test on windows",
            {Paragraph{fmt::format("{} and {} of backgrounds, none of them trained on.",
                                   counted(test.true_positives + test.false_negatives, "positive"),
                                   counted(test.false_positives + test.true_negatives, "window"))},
             table_of(test_columns(false), std::vector{test})}};
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

/// Whether a pixel's middle lies in a rectangle, or in one that is turned by 45 degrees about its upper
/// corner.
bool contains(const Rect& r, bool is_tilted, double x, double y) {
    double along = x - r.x, across = y - r.y;
    if (is_tilted) {
        const double sum = along + across;
        across = (across - along) / 2;
        along = sum / 2;
    }
    return along >= 0 && along < r.width && across >= 0 && across < r.height;
}

/// The mean positive, enlarged, with a Haar feature's rectangles drawn over it in white and black.
GreyImage drawn_feature(const GreyImage& mean, const HaarFeature* feature) {
    GreyImage drawn{mean.width * feature_scale, mean.height * feature_scale, {}};
    for (int y = 0; y < drawn.height; ++y) {
        for (int x = 0; x < drawn.width; ++x) {
            double value =
                mean.pixels[static_cast<std::size_t>(y / feature_scale * mean.width + x / feature_scale)];
            for (std::size_t r = 0; feature != nullptr && r < feature->rects.size(); ++r) {
                if (feature->weights[r] != 0 &&
                    contains(feature->rects[r], feature->tilted, (x + 0.5) / feature_scale,
                             (y + 0.5) / feature_scale))
                    value = 0.4 * value + (feature->weights[r] > 0 ? 0.6 * 255 : 0);
            }
            drawn.pixels.push_back(static_cast<std::uint8_t>(value + 0.5));
        }
    }
    return drawn;
}

Picture feature_picture(const Cascade& cascade, int feature, const GreyImage& mean, std::string name) {
    const bool is_haar = cascade.feature == Cascade::Feature::haar;
    const auto place = static_cast<std::size_t>(feature);
    const GreyImage drawn = drawn_feature(mean, is_haar ? &cascade.haar_features[place] : nullptr);
    Picture picture{.name = std::move(name),
                    .facts = {},
                    .jpeg = jpeg_of(drawn),
                    .width = drawn.width,
                    .height = drawn.height};
    for (int i = 0; !is_haar && i < 9; ++i) {
        const Rect& cell = cascade.lbp_features[place].cell;
        picture.boxes.push_back({.box = {static_cast<double>(feature_scale * (cell.x + i % 3 * cell.width)),
                                         static_cast<double>(feature_scale * (cell.y + i / 3 * cell.height)),
                                         static_cast<double>(feature_scale * cell.width),
                                         static_cast<double>(feature_scale * cell.height)}});
    }
    return picture;
}

Section features_section(const Cascade& cascade, const GreyImage& mean) {
    Section section{"features", "First features on the mean positive"};
    for (std::size_t s = 0; s < std::min(cascade.stages.size(), max_drawn_stages); ++s) {
        const CascadeStage& stage = cascade.stages[s];
        const int drawn = std::min(stage.tree_count, max_drawn);
        Gallery gallery{
            fmt::format("features-{}", s + 1), fmt::format("Stage {}", s + 1),
            fmt::format("{} of {}.", drawn, counted(static_cast<std::size_t>(stage.tree_count), "tree"))};
        for (int t = 0; t < drawn; ++t) {
            const CascadeTree& tree = cascade.trees[static_cast<std::size_t>(stage.first_tree + t)];
            gallery.pictures.push_back(
                feature_picture(cascade, cascade.nodes[static_cast<std::size_t>(tree.first_node)].feature,
                                mean, fmt::format("Tree {}", t + 1)));
        }
        section.add(std::move(gallery));
    }
    return section;
}

std::string lead_of(const CascadeTrainResult& result, std::size_t positives) {
    const CascadeTrainerResult& training = result.training;
    const std::string end = reason_of_end(training, result.config);
    return fmt::format("{} of {}x{} pixels, {} and {} in {:.0f} s.{}",
                       counted(training.stages.size(), "stage"), result.config.width, result.config.height,
                       counted(training.cascade.trees.size(), "tree"), counted(positives, "positive"),
                       result.train_seconds, end.empty() ? "" : " The training ended early: " + end + ".");
}

Table sweep_table(const CascadeTrainResult& result) {
    const ShownColumns<WindowTestResult> columns = test_columns(true);
    Table table = table_of(columns, {});
    table.columns.insert(table.columns.begin(), {{result.sweep[0].field}, {"Stages"}, {"Trees"}});
    table.is_sortable = true;
    table.rivals = Rivals::rows;
    for (const SweepPoint& point : result.sweep) {
        std::vector<Cell> row{point.value.text, plain_count(point.training.stages.size()),
                              plain_count(point.training.cascade.trees.size())};
        row[0].value = point.value.value;
        if (point.is_trained()) {
            for (Cell& cell : row_of(columns, point.test)) row.push_back(std::move(cell));
            row.back().better = Better::higher;
        }
        row.resize(table.columns.size(), "–");
        table.rows.push_back(std::move(row));
    }
    return table;
}

Report sweep_report(const CascadeTrainJob& job, const CascadeTrainResult& result) {
    const SweepPoint& best = result.sweep[result.best];
    Report report;
    report.title = fmt::format("{} by {}", job.config.name, best.field);
    report.lead = {{Run::plain(
        fmt::format("{} were trained on the same samples. The best F1, {}, is at {} = {}: it is {}.",
                    counted(result.sweep.size(), "cascade"), fixed(best.test.f1(), 3), best.field,
                    best.value.text, job.out.filename().string()))}};
    report.protocol = fmt::format(
        "Each was tested on the same {} of other files and {} drawn from backgrounds in which no negatives "
        "were searched.",
        counted(best.test.true_positives + best.test.false_negatives, "positive"),
        counted(best.test.false_positives + best.test.true_negatives, "window"));
    Section cascades{"cascades", "Cascades", {sweep_table(result)}};
    List ends;
    for (const SweepPoint& point : result.sweep) {
        if (!point.end.empty())
            ends.items.push_back(fmt::format("{} {}: {}.", point.field, point.value.text, point.end));
    }
    if (!ends.items.empty()) {
        cascades.add(Paragraph{"Trainings that ended early:"});
        cascades.add(std::move(ends));
    }
    report.sections = {{"curves", "Curves", {sweep_plot(result.sweep), sweep_rates_plot(result.sweep)}},
                       std::move(cascades)};
    report.related = {{"the training of the best cascade", "training.html"}};
    report.footer = fmt::format("{} has the same table.", sweep_table_path(job.out).filename().string());
    return report;
}

}  // namespace

void write_cascade_report(const OutputFolder& folder, const CascadeReportInput& input,
                          const JobHooks& hooks) {
    const auto& [job, result, data, samples] = input;
    const CascadeTrainerResult& training = result.training;
    const WindowSamples& positives = data.positives;
    const bool has_test = job.config.has_test();
    const std::vector<BackgroundImage>& images = has_test ? data.test_backgrounds : samples.backgrounds;
    const WindowSamples& tested = has_test                    ? data.test_positives
                                  : data.held_out.count() > 0 ? data.held_out
                                                              : positives;
    const CascadeRates rates =
        cascade_rates(training.cascade, tested.pixels, images,
                      {.scale_factor = job.config.scale_factor, .max_object_iou = job.config.max_object_iou},
                      hooks.counter("images"));
    const BackgroundImage& picture = largest(images);
    const std::vector<CascadeSpeed> speeds =
        cascade_speeds(training.cascade, job.out, picture.image, hooks.counter("rounds"));

    StagedFiles files(folder, "report");
    files.add("samples.png", png_of(contact_sheet(positives)));
    files.add("training.json", indented_text(report_json(input, rates, speeds)) + "\n");
    Report report;
    report.title = "Training of " + job.config.name;
    report.lead = {{Run::plain(lead_of(result, positives.count()))}};
    report.sections.push_back(shortfall_section(result));
    if (result.test) report.sections.push_back(test_section(*result.test));
    report.sections.push_back(
        {"curves",
         "Curves",
         {Paragraph{subject_of(input, rates)}, cascade_roc_plot(rates), rejection_plot(rates),
          stage_rates_plot(training.stages, result.config.stages.max_false_alarm)}});
    report.sections.push_back({"stages", "Stages", {stages_table(result, rates)}});
    report.sections.push_back(
        {"speed",
         "Speed",
         {Paragraph{fmt::format(
              "One thread, from grey pixels to the windows that pass, which are not grouped; scale factor "
              "1.1, on '{}' scaled to {}x{}; in turns after one round that does not count.",
              picture.name, speed_image_size.width, speed_image_size.height)},
          speed_table(speeds)}});
    report.sections.push_back(features_section(training.cascade, mean_of(positives)));
    report.footer =
        "samples.png shows positives as the training saw them; training.json has the numbers of the curves.";
    if (!result.sweep.empty()) {
        report.lead[0].push_back(
            Run::plain(" It is the best of " + counted(result.sweep.size(), "cascade") + " of a sweep."));
        report.related = {{"the sweep", "sweep.html"}};
        add_report_files(files, sweep_report(job, result), "sweep");
    }
    publish_report(files, report, "training");
}

}  // namespace fovea::report
