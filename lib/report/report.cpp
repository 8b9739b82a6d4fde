#include "lib/report/report.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection_json.hpp"
#include "lib/report/csv.hpp"
#include "lib/report/format.hpp"
#include "lib/report/gallery.hpp"
#include "lib/report/page.hpp"
#include "lib/report/plots.hpp"
#include "lib/report/thumbnails.hpp"

namespace fovea {
namespace {

using namespace report;

/// Misses and false alarms shown of every detector but the first, each: a comparison must stay a page.
constexpr int thumbnails_of_further_detectors = 8;

void write_file(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
        throw Error("Cannot write " + path.string() + ": " + std::strerror(errno) +
                    "; check that the folder may be written and the disk is not full.");
    }
}

/// The numbers of evaluation are equal bytes for equal work; what took how long is not part of the report.
Json manifest_summary(const Json& manifest) {
    if (!manifest.is_object()) return manifest;
    Json summary = manifest;
    for (const char* key : {"configuration", "timings", "energy"}) summary.erase(key);
    return summary;
}

Json dataset_json(const Dataset& dataset, const DetectionEvaluation& evaluation) {
    const auto annotated = std::count_if(dataset.samples.begin(), dataset.samples.end(),
                                         [](const Sample& sample) { return sample.annotated; });
    Json json;
    json["name"] = dataset.name;
    json["format"] = dataset.format;
    json["images"] = dataset.samples.size();
    json["images_annotated"] = annotated;
    json["faces"] = evaluation.faces;
    json["faces_ignored"] = evaluation.faces_ignored;
    return json;
}

Json report_json(const std::string& title, const Dataset& dataset,
                 const std::vector<DetectionEvaluation>& evaluations, const std::vector<std::string>& names,
                 const ReportContext& context) {
    Json json;
    json["format"] = "fovea-report";
    json["version"] = 1;
    json["title"] = title;
    json["dataset"] = dataset_json(dataset, evaluations[0]);
    json["detection"] = detection_evaluation_to_json(evaluations[0]);
    if (evaluations.size() > 1) {
        json["detectors"] = Json::array();
        for (std::size_t i = 0; i < evaluations.size(); ++i) {
            Json detector;
            detector["name"] = names[i];
            detector["detection"] = detection_evaluation_to_json(evaluations[i]);
            json["detectors"].push_back(std::move(detector));
        }
    }
    if (!context.skipped.empty()) {
        json["skipped"] = Json::array();
        for (const SkippedImage& skipped : context.skipped) {
            Json entry;
            entry["image"] = skipped.image;
            entry["reason"] = skipped.reason;
            if (!skipped.detector.empty()) entry["detector"] = skipped.detector;
            json["skipped"].push_back(std::move(entry));
        }
    }
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    if (!context.manifest.empty()) json["manifest"] = manifest_summary(context.manifest);
    return json;
}

/// Skipped images of one detector, by name; an entry without detector holds for all.
std::set<std::string> images_without_result(const std::vector<SkippedImage>& skipped,
                                            const std::string& detector) {
    std::set<std::string> images;
    for (const SkippedImage& entry : skipped) {
        if (entry.detector.empty() || entry.detector == detector) images.insert(entry.image);
    }
    return images;
}

/// Chooses the pictures of all detectors first, then cuts them in one go, so that every image is read once.
std::vector<Gallery> make_galleries(const Dataset& dataset,
                                    const std::vector<DetectionEvaluation>& evaluations,
                                    const ReportContext& context) {
    std::vector<Gallery> galleries(evaluations.size());
    std::vector<Exhibit> exhibits;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const int wanted =
            i == 0 ? context.thumbnails : std::min(context.thumbnails, thumbnails_of_further_detectors);
        const auto limit = static_cast<std::size_t>(std::max(0, wanted));
        galleries[i].misses = largest_misses(dataset, evaluations[i], limit,
                                             images_without_result(context.skipped, evaluations[i].name));
        galleries[i].false_alarms = highest_false_alarms(dataset, evaluations[i], limit);
        exhibits.insert(exhibits.end(), galleries[i].misses.begin(), galleries[i].misses.end());
        exhibits.insert(exhibits.end(), galleries[i].false_alarms.begin(), galleries[i].false_alarms.end());
    }
    const std::vector<Thumbnail> thumbnails =
        cut_thumbnails(dataset, exhibits, context.apply_exif_orientation);
    auto next = thumbnails.begin();
    for (Gallery& gallery : galleries) {
        const auto take = [&](std::size_t count) {
            const auto end = next + static_cast<std::ptrdiff_t>(count);
            std::vector<Thumbnail> taken(next, end);
            next = end;
            return taken;
        };
        gallery.miss_thumbnails = take(gallery.misses.size());
        gallery.false_alarm_thumbnails = take(gallery.false_alarms.size());
    }
    return galleries;
}

std::string default_title(const Dataset& dataset) {
    // "mit-cmu:/data/mit-cmu/" -> "mit-cmu": the whole specification stands in the summary.
    std::string name = dataset.name;
    while (!name.empty() && name.back() == '/') name.pop_back();
    const std::size_t last = name.find_last_of("/:");
    if (last != std::string::npos && last + 1 < name.size()) name = name.substr(last + 1);
    return name.empty() ? "Face detection" : "Face detection on " + name;
}

}  // namespace

std::vector<SkippedImage> skipped_images(const Dataset& dataset, const std::vector<ImageResult>& results,
                                         const std::string& detector) {
    std::map<std::string, const ImageResult*> by_image;
    for (const ImageResult& result : results) by_image.emplace(result.image, &result);
    std::vector<SkippedImage> skipped;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        const auto found = by_image.find(sample.image);
        if (found == by_image.end()) {
            skipped.push_back({sample.image, "not in the results", detector});
        } else if (!found->second->ok()) {
            skipped.push_back({sample.image, found->second->status, detector});
        }
    }
    return skipped;
}

std::filesystem::path write_detection_report(const std::filesystem::path& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) {
        throw Error("Cannot make the report's folder " + folder.string() + ": " + failure.message() +
                    "; choose another folder.");
    }
    const std::vector<std::string> names = display_names(evaluations);
    const std::string title = context.title.empty() ? default_title(dataset) : context.title;

    // The numbers first: they stay usable if plots or pictures fail.
    write_file(folder / "report.json", report_json(title, dataset, evaluations, names, context)
                                               .dump(2, ' ', false, Json::error_handler_t::replace) +
                                           "\n");
    write_file(folder / "curves.csv", curves_csv(evaluations, names));

    PageContent content{title,       dataset,
                        evaluations, names,
                        context,     detection_plots(evaluations, names),
                        {},          "fovea " FOVEA_VERSION};
    for (const Plot& plot : content.plots) write_file(folder / (plot.stem + ".svg"), plot.svg);
    content.galleries = make_galleries(dataset, evaluations, context);
    const std::filesystem::path page = folder / "report.html";
    write_file(page, report_page(content));
    return page;
}

}  // namespace fovea
