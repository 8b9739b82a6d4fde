#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/detail_numbers.hpp"
#include "lib/results/results.hpp"

namespace fovea {
namespace {

class LineBuilder {
  public:
    explicit LineBuilder(const std::string& image) : image_(image) {}

    LineBuilder& raw(std::string_view text) {
        line_ += text;
        return *this;
    }

    LineBuilder& text(const std::string& value) {
        line_ += compact_text(Json(value));
        return *this;
    }

    LineBuilder& number(double value, const char* field) {
        if (!std::isfinite(value)) {
            throw Error("The result of '" + image_ + "' cannot be written: its " + field +
                        " is not a finite number.");
        }
        line_ += shortest_number(value);
        return *this;
    }

    std::string take() { return std::move(line_); }

  private:
    const std::string& image_;
    std::string line_;
};

void append_candidates(LineBuilder& line, const std::vector<IdentityCandidate>& candidates) {
    const char* separator = ",\"candidates\":[{";
    for (const IdentityCandidate& candidate : candidates) {
        line.raw(separator);
        if (!candidate.identity.empty()) line.raw("\"identity\":").text(candidate.identity).raw(",");
        line.raw("\"image\":").text(candidate.image);
        line.raw(",\"distance\":").number(candidate.distance, "distance").raw("}");
        separator = ",{";
    }
    line.raw("]");
}

void append_detection(LineBuilder& line, const Detection& detection, const std::string& crop) {
    const Box& box = detection.box;
    line.raw("{\"box\":[").number(box.x, "box").raw(",").number(box.y, "box").raw(",");
    line.number(box.w, "box").raw(",").number(box.h, "box").raw("],\"score\":");
    line.number(detection.score, "score");
    for (const DetailNumber& detail : detail_numbers) {
        const std::optional<double> value = detail.of(*detection.details);
        if (value) line.raw(",\"").raw(detail.name).raw("\":").number(*value, detail.name);
    }
    if (!detection.details->landmarks.empty()) {
        const char* separator = ",\"landmarks\":[[";
        for (const Point& point : detection.details->landmarks) {
            line.raw(separator).number(point.x, "landmarks").raw(",").number(point.y, "landmarks").raw("]");
            separator = ",[";
        }
        line.raw("]");
    }
    if (const auto& ellipse = detection.details->ellipse) {
        line.raw(",\"ellipse\":[").number(ellipse->centre.x, "ellipse").raw(",");
        line.number(ellipse->centre.y, "ellipse").raw(",").number(ellipse->major_radius, "ellipse").raw(",");
        line.number(ellipse->minor_radius, "ellipse").raw(",").number(ellipse->angle_rad, "ellipse").raw("]");
    }
    if (detection.details->person) line.raw(",\"person\":").number(*detection.details->person, "person");
    if (!detection.details->apart.empty()) line.raw(",\"apart\":").text(detection.details->apart);
    if (!detection.details->identity.empty()) line.raw(",\"identity\":").text(detection.details->identity);
    if (detection.details->distance)
        line.raw(",\"distance\":").number(*detection.details->distance, "distance");
    if (!detection.details->candidates.empty()) append_candidates(line, detection.details->candidates);
    if (!crop.empty()) line.raw(",\"crop\":").text(crop);
    line.raw("}");
}

}  // namespace

std::optional<FrameTime> frame_time(const std::optional<VideoFrame>& frame) {
    if (!frame) return std::nullopt;
    return FrameTime{frame->number, frame->seconds()};
}

std::string to_json_line(const ImageResult& result) {
    LineBuilder line(result.image);
    line.raw("{\"image\":").text(result.image);
    if (result.frame) {
        line.raw(",\"frame\":").number(static_cast<double>(result.frame->number), "frame");
        line.raw(",\"time\":").number(result.frame->seconds, "time");
    }
    if (result.width > 0 && result.height > 0) {
        line.raw(",\"width\":").number(result.width, "width");
        line.raw(",\"height\":").number(result.height, "height");
    }
    if (result.is_damaged) line.raw(",\"damaged\":true");
    if (result.pages > 1) line.raw(",\"pages\":").number(result.pages, "pages");
    const std::string no_crop;
    line.raw(",\"status\":").text(result.status).raw(",\"detections\":[");
    for (std::size_t i = 0; i < result.detections.size(); ++i) {
        if (i > 0) line.raw(",");
        append_detection(line, result.detections[i], i < result.crops.size() ? result.crops[i] : no_crop);
    }
    line.raw("]}");
    return line.take();
}

void ResultsWriter::write(const ImageResult& result) {
    write_lines(to_json_line(result) + '\n');
}

}  // namespace fovea
