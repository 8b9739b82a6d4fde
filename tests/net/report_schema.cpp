#include "tests/net/report_schema.hpp"

#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"

namespace fovea::test {
namespace {

constexpr const char* script = R"(
import json, sys
try:
    import fastjsonschema
except ImportError:
    sys.exit(77)
schema, report = (json.load(open(name)) for name in sys.argv[1:])
try:
    fastjsonschema.compile(schema)(report)
except fastjsonschema.JsonSchemaException as error:
    sys.exit(str(error)[:500])
)";
constexpr int not_installed = 77;

}  // namespace

std::optional<std::string> schema_fault(const std::filesystem::path& report) {
    const std::filesystem::path python = "/usr/bin/python3";
    if (!std::filesystem::exists(python)) return std::nullopt;
    const ProgramResult result =
        run_program({python.string(), "-c", script, test::source_file("lib/report/write/report.schema.json"),
                     report.string()});
    if (result.exit_code == not_installed) return std::nullopt;
    return result.exit_code == 0 ? std::string() : result.err.empty() ? "no reason" : result.err;
}

}  // namespace fovea::test
