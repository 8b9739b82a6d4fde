// How a configuration gets from a file into memory: JSON syntax, duplicate keys, environment variables.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

// nlohmann/json's own sentence without its error number and position.
std::string bare_reason(const std::string& what) {
    const std::size_t column = what.find("column ");
    const std::size_t start = what.find(": ", column == std::string::npos ? 0 : column);
    return start == std::string::npos ? what : what.substr(start + 2);
}

std::string position(const std::string& text, std::size_t byte) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n' ? 1 : 0;
    }
    return std::to_string(line) + ":" + std::to_string(column);
}

// The parser would keep the last of two members with the same key and say nothing.
class DuplicateKeys {
  public:
    bool operator()(int, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::object_start) seen_.emplace_back();
        if (event == Json::parse_event_t::object_end) seen_.pop_back();
        if (event == Json::parse_event_t::key && !seen_.back().insert(value.get<std::string>()).second) {
            throw UsageError("the key '" + value.get<std::string>() + "' is given twice in the same object");
        }
        return true;
    }

  private:
    std::vector<std::set<std::string>> seen_;
};

bool is_name_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

Json read_configuration(const std::filesystem::path& file) {
    const std::string text =
        file == "-" ? read_standard_input() : read_file(file, "configuration", max_written_file);
    try {
        DuplicateKeys duplicates;
        return parse_json(text, [&](int depth, Json::parse_event_t event, Json& value) {
            return duplicates(depth, event, value);
        });
    } catch (const Json::parse_error& error) {
        throw UsageError(configuration_name(file) + ":" + position(text, error.byte) +
                         ": this is not JSON: " + bare_reason(error.what()));
    } catch (const UsageError& error) {
        throw UsageError(configuration_name(file) + ": " + error.what());
    }
}

std::string configuration_name(const std::filesystem::path& file) {
    return file == "-" ? "standard input" : file.string();
}

RunConfig load_run_config(const std::filesystem::path& file) {
    const Json json = read_configuration(file);
    try {
        RunConfig config = run_config_from_json(json);
        if (file != "-") config.file = file;
        return config;
    } catch (const UsageError& error) {
        throw UsageError(configuration_name(file) + ": " + error.what());
    }
}

std::string expand_environment(const std::string& text) {
    std::string result;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t start = text.find('$', at);
        result += text.substr(at, start == std::string::npos ? std::string::npos : start - at);
        if (start == std::string::npos) break;
        const char next = start + 1 < text.size() ? text[start + 1] : '\0';
        if (next != '{') {
            result += '$';
            at = start + (next == '$' ? 2 : 1);
            continue;
        }
        const std::size_t end = text.find('}', start);
        if (end == std::string::npos) throw UsageError("the '${' in '" + text + "' has no closing '}'");
        const std::string inside = text.substr(start + 2, end - start - 2);
        const std::size_t separator = inside.find(":-");
        const std::string name = inside.substr(0, separator);
        const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_name_character);
        if (!is_name)
            throw UsageError("'${" + inside +
                             "}' names no environment variable: use ${NAME} or ${NAME:-default}");
        const char* value = std::getenv(name.c_str());
        // A default also stands in for a variable that is set but empty, the same as in a shell.
        if (separator != std::string::npos && (value == nullptr || *value == '\0')) {
            result += inside.substr(separator + 2);
        } else if (value == nullptr) {
            throw UsageError("the environment variable " + name + " is not set; set it, or write ${" + name +
                             ":-default}");
        } else {
            result += value;
        }
        at = end + 1;
    }
    return result;
}

std::string escape_environment(const std::string& literal) {
    std::string text;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        text += literal[i];
        const char next = i + 1 < literal.size() ? literal[i + 1] : '\0';
        if (literal[i] == '$' && (next == '$' || next == '{')) text += '$';
    }
    return text;
}

}  // namespace fovea
