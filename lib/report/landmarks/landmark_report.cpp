#include "lib/report/landmarks/landmark_report.hpp"

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/landmarks/landmark_content.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/page/numbers_csv.hpp"

namespace fovea {
namespace {

using namespace report;
using LandmarkEvaluations = std::vector<LandmarkEvaluation>;

constexpr std::size_t printed_curve_points = 100;

std::string curves_csv(const LandmarkEvaluations& evaluations, const std::vector<std::string>& names) {
    CsvRows csv({"landmarker", "normaliser", "error", "share_of_faces"});
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        for (const NormalisedError& error : evaluations[i].nme) {
            for (std::size_t k = 0; k < error.errors.size(); ++k) {
                csv.text(names[i]).text(normaliser_name(error.normaliser)).number(error.errors[k]);
                csv.number(static_cast<double>(k + 1) / evaluations[i].faces).end_row();
            }
        }
    }
    return csv.bytes();
}

// One face a row; the errors of those missed are empty, an error without a length to divide by is "inf".
std::string faces_csv(const Dataset& dataset, const LandmarkEvaluations& evaluations,
                      const std::vector<std::string>& names) {
    CsvRows csv({});
    for (const char* name : {"landmarker", "image", "face", "status", "pixels"}) csv.text(name);
    for (const LandmarkNormaliser normaliser : evaluations[0].normalisers) {
        csv.text("nme_" + normaliser_name(normaliser));
    }
    csv.end_row();
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        for (const LandmarkFace& face : evaluations[i].outcomes) {
            csv.text(names[i])
                .text(dataset.samples[face.sample].image)
                .number(static_cast<double>(face.face));
            csv.text(face.missed() ? "missed" : "found");
            face.missed() ? csv.empty() : csv.number(mean_distance(face));
            for (std::size_t n = 0; n < evaluations[i].normalisers.size(); ++n) {
                face.missed() ? csv.empty() : csv.number(normalised_mean_error(face, n));
            }
            csv.end_row();
        }
    }
    return csv.bytes();
}

Json landmarkers_json(const LandmarkEvaluations& evaluations, const std::vector<std::string>& names,
                      std::size_t max_curve_points) {
    Json json;
    json["landmarks"] = landmark_evaluation_to_json(evaluations[0], max_curve_points);
    json["landmarkers"] = Json::array();
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        json["landmarkers"].push_back(
            {{"name", names[i]},
             {"landmarks", landmark_evaluation_to_json(evaluations[i], max_curve_points)}});
    }
    return json;
}

std::vector<std::string> names_of(const LandmarkEvaluations& evaluations) {
    std::vector<std::string> given;
    for (const LandmarkEvaluation& evaluation : evaluations) given.push_back(evaluation.name);
    return unique_names(given, "landmarker");
}

class LandmarkPart : public ReportPart {
  public:
    LandmarkPart(const Dataset& dataset, const LandmarkEvaluations& evaluations, const ReportContext& context,
                 const std::string& prefix)
        : landmarkers_{dataset, evaluations, names_of(evaluations), context, prefix} {}

    std::string subject() const override { return "landmarks"; }
    std::string competitors() const override { return "landmarkers"; }
    const std::vector<std::string>& names() const override { return landmarkers_.names; }

    void add_numbers(Json& json, StagedFiles& files) const override {
        const LandmarkEvaluations& evaluations = landmarkers_.evaluations;
        const std::vector<std::string>& names = landmarkers_.names;
        if (!json["dataset"].contains("faces")) json["dataset"]["faces"] = evaluations[0].faces;
        json["dataset"]["landmarks"] = evaluations[0].points;
        json.update(landmarkers_json(evaluations, names, 1000));
        if (evaluations.size() == 1) json.erase("landmarkers");
        const std::string units = landmark_units_text(evaluations, names);
        if (!units.empty()) {
            json["units"] = {{"file", units_file}, {"sha256", sha256_of(units)}};
            files.add(units_file, units);
        }
        files.add(landmarkers_.file_prefix + "curves.csv", curves_csv(evaluations, names));
        files.add(landmarkers_.file_prefix + "numbers.csv",
                  numbers_csv(json, "landmarker", "landmarks", names[0]));
        files.add("faces.csv", faces_csv(landmarkers_.dataset, evaluations, names));
    }

    PartContent content(StagedFiles&) const override { return landmark_content(landmarkers_); }

  private:
    LandmarkersCompared landmarkers_;
};

}  // namespace

Json landmark_report_numbers(const LandmarkEvaluations& evaluations) {
    return landmarkers_json(evaluations, names_of(evaluations), printed_curve_points);
}

std::unique_ptr<ReportPart> report::landmark_part(const Dataset& dataset,
                                                  const LandmarkEvaluations& evaluations,
                                                  const ReportContext& context, const std::string& prefix) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    return std::make_unique<LandmarkPart>(dataset, evaluations, context, prefix);
}

std::filesystem::path write_landmark_report(const OutputFolder& folder, const Dataset& dataset,
                                            const LandmarkEvaluations& evaluations,
                                            const ReportContext& context) {
    std::vector<std::unique_ptr<ReportPart>> parts;
    parts.push_back(landmark_part(dataset, evaluations, context, ""));
    return write_parts(folder, dataset, context, parts);
}

}  // namespace fovea
