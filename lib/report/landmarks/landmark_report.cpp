#include "lib/report/landmarks/landmark_report.hpp"

#include <algorithm>
#include <set>

#include <spdlog/spdlog.h>

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/landmarks/landmark_exhibits.hpp"
#include "lib/report/landmarks/landmark_markdown.hpp"
#include "lib/report/landmarks/landmark_page.hpp"
#include "lib/report/page/numbers_csv.hpp"
#include "lib/report/page/report_section.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea {
namespace {

using namespace report;
using LandmarkEvaluations = std::vector<LandmarkEvaluation>;

/// Pictures of every landmarker but the first, at most: a comparison must stay a page.
constexpr int thumbnails_of_further_landmarkers = 12;
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

// Chooses the pictures of all landmarkers first, then cuts them in one go, so that every image is read once.
/// \param missing receives missing_pictures().
std::vector<LandmarkExhibits> find_worst_cases(const Dataset& dataset, const LandmarkEvaluations& evaluations,
                                               const ReportContext& context, std::string& missing) {
    std::vector<LandmarkExhibits> exhibits_of_each(evaluations.size());
    std::vector<LandmarkExhibits::Part*> parts;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const int wanted =
            i == 0 ? context.thumbnails : std::min(context.thumbnails, thumbnails_of_further_landmarkers);
        const auto limit = static_cast<std::size_t>(std::max(0, wanted));
        std::set<std::string> without_result;
        for (const SkippedImage& entry : context.skipped) {
            if (entry.detector.empty() || entry.detector == evaluations[i].name)
                without_result.insert(entry.image);
        }
        exhibits_of_each[i].missed.exhibits =
            missed_landmark_exhibits(dataset, evaluations[i], limit / 2, without_result);
        const auto shown = [&](LandmarkRank rank, std::size_t count) {
            return landmark_exhibits(dataset, evaluations[i], rank, count);
        };
        exhibits_of_each[i].worst.exhibits = shown(LandmarkRank::worst, limit / 2);
        exhibits_of_each[i].median.exhibits = shown(LandmarkRank::median, limit / 4);
        exhibits_of_each[i].best.exhibits = shown(LandmarkRank::best, limit / 4);
        parts.insert(parts.end(), {&exhibits_of_each[i].missed, &exhibits_of_each[i].worst,
                                   &exhibits_of_each[i].median, &exhibits_of_each[i].best});
    }
    std::vector<Exhibit> exhibits;
    for (const LandmarkExhibits::Part* part : parts) {
        exhibits.insert(exhibits.end(), part->exhibits.begin(), part->exhibits.end());
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(dataset, exhibits, context.decode);
    missing = missing_pictures(dataset, exhibits, thumbnails);
    auto next = thumbnails.begin();
    for (LandmarkExhibits::Part* part : parts) {
        const auto end = next + static_cast<std::ptrdiff_t>(part->exhibits.size());
        part->thumbnails.assign(next, end);
        next = end;
    }
    return exhibits_of_each;
}

class LandmarkSection : public ReportSection {
  public:
    LandmarkSection(const Dataset& dataset, const LandmarkEvaluations& evaluations,
                    const ReportContext& context, const std::string& prefix)
        : page_{dataset, evaluations, names_of(evaluations), context, prefix, {}, {}, {}} {}

    std::string subject() const override { return "landmarks"; }
    std::string competitors() const override { return "landmarkers"; }
    const std::vector<std::string>& names() const override { return page_.names; }

    void add_numbers(Json& json, StagedFiles& files) const override {
        const LandmarkEvaluations& evaluations = page_.evaluations;
        if (!json["dataset"].contains("faces")) json["dataset"]["faces"] = evaluations[0].faces;
        json["dataset"]["landmarks"] = evaluations[0].points;
        json.update(landmarkers_json(evaluations, page_.names, 1000));
        if (evaluations.size() == 1) json.erase("landmarkers");
        const std::string units = landmark_units_text(evaluations, page_.names);
        if (!units.empty()) {
            json["units"] = {{"file", units_file}, {"sha256", sha256_of(units)}};
            files.add(units_file, units);
        }
        files.add(page_.file_prefix + "curves.csv", curves_csv(evaluations, page_.names));
        files.add(page_.file_prefix + "numbers.csv",
                  numbers_csv(json, "landmarker", "landmarks", page_.names[0]));
        files.add("faces.csv", faces_csv(page_.dataset, evaluations, page_.names));
    }

    void add_plots(StagedFiles& files) override {
        page_.plots = landmark_plots(page_.evaluations, page_.names);
        add_plot_files(files, page_.plots.all());
    }

    MarkdownPage markdown() const override { return landmark_markdown(page_); }

    SectionPage page() override {
        page_.exhibits_of_each =
            find_worst_cases(page_.dataset, page_.evaluations, page_.context, page_.missing_pictures);
        if (!page_.missing_pictures.empty()) spdlog::warn("{}", page_.missing_pictures);
        return landmark_page(page_);
    }

  private:
    LandmarkPage page_;
};

}  // namespace

Json landmark_report_numbers(const LandmarkEvaluations& evaluations) {
    return landmarkers_json(evaluations, names_of(evaluations), printed_curve_points);
}

std::unique_ptr<ReportSection> report::landmark_section(const Dataset& dataset,
                                                        const LandmarkEvaluations& evaluations,
                                                        const ReportContext& context,
                                                        const std::string& prefix) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    return std::make_unique<LandmarkSection>(dataset, evaluations, context, prefix);
}

std::filesystem::path write_landmark_report(const std::filesystem::path& folder, const Dataset& dataset,
                                            const LandmarkEvaluations& evaluations,
                                            const ReportContext& context) {
    std::vector<std::unique_ptr<ReportSection>> sections;
    sections.push_back(landmark_section(dataset, evaluations, context, ""));
    return write_sections(folder, dataset, context, sections);
}

}  // namespace fovea
