#include <cmath>
#include <optional>

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/appended_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/detail_numbers.hpp"
#include "lib/results/tables/results_table.hpp"

namespace fovea {
namespace {

constexpr std::size_t rows_bytes = std::size_t{1} << 20;
constexpr std::string_view first_columns =
    "image,frame,time,image_width,image_height,damaged,pages,status,face,x,y,w,h,score";
constexpr std::string_view last_columns =
    ",person,apart,identity,distance,crop,ellipse,landmarks,candidates\n";
/// The cells of a row from "face" on.
constexpr std::size_t cells_of_face = 14 + detail_numbers.size();

std::string heading() {
    std::string names(first_columns);
    for (const DetailNumber& detail : detail_numbers) names += std::string(",") + detail.name;
    return names += last_columns;
}

// A text as a cell that keeps blanks at its ends.
std::string text_cell(const std::string& text) {
    const std::string valid = valid_utf8(text);
    std::string cell = csv_cell(valid);
    const bool loses_blanks = !cell.empty() && cell.front() != '"' && trim(cell) != cell;
    return loses_blanks ? '"' + cell + '"' : cell;
}

std::string number_cell(double value, const ImageResult& image) {
    if (!std::isfinite(value))
        throw Error("The result of '" + excerpt(image.image) + "' has a number that is not finite.");
    return shortest_number(value);
}

template <class Number>
std::string optional_cell(const std::optional<Number>& value, const ImageResult& image) {
    return value ? number_cell(static_cast<double>(*value), image) : "";
}

// JSON holds commas and quotes, but no line break.
std::string json_cell(const Json& json) {
    return json.empty() ? "" : csv_cell(compact_text(json));
}

std::string image_cells(const ImageResult& image) {
    std::string cells = text_cell(image.image);
    cells += image.frame
                 ? "," + std::to_string(image.frame->number) + "," + number_cell(image.frame->seconds, image)
                 : ",,";
    const bool has_size = image.width > 0 && image.height > 0;
    cells += has_size ? "," + std::to_string(image.width) + "," + std::to_string(image.height) : ",,";
    cells += image.is_damaged ? ",1," : ",,";
    cells += image.pages > 1 ? std::to_string(image.pages) + "," : ",";
    return cells + text_cell(image.status);
}

std::string face_cells(const ImageResult& image, std::size_t i) {
    const Detection& detection = image.detections[i];
    const DetectionDetails& details = *detection.details;
    const Box& box = detection.box;
    std::string cells = "," + std::to_string(i + 1);
    for (const double value : {box.x, box.y, box.w, box.h, detection.score})
        cells += "," + number_cell(value, image);
    for (const DetailNumber& detail : detail_numbers) cells += "," + optional_cell(detail.of(details), image);
    cells += "," + optional_cell(details.person, image);
    cells += "," + text_cell(details.apart) + "," + text_cell(details.identity);
    cells += "," + optional_cell(details.distance, image);
    cells += "," + (i < image.crops.size() ? text_cell(image.crops[i]) : "");
    Json ellipse = Json::array(), landmarks = Json::array(), candidates = Json::array();
    if (details.ellipse) {
        const Ellipse& shape = *details.ellipse;
        ellipse = {shape.centre.x, shape.centre.y, shape.major_radius, shape.minor_radius, shape.angle_rad};
    }
    for (const Point& point : details.landmarks) landmarks.push_back({point.x, point.y});
    for (const IdentityCandidate& candidate : details.candidates) {
        Json entry = Json::object();
        if (!candidate.identity.empty()) entry["identity"] = candidate.identity;
        entry["image"] = candidate.image;
        entry["distance"] = candidate.distance;
        candidates.push_back(std::move(entry));
    }
    return cells + "," + json_cell(ellipse) + "," + json_cell(landmarks) + "," + json_cell(candidates);
}

class CsvResultsTable final : public ResultsTable {
  public:
    explicit CsvResultsTable(const std::filesystem::path& file) {
        const bool is_stream = file == "-" || (is_there(file) && !is_file(file));
        if (!is_stream) staged_.emplace(file);
        file_.emplace(staged_ ? staged_->part() : file);
        rows_ = heading();
    }

    void add(const ImageResult& image) override {
        const std::string of_image = image_cells(image);
        if (image.detections.empty()) rows_ += of_image + std::string(cells_of_face, ',') + "\n";
        for (std::size_t i = 0; i < image.detections.size(); ++i)
            rows_ += of_image + face_cells(image, i) + "\n";
        if (rows_.size() >= rows_bytes) flush();
    }

    void finish() override {
        flush();
        file_->close();
        if (staged_) staged_->publish(Durability::at_once);
    }

  private:
    void flush() {
        file_->append(rows_);
        rows_.clear();
    }

    std::optional<StagedFile> staged_;  // none: standard output, a device or a pipe
    std::optional<AppendedFile> file_;
    std::string rows_;
};

}  // namespace

std::unique_ptr<ResultsTable> make_csv_table(const std::filesystem::path& file) {
    return std::make_unique<CsvResultsTable>(file);
}

}  // namespace fovea
