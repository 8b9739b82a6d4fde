#include "apps/terminal/summary.hpp"

#include <array>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

Json category_numbers_json(const CategoriesEvaluation& evaluation,
                           const std::vector<std::optional<double>>& values) {
    Json json = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]) json[evaluation.statistics[i].key] = *values[i];
    }
    return json;
}

}  // namespace

Json categories_json(const CategoriesEvaluation& evaluation) {
    Json json = category_numbers_json(evaluation, evaluation.mean);
    json["categories"] = Json::array();
    for (const CategoryNumbers& category : evaluation.categories) {
        Json entry{{"id", category.category.id},
                   {"name", category.category.name},
                   {"objects", category.objects},
                   {"detections", category.detections}};
        entry.update(category_numbers_json(evaluation, category.values));
        json["categories"].push_back(std::move(entry));
    }
    return {{"name", evaluation.name}, {"coco", std::move(json)}};
}

report::Table categories_table(const CategoriesEvaluation& evaluation) {
    constexpr std::array<std::size_t, 5> shown{0, 1, 2, 8, 3};  // AP, AP50, AP75, AR100, AP small
    report::Table table{.title = evaluation.name,
                        .columns = {report::words("Category"), {"Objects"}, {"Detections"}}};
    for (const std::size_t number : shown) table.columns.push_back({evaluation.statistics[number].name});
    const auto add = [&](const std::string& name, std::size_t objects, std::size_t detections,
                         const std::vector<std::optional<double>>& values) {
        std::vector<report::Cell> row{name, report::count_cell(static_cast<double>(objects)),
                                      report::count_cell(static_cast<double>(detections))};
        for (const std::size_t number : shown)
            row.push_back(report::number_cell({evaluation.statistics[number], values[number], {}}, {2, 4}));
        table.rows.push_back(std::move(row));
    };
    std::size_t objects = 0;
    std::size_t detections = 0;
    for (const CategoryNumbers& category : evaluation.categories) {
        add(category.category.name.empty() ? std::to_string(category.category.id)
                                           : excerpt(category.category.name, 60),
            category.objects, category.detections, category.values);
        objects += category.objects;
        detections += category.detections;
    }
    add("mean of " + counted(evaluation.categories.size(), "category", "categories"), objects, detections,
        evaluation.mean);
    return table;
}

void warn_unreadable(const std::vector<UnreadableImage>& unreadable, std::size_t images) {
    if (unreadable.empty()) return;
    constexpr std::size_t shown = 3;
    std::string names;
    for (std::size_t i = 0; i < unreadable.size() && i < shown; ++i) {
        // Names come from archives and lists: none may reach the terminal with its control characters.
        names += (i > 0 ? "; " : "") + excerpt(unreadable[i].image, 200) + " (" +
                 excerpt(unreadable[i].reason, 400) + ")";
    }
    if (unreadable.size() > shown) names += fmt::format("; and {} more", unreadable.size() - shown);
    spdlog::warn("{} of {} could not be read: {}", unreadable.size(), counted(images, "image"), names);
}

void warn_pages_left_out(std::size_t pages) {
    if (pages == 0) return;
    spdlog::warn(
        "{} left out: the first page of a file is the image. Results name the number as \"pages\"; split the "
        "files to search the others",
        counted(pages, "page was", "pages were"));
}

void add_counts_json(Json& outcome, const DetectImagesResult& images) {
    outcome["images"] = images.images;
    outcome["ok"] = images.images - images.unreadable.size();
    outcome["unreadable"] = images.unreadable.size();
    outcome["unreadable_images"] = unreadable_json(images.unreadable);
    outcome["pages_left_out"] = images.pages_left_out;
    outcome["interrupted"] = images.interrupted;
    outcome["seconds"] = images.total_seconds;
}

}  // namespace fovea
