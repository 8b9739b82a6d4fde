#include "apps/options/junit.hpp"

#include <vector>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/report/model/xml_text.hpp"

namespace fovea {
namespace {

constexpr std::string_view begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fovea\"";

using report::Verdict;

std::string shown(const Json& number) {
    return fmt::format("{:.6g}", number.get<double>());
}

void add_requirements(const Json& requirements, std::vector<Verdict>& verdicts) {
    for (const Json& entry : requirements) {
        verdicts.push_back({"require", entry["require"].get<std::string>(), entry["passed"].get<bool>(),
                            "measured: " + shown(entry["measured"])});
    }
}

// \param judged  "no_worse_than" of an evaluation, or "gate" of a comparison
void add_regressions(const Json& judged, std::vector<Verdict>& verdicts) {
    if (!judged.is_object()) return;
    const std::string allowed = "; allowed: " + shown(judged["tolerance"]);
    for (const Json& entry : judged["numbers"]) {
        std::string text = "measured: " + shown(entry["measured"]) + "; before: " + shown(entry["baseline"]) +
                           "; worse by " + shown(entry["worse_by"]) + allowed;
        if (const Json& ci95 = member_of(entry, "difference_ci95"); ci95.is_array()) {
            text += fmt::format("; 95 % interval of the difference, {}: {} to {}",
                                entry["paired"].get<bool>() ? "paired" : "not paired", shown(ci95[0]),
                                shown(ci95[1]));
        }
        verdicts.push_back({"no-worse-than " + judged["baseline"].get<std::string>(),
                            entry["key"].get<std::string>(), entry["passed"].get<bool>(), text});
    }
}

}  // namespace

std::vector<Verdict> verdicts_of(const Json& outcome) {
    std::vector<Verdict> verdicts;
    add_requirements(member_of(outcome, "requirements"), verdicts);
    add_regressions(member_of(outcome, "no_worse_than"), verdicts);
    add_regressions(member_of(outcome, "gate"), verdicts);
    return verdicts;
}

std::string junit_xml(const Json& outcome) {
    const std::vector<Verdict> verdicts = verdicts_of(outcome);
    std::size_t failures = 0;
    for (const Verdict& verdict : verdicts) failures += verdict.passed ? 0 : 1;
    const std::string counts = fmt::format(" tests=\"{}\" failures=\"{}\"", verdicts.size(), failures);
    const auto escaped = [](const std::string& text) { return report::escape_html(text); };
    std::string xml = std::string(begin) + counts + ">\n  <testsuite name=\"fovea " +
                      escaped(outcome.value("command", "")) + "\"" + counts + ">\n";
    for (const Verdict& verdict : verdicts) {
        xml += "    <testcase classname=\"" + escaped(verdict.judged_by) + "\" name=\"" +
               escaped(verdict.name) + "\">\n";
        xml += verdict.passed ? "      <system-out>" + escaped(verdict.measured) + "</system-out>\n"
                              : "      <failure message=\"" + escaped(verdict.measured) + "\"/>\n";
        xml += "    </testcase>\n";
    }
    return xml + "  </testsuite>\n</testsuites>\n";
}

void check_junit_file(const std::optional<std::string>& file) {
    if (!file) return;
    if (file->empty()) throw UsageError("--junit names no file");
    prepare_output(*file, "--junit");
    if (is_there(*file) && !is_device_path(*file) &&
        !read_file(*file, "file of verdicts").starts_with(begin)) {
        throw UsageError("--junit: '" + *file +
                         "' is there, and no file of verdicts that fovea wrote; name another file");
    }
}

void write_junit(const std::optional<std::string>& file, const Json& outcome) {
    if (file && !outcome.value("interrupted", false)) replace_file(*file, junit_xml(outcome));
}

}  // namespace fovea
