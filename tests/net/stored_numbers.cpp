#include "tests/net/stored_numbers.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "lib/core/csv_reader.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea::test {
namespace {

constexpr std::size_t longest_list = 6;
constexpr const char* interval_suffix = "_ci95";

// The settings of a run, and its times.
const std::set<std::string> passed_over{"configuration", "manifest", "versions", "timings", "seconds",
                                        "energy",        "files",    "record",   "scores",  "quantities"};

bool is_number(const Json& json) {
    return json.is_number() || json.is_boolean() || json.is_null();
}

class Gatherer {
  public:
    Numbers go(const Json& report) {
        add(report, "");
        return std::move(numbers_);
    }

  private:
    static std::string name_of(const Json& element, std::size_t i) {
        if (element.is_object() && element.contains("name") && element["name"].is_string())
            return element["name"].get<std::string>();
        return std::to_string(i);
    }

    void add(const Json& json, const std::string& path) {
        if (is_number(json)) {
            numbers_[path] = compact_text(json);
        } else if (json.is_object()) {
            add_members(json, path);
        } else if (json.is_array()) {
            add_list(json, path);
        }
    }

    void add_members(const Json& json, const std::string& path) {
        const bool repeats_first = json.contains("detectors") || json.contains("landmarkers") ||
                                   json.contains("trackers") || json.contains("recognisers");
        for (const auto& [key, value] : json.items()) {
            if (passed_over.contains(key)) continue;
            if (repeats_first && (key == "detection" || key == "landmarks" || key == "tracks" ||
                                  key == "verification" || key == "identification"))
                continue;
            if (key.ends_with(interval_suffix) &&
                json.contains(key.substr(0, key.size() - std::string(interval_suffix).size())))
                continue;
            const std::string own = path.empty() ? key : path + "/" + key;
            add(value, own);
            const auto interval = json.find(key + interval_suffix);
            if (interval == json.end()) continue;
            if (is_number(value) && interval->is_array() && interval->size() == 2) {
                numbers_[own] += " " + compact_text((*interval)[0]) + " " + compact_text((*interval)[1]);
            } else {
                add(*interval, own + interval_suffix);
            }
        }
    }

    void add_list(const Json& list, const std::string& path) {
        const bool is_named = !list.empty() && list[0].is_object() && list[0].contains("name");
        if (is_named || list.size() <= longest_list) {
            for (std::size_t i = 0; i < list.size(); ++i) add(list[i], path + "/" + name_of(list[i], i));
            return;
        }
        std::map<std::string, std::pair<std::size_t, std::string>> members;
        for (const Json& element : list) gather(element, path + "/*", members);
        for (const auto& [member, values] : members) {
            numbers_[member] =
                std::to_string(values.first) + " values " + sha256_of(values.second).substr(0, 16);
        }
    }

    // The values of each member of a list's elements, one after the other.
    static void gather(const Json& json, const std::string& path,
                       std::map<std::string, std::pair<std::size_t, std::string>>& members) {
        if (is_number(json)) {
            auto& [count, values] = members[path];
            ++count;
            values += compact_text(json) + "\n";
        } else if (json.is_object()) {
            for (const auto& [key, value] : json.items()) gather(value, path + "/" + key, members);
        } else if (json.is_array()) {
            for (const Json& value : json) gather(value, path + "/*", members);
        }
    }

    Numbers numbers_;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

Numbers numbers_of_json(const Json& report) {
    return Gatherer().go(report);
}

Numbers numbers_of_table(const std::string& csv) {
    Numbers numbers;
    bool is_heading = true;
    CsvReader reader(csv, ',');
    while (reader.next()) {
        if (std::exchange(is_heading, false)) continue;
        const std::vector<std::string>& row = reader.cells();
        std::string text = row.at(2);
        if (!row.at(3).empty()) text += " " + row.at(3) + " " + row.at(4);
        numbers["numbers.csv/" + row[0] + "/" + row.at(1)] = text;
    }
    return numbers;
}

Numbers read_numbers(const std::filesystem::path& file) {
    Numbers numbers;
    for (const std::string& line : lines_of(read_file(file, "stored numbers"))) {
        const std::size_t tab = line.find('\t');
        numbers[line.substr(0, tab)] = line.substr(tab + 1);
    }
    return numbers;
}

void write_numbers(const std::filesystem::path& file, const Numbers& numbers) {
    std::string text;
    for (const auto& [path, value] : numbers) text += path + "\t" + value + "\n";
    write_file(file, text);
}

std::string differences(const Numbers& expected, const Numbers& found) {
    std::string text;
    for (const auto& [path, value] : expected) {
        const auto other = found.find(path);
        if (other == found.end()) {
            text += path + ": " + value + " is missing\n";
        } else if (other->second != value) {
            text += path + ": " + other->second + ", expected " + value + "\n";
        }
    }
    for (const auto& [path, value] : found) {
        if (!expected.contains(path)) text += path + ": " + value + " is new\n";
    }
    return text;
}

}  // namespace fovea::test
