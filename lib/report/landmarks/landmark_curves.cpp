#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/report/landmarks/landmark_content.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

/// Bands of more landmarkers would hide one another.
constexpr std::size_t max_with_bands = 3;
constexpr std::size_t max_videos_over_time = 2;
constexpr double failure_limit = 0.08;
constexpr double largest_shown_error = 0.15;

// --- cumulative error distribution ------------------------------------------------------------------

/// \param errors of faces found, ascending \param numbers with the area under the curve
Series ced_series(Series series, const std::vector<double>& errors, int faces, const Numbers& numbers,
                  double limit) {
    series.mark = Mark::steps;
    series.detail = "AUC " + fixed(number_of_key(numbers, "auc_0.08").value.value_or(0), 3);
    series.points = {{0, 0}};
    for (std::size_t k = 0; k < errors.size() && errors[k] <= limit; ++k)
        series.points.push_back({errors[k], static_cast<double>(k + 1) / faces});
    series.points.push_back({limit, series.points.back().y});
    series.points = thinned(series.points, limit, 1);
    return series;
}

Plot ced_plot(const std::string& stem, const std::string& title, const std::string& caption,
              const std::string& unit, double limit) {
    Plot plot{stem, title, caption};
    plot.x = {.label = "NME by " + unit, .min = 0, .max = limit};
    plot.y = share_axis("Faces with at most this error");
    return plot;
}

/// The axis ends where nearly all faces are, if that is soon; the limits of AUC and failures always show.
double error_limit(const LandmarkersCompared& of, std::size_t n) {
    double limit = 0.1;
    for (const LandmarkEvaluation& e : of.evaluations)
        limit = std::max(limit, 1.1 * number_of_key(e.nme[n].numbers, "percentile_95").value.value_or(0));
    return std::min(limit, largest_shown_error);
}

// --- over time --------------------------------------------------------------------------------------

Plot drift_plot(const LandmarkersCompared& of) {
    Plot plot{"drift", "Drift since the last detection",
              "Mean error of the faces found, by the frames since they were last detected; 0: detected in "
              "the frame itself. Shaded: 95\u00A0% intervals."};
    plot.x = {.label = "Frames since the last detection", .min = -0.5};
    plot.y = {.label = "NME by " + of.unit(), .min = 0};
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        if (!of.evaluations[i].over_time) continue;
        Series series = rival_series(of.names, i, Mark::line_dots);
        for (const LandmarkDrift& group : of.evaluations[i].over_time->drift) {
            const Number& mean = number_of_key(group.numbers, "mean");
            const auto followed = static_cast<double>(group.followed);
            if (mean.value) series.points.push_back({followed, *mean.value});
            if (mean.ci95) series.band.push_back({followed, (*mean.ci95)[0], (*mean.ci95)[1]});
        }
        if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
    return plot;
}

/// The curves of the first landmarker.
Plot category_plot(const LandmarkersCompared& of) {
    const std::vector<LandmarkCategory>& categories = of.evaluations[0].over_time->categories;
    Plot plot = ced_plot("ced_categories",
                         "Errors by category" + (of.is_single() ? "" : " of " + shortened(of.names[0], 30)),
                         "Share of all faces of the category's videos with at most a certain NME.", of.unit(),
                         largest_shown_error);
    std::vector<std::string> names;
    for (const LandmarkCategory& category : categories) names.push_back("category " + category.name);
    for (std::size_t i = 0; i < categories.size(); ++i)
        plot.series.push_back(ced_series(rival_series(names, i, Mark::steps), categories[i].errors,
                                         categories[i].faces, categories[i].numbers, largest_shown_error));
    return plot;
}

/// Videos of the first landmarker, those with the largest mean error first.
std::vector<std::size_t> worst_videos(const LandmarksOverTime& over_time) {
    std::vector<std::size_t> videos(over_time.videos.size());
    std::iota(videos.begin(), videos.end(), std::size_t{0});
    std::stable_sort(videos.begin(), videos.end(), [&](std::size_t a, std::size_t b) {
        return over_time.videos[a].mean.value_or(0) > over_time.videos[b].mean.value_or(0);
    });
    if (videos.size() > max_videos_over_time) videos.resize(max_videos_over_time);
    return videos;
}

Plot error_plot(const LandmarkersCompared& of, std::size_t video, std::size_t number) {
    Plot plot{"nme_over_time_" + std::to_string(number),
              "Error over time: " + of.evaluations[0].over_time->videos[video].name,
              "The error of each frame; a gap where the face was missed."};
    plot.x.label = "Frame";
    plot.y = {.label = "NME by " + of.unit(), .min = 0};
    plot.is_wide = true;
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        Series series = rival_series(of.names, i, Mark::line);
        double before = 0;
        bool has_error = false;
        for (const auto& [frame, error] : of.evaluations[i].over_time->videos[video].errors) {
            if (frame > before + 1) series.points.push_back({before + 1, no_value});
            series.points.push_back({frame, std::isfinite(error) ? error : no_value});
            has_error = has_error || std::isfinite(error);
            before = frame;
        }
        if (has_error) plot.series.push_back(std::move(series));
    }
    return plot;
}

}  // namespace

std::vector<Plot> ced_plots(const LandmarkersCompared& of) {
    std::vector<Plot> plots;
    const bool has_bands = of.evaluations.size() <= max_with_bands;
    for (std::size_t n = 0; n < of.evaluations[0].normalisers.size(); ++n) {
        const LandmarkNormaliser normaliser = of.evaluations[0].normalisers[n];
        const double limit = error_limit(of, n);
        Plot plot =
            ced_plot("ced_" + normaliser_name(normaliser), "Errors by " + normaliser_title(normaliser),
                     "Share of all faces with at most a certain NME; faces missed keep the curve below "
                     "100\u00A0%. The dashed line is the limit of AUC and failures, 0.08." +
                         std::string(has_bands ? " The shade is the 95\u00A0% interval (bootstrap)." : ""),
                     normaliser_title(normaliser), limit);
        plot.lines = {{.x = failure_limit}};
        for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
            const LandmarkEvaluation& e = of.evaluations[i];
            Series series = ced_series(rival_series(of.names, i, Mark::steps), e.nme[n].errors, e.faces,
                                       e.nme[n].numbers, limit);
            for (const BandPoint& point : e.nme[n].ced_band) {
                if (has_bands && point.at <= limit)
                    series.band.push_back({point.at, point.ci95[0], point.ci95[1]});
            }
            plot.series.push_back(std::move(series));
        }
        plots.push_back(std::move(plot));
    }
    return plots;
}

std::vector<Plot> landmark_time_plots(const LandmarkersCompared& of) {
    if (!of.evaluations[0].over_time) return {};
    std::vector<Plot> plots;
    for (Plot& plot : std::vector<Plot>{drift_plot(of), category_plot(of)}) {
        if (!plot.series.empty()) plots.push_back(std::move(plot));
    }
    std::size_t number = 1;
    for (const std::size_t video : worst_videos(*of.evaluations[0].over_time))
        plots.push_back(error_plot(of, video, number++));
    return plots;
}

}  // namespace fovea::report
