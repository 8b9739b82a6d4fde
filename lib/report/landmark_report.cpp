#include "lib/report/landmark_report.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmark_json.hpp"
#include "lib/report/csv.hpp"
#include "lib/report/format.hpp"
#include "lib/report/landmark_gallery.hpp"
#include "lib/report/landmark_markdown.hpp"
#include "lib/report/landmark_page.hpp"
#include "lib/report/skipped.hpp"
#include "lib/report/staged_files.hpp"

namespace fovea {
namespace {

using namespace report;
using Evaluations = std::vector<LandmarkEvaluation>;

/// Pictures of every landmarker but the first, at most: a comparison must stay a page.
constexpr int thumbnails_of_further_landmarkers = 12;

std::string curves_csv(const Evaluations& evaluations, const std::vector<std::string>& names) {
    std::string csv = "landmarker,normaliser,error,share_of_faces\n";
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        for (const NormalisedError& error : evaluations[i].nme) {
            const std::string begin = csv_field(names[i]) + ',' + normaliser_name(error.normaliser) + ',';
            for (std::size_t k = 0; k < error.errors.size(); ++k) {
                csv += begin + shortest_number(error.errors[k]) + ',' +
                       shortest_number(static_cast<double>(k + 1) / evaluations[i].faces) + '\n';
            }
        }
    }
    return csv;
}

// One face a row; the errors of those missed are empty, an error without a length to divide by is "inf".
std::string faces_csv(const Dataset& dataset, const Evaluations& evaluations,
                      const std::vector<std::string>& names) {
    std::string csv = "landmarker,image,face,status,pixels";
    for (const LandmarkNormaliser normaliser : evaluations[0].normalisers) {
        csv += ",nme_" + normaliser_name(normaliser);
    }
    csv += '\n';
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        for (const LandmarkFace& face : evaluations[i].outcomes) {
            csv += csv_field(names[i]) + ',' + csv_field(dataset.samples[face.sample].image) + ',' +
                   std::to_string(face.face) + (face.missed() ? ",missed," : ",found,");
            if (!face.missed()) csv += shortest_number(mean_distance(face));
            for (std::size_t n = 0; n < evaluations[i].normalisers.size(); ++n) {
                csv += ',';
                if (!face.missed()) csv += shortest_number(normalised_mean_error(face, n));
            }
            csv += '\n';
        }
    }
    return csv;
}

// Metrics are named as in landmark_statistics(): "nme.pupils.mean", "region.jaw.mean".
std::string numbers_csv(const Evaluations& evaluations, const std::vector<std::string>& names) {
    NumbersCsv csv("landmarker");
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const LandmarkEvaluation& e = evaluations[i];
        csv.begin(names[i]);
        csv.add("images", e.images);
        csv.add("faces", e.faces);
        csv.add("faces_found", e.faces_found);
        csv.add("faces_missed", e.faces_missed);
        const Estimate& missed = number_of_key(e.totals, "missed_rate");
        if (missed.value) csv.add("missed_rate", *missed.value, missed.ci95, "faces_missed divided by faces");
        for (const NormalisedError& error : e.nme) {
            csv.add(error.numbers, "nme." + normaliser_name(error.normaliser) + '.');
        }
        csv.add(e.pixels, "pixels.");
        csv.add(e.helf_as_printed, "helf_2018_eq_5_2.as_printed.");
        for (const PartError& region : e.by_region) csv.add(region.numbers, "region." + region.name + '.');
        for (const PartError& point : e.by_point) csv.add(point.numbers, "point." + point.name + '.');
        for (const LandmarkSlice& slice : e.slices) {
            csv.add(slice.numbers, "slice." + slice.by + '.' + slice.label + '.');
        }
    }
    return csv.text();
}

Json landmarkers_json(const Evaluations& evaluations, const std::vector<std::string>& names,
                      std::size_t most_curve_points) {
    Json json;
    json["landmarks"] = landmark_evaluation_to_json(evaluations[0], most_curve_points);
    json["landmarkers"] = Json::array();
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        json["landmarkers"].push_back(
            {{"name", names[i]},
             {"landmarks", landmark_evaluation_to_json(evaluations[i], most_curve_points)}});
    }
    return json;
}

std::vector<std::string> names_of(const Evaluations& evaluations) {
    std::vector<std::string> given;
    for (const LandmarkEvaluation& evaluation : evaluations) given.push_back(evaluation.name);
    return unique_names(given, "landmarker");
}

Json report_json(const std::string& title, const Dataset& dataset, const Evaluations& evaluations,
                 const std::vector<std::string>& names, const ReportContext& context) {
    Json json;
    json["format"] = "fovea-report";
    json["version"] = 1;
    json["title"] = title;
    json["dataset"] = {{"name", dataset.name},
                       {"format", dataset.format},
                       {"images", dataset.samples.size()},
                       {"faces", evaluations[0].faces},
                       {"landmarks", evaluations[0].points}};
    json.update(landmarkers_json(evaluations, names, 1000));
    if (evaluations.size() == 1) json.erase("landmarkers");
    if (!context.skipped.empty()) {
        json["skipped"] = Json::array();
        for (const SkippedGroup& group : grouped_by_detector(context.skipped, evaluations.size())) {
            Json entry{{"image", group.image}, {"reason", group.reason}};
            if (!group.detectors.empty()) entry["landmarkers"] = group.detectors;
            json["skipped"].push_back(std::move(entry));
        }
    }
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    return json;
}

// Chooses the pictures of all landmarkers first, then cuts them in one go, so that every image is read once.
std::vector<LandmarkGallery> make_galleries(const Dataset& dataset, const Evaluations& evaluations,
                                            const ReportContext& context) {
    std::vector<LandmarkGallery> galleries(evaluations.size());
    std::vector<LandmarkGallery::Part*> parts;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const int wanted =
            i == 0 ? context.thumbnails : std::min(context.thumbnails, thumbnails_of_further_landmarkers);
        const auto limit = static_cast<std::size_t>(std::max(0, wanted));
        std::set<std::string> without_result;
        for (const SkippedImage& entry : context.skipped) {
            if (entry.detector.empty() || entry.detector == evaluations[i].name)
                without_result.insert(entry.image);
        }
        galleries[i].missed.exhibits =
            missed_landmark_exhibits(dataset, evaluations[i], limit / 2, without_result);
        galleries[i].worst.exhibits = landmark_exhibits(dataset, evaluations[i], false, limit / 2);
        galleries[i].best.exhibits = landmark_exhibits(dataset, evaluations[i], true, limit / 4);
        parts.insert(parts.end(), {&galleries[i].missed, &galleries[i].worst, &galleries[i].best});
    }
    std::vector<Exhibit> exhibits;
    for (const LandmarkGallery::Part* part : parts) {
        exhibits.insert(exhibits.end(), part->exhibits.begin(), part->exhibits.end());
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(dataset, exhibits, context.decode);
    auto next = thumbnails.begin();
    for (LandmarkGallery::Part* part : parts) {
        const auto end = next + static_cast<std::ptrdiff_t>(part->exhibits.size());
        part->thumbnails.assign(next, end);
        next = end;
    }
    return galleries;
}

}  // namespace

Json landmark_report_numbers(const Evaluations& evaluations) {
    return landmarkers_json(evaluations, names_of(evaluations), 0);
}

std::filesystem::path write_landmark_report(const std::filesystem::path& folder, const Dataset& dataset,
                                            const Evaluations& evaluations, const ReportContext& context) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    make_output_folder(folder, "report");
    const std::vector<std::string> names = names_of(evaluations);
    const std::string title =
        context.title.empty() ? default_title("Face landmarks", dataset.name) : context.title;
    StagedFiles files(folder);
    files.add("report.json", report_json(title, dataset, evaluations, names, context)
                                     .dump(2, ' ', false, Json::error_handler_t::replace) +
                                 "\n");
    files.add("curves.csv", curves_csv(evaluations, names));
    files.add("numbers.csv", numbers_csv(evaluations, names));
    files.add("faces.csv", faces_csv(dataset, evaluations, names));
    const std::filesystem::path page = folder / "report.html";
    try {
        LandmarkPage content{title, dataset, evaluations, names, context, landmark_plots(evaluations, names),
                             {}};
        add_plot_files(files, content.plots.all());
        files.add("report.md", landmark_markdown(content));
        content.galleries = make_galleries(dataset, evaluations, context);
        files.add(page.filename().string(), landmark_page(content));
    } catch (...) {
        // The numbers stay usable, but not beside the page of another evaluation.
        std::error_code ignored;
        if (!std::filesystem::exists(page, ignored)) files.publish();
        throw;
    }
    files.publish();
    return page;
}

}  // namespace fovea
