#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

const std::string head =
    "<?xml version='1.0' encoding='ISO-8859-1'?>\n"
    "<?xml-stylesheet type='text/xsl' href='image_metadata_stylesheet.xsl'?>\n"
    "<dataset>\n<name>x</name>\n<comment>y</comment>\n<images>\n";
const std::string tail = "</images>\n</dataset>";

std::string image(const std::string& file, const std::string& inner) {
    return "<image file='" + file + "' width='9' height='9'>\n" + inner + "</image>\n";
}

const std::string debian = "/usr/share/doc/libdlib19.1/examples/faces";

}  // namespace

TEST_CASE("dlib: boxes, ignore, labels, parts in order of their names", "[dataset][dlib]") {
    const TempDir dir;
    const auto file = dir.write(
        "t.xml",
        head +
            image("a.jpg",
                  "<box top='2' left='1' width='30' height='40' ignore='0'>"
                  "<part name='10' x='7' y='8'/><part name='2' x='5' y='6'/><label>ann</label></box>"
                  "<box top='-3' left='4' width='5' height='6' ignore='1'/>") +
            image("sub/b.jpg", "<box top='1' left='1' width='2.5' height='2'><label>J\xF6rg</label></box>") +
            image("./c.jpg", "") + tail);
    const Dataset dataset = read_dataset("dlib:" + file.string());
    CHECK(images_of(dataset) == std::vector<std::string>{"a.jpg", "sub/b.jpg", "c.jpg"});
    CHECK(dataset.samples[1].path == dir.path() / "sub/b.jpg");
    CHECK(dataset.face_count() == 2);
    const auto& faces = dataset.samples[0].faces;
    REQUIRE(faces.size() == 2);
    CHECK(faces[0].box == Box{1, 2, 30, 40});
    CHECK_FALSE(faces[0].ignore);
    CHECK(faces[0].landmarks == std::vector<Point>{{5, 6}, {7, 8}});
    CHECK(faces[1].ignore);
    CHECK(faces[1].box == Box{4, -3, 5, 6});
    CHECK(faces[1].landmarks.empty());
    CHECK(dataset.samples[0].subject.empty());
    CHECK(warns(dataset, "1 label of boxes"));
    CHECK(dataset.samples[1].subject == "J\xC3\xB6rg");  // ISO-8859-1 became UTF-8
    CHECK(dataset.samples[2].annotated);
    CHECK(dataset.samples[2].faces.empty());
    CHECK(dataset.sources == std::vector<fs::path>{file});

    const Dataset moved =
        read_dataset("dlib:" + file.string(), {.pattern = {}, .limit = 0, .root = "/photos"});
    CHECK(moved.samples[1].path == "/photos/sub/b.jpg");
    CHECK(moved.samples[1].image == "sub/b.jpg");
}

TEST_CASE("dlib: a box with some of the parts only has no landmarks", "[dataset][dlib]") {
    const TempDir dir;
    const auto file =
        dir.write("t.xml", head +
                               image("a.jpg",
                                     "<box top='1' left='1' width='2' height='2'><part name='0' "
                                     "x='1' y='1'/><part name='1' x='2' y='2'/></box>\n"
                                     "<box top='1' left='5' width='2' height='2'><part name='1' "
                                     "x='1' y='1'/></box>") +
                               tail);
    const Dataset dataset = read_dataset("dlib:" + file.string());
    CHECK(dataset.samples[0].faces[0].landmarks.size() == 2);
    CHECK(dataset.samples[0].faces[1].landmarks.empty());
    CHECK(warns(dataset, "t.xml:9 (1 of 2 parts)"));
}

TEST_CASE("dlib: several files and folders", "[dataset][dlib]") {
    const TempDir dir;
    const auto one = dir.write("x/one.xml", head + image("a.jpg", "") + tail);
    CHECK(images_of(read_dataset("dlib:" + (dir.path() / "x").string())) ==
          std::vector<std::string>{"a.jpg"});
    CHECK(read_dataset((dir.path() / "x").string()).format == "dlib");
    const auto two = dir.write("y/two.xml", head + image("a.jpg", "") + tail);
    const Dataset both = read_dataset("dlib:" + one.string() + "," + two.string());
    CHECK(images_of(both) == std::vector<std::string>{"x/a.jpg", "y/a.jpg"});
    CHECK(both.root == dir.path());
    CHECK(both.sources == std::vector<fs::path>{one, two});

    const auto again = dir.write("x/again.xml", head + image("./a.jpg", "") + tail);
    CHECK_THAT(error_of("dlib:" + one.string() + "," + again.string()),
               Catch::Contains("again.xml:7: cannot read") && Catch::Contains("one.xml:7"));
    CHECK_THAT(error_of("dlib:" + (dir.path() / "x").string()),
               Catch::Contains("several") && Catch::Contains("again.xml, one.xml"));
    CHECK(is_usage_error("dlib:" + (dir.path() / "x").string()));
    CHECK(is_usage_error("dlib:" + one.string() + ",,"));
    CHECK(is_usage_error("dlib:" + dir.path().string()));
    CHECK(is_usage_error("dlib:" + (dir.path() / "absent.xml").string()));
    // Plain images are read, but not silently.
    dir.write("x/a.jpg", "x");
    const Dataset folder = read_dataset((dir.path() / "x").string());
    CHECK(folder.format == "folder");
    CHECK(warns(folder, "dlib:"));
}

TEST_CASE("dlib: broken files are refused with their line", "[dataset][dlib]") {
    const TempDir dir;
    const auto message = [&](const std::string& text) {
        return error_of("dlib:" + dir.write("t.xml", text).string());
    };
    const auto with_box = [&](const std::string& box) {
        return message(head + image("a.jpg", box + "\n") + tail);
    };
    CHECK(with_box("<box top='1' left='1' width='2' height='2'/>") == "read");
    CHECK_THAT(with_box("<box top='1' left='1' width='2'/>"),
               Catch::Contains("t.xml:8: cannot read '<box top='1' left='1' width='2'/>': expected") &&
                   Catch::Contains("height"));
    CHECK_THAT(with_box("<box top='x' left='1' width='2' height='2'/>"), Catch::Contains("t.xml:8:"));
    CHECK_THAT(with_box("<box top='nan' left='1' width='2' height='2'/>"), Catch::Contains("t.xml:8:"));
    CHECK_THAT(with_box("<box top='1' left='1' width='-2' height='2'/>"), Catch::Contains("above 0"));
    CHECK_THAT(with_box("<box top='1' left='1' width='2' height='0'/>"), Catch::Contains("above 0"));
    CHECK_THAT(with_box("<box top='1' left='99999999999' width='2' height='2'/>"),
               Catch::Contains("t.xml:8:"));
    CHECK_THAT(with_box("<box top='1' left='1' width='2' height='2' ignore='maybe'/>"),
               Catch::Contains("ignore"));
    CHECK_THAT(with_box("<box top='1' left='1' width='2' height='2'>\n<part name='1' x='1'/></box>"),
               Catch::Contains("t.xml:9: cannot read '<part name='1' x='1'/>'"));
    CHECK_THAT(
        with_box(
            "<box top='1' left='1' width='2' height='2'><part name='1' x='1' y='1'/>\n<part name='1' x='1' "
            "y='1'/></box>"),
        Catch::Contains("t.xml:9:") && Catch::Contains("one part"));
    CHECK_THAT(message(head + image("a.jpg", "") + image("a.jpg", "") + tail), Catch::Contains("t.xml:9:"));
    CHECK_THAT(message(head + image("", "") + tail), Catch::Contains("file='...'"));
    CHECK_THAT(message(head + tail), Catch::Contains("names no image"));
    CHECK_THAT(message("<dataset/>"), Catch::Contains("t.xml:1:") && Catch::Contains("<images>"));
    CHECK_THAT(message(""), Catch::Contains("t.xml:1:"));
    CHECK_THAT(message(head + "<image file='a.jpg'>\n</imagee>\n" + tail),
               Catch::Contains("t.xml:8: cannot read '</imagee>': expected well-formed XML"));
    CHECK_THAT(message("<dataset><name>\xE9</name></dataset>"), Catch::Contains("encoding"));

    const std::string whole = head + image("a.jpg", "<box top='1' left='1' width='2' height='2'/>") + tail;
    CHECK(read_truncated("dlib:", dir, "t.xml", whole) == whole.size());
}

TEST_CASE("dlib: the examples that Debian ships", "[dataset][dlib]") {
    if (!fs::exists(debian + "/testing.xml")) {
        WARN("not run: libdlib19.1's examples are not installed");
        return;
    }
    const Dataset both = read_dataset("dlib:" + debian + "/testing.xml," + debian + "/training.xml");
    CHECK(both.samples.size() == 9);
    CHECK(both.face_count() == 43);
    CHECK(both.samples[0].image == "2008_002470.jpg");
    CHECK(both.samples[0].faces[0].box == Box{274, 181, 52, 53});
    const Dataset points = read_dataset(debian + "/testing_with_face_landmarks.xml");
    CHECK(points.format == "dlib");
    REQUIRE(points.face_count() == 25);
    for (const Sample& sample : points.samples) {
        for (const Face& face : sample.faces) CHECK(face.landmarks.size() == 68);
    }
    CHECK(points.samples[0].faces[0].landmarks[1] == Point{278, 200});
    const Dataset plain = read_dataset(debian);
    CHECK(plain.format == "folder");
    // One sentence, however many files there are.
    REQUIRE(plain.warnings.size() == 1);
    CHECK_THAT(plain.warnings[0],
               Catch::Contains("write dlib:" + debian +
                               "/testing.xml (or one of testing_with_face_landmarks.xml, training.xml or "
                               "training_with_face_landmarks.xml)"));
}
