#include <algorithm>
#include <array>
#include <cmath>

#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/report/comparison/comparison_report.hpp"
#include "lib/report/recognition/recognition_report.hpp"
#include "lib/report/run_report.hpp"
#include "lib/report/stored/compare.hpp"
#include "lib/train/landmarks/landmark_training_report.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/gnuplot_stub.hpp"
#include "tests/fuzz/shapes.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/three_people.hpp"

namespace fovea::fuzz {
namespace fs = std::filesystem;
namespace {

/// Texts from outside in reports: the parts of an input.
struct Texts {
    std::string first, second;  ///< names of what is evaluated
    std::string image;
    std::string attribute, value;  ///< of faces and images: slices
    std::string title;
    std::string dataset;
    std::string sentence;  ///< a warning, a reason, the origin of a number
};

constexpr std::array text_members{&Texts::first, &Texts::second, &Texts::image,   &Texts::attribute,
                                  &Texts::value, &Texts::title,  &Texts::dataset, &Texts::sentence};

Texts texts_of(std::string_view input) {
    const std::vector<std::string_view> parts = parts_of(input, text_members.size());
    Texts texts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::string_view part = parts[i];
        if (part.ends_with('\n')) part.remove_suffix(1);  // of the separator's line
        texts.*text_members[i] = part.substr(0, 200);
    }
    // Two things of one name are told apart by a number, whatever the name.
    texts.first += 'A';
    texts.second += 'B';
    texts.value += 'v';
    // It stays behind "fold" in the order of slices.
    texts.attribute.insert(0, 1, 'g');
    return texts;
}

Texts harmless_of(const Texts& texts) {
    Texts same;
    for (const auto member : text_members) same.*member = harmless(texts.*member);
    return same;
}

// --- what is reported ------------------------------------------------------------------------------

std::vector<Point> landmarks_at(double x, double y) {
    return {{x, y}, {x + 20, y}, {x + 10, y + 10}, {x + 2, y + 20}, {x + 18, y + 20}};
}

Face face_at(double x, double y, const Texts& texts, const char* which) {
    Face face;
    face.box = {x - 5, y - 5, 30, 30};
    face.landmarks = landmarks_at(x, y);
    face.attributes = {{texts.attribute, texts.value + which}};
    return face;
}

Detection detection_at(double x, double y, double score) {
    Detection detection;
    detection.box = {x - 5, y - 4, 30, 29};
    detection.score = score;
    detection.details.edit().landmarks = landmarks_at(x + 1, y);
    return detection;
}

// A photograph that can be read, and one that is not there; faces found, missed and false positives.
Dataset dataset_of(const Texts& texts) {
    provide("photo.pgm", "P5 64 48 255\n" + std::string(64 * 48, 'm'));
    Dataset dataset;
    dataset.format = "list";
    dataset.name = texts.dataset;
    dataset.root = work_folder();
    dataset.warnings = {texts.sentence};
    for (const char* which : {"1", "2", "3"}) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = texts.image + which;
        sample.path = work_folder() / (*which == '3' ? "gone.pgm" : "photo.pgm");
        sample.annotated = true;
        // Without it, the fold would follow from the image's name, and the numbers with it.
        sample.attributes = {{"fold", which}, {texts.attribute, texts.value + which}};
        sample.faces = {face_at(10, 10, texts, which)};
    }
    dataset.samples[0].faces.push_back(face_at(40, 20, texts, "4"));
    return dataset;
}

DetectionResults results_of(const Dataset& dataset, double shift) {
    DetectionResults results;
    for (const Sample& sample : dataset.samples) {
        ImageResult& result = results.images.emplace_back();
        result.image = sample.image;
        result.detections = {detection_at(10 + shift, 10, 0.9), detection_at(30, 70, 0.5)};
    }
    results.images[2].detections.clear();
    return results;
}

DetectionEvaluation detection_of(const Dataset& dataset, const Texts& texts, const std::string& name,
                                 double shift) {
    DetectionResults results = results_of(dataset, shift);
    results.images[2].status = "unreadable: " + texts.sentence;
    DetectionEvaluationOptions options;
    options.bootstrap_resamples = 0;
    DetectionEvaluation evaluation = evaluate_detection(dataset, results, options, name);
    evaluation.warnings = {texts.sentence};
    return evaluation;
}

LandmarkEvaluation landmarks_of(const Dataset& dataset, const Texts& texts, const std::string& name,
                                double shift) {
    LandmarkEvaluationOptions options;
    options.bootstrap_resamples = 0;
    LandmarkEvaluation evaluation = evaluate_landmarks(dataset, results_of(dataset, shift), options, name);
    evaluation.warnings = {texts.sentence};
    return evaluation;
}

ReportContext context_of(const Texts& texts) {
    ReportContext context;
    context.title = texts.title;
    context.configuration = {{"title", texts.title}, {texts.attribute, texts.value}};
    context.manifest = {{"inputs", {texts.sentence}}};
    context.skipped = {{texts.image + "3", texts.sentence, texts.first}};
    context.references = {{texts.second, false, {0.5, 0.25}, {4, 1}}};
    context.box_calibrations = {{texts.first, {{"from", texts.sentence}}}};
    context.landmarks_origin = texts.sentence;
    return context;
}

LandmarkTrainingResult training_of(const Texts& texts) {
    LandmarkTrainingResult outcome;
    outcome.landmarks.name = texts.first;
    outcome.landmarks.training = {{"data", {{"name", texts.dataset}}}, {"settings", {{"name", texts.first}}}};
    outcome.levels = {{0.5, {0.5, 0.25}, 0}, {0.25, {0.25, 0.125}, 0.5}};
    outcome.sources = {texts.second, "tight"};
    outcome.faces = outcome.validation_faces = 2;
    return outcome;
}

// --- writers and what they wrote ---------------------------------------------------------------------

struct Written {
    std::string name;
    std::string bytes;
};

std::vector<Written> files_of(const fs::path& folder) {
    std::vector<Written> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        files.push_back({entry.path().filename().string(), read_file(entry.path(), "report")});
    }
    std::sort(files.begin(), files.end(), [](const Written& a, const Written& b) { return a.name < b.name; });
    return files;
}

struct Documents {
    std::vector<Written> files;
    std::vector<std::string> scripts;  ///< for gnuplot
};

// The documents that `write` writes into folders that it is given.
template <class Write>
Documents written_by(const Write& write) {
    const fs::path folder = work_folder() / "reports";
    fs::remove_all(folder);
    drawn_scripts();
    Documents documents;
    write([&](const char* name) {
        fs::create_directories(folder / name);
        return folder / name;
    });
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        for (Written& file : files_of(entry.path())) documents.files.push_back(std::move(file));
    }
    documents.scripts = drawn_scripts();
    // Plots are drawn on several threads.
    std::sort(documents.scripts.begin(), documents.scripts.end());
    return documents;
}

void write_faces(const Texts& texts, const auto& folder) {
    const Dataset dataset = dataset_of(texts);
    const std::vector<DetectionEvaluation> detections{detection_of(dataset, texts, texts.first, 0),
                                                      detection_of(dataset, texts, texts.second, 18)};
    const std::vector<LandmarkEvaluation> landmarks{landmarks_of(dataset, texts, texts.first, 0),
                                                    landmarks_of(dataset, texts, texts.second, 2)};
    write_run_report(folder("run"), dataset, detections, landmarks, context_of(texts));
    write_run_report(folder("one"), dataset, {detections[0]}, {}, context_of(texts));
    report::write_landmark_training_report(folder("training"), training_of(texts));
    // Both sides of the comparison are evaluated again from the records that were just written.
    CompareRequest request;
    request.first = (work_folder() / "reports/run").string();
    request.second = request.first + ":" + texts.second;
    request.resamples = 0;
    if (texts.second.find(':') != std::string::npos) request.second = request.first;
    write_comparison_report(folder("comparison"), compare_reports(request), {texts.title, 4, {}});
}

void write_recognition(const Texts& texts, const auto& folder) {
    RecognitionReportContext context{
        texts.title, texts.dataset, {texts.sentence}, {{"data", texts.sentence}}};
    VerificationOptions options;
    options.bootstrap_resamples = 0;
    options.threshold = 0.5;
    options.threshold_origin = texts.sentence;
    const std::vector<VerificationPair> pairs{{0.9, true},  {0.8, true},  {0.4, true},          {0.7, false},
                                              {0.3, false}, {0.2, false}, {std::nan(""), false}};
    VerificationEvaluations verifications;
    for (const std::string& name : {texts.first, texts.second}) {
        verifications.push_back(evaluate_verification(pairs, options, name));
        verifications.back().warnings = {texts.sentence};
    }
    write_verification_report(folder("verification"), verifications, context);

    const IdentificationSet set = test::three_people();
    IdentificationOptions search;
    search.bootstrap_resamples = 0;
    IdentificationEvaluations identifications;
    for (const std::string& name : {texts.first, texts.second}) {
        identifications.push_back(evaluate_identification(
            set, {3, 3, {0.9, 0.1, 0.2, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1}}, search, name));
    }
    write_identification_report(folder("identification"), identifications, std::nullopt, context);
}

void compare_shapes(const Documents& hostile, const Documents& plain) {
    require(hostile.files.size() == plain.files.size(), "other files are written for other names");
    for (std::size_t i = 0; i < plain.files.size(); ++i) {
        const Written& file = hostile.files[i];
        require(file.name == plain.files[i].name, "other files are written for other names");
        if (shape_of(file.name, file.bytes) == shape_of(file.name, plain.files[i].bytes)) continue;
        const std::string one = shape_of(file.name, file.bytes);
        const std::string other = shape_of(file.name, plain.files[i].bytes);
        const auto at = static_cast<std::size_t>(
            std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
        const std::size_t begin = at < 60 ? 0 : at - 60;
        throw std::logic_error("a text from outside changes the shape of " + file.name + ": '" +
                               one.substr(begin, 120) + "' is '" + other.substr(begin, 120) +
                               "' of harmless texts");
    }
    require(hostile.scripts.size() == plain.scripts.size(), "other plots are drawn for other names");
    std::vector<std::string> shapes[2];
    for (const std::string& script : hostile.scripts) shapes[0].push_back(plot_script_shape(script));
    for (const std::string& script : plain.scripts) shapes[1].push_back(plot_script_shape(script));
    for (std::vector<std::string>& list : shapes) std::sort(list.begin(), list.end());
    require(shapes[0] == shapes[1], "a text from outside changes the commands for gnuplot");
}

}  // namespace

void names_in_face_reports_target(std::string_view input) {
    const Texts texts = texts_of(input);
    const auto documents = [](const Texts& of) {
        return must([&] { return written_by([&](const auto& folder) { write_faces(of, folder); }); });
    };
    compare_shapes(documents(texts), documents(harmless_of(texts)));
}

void names_in_recognition_reports_target(std::string_view input) {
    const Texts texts = texts_of(input);
    const auto documents = [](const Texts& of) {
        return must([&] { return written_by([&](const auto& folder) { write_recognition(of, folder); }); });
    };
    compare_shapes(documents(texts), documents(harmless_of(texts)));
}

}  // namespace fovea::fuzz
