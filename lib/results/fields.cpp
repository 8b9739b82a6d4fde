#include <cmath>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

void fail_at_line(const std::string& file, std::size_t line, std::string_view text, const std::string& what) {
    throw Error(file + ":" + std::to_string(line) + ": " + what + "; the line is '" + excerpt(text) + "'.");
}

const Json* member(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

const Json* optional_member(const Json& object, const char* key) {
    const Json* const found = member(object, key);
    return found == nullptr || found->is_null() ? nullptr : found;
}

double finite_number(const Json* value, const std::string& name) {
    if (value == nullptr) throw FieldError{name + " is missing, expected a number"};
    if (!value->is_number()) {
        throw FieldError{name + " is " +
                         excerpt(value->dump(-1, ' ', false, Json::error_handler_t::replace)) +
                         ", expected a number"};
    }
    const double number = value->get<double>();
    if (!std::isfinite(number)) throw FieldError{name + " is not a finite number"};
    return number;
}

Box box_field(const Json* value, const std::string& name) {
    if (value == nullptr) throw FieldError{name + " is missing, expected [x, y, width, height]"};
    if (!value->is_array() || value->size() != 4) {
        throw FieldError{name + " is " +
                         excerpt(value->dump(-1, ' ', false, Json::error_handler_t::replace)) +
                         ", expected [x, y, width, height]"};
    }
    return {finite_number(&(*value)[0], name + "[0]"), finite_number(&(*value)[1], name + "[1]"),
            finite_number(&(*value)[2], name + "[2]"), finite_number(&(*value)[3], name + "[3]")};
}

std::string json_reason(const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ...": keep the last
    // part.
    const std::string text = error.what();
    const std::size_t column = text.find("column ");
    std::size_t start = column == std::string::npos ? text.find("] ") : text.find(": ", column);
    return start == std::string::npos ? text : text.substr(start + 2);
}

}  // namespace fovea::results_detail
