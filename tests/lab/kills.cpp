#include "tests/lab/kills.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <system_error>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/random_draw.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"
#include "lib/process/child_process.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int killed = 128 + SIGKILL;
constexpr std::uint64_t max_garbage = 5000;

double draw_between(std::mt19937_64& generator, double low, double high) {
    constexpr std::uint64_t steps = 1 << 20;
    return low +
           (high - low) * static_cast<double>(draw_below(generator, steps)) / static_cast<double>(steps);
}

// Names of images by how often they stand in a line. A line without a name counts under what it is.
std::map<std::string, std::size_t> lines_by_image(std::string_view text) {
    std::map<std::string, std::size_t> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const Json json = Json::parse(line, nullptr, false);
        const bool named = json.is_object() && json.contains("image") && json["image"].is_string();
        ++lines[named ? json["image"].get<std::string>() : std::string(line)];
    }
    return lines;
}

// The beginning of a file that is on the disk; the rest may be lost.
struct SyncedFile {
    fs::path file;
    std::uint64_t bytes = 0;
};

// The files that a killed job has left.
struct LeftJob {
    bool has_work = false;  // that stays
    std::vector<SyncedFile> files;
};

// The files of a kind of job in a folder.
struct JobFolder {
    virtual ~JobFolder() = default;
    virtual std::vector<std::string> flags(const fs::path& folder) const = 0;
    // The bytes of all outputs; the lines of images come first.
    virtual std::vector<std::string> outputs(const fs::path& folder) const = 0;
    // Nothing if the job had not begun yet.
    virtual std::optional<LeftJob> left(const fs::path& folder) const = 0;
};

struct DetectFolder final : JobFolder {
    explicit DetectFolder(bool has_features) : with_features(has_features) {}

    std::vector<std::string> flags(const fs::path& folder) const override {
        std::vector<std::string> words{"--out", (folder / "results.jsonl").string()};
        if (with_features) words.insert(words.end(), {"--features", (folder / "features.npy").string()});
        return words;
    }
    std::vector<std::string> outputs(const fs::path& folder) const override {
        std::vector<std::string> outputs{read_file(folder / "results.jsonl")};
        if (with_features) outputs.push_back(read_file(folder / "features.npy"));
        return outputs;
    }
    // The journal's last mark tells what is synced.
    std::optional<LeftJob> left(const fs::path& folder) const override {
        const fs::path journal = journal_path(folder / "results.jsonl");
        std::vector<JournalOutput> outputs{{folder / "results.jsonl", 0}};
        if (with_features) outputs.push_back({folder / "features.npy", FeatureFile::header_bytes});
        const std::optional<ResumeState> job = recover_job(journal, outputs);
        // Nothing is written to results before the journal's beginning is on the disk.
        if (!job) return std::nullopt;
        LeftJob left{job->mark.images > 0, {{journal, fs::file_size(journal)}}};
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::uint64_t synced = left.has_work ? job->mark.outputs.at(i).bytes : 0;
            left.files.push_back({outputs[i].file, outputs[i].header_bytes + synced});
        }
        return left;
    }

    const bool with_features;
};

struct TrackJobFolder final : JobFolder {
    std::vector<std::string> flags(const fs::path& folder) const override {
        return {"--out", folder.string()};
    }
    std::vector<std::string> outputs(const fs::path& folder) const override {
        std::vector<std::string> outputs{read_file(folder / "results.jsonl")};
        for (const fs::path& file : files_below(folder)) {
            if (file == folder / "run.json") continue;
            outputs.push_back(file.lexically_relative(folder).string());
            outputs.push_back(read_file(file));
        }
        return outputs;
    }
    // The parts of a sequence may be lost with their record there: its checksums tell.
    std::optional<LeftJob> left(const fs::path& folder) const override {
        const fs::path journal = folder / ".track-journal";
        if (!fs::exists(journal / "job")) return std::nullopt;
        LeftJob left{false, {{journal / "job", fs::file_size(journal / "job")}}};
        for (const fs::path& sequence : folders_of(journal)) {
            const bool is_done = fs::exists(sequence / "record");
            left.has_work |= is_done;
            for (const fs::path& file : files_below(sequence)) {
                // Some of those that are done are synced.
                const bool is_synced = is_done && sequence.filename().string().back() % 2 == 0;
                left.files.push_back({file, is_synced ? fs::file_size(file) : 0});
            }
        }
        return left;
    }
};

std::unique_ptr<JobFolder> folder_of_job(const KillTestRequest& request) {
    if (request.command.at(1) == "track") return std::make_unique<TrackJobFolder>();
    return std::make_unique<DetectFolder>(request.features);
}

class KillTest {
  public:
    KillTest(const KillTestRequest& request, const JobHooks& hooks)
        : request_(request),
          hooks_(hooks),
          job_(folder_of_job(request)),
          generator_(repetition_generator(request.seed, 0)) {}

    KillTestResult run() {
        std::error_code none;
        fs::remove_all(request_.folder, none);
        fs::create_directories(request_.folder / "whole");
        say("without kills");
        const ChildResult whole = ChildProcess(command("whole", false)).wait(hooks_.cancel);
        if (cancelled()) return result_;
        check(whole);
        result_.uninterrupted_seconds = whole.seconds;
        whole_ = job_->outputs(request_.folder / "whole");
        for (const auto& [image, count] : lines_by_image(whole_.at(0))) result_.images += count;
        while (result_.kills < request_.kills && !cancelled()) {
            say(fmt::format("kill {} of {}", result_.kills + 1, request_.kills));
            kill_once();
        }
        if (!cancelled()) finish();
        return result_;
    }

  private:
    void kill_once() {
        fs::create_directories(folder());
        ChildProcess child(command("killed", true));
        std::optional<ChildResult> outcome =
            child.wait_for(std::chrono::duration<double>(draw_time()), hooks_.cancel);
        if (!outcome) {
            child.send_signal(SIGKILL);
            outcome = child.wait();
        }
        if (cancelled()) return;
        if (outcome->exit_code == killed) {
            ++result_.kills;
            leave_torn();
        } else {
            end_job(*outcome);
        }
    }

    void finish() {
        std::error_code none;
        if (!fs::exists(folder(), none)) return;
        say("letting it finish");
        const ChildResult outcome = ChildProcess(command("killed", true)).wait(hooks_.cancel);
        if (!cancelled()) end_job(outcome);
    }

    void end_job(const ChildResult& outcome) {
        check(outcome);
        const std::vector<std::string> outputs = job_->outputs(folder());
        const LineDifference lines = compare_lines(whole_[0], outputs[0]);
        result_.lost += lines.lost;
        result_.doubled += lines.doubled;
        if (outputs != whole_) ++result_.different;
        ++result_.finished;
        fs::remove_all(folder());
    }

    // A loss of power may leave the files so: what is not synced is open.
    void leave_torn() {
        const std::optional<LeftJob> left = job_->left(folder());
        if (!left) return;
        if (left->has_work) ++result_.resumed;
        if (draw_below(generator_, 2) == 0) return;
        ++result_.torn;
        for (const SyncedFile& file : left->files) {
            cut(file.file, file.bytes);
            soil(file.file);
        }
    }

    void cut(const fs::path& file, std::uint64_t synced) {
        std::error_code none;
        const std::uint64_t size = fs::file_size(file, none);
        if (none || size <= synced || draw_below(generator_, 2) == 0) return;
        fs::resize_file(file, synced + draw_below(generator_, size - synced + 1));
    }

    void soil(const fs::path& file) {
        std::error_code none;
        if (!fs::exists(file, none)) return;
        const std::uint64_t kind = draw_below(generator_, 3);
        if (kind == 0) return;
        std::string garbage(1 + draw_below(generator_, max_garbage), '\0');
        if (kind == 1)
            std::generate(garbage.begin(), garbage.end(), [this] { return static_cast<char>(generator_()); });
        std::ofstream(file, std::ios::binary | std::ios::app) << garbage;
    }

    double draw_time() {
        const double whole = result_.uninterrupted_seconds;
        switch (draw_below(generator_, 3)) {
            case 0:
                return draw_between(generator_, 0, 0.15 * whole);
            case 1:
                return draw_between(generator_, 0.15 * whole, 0.7 * whole);
            default:
                return draw_between(generator_, 0.7 * whole, 1.05 * whole);
        }
    }

    std::vector<std::string> command(const std::string& name, bool resume) const {
        std::vector<std::string> words = request_.command;
        for (const std::string& word : job_->flags(request_.folder / name)) words.push_back(word);
        if (resume) words.push_back("--resume");
        return words;
    }

    void check(const ChildResult& outcome) const {
        if (outcome.exit_code == 0) return;
        throw Error(
            fmt::format("'fovea {}' failed in the test of kills with exit code {} after {}; its words: {}",
                        request_.command.at(1), outcome.exit_code,
                        counted(static_cast<std::size_t>(result_.kills), "kill"), trim(outcome.error_text)));
    }

    fs::path folder() const { return request_.folder / "killed"; }
    bool cancelled() {
        result_.interrupted = hooks_.is_cancelled();
        return result_.interrupted;
    }
    void say(const std::string& what) const { hooks_.begin_stage("kills: " + what); }

    const KillTestRequest& request_;
    const JobHooks& hooks_;
    const std::unique_ptr<JobFolder> job_;
    std::mt19937_64 generator_;
    std::vector<std::string> whole_;
    KillTestResult result_;
};

}  // namespace

KillTestResult run_kill_test(const KillTestRequest& request, const JobHooks& hooks) {
    return KillTest(request, hooks).run();
}

LineDifference compare_lines(std::string_view whole, std::string_view now) {
    const std::map<std::string, std::size_t> wanted = lines_by_image(whole);
    const std::map<std::string, std::size_t> found = lines_by_image(now);
    LineDifference difference;
    for (const auto& [image, count] : wanted) {
        const auto there = found.find(image);
        const std::size_t times = there == found.end() ? 0 : there->second;
        difference.lost += count > times ? count - times : 0;
    }
    for (const auto& [image, count] : found) {
        const auto there = wanted.find(image);
        const std::size_t times = there == wanted.end() ? 0 : there->second;
        difference.doubled += count > times ? count - times : 0;
    }
    return difference;
}

}  // namespace fovea
