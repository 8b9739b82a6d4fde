#include "lib/results/result_line.hpp"

#include "lib/json/json.hpp"

namespace fovea {
namespace {

/// The parser's events; false ends it.
class LineHandler final : public Json::json_sax_t {
  public:
    bool is_complete() const { return has_image_ && has_status_ && has_detections_; }
    ResultLine& line() { return line_; }

    bool null() override { return scalar(); }
    bool boolean(bool value) override {
        if (depth_ == 1 && key_ == "damaged") line_.is_damaged = value;
        return scalar();
    }
    bool number_integer(number_integer_t) override { return scalar(); }
    bool number_unsigned(number_unsigned_t value) override {
        if (depth_ == 1 && key_ == "pages") line_.pages = value;
        return scalar();
    }
    bool number_float(number_float_t, const string_t&) override { return scalar(); }
    bool binary(binary_t&) override { return scalar(); }
    bool string(string_t& value) override {
        if (depth_ != 1) return scalar();
        if (key_ == "image") return take(value, line_.image, has_image_);
        if (key_ == "status") return take(value, line_.status, has_status_);
        return true;
    }

    bool key(string_t& value) override {
        if (depth_ == 1) key_.swap(value);
        return true;
    }
    bool start_object(std::size_t) override {
        if (depth_ == 2 && in_detections_) ++line_.detections;
        ++depth_;
        return true;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0 || (depth_ == 2 && in_detections_)) return false;
        if (depth_ == 1 && key_ == "detections") {
            if (has_detections_) return false;
            has_detections_ = in_detections_ = true;
        }
        ++depth_;
        return true;
    }
    bool end_array() override {
        if (--depth_ == 1) in_detections_ = false;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

  private:
    // Every detection is an object.
    bool scalar() const { return depth_ > 0 && !(depth_ == 2 && in_detections_); }

    static bool take(string_t& value, std::string& to, bool& is_there) {
        if (is_there) return false;
        to.swap(value);
        is_there = true;
        return true;
    }

    ResultLine line_;
    std::size_t depth_ = 0;  // containers that are open
    std::string key_;        // of the outermost object
    bool in_detections_ = false;
    bool has_image_ = false;
    bool has_status_ = false;
    bool has_detections_ = false;
};

}  // namespace

std::string_view unreadable_reason(std::string_view status) {
    constexpr std::string_view prefix = "unreadable: ";
    return status.substr(status.starts_with(prefix) ? prefix.size() : 0);
}

std::optional<ResultLine> read_result_line(std::string_view line) {
    LineHandler handler;
    if (!Json::sax_parse(line.begin(), line.end(), &handler) || !handler.is_complete()) return std::nullopt;
    return std::move(handler.line());
}

}  // namespace fovea
