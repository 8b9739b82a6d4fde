#include "lib/results/read_groups.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string read(const std::string& bytes) {
    const TempDir folder;
    try {
        std::string text;
        for (const GroupEntry& entry : read_groups(folder.write("groups.txt", bytes).string()).entries)
            text += entry.image + ">" + entry.group + ";";
        return text;
    } catch (const Error& error) {
        return error.what();
    }
}

// A detection around (x, y).
std::string face(double x, double y, double side, const std::string& more) {
    return "{\"box\":[" + std::to_string(x - side / 2) + "," + std::to_string(y - side / 2) + "," +
           std::to_string(side) + "," + std::to_string(side) + "],\"score\":1" + more + "}";
}

std::string line(const std::string& image, const std::string& detections, const std::string& size) {
    return "{\"image\":\"" + image + "\"" + size + ",\"status\":\"ok\",\"detections\":[" + detections +
           "]}\n";
}

constexpr const char* size = ",\"width\":100,\"height\":80";

}  // namespace

TEST_CASE("groups of any program are lines of a name and a group", "[evaluate][clustering][read_groups]") {
    CHECK(read("a.jpg 1\n\n# no group\nb.jpg cats\n") == "a.jpg>1;b.jpg>cats;");
    CHECK(read("a b.jpg\t1\nc.jpg\tgroup two\n") == "a b.jpg>1;c.jpg>group two;");
    CHECK(read("image,group\n\"a,b.jpg\",1\nc.jpg,'-1\n") == "a,b.jpg>1;c.jpg>-1;");
    CHECK(read("image,Cluster\na.jpg,1\n") == "a.jpg>1;");
    CHECK(read("a.jpg group\n") == "a.jpg>group;");  // no CSV
    CHECK(read("a.jpg,1\nb.jpg,group\n") == "a.jpg>1;b.jpg>group;");
    CHECK(read("").empty());

    CHECK_THAT(read("a.jpg 1\nb.jpg\n"), Contains("groups.txt:2: expected NAME GROUP"));
    CHECK_THAT(read("a.jpg 1 2\n"), Contains("groups.txt:1: expected NAME GROUP") && Contains("'a.jpg 1 2'"));
    CHECK_THAT(read("a.jpg,\n"), Contains("expected NAME GROUP"));
    CHECK_THAT(read("a.jpg 1\nb.jpg 2\na.jpg 1\n"),
               Contains("groups.txt:3: the image stands in line 1 already"));
    const TempDir folder;
    CHECK_THROWS_AS(read_groups((folder.path() / "none.txt").string()), UsageError);
}

TEST_CASE("groups of JSON Lines are the persons of the central faces",
          "[evaluate][clustering][read_groups]") {
    const std::string left = face(20, 40, 10, ",\"person\":1"), middle = face(48, 41, 10, ",\"person\":2");
    CHECK(read(line("a.jpg", left, "") + line("b.jpg", left + "," + middle, size) +
               line("c.jpg", middle + "," + left, size) + line("d.jpg", "", "")) ==
          "a.jpg>1;b.jpg>2;c.jpg>2;d.jpg>;");
    // Equally near: the larger one.
    const std::string right = face(80, 40, 12, ",\"person\":3");
    CHECK(read(line("a.jpg", left + "," + right, size)) == "a.jpg>3;");
    CHECK(read(line("a.jpg", right + "," + left, size)) == "a.jpg>3;");
    // A face apart is in no group, even if another one of the image is.
    CHECK(read(line("a.jpg", left + "," + face(50, 40, 4, ",\"apart\":\"small\""), size)) == "a.jpg>;");
    CHECK(read(line("a.jpg", face(50, 40, 4, ",\"person\":4,\"apart\":\"unsure\""), size)) == "a.jpg>;");
    CHECK(read("\n" + line("a.jpg", left + "," + face(50, 40, 4, ""), size) +
               R"({"image":"b.jpg","status":"unreadable: empty"})") == "a.jpg>;b.jpg>;");

    CHECK_THAT(read(line("a.jpg", left + "," + middle, "")),
               Contains("'a.jpg' has 2 detections") && Contains("\"width\""));
    CHECK_THAT(read(line("a.jpg", face(1, 2, 3, ""), size)), Contains("no detection has \"person\""));
    CHECK_THAT(read(line("a.jpg", face(1, 2, 3, ",\"person\":0"), size)),
               Contains("groups.txt:1") && Contains("integer from 1"));
    CHECK_THAT(read(line("a.jpg", left, size) + line("a.jpg", left, size)), Contains("groups.txt:2"));
    CHECK_THAT(read(line("a.jpg", left, size) + "b.jpg 1\n"), Contains("one JSON object per line"));
}
