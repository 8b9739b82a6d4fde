#include "tests/faults/fault_jobs.hpp"

namespace fovea::test {
namespace {

Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// Results NAME.jsonl, their manifest, and features NAME.npy.
Words detect_into(const std::string& name, const std::string& images, const Words& more,
                  const std::string& results_flag = "--out") {
    const Words words{"detect",           images,
                      "--model",          "walk-in/edge.xml",
                      "--device",         "cpu",
                      "--min-neighbors",  "1",
                      "--landmarks",      "walk-in/still.dat",
                      "--box-convention", "none",
                      "--recogniser",     "walk-in/recogniser.json",
                      results_flag,       name + ".jsonl",
                      "--features",       name + ".npy"};
    return joined(words, more);
}

Words detect(const std::string& images, const Words& more = {}) {
    return detect_into("walk-out/r", images, joined({"--threads", "2"}, more));
}

Words detect_shard(int shard) {
    const std::string number = std::to_string(shard);
    return detect_into("walk-in/part-" + number, "walk-in/photos", {"--shard", number + "/3"});
}

Words enroll(const std::string& people) {
    return {"enroll",    "folder:walk-in/" + people,
            "--gallery", "walk-out/people.fvg",
            "--faces",   "image",
            "--threads", "2"};
}

const Words merge{"merge", "walk-in/part-1.jsonl", "walk-in/part-2.jsonl", "walk-in/part-3.jsonl",
                  "--out", "walk-out/all.jsonl",   "--features",           "walk-out/all.npy"};
const Words evaluate{"evaluate",  "detection",           "--dataset",   "dlib:walk-in/faces.xml",
                     "--results", "walk-in/found.jsonl", "--resamples", "20",
                     "--out",     "walk-out/report"};
const Words detect_for_evaluation{"detect",          "dlib:walk-in/faces.xml",
                                  "--model",         "walk-in/edge.xml",
                                  "--device",        "cpu",
                                  "--min-neighbors", "1",
                                  "--out",           "walk-in/found.jsonl"};
const Words track{
    "track", "walk-in/photos/b", "--model", "walk-in/edge.xml", "--device", "cpu",       "--min-neighbors",
    "1",     "--landmarks",      "none",    "--redetect",       "2",        "--threads", "2",
    "--out", "walk-out/tracks"};
const Words run{"run", "--config", "walk-in/run.json", "--out", "walk-out"};

FaultStep step_on(const std::string& files, const std::string& text, int delay_milliseconds = 0) {
    FaultStep step = FaultStep::parse(text);
    step.files = files;
    step.delay_milliseconds = delay_milliseconds;
    return step;
}

Words list_into(const std::string& list) {
    return {"list", "walk-in/photos", "--out", list};
}

std::vector<FaultJob> all_jobs() {
    const Words folder = detect("walk-in/photos");
    const Words resumed = detect("walk-in/photos", {"--resume"});
    const Words crops{"--crops", "walk-out/crops"};
    std::vector<PreparingCommand> shards;
    for (int shard = 1; shard <= 3; ++shard) shards.push_back({detect_shard(shard)});
    std::vector<FaultJob> jobs;
    jobs.push_back({"detect-folder", folder, resumed});
    jobs.push_back({"detect-crops", joined(folder, crops), joined(resumed, crops)});
    jobs.push_back({"detect-list", detect("walk-in/names.txt"), detect("walk-in/names.txt", {"--resume"})});
    jobs.push_back({"detect-tar", detect("walk-in/photos.tar"), detect("walk-in/photos.tar", {"--resume"})});
    jobs.push_back({"detect-zip", detect("walk-in/photos.zip"), detect("walk-in/photos.zip", {"--resume"})});
    // The first block of results is written slowly, so that a mark is made of it, and the second one is the
    // last thing.
    jobs.push_back({"detect-resume",
                    resumed,
                    resumed,
                    {},
                    {{folder, step_on("*walk-out/r.jsonl", "write:kill-after:2", 150)}}});
    jobs.push_back({"detect-complete", resumed, resumed, {}, {{folder}}});
    jobs.push_back({"detect-over",
                    joined(folder, {"--overwrite"}),
                    joined(folder, {"--overwrite"}),
                    {},
                    {{joined(folder, {"--min-size", "24"})}}});
    const Words update = detect_into("walk-out/r", "walk-in/names.txt", {"--threads", "2"}, "--update");
    jobs.push_back({"update", update, update, {}, {{detect("walk-in/some.txt")}}});
    jobs.push_back({"list", list_into("walk-out/photos.fvl"),
                    joined(list_into("walk-out/photos.fvl"), {"--overwrite"})});
    const Words part = detect("walk-in/photos.fvl", {"--shard", "2/3"});
    jobs.push_back({"detect-part", part, joined(part, {"--resume"}), {{list_into("walk-in/photos.fvl")}}});
    jobs.push_back({"enroll", enroll("people"), enroll("people")});
    jobs.push_back({"enroll-more", enroll("more"), enroll("more"), {}, {{enroll("people")}}});
    jobs.push_back({"merge", merge, joined(merge, {"--overwrite"}), shards});
    jobs.push_back(
        {"merge-over", joined(merge, {"--overwrite"}), joined(merge, {"--overwrite"}), shards, {{merge}}});
    jobs.push_back({"evaluate", evaluate, evaluate, {{detect_for_evaluation}}});
    jobs.push_back({"evaluate-over",
                    joined(evaluate, {"--overwrite"}),
                    joined(evaluate, {"--overwrite"}),
                    {{detect_for_evaluation}},
                    {{joined(evaluate, {"--iou-threshold", "0.3"})}}});
    jobs.push_back({"run", run, run});
    jobs.push_back({"run-over",
                    joined(run, {"--overwrite"}),
                    joined(run, {"--overwrite"}),
                    {},
                    {{joined(run, {"--iou-threshold", "0.3"})}}});
    const Words track_again = joined(track, {"--overwrite"});
    jobs.push_back({"track", track, joined(track, {"--resume"})});
    jobs.push_back({"track-over", track_again, track_again, {}, {{joined(track, {"--min-size", "24"})}}});
    return jobs;
}

}  // namespace

const std::vector<FaultJob>& fault_jobs() {
    static const std::vector<FaultJob> jobs = all_jobs();
    return jobs;
}

}  // namespace fovea::test
