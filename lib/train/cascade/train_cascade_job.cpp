#include "lib/train/cascade/train_cascade_job.hpp"

#include <cmath>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/device.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/train/cascade/cascade_report.hpp"
#include "lib/train/checkpoint.hpp"

namespace fovea {
namespace {

/// Without times: the same training writes the same bytes.
Json stages_for_manifest(const CascadeTrainerResult& result, const CascadeTrainConfig& config) {
    Json list = stages_to_json(result, config);
    for (Json& stage : list) {
        for (const char* key : {"mining_seconds", "bin_seconds", "boosting_seconds"}) stage.erase(key);
    }
    return list;
}

std::filesystem::path manifest_path(const std::filesystem::path& out) {
    return std::filesystem::path(out).replace_extension(".training.json");
}

std::vector<PlannedOutput> outputs_of(const CascadeTrainJob& job) {
    std::vector<PlannedOutput> outputs{
        {job.out, "cascade"}, {manifest_path(job.out), "manifest"}, {job.checkpoint, "checkpoint"}};
    if (!job.config.sweep.empty()) {
        outputs.push_back({sweep_table_path(job.out), "table of the sweep"});
        const CascadeSweep sweep = CascadeSweep::parse(job.config.sweep);
        for (const SweepValue& value : sweep.values()) {
            const std::filesystem::path out = sweep_path(job.out, value);
            outputs.push_back({out, "cascade of the value " + value.text});
            outputs.push_back({manifest_path(out), "manifest of the value " + value.text});
        }
    }
    return outputs;
}

std::string sweep_csv(const CascadeTrainResult& result) {
    CsvRows rows({"field", "value", "cascade", "stages", "trees", "true_positives", "false_positives",
                  "true_negatives", "false_negatives", "accuracy", "precision", "recall", "f1", "best"});
    for (std::size_t i = 0; i < result.sweep.size(); ++i) {
        const SweepPoint& point = result.sweep[i];
        const WindowTestResult& test = point.test;
        rows.text(point.field).text(point.value.text);
        rows.text(point.is_trained() ? point.out.filename().string() : "");
        rows.number(static_cast<double>(point.training.stages.size()));
        rows.number(static_cast<double>(point.training.cascade.trees.size()));
        for (const std::size_t count :
             {test.true_positives, test.false_positives, test.true_negatives, test.false_negatives}) {
            if (point.is_trained())
                rows.number(static_cast<double>(count));
            else
                rows.empty();
        }
        for (const double share : {test.accuracy(), test.precision(), test.recall(), test.f1()}) {
            if (point.is_trained() && std::isfinite(share))
                rows.number(share);
            else
                rows.empty();
        }
        rows.text(i == result.best ? "yes" : "").end_row();
    }
    return rows.bytes();
}

/// The best F1; of equals, fewer trees, then the first. Cascades that find nothing are the last.
std::size_t best_of(const std::vector<SweepPoint>& sweep) {
    const auto score = [](const SweepPoint& point) {
        return point.is_trained() && point.test.true_positives > 0 ? point.test.f1()
               : point.is_trained()                                ? 0
                                                                   : -1;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < sweep.size(); ++i) {
        const double here = score(sweep[i]), there = score(sweep[best]);
        const bool has_fewer =
            sweep[i].training.cascade.trees.size() < sweep[best].training.cascade.trees.size();
        if (here > there || (here == there && has_fewer)) best = i;
    }
    return best;
}

/// \param of names the cascade.
JobRound round_of_stage(const CascadeTrainerResult& result, const CascadeTrainConfig& config,
                        const std::string& of) {
    const CascadeStageResult& stage = result.stages.back();
    JobRound round = round_of(
        fmt::format("{}stage {}: {}, hits {:.2f} %, false alarms {:.1f} % of {} negatives ({:.2g} of all "
                    "windows){}",
                    of, result.stages.size(), counted(stage.trees, "tree"), 100 * stage.hit_rate,
                    100 * stage.false_alarm, stage.negatives, stage.pass_rate,
                    stage.ran_dry ? "; the backgrounds have no more" : ""),
        json_of(stage));
    const std::string shortfall = shortfall_of(stage, result.stages.size(), config);
    if (!shortfall.empty()) {
        round.warning = fmt::format("{}{}; the training goes on, but max_false_alarm is {:.1f} %", of,
                                    shortfall, 100 * config.stages.max_false_alarm);
    }
    return round;
}

JobRound round_of_value(const SweepPoint& point) {
    return round_of(fmt::format("{} {}: {}", point.field, point.value.text,
                                point.is_trained() ? window_test_sentence(point.test)
                                                   : "no stage could be trained: " + point.end),
                    point.is_trained() ? window_test_to_json(point.test) : Json::object());
}

class JobRun {
  public:
    JobRun(const CascadeTrainJob& job, const JobHooks& hooks)
        : job_(job), hooks_(hooks), pool_(features_of(job.config)) {}

    CascadeTrainResult run() {
        Stopwatch watch = begin_timed(hooks_, "reading");
        data_ = load_cascade_data(job_.config, job_.threads, hooks_.counter("images"));
        data_.inputs.add(job_.config_file);
        data_.inputs.refuse_clashes(outputs_of(job_));
        result_.data = data_.manifest;
        samples_ = data_.take_samples();
        if (job_.config.has_test()) {
            negatives_ = test_negatives(job_.config, data_.test_backgrounds, data_.test_positives.count());
            if (negatives_.empty()) throw Error("the backgrounds of the test have no window");
        }
        result_.load_seconds = watch.seconds();

        watch = {};
        checkpoint_.emplace(job_, "cascade", settings_without_paths(job_.config), data_.manifest);
        if (checkpoint_->resume(fields_of_state(state_, job_.config, pool_))) tell_resumed();
        if (job_.config.sweep.empty())
            train_one();
        else
            train_sweep();
        result_.train_seconds = watch.seconds();
        write();
        finish_training(job_, [&] {
            hooks_.begin_stage("report");
            report::write_cascade_report({job_.report, data_.inputs}, {job_, result_, data_, samples_},
                                         hooks_);
        });
        return std::move(result_);
    }

  private:
    void tell_resumed() const {
        const std::string stages = counted(state_.current.stages.size(), "stage");
        checkpoint_->tell_resumed(
            job_.config.sweep.empty() ? stages : counted(state_.done.size(), "cascade") + " and " + stages);
    }

    void save() { checkpoint_->write(fields_of_state(state_, job_.config, pool_)); }

    /// \param of names the cascade before each of its stages. \param first stages to go on from
    CascadeTrainerResult train(const CascadeTrainConfig& config, const std::string& of,
                               CascadeTrainerResult first) {
        const Device device = job_.device.is_cuda() ? Device::cuda(job_.device.gpus.front()) : Device::cpu();
        const auto make_engine = [&](const Cascade& cascade) {
            return job_.device.is_cuda() ? make_cuda_engine(cascade, job_.device.gpus)
                                         : make_cpu_engine(cascade);
        };
        JobHooks hooks = hooks_;
        hooks.stage = [&](const std::string& text) { hooks_.begin_stage(of + text); };
        const auto end_stage = [&](const CascadeTrainerResult& so_far) {
            state_.current = so_far;
            save();
            hooks_.tell({.round = round_of_stage(so_far, config, of)});
        };
        return train_cascade(pool_, samples_, trainer_settings(config), {make_engine, &device}, hooks,
                             end_stage, std::move(first));
    }

    WindowTestResult test(const Cascade& cascade) const {
        return test_cascade(cascade, data_.test_positives.pixels, negatives_);
    }

    void train_one() {
        result_.config = job_.config;
        result_.training = train(job_.config, "", std::move(state_.current));
        if (result_.training.stages.empty()) {
            throw Error("no stage could be trained: " + reason_of_end(result_.training, job_.config));
        }
        if (job_.config.has_test()) result_.test = test(result_.training.cascade);
    }

    void train_sweep() {
        const CascadeSweep sweep = CascadeSweep::parse(job_.config.sweep);
        if (state_.done.size() > sweep.values().size())
            throw UsageError(job_.checkpoint.string() + " is damaged: it has more cascades than the sweep.");
        for (std::size_t i = 0; i < sweep.values().size(); ++i) {
            const SweepValue& value = sweep.values()[i];
            const CascadeTrainConfig config = sweep.configuration(job_.config, value);
            if (i >= state_.done.size()) {
                CascadeTrainerResult first = std::move(state_.current);
                // A cascade of fewer stages is the beginning of one of more.
                if (sweep.is_of_stages() && i > 0 && first.stages.empty()) first = state_.done[i - 1];
                state_.done.push_back(
                    train(config, sweep.field() + " " + value.text + ", ", std::move(first)));
                state_.current = {};
                save();
            }
            SweepPoint point{value, sweep.field(), sweep_path(job_.out, value), state_.done[i], {}, {}};
            point.end = reason_of_end(point.training, config);
            if (point.is_trained()) point.test = test(point.training.cascade);
            hooks_.tell({.round = round_of_value(point)});
            result_.sweep.push_back(std::move(point));
        }
        result_.best = best_of(result_.sweep);
        const SweepPoint& best = result_.sweep[result_.best];
        if (!best.is_trained())
            throw Error("no cascade of the sweep has a stage; of the first: " + result_.sweep[0].end);
        result_.config = sweep.configuration(job_.config, best.value);
        result_.training = best.training;
        result_.test = best.test;
    }

    void write() const {
        if (!result_.sweep.empty()) {
            const CascadeSweep sweep = CascadeSweep::parse(job_.config.sweep);
            for (const SweepPoint& point : result_.sweep) {
                if (!point.is_trained()) continue;
                write_cascade(point.out, sweep.configuration(job_.config, point.value), point.training,
                              point.test);
            }
            replace_file(sweep_table_path(job_.out), sweep_csv(result_));
        }
        write_cascade(job_.out, result_.config, result_.training, result_.test);
    }

    void write_cascade(const std::filesystem::path& out, const CascadeTrainConfig& config,
                       const CascadeTrainerResult& training,
                       const std::optional<WindowTestResult>& test) const {
        const Cascade& cascade = training.cascade;
        replace_file(out, job_.old_format ? old_cascade_xml(cascade, "haarcascade")
                                          : cascade_xml(cascade, xml_info(config)));
        Json manifest = {{"name", config.name},
                         {"settings", settings_without_paths(config)},
                         {"data", result_.data},
                         {"stages", stages_for_manifest(training, config)},
                         {"end", reason_of_end(training, config)},
                         {"shortfalls", shortfalls_of(training, config)}};
        if (test) manifest["test"] = window_test_to_json(*test);
        if (!result_.sweep.empty() && out == job_.out) manifest["sweep"] = sweep_to_json(result_);
        replace_file(manifest_path(out), indented_text(manifest) + "\n");
    }

    const CascadeTrainJob& job_;
    const JobHooks& hooks_;
    const WindowFeatures pool_;
    CascadeData data_;
    CascadeSamples samples_;
    std::vector<std::uint8_t> negatives_;  // of the test
    CascadeTrainingState state_;
    std::optional<Checkpoint> checkpoint_;
    CascadeTrainResult result_;
};

}  // namespace

const char* const shortfall_advice =
    "give stages more trees (\"stages\": {\"max_weak_count\": N} in the configuration), trees of more depth "
    "(--max-depth 2) or another pool (--features), or let them pass more (--max-false-alarm); a lower "
    "--min-hit-rate helps where one odd positive sets the threshold; objects in the backgrounds that nobody "
    "annotated make stages fall short, too, and so do positives that are not cut alike";

std::string shortfall_of(const CascadeStageResult& stage, std::size_t number,
                         const CascadeTrainConfig& config) {
    if (stage.false_alarm <= config.stages.max_false_alarm) return {};
    const bool is_full = stage.trees >= static_cast<std::size_t>(config.stages.max_weak_count);
    return fmt::format("stage {} {} and lets {:.1f} % of its negatives pass", number,
                       is_full ? "reached " + counted(stage.trees, "tree")
                               : "has no better feature after " + counted(stage.trees, "tree"),
                       100 * stage.false_alarm);
}

std::vector<std::string> shortfalls_of(const CascadeTrainerResult& result, const CascadeTrainConfig& config) {
    std::vector<std::string> shortfalls;
    for (std::size_t i = 0; i < result.stages.size(); ++i) {
        std::string shortfall = shortfall_of(result.stages[i], i + 1, config);
        if (!shortfall.empty()) shortfalls.push_back(std::move(shortfall));
    }
    return shortfalls;
}

Json stages_to_json(const CascadeTrainerResult& result, const CascadeTrainConfig& config) {
    Json list = Json::array();
    for (const CascadeStageResult& stage : result.stages) {
        list.push_back(json_of(stage));
        list.back()["misses_max_false_alarm"] = !shortfall_of(stage, list.size(), config).empty();
    }
    return list;
}

Json sweep_to_json(const CascadeTrainResult& result) {
    Json values = Json::array();
    for (const SweepPoint& point : result.sweep) {
        Json entry = {{"value", point.value.value},
                      {"cascade", point.is_trained() ? Json(point.out.filename().string()) : Json(nullptr)},
                      {"stages", point.training.stages.size()},
                      {"trees", point.training.cascade.trees.size()},
                      {"end", point.end}};
        if (point.is_trained()) entry.update(window_test_to_json(point.test));
        values.push_back(std::move(entry));
    }
    return {{"field", result.sweep.at(0).field},
            {"best", result.sweep.at(result.best).value.value},
            {"values", std::move(values)}};
}

std::filesystem::path sweep_path(const std::filesystem::path& out, const SweepValue& value) {
    // Without an extension the decimals of the value would be taken for one.
    const std::string extension = out.has_extension() ? out.extension().string() : ".xml";
    return out.parent_path() / (out.stem().string() + "-" + value.text + extension);
}

std::filesystem::path sweep_table_path(const std::filesystem::path& out) {
    return std::filesystem::path(out).replace_extension(".sweep.csv");
}

std::string reason_of_end(const CascadeTrainerResult& result, const CascadeTrainConfig& config) {
    const std::size_t next = result.stages.size() + 1;
    switch (result.end) {
        case TrainingEnd::all_stages:
            return {};
        case TrainingEnd::no_negatives:
            return fmt::format(
                "the backgrounds have {} left that pass {}, and stage {} needs {} or more: it is done, or "
                "add backgrounds",
                counted(result.negatives_left, "window"),
                result.stages.empty() ? "the check of contrast"
                                      : "all of " + counted(result.stages.size(), "stage"),
                next, least_negatives(config.stages));
        case TrainingEnd::no_positives:
            if (result.stages.empty()) {
                return fmt::format(
                    "all {} lack contrast (deviation of 10 grey levels or less), and Haar cascades never "
                    "find such; train on LBP features",
                    counted(result.flat_positives, "positive"));
            }
            return fmt::format("no positive is left for stage {}", next);
        case TrainingEnd::no_split:
            return fmt::format("no feature separates the samples of stage {}", next);
    }
    return {};
}

CascadeTrainResult train_cascade_job(const CascadeTrainJob& job, const JobHooks& hooks) {
    validate_cascade_config(job.config);
    if (job.old_format && (job.config.features == FeatureChoice::lbp))
        throw UsageError("the older format has no LBP cascades; leave out --old-format");
    InputFiles().refuse_clashes(outputs_of(job));
    return run_training_job(job, [&] { return JobRun(job, hooks).run(); });
}

}  // namespace fovea
