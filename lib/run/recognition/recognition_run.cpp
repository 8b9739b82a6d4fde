#include "lib/run/recognition/recognition_run.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "kernels/core/stopwatch.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/file.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest.hpp"
#include "lib/json/json.hpp"
#include "lib/run/recognition/face_finder.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// One recogniser, and the datasets as it sees them.
struct RunningRecogniser {
    fs::path file;
    std::unique_ptr<Recogniser> recogniser;
    std::map<std::string, DescribedDataset> described;  // by specification
};

// "fafb" of "feret:lists/fafb.srt,images=DIR".
std::string short_name(const std::string& specification) {
    const std::string path = specification.substr(0, specification.find(','));
    const std::size_t colon = path.find(':');
    const fs::path named = colon == std::string::npos ? path : path.substr(colon + 1);
    const fs::path last = named.has_filename() ? named : named.parent_path();
    return last.stem().empty() ? std::string("probes") : last.stem().string();
}

// "fafb", or "fafb-2" where another has that name.
std::string name_beside(const std::vector<std::string>& taken, const std::string& own) {
    std::string name = own;
    for (int i = 2; std::count(taken.begin(), taken.end(), name) > 0; ++i)
        name = own + "-" + std::to_string(i);
    return name;
}

}  // namespace

class RecognitionJob::Implementation {
  public:
    Implementation(RecognitionRequest request, const DetectionDevice& device, const JobHooks& hooks)
        : request_(std::move(request)),
          config_(request_.config),
          device_(device),
          hooks_(hooks),
          limit_(request_.threads),
          finder_(config_.finder, device) {
        for (const std::string& name : config_.recognisers) {
            RunningRecogniser& running = recognisers_.emplace_back();
            running.file = find_recogniser(name);
            request_.inputs.add(running.file);
            running.recogniser = std::make_unique<Recogniser>(load_recogniser(name), device);
            names_.push_back(name_beside(names_, running.recogniser->config().name));
            spdlog::debug("{}: {}", names_.back(), running.recogniser->description());
        }
        for (const std::string& probes : config_.probes)
            searches_.push_back(name_beside(searches_, short_name(probes)));
        wanted_ = wanted_datasets();
        hooks_.begin_stage("reading the dataset");
        for (const std::string& specification : wanted_) dataset(specification);
        check_datasets();
        finder_.add_inputs(request_.inputs);
        for (const auto& [specification, dataset] : datasets_) add_inputs(dataset, request_.inputs);
        for (const fs::path& file : reports()) request_.inputs.refuse(file);
    }

    // The report's title and its page, relative to the job's folder.
    std::vector<RelatedReport> pages() const {
        if (request_.folder.empty()) return {};
        std::vector<RelatedReport> list;
        const auto add = [&](const std::string& title, const std::string& part) {
            const fs::path page = folder_of(part) / "report.html";
            list.push_back({title, page.lexically_relative(request_.folder).generic_string()});
        };
        if (!config_.pairs.empty()) add("Face verification", "verification");
        for (const std::string& name : searches_) {
            add(config_.probes.size() == 1 ? "Face identification" : "Face identification of " + name,
                "identification-" + name);
        }
        return list;
    }

    RecognitionResult run(const std::vector<RelatedReport>& related) {
        related_ = related;
        // Those of an earlier run would look like this one's, should it end before they are written.
        for (const fs::path& file : reports()) remove_file(file);
        if (!related_.empty()) write_pages_to_come();
        if (describe_all()) {
            limit_.run([&] { evaluate(); });
        } else {
            outcome_.interrupted = true;
        }
        outcome_.manifest = manifest();
        return std::move(outcome_);
    }

  private:
    const Dataset& dataset(const std::string& specification) {
        const auto known = datasets_.find(specification);
        if (known != datasets_.end()) return known->second;
        DatasetConfig config;
        config.path = specification;
        config.root = request_.root;
        return datasets_.emplace(specification, read_configured_dataset(config)).first->second;
    }

    std::vector<std::string> wanted_datasets() const {
        std::vector<std::string> wanted;
        const auto add = [&](const std::string& specification) {
            if (!specification.empty() && std::count(wanted.begin(), wanted.end(), specification) == 0) {
                wanted.push_back(specification);
            }
        };
        add(config_.pairs);
        add(config_.gallery);
        for (const std::string& probes : config_.probes) add(probes);
        if (config_.permutations.permutations > 0) add(config_.permuted);
        if (wanted.empty()) {
            throw UsageError(
                "there is nothing to recognise: name a dataset with pairs, or a gallery and probes, e.g. "
                "'recognition.pairs' or 'recognition.gallery' and 'recognition.probes' in the configuration");
        }
        return wanted;
    }

    // False if it was interrupted.
    bool describe_all() {
        hooks_.begin_stage("describing faces");
        const Stopwatch watch;
        for (RunningRecogniser& running : recognisers_) {
            for (const std::string& specification : wanted_) {
                const DescribedDataset& described =
                    running.described
                        .emplace(specification, describe_dataset(dataset(specification), finder_.finder(),
                                                                 *running.recogniser, options()))
                        .first->second;
                note(specification, described, &running == &recognisers_.front());
                if (described.outcome.interrupted) return false;
                check_faces(specification, described);
            }
        }
        outcome_.describe_seconds = watch.seconds();
        return true;
    }

    // A missing input of the experiments is found before any face is described.
    void check_datasets() {
        if (!config_.pairs.empty() && dataset(config_.pairs).pairs.empty()) {
            throw UsageError("the dataset " + config_.pairs +
                             " has no list of pairs; verification needs one, e.g. lfw:DIR");
        }
        for (const std::string& probes : config_.probes) {
            identification_set(dataset(config_.gallery), dataset(probes));
        }
        if (config_.permutations.permutations > 0 && !config_.permuted.empty()) {
            identification_set(dataset(config_.permuted), dataset(config_.permuted));
        }
    }

    static void check_faces(const std::string& specification, const DescribedDataset& described) {
        if (described.features.size() > 0 || described.outcome.failures.empty()) return;
        throw Error("no image of " + specification +
                    " gave a face; of the first: " + described.outcome.failures.front().reason +
                    ". Choose where the eyes come from with --faces, or 'recognition.faces'");
    }

    // The pages that this run may write.
    std::vector<fs::path> reports() const {
        if (request_.folder.empty()) return {};
        std::vector<fs::path> folders{folder_of("verification")};
        if (request_.own_folder) folders.push_back(request_.folder);
        for (const std::string& name : searches_) folders.push_back(folder_of("identification-" + name));
        std::vector<fs::path> files;
        for (const fs::path& folder : folders) {
            for (const char* name : {"report.html", "report.json", "report.md"})
                files.push_back(folder / name);
        }
        return files;
    }

    EnrolmentOptions options() const {
        EnrolmentOptions options;
        options.threads = limit_.threads();
        options.decode = request_.decode;
        options.hooks = hooks_;
        return options;
    }

    // All recognisers see the same faces: they count once.
    void note(const std::string& specification, const DescribedDataset& described, bool first) {
        if (first) {
            outcome_.images += described.outcome.images;
            outcome_.faces += described.outcome.faces;
            outcome_.fallbacks += described.fallbacks;
            outcome_.pages_left_out += pages_left_out(described.outcome.several_pages);
        }
        for (const FaceFailure& failure : described.outcome.failures) {
            const std::string& image = dataset(specification).samples[failure.sample].image;
            if (!failed_.insert({specification, image}).second) continue;
            outcome_.failures.push_back({specification, image, failure.reason, failure.unreadable});
        }
    }

    void evaluate() {
        hooks_.begin_stage("comparing faces");
        const Stopwatch watch;
        if (!config_.pairs.empty()) verify_pairs();
        std::optional<PermutationEvaluation> permutations;
        if (config_.permutations.permutations > 0) permutations = permute();
        for (std::size_t i = 0; i < searches_.size(); ++i) search(i, permutations);
        outcome_.compare_seconds = watch.seconds();
        if (!request_.folder.empty()) {
            hooks_.begin_stage("writing the report");
            write_reports();
        }
    }

    void verify_pairs() {
        const Dataset& pairs = dataset(config_.pairs);
        // A report has the same numbers for all.
        const bool fixed_thresholds =
            std::all_of(recognisers_.begin(), recognisers_.end(), [&](const RunningRecogniser& running) {
                return !running.recogniser->config().fold_weights.empty();
            });
        for (std::size_t i = 0; i < recognisers_.size(); ++i) {
            RunningRecogniser& running = recognisers_[i];
            const ScoredPairs scored =
                distances_of_pairs(pairs, running.described.at(config_.pairs), *running.recogniser);
            VerificationOptions options;
            options.distance = true;
            options.bootstrap_resamples = request_.bootstrap_resamples;
            options.bootstrap_seed = request_.bootstrap_seed;
            if (fixed_thresholds) {
                options.threshold = running.recogniser->config().fold_weights.threshold;
                options.threshold_origin = "the pairs that the weights were learned on";
            }
            outcome_.verification.push_back(evaluate_verification(scored.pairs, options, names_[i]));
            outcome_.verification.back().units_sha256 = scored.units_sha256;
            say(i, outcome_.verification.back().warnings);
            for (const std::string& warning : scored.warnings) {
                spdlog::warn("{}", warning);
                outcome_.warnings.push_back(warning);
            }
            write_scores("verification", i, ".txt",
                         [&](const fs::path& file) { replace_file(file, pairs_text(pairs, scored)); });
        }
        const std::vector<std::string> further = notes({config_.pairs});
        outcome_.warnings.insert(outcome_.warnings.end(), further.begin(), further.end());
    }

    std::optional<PermutationEvaluation> permute() {
        const std::string& specification = config_.permuted.empty() ? config_.gallery : config_.permuted;
        const Dataset& images = dataset(specification);
        const IdentificationSet set = identification_set(images, images);
        std::vector<SimilarityMatrix> matrices;
        for (const RunningRecogniser& running : recognisers_) {
            const DescribedDataset& described = running.described.at(specification);
            matrices.push_back(distance_matrix(set, described, described, *running.recogniser, device_));
        }
        return evaluate_permutations(set.gallery_subjects, matrices, config_.permutations);
    }

    void search(std::size_t number, const std::optional<PermutationEvaluation>& permutations) {
        const std::string& probes = config_.probes[number];
        SearchResult& found = outcome_.searches.emplace_back();
        found.probes = probes;
        found.name = searches_[number];
        const IdentificationSet set = identification_set(dataset(config_.gallery), dataset(probes));
        IdentificationOptions options;
        options.distance = true;
        options.bootstrap_resamples = request_.bootstrap_resamples;
        options.bootstrap_seed = request_.bootstrap_seed;
        for (std::size_t i = 0; i < recognisers_.size(); ++i) {
            const RunningRecogniser& running = recognisers_[i];
            const SimilarityMatrix matrix =
                distance_matrix(set, running.described.at(config_.gallery), running.described.at(probes),
                                *running.recogniser, device_);
            found.evaluations.push_back(evaluate_identification(set, matrix, options, names_[i]));
            say(i, found.evaluations.back().warnings);
            write_scores("identification-" + found.name, i, ".csv",
                         [&](const fs::path& file) { write_matrix(file, set, matrix); });
        }
        found.permutations = permutations;
        found.warnings = notes({config_.gallery, probes});
    }

    // For the reports: who recognised, and what could not be. The failures themselves are named in run.json.
    std::vector<std::string> notes(const std::set<std::string>& of) const {
        std::vector<std::string> notes;
        for (std::size_t i = 0; i < recognisers_.size(); ++i) {
            notes.push_back(names_[i] + ": " + recognisers_[i].recogniser->description() + ".");
        }
        std::size_t failures = 0;
        const FailedFace* first = nullptr;
        for (const FailedFace& failure : outcome_.failures) {
            if (!of.contains(failure.dataset)) continue;
            if (first == nullptr) first = &failure;
            ++failures;
        }
        if (failures > 0) {
            notes.push_back(fmt::format("{} gave no face; the first is {}: {}.", counted(failures, "image"),
                                        first->image, first->reason));
        }
        return notes;
    }

    // The only report is the folder's own.
    fs::path folder_of(const std::string& part) const {
        const std::size_t reports = config_.probes.size() + (config_.pairs.empty() ? 0 : 1);
        if (request_.own_folder && reports == 1) return request_.folder;
        const bool one_search = config_.probes.size() == 1 && part != "verification";
        return request_.folder / (one_search ? "identification" : part);
    }

    // They stand in the report where there is one.
    void say(std::size_t recogniser, const std::vector<std::string>& warnings) const {
        const auto level = request_.folder.empty() ? spdlog::level::warn : spdlog::level::debug;
        for (const std::string& warning : warnings) spdlog::log(level, "{}: {}", names_[recogniser], warning);
    }

    // Names that no file of scores can hold cost the scores, and not the report.
    void write_scores(const std::string& part, std::size_t recogniser, const char* extension,
                      const std::function<void(const fs::path&)>& write) {
        if (request_.folder.empty()) return;
        const std::string name = recognisers_.size() == 1 ? "scores" : "scores-" + names_[recogniser];
        const fs::path file = path_below(folder_of(part), name + extension);
        make_output_folder(request_.folder, "report");
        make_parent_folder(file);
        request_.inputs.refuse(file);
        try {
            write(file);
            scores_.push_back(file);
        } catch (const Error& error) {
            spdlog::warn("the scores of {} were not kept: {}", names_[recogniser], error.what());
        }
    }

    // Every other page of the run, as the one in this folder refers to it.
    std::vector<RelatedReport> related_to(const fs::path& folder) const {
        std::vector<RelatedReport> list;
        const auto add = [&](const RelatedReport& page) {
            const fs::path target = request_.folder / page.address;
            if (target.parent_path() == folder) return;
            list.push_back({page.title, target.lexically_relative(folder).generic_string()});
        };
        for (const RelatedReport& page : related_) add(page);
        for (const RelatedReport& page : pages()) add(page);
        return list;
    }

    // The other report of the run links to these pages.
    void write_pages_to_come() const {
        for (const RelatedReport& page : pages()) {
            const fs::path file = request_.folder / page.address;
            write_report_to_come(file, page.title, related_to(file.parent_path()));
        }
    }

    void write_reports() {
        if (!outcome_.verification.empty()) {
            const fs::path folder = folder_of("verification");
            const RecognitionReportContext context{request_.title,      config_.pairs,
                                                   outcome_.warnings,   request_.configuration,
                                                   report_origin_now(), related_to(folder)};
            outcome_.verification_report.write([&] {
                return write_verification_report({folder, request_.inputs}, outcome_.verification, context);
            });
        }
        for (SearchResult& search : outcome_.searches) {
            const fs::path folder = folder_of("identification-" + search.name);
            const RecognitionReportContext context{request_.title,      search.probes,
                                                   search.warnings,     request_.configuration,
                                                   report_origin_now(), related_to(folder)};
            search.report.write([&] {
                return write_identification_report({folder, request_.inputs}, search.evaluations,
                                                   search.permutations, context);
            });
        }
    }

    Json manifest() const {
        Json json;
        json["recognisers"] = Json::array();
        for (std::size_t i = 0; i < recognisers_.size(); ++i) {
            const RunningRecogniser& running = recognisers_[i];
            json["recognisers"].push_back(
                {{"name", names_[i]},
                 {"file", running.file.string()},
                 {"sha256", sha256_of_file(running.file)},
                 {"description", running.recogniser->description()},
                 {"configuration", recogniser_config_to_json(running.recogniser->config())},
                 {"weights_of_folds", running.recogniser->config().fold_weights.weights.size()},
                 {"device", running.recogniser->device_name()}});
        }
        json["finder"] = finder_.to_json();
        json["datasets"] = Json::array();
        for (const auto& [specification, dataset] : datasets_) {
            Json sources = Json::array();
            for (const fs::path& source : dataset.sources) {
                sources.push_back({{"file", source.string()}, {"sha256", sha256_of_file(source)}});
            }
            json["datasets"].push_back({{"name", specification},
                                        {"images", dataset.samples.size()},
                                        {"sources", std::move(sources)}});
        }
        json["scores"] = Json::array();
        for (const fs::path& file : scores_) {
            json["scores"].push_back({{"file", file.lexically_relative(request_.folder).string()},
                                      {"sha256", sha256_of_file(file)}});
        }
        json["images"] = outcome_.images;
        json["faces"] = outcome_.faces;
        json["faces_at_fallback_eyes"] = outcome_.fallbacks;
        json["pages_left_out"] = outcome_.pages_left_out;
        json["failures"] = failures_to_json(outcome_.failures);
        json["interrupted"] = outcome_.interrupted;
        json["timings"] = {{"describe_seconds", outcome_.describe_seconds},
                           {"compare_seconds", outcome_.compare_seconds}};
        return json;
    }

    RecognitionRequest request_;
    const RecognitionConfig& config_;
    const DetectionDevice& device_;
    const JobHooks& hooks_;
    ThreadLimit limit_;
    LoadedFaceFinder finder_;
    std::vector<RunningRecogniser> recognisers_;
    std::vector<std::string> names_;
    std::vector<std::string> searches_;        // names of the probes, parallel to config_.probes
    std::vector<std::string> wanted_;          // specifications
    std::map<std::string, Dataset> datasets_;  // by specification
    std::set<std::pair<std::string, std::string>> failed_;
    std::vector<fs::path> scores_;
    std::vector<RelatedReport> related_;
    RecognitionResult outcome_;
};

std::vector<fs::path> RecognitionResult::reports() const {
    std::vector<fs::path> reports;
    if (verification_report.page) reports.push_back(*verification_report.page);
    for (const SearchResult& search : searches) {
        if (search.report.page) reports.push_back(*search.report.page);
    }
    return reports;
}

LateReport RecognitionResult::failed_report() const {
    if (verification_report.failure) return verification_report;
    for (const SearchResult& search : searches) {
        if (search.report.failure) return search.report;
    }
    return {};
}

RecognitionJob::RecognitionJob(RecognitionRequest request, const DetectionDevice& device,
                               const JobHooks& hooks)
    : implementation_(std::make_unique<Implementation>(std::move(request), device, hooks)) {}

RecognitionJob::~RecognitionJob() = default;

std::vector<RelatedReport> RecognitionJob::pages() const {
    return implementation_->pages();
}

RecognitionResult RecognitionJob::run(const std::vector<RelatedReport>& related) {
    return implementation_->run(related);
}

}  // namespace fovea
