#include "lib/report/landmarks/landmark_section.hpp"

#include <algorithm>
#include <set>

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/landmarks/landmark_exhibits.hpp"
#include "lib/report/landmarks/landmark_markdown.hpp"
#include "lib/report/landmarks/landmark_page.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {
namespace {

using LandmarkEvaluations = std::vector<LandmarkEvaluation>;

constexpr int thumbnails_of_further_landmarkers = 12;

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
        : page_{dataset, evaluations, landmark_part(dataset, evaluations, context, prefix)->names(),
                context, prefix,      {},
                {},      {}} {}

    std::string subject() const override { return "landmarks"; }
    std::string competitors() const override { return "landmarkers"; }
    const std::vector<std::string>& names() const override { return page_.names; }

    void add_numbers(Json& json, StagedFiles& files) const override {
        landmark_part(page_.dataset, page_.evaluations, page_.context, page_.file_prefix)
            ->add_numbers(json, files);
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

std::unique_ptr<ReportSection> landmark_section(const Dataset& dataset,
                                                const LandmarkEvaluations& evaluations,
                                                const ReportContext& context, const std::string& prefix) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    return std::make_unique<LandmarkSection>(dataset, evaluations, context, prefix);
}

}  // namespace fovea::report
