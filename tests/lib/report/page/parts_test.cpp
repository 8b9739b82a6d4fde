#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/report_part.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;

namespace {

/// An evaluation with a number, whose pictures cannot be made.
class BrokenPart : public ReportPart {
  public:
    std::string subject() const override { return "detection"; }
    std::string competitors() const override { return "detectors"; }
    const std::vector<std::string>& names() const override { return names_; }
    void add_numbers(Json& json, StagedFiles&) const override { json["detection"]["faces"] = 3; }
    PartContent content(StagedFiles&) const override { throw Error("no pictures"); }

  private:
    std::vector<std::string> names_{"mct"};
};

}  // namespace

TEST_CASE("numbers stay where what is shown cannot be made", "[report]") {
    const TempDir folder;
    std::vector<std::unique_ptr<ReportPart>> parts;
    parts.push_back(std::make_unique<BrokenPart>());
    CHECK_THROWS_WITH(write_parts(folder.path(), {}, {}, parts), "no pictures");
    CHECK(std::filesystem::exists(folder.path() / "report.json"));
    // Beside another report's page they would be taken for its numbers.
    std::filesystem::remove(folder.path() / "report.json");
    folder.write("report.html", "a page");
    CHECK_THROWS_WITH(write_parts(folder.path(), {}, {}, parts), "no pictures");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "report.json"));
}
