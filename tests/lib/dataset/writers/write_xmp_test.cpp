// Sidecars with face regions: what is written, what stays of those that are there, and what other programs
// read.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "lib/dataset/face_names.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/dataset/xmp/xmp_packet.hpp"
#include "lib/files/publish.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/write_results.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/lib/dataset/xmp/packets.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

Face face_at(const Box& box, const std::string& name = "") {
    Face face;
    face.box = box;
    if (!name.empty()) face.attributes = {{"name", name}};
    return face;
}

/// A folder with a.jpg of 40 x 20 stored pixels, and a dataset of it.
struct TaggedPhoto {
    explicit TaggedPhoto(std::vector<Face> faces, int orientation = 1) {
        folder.write("a.jpg", text_of(photo_jpeg(40, 20, orientation)));
        dataset.name = "set";
        dataset.root = folder.path();
        Sample& sample = dataset.samples.emplace_back();
        sample.image = "a.jpg";
        sample.path = folder.path() / "a.jpg";
        sample.annotated = true;
        sample.size = orientation < 5 ? ImageSize{40, 20} : ImageSize{20, 40};
        sample.faces = std::move(faces);
    }
    /// The bytes of a.jpg.xmp.
    std::string written() { return render_dataset(dataset, "xmp", {}, losses).files.at(0).bytes; }
    Dataset again() {
        publish(render_dataset(dataset, "xmp", {}, losses), folder.path(), true);
        return read_dataset("xmp:" + folder.path().string());
    }
    bool loses(const std::string& part) const {
        return std::any_of(losses.begin(), losses.end(),
                           [&](const std::string& loss) { return loss.find(part) != std::string::npos; });
    }

    TempDir folder;
    Dataset dataset;
    std::vector<std::string> losses;
};

/// The number of an attribute where it stands first.
double number_in(const std::string& text, const std::string& attribute) {
    const std::size_t at = text.find(attribute + "=\"");
    REQUIRE(at != std::string::npos);
    return std::stod(text.substr(at + attribute.size() + 2));
}

std::vector<std::string> names_of(const Sample& sample) {
    std::vector<std::string> names;
    for (const Face& face : sample.faces) names.emplace_back(name_of(face));
    return names;
}

/// Names that XML, shells and programs in other languages make something else of.
const std::vector<std::string> odd_names{"Zo\xC3\xAB M\xC3\xBCller \xF0\x9F\x98\x80",
                                         "O'Neill \"Bob\" <b&b> &amp; ]]>",
                                         " blanks ",
                                         "two\nlines\r\nand a\ttab",
                                         "a/b\\c;d,e=f|g",
                                         "{}[]\xC2\xA0\xEF\xBF\xBD"};

bool has_program(const std::string& program, const std::vector<std::string>& version) {
    std::vector<std::string> command{program};
    command.insert(command.end(), version.begin(), version.end());
    if (run_program(command).exit_code == 0) return true;
    WARN("not run: " << program << " is not installed");
    return false;
}

}  // namespace

TEST_CASE("xmp: a face as displayed is written as stored, in all orientations", "[dataset][xmp][convert]") {
    // The stored face is in 6..14 x 4..8 of 40 x 20: centre (0.25, 0.3), size 0.2 x 0.2.
    const std::vector<Box> displayed{{6, 4, 8, 4}, {26, 4, 8, 4}, {26, 12, 8, 4}, {6, 12, 8, 4},
                                     {4, 6, 4, 8}, {12, 6, 4, 8}, {12, 26, 4, 8}, {4, 26, 4, 8}};
    for (int orientation = 1; orientation <= 8; ++orientation) {
        CAPTURE(orientation);
        const Box& box = displayed[static_cast<std::size_t>(orientation - 1)];
        TaggedPhoto photo({face_at(box, "Ann")}, orientation);
        const std::string text = photo.written();
        CHECK(number_in(text, "stDim:w") == 40);
        CHECK(number_in(text, "stDim:h") == 20);
        CHECK(number_in(text, "stArea:x") == Approx(0.25));
        CHECK(number_in(text, "stArea:y") == Approx(0.3));
        CHECK(number_in(text, "stArea:w") == Approx(0.2));
        CHECK(number_in(text, "stArea:h") == Approx(0.2));
        CHECK(text.find("e-") == std::string::npos);
        const Dataset read = photo.again();
        CHECK(photo.losses.empty());
        CHECK(read.samples.at(0).size == photo.dataset.samples[0].size);
        const Box& back = read.samples[0].faces.at(0).box;
        CHECK(std::abs(back.x - box.x) + std::abs(back.y - box.y) < 1e-9);
        CHECK(std::abs(back.w - box.w) + std::abs(back.h - box.h) < 1e-9);
        // The annotation's size may be that of a reduced copy.
        photo.dataset.samples[0].size.reset();
        CHECK(photo.written() == text);
    }
}

TEST_CASE("xmp: names come back as they were", "[dataset][xmp][convert]") {
    std::vector<Face> faces;
    for (std::size_t i = 0; i < odd_names.size(); ++i)
        faces.push_back(face_at({static_cast<double>(5 * i), 2, 4, 4}, odd_names[i]));
    faces.push_back(face_at({35, 10, 4, 4}));
    TaggedPhoto photo(faces);
    std::vector<std::string> expected = odd_names;
    expected.emplace_back();
    CHECK(names_of(photo.again().samples.at(0)) == expected);
    CHECK(photo.losses.empty());
}

TEST_CASE("xmp: characters that XML cannot hold are replaced, and said", "[dataset][xmp][convert]") {
    TaggedPhoto photo({face_at({5, 5, 5, 5}, std::string("A\x01n\x1B\0n", 6)),
                       face_at({15, 5, 5, 5}, "Bob\xEF\xBF\xBF"), face_at({25, 5, 5, 5}, "Cid")});
    const std::string hole = "\xEF\xBF\xBD";
    CHECK(names_of(photo.again().samples.at(0)) ==
          std::vector<std::string>{"A" + hole + "n" + hole + hole + "n", "Bob" + hole, "Cid"});
    CHECK(photo.losses ==
          std::vector<std::string>{"2 faces have a name with characters that XML cannot hold, for "
                                   "which U+FFFD stands, first in 'a.jpg'."});
    CHECK(xmp::xml_characters("a\xFFz") == "a" + hole + "z");
}

TEST_CASE("xmp: what has no place is left out, and said", "[dataset][xmp][convert]") {
    Face ignored = face_at({1, 1, 5, 5});
    ignored.ignore = true;
    TaggedPhoto photo({face_at({-4, 5, 8, 5}), face_at({50, 5, 8, 5}), face_at({5, 5, 0, 5}), ignored});
    Sample faceless = photo.dataset.samples[0];
    faceless.image = "b.jpg";
    faceless.faces.clear();
    Sample gone = photo.dataset.samples[0];
    gone.image = "c.jpg";
    gone.path = photo.folder.path() / "c.jpg";
    gone.faces = {face_at({5, 5, 5, 5})};
    gone.subject = "Ann";
    Sample sizeless = gone;
    sizeless.image = "d.jpg";
    sizeless.size.reset();
    Sample frame = gone;
    frame.image = "clip.mp4#000001";
    frame.frame.emplace();
    photo.dataset.samples.insert(photo.dataset.samples.end(), {faceless, gone, sizeless, frame});
    photo.dataset.samples[0].subject = "the first";
    photo.dataset.samples[0].faces[0].attributes = {{"name", "Bob"}, {"blur", "heavy"}};
    const WrittenDataset written = render_dataset(photo.dataset, "xmp", {}, photo.losses);
    CHECK(written.images == 2);
    CHECK(written.faces == 2);
    REQUIRE(written.files.size() == 2);
    CHECK(written.files[0].name == "a.jpg.xmp");
    // 0..4 of 40 columns.
    CHECK(number_in(written.files[0].bytes, "stArea:x") == Approx(0.05));
    CHECK(number_in(written.files[0].bytes, "stArea:w") == Approx(0.1));
    CHECK(written.files[1].name == "c.jpg.xmp");
    CHECK_THAT(written.files[1].bytes, Contains("mwg-rs:Name=\"Ann\""));
    for (const char* loss :
         {"1 face marked ignore is left out", "1 face is left out: the box has no area.",
          "1 image is left out: frames of videos have no sidecars.", "1 image is left out: there is no face",
          "1 image is left out: regions are shares of the image's size, which is not known.",
          "1 image is not there: nobody knows whether EXIF turns it", "1 box is clipped",
          "1 face is left out: wholly outside", "1 image loses the subject",
          "1 face loses the attribute 'blur'"}) {
        CAPTURE(loss);
        CHECK(photo.loses(loss));
    }
    photo.dataset.samples = {faceless};
    CHECK_THROWS_WITH(photo.written(), Contains("nothing can be written as xmp"));
    photo.dataset.samples = {gone};
    photo.dataset.samples[0].image = "../c.jpg";
    CHECK_THROWS_WITH(photo.written(), Contains("outside of the dataset's folder"));
    photo.dataset.samples[0].image = "c.jpg";
    photo.dataset.samples[0].faces[0].box.x = std::nan("");
    CHECK_THROWS_WITH(photo.written(), Contains("not a finite number"));
}

TEST_CASE("xmp: results are written with the names that were found", "[results][xmp][convert]") {
    TaggedPhoto photo({}, 6);
    Detection named, unnamed;
    named.box = {12, 6, 4, 8};
    named.score = 3;
    named.details.edit().identity = "Ann";
    named.details.edit().distance = 0.5;
    named.details.edit().person = 1;
    unnamed.box = {1, 1, 4, 4};
    unnamed.details.edit().person = 2;
    ImageResult image{"a.jpg", 20, 40, "ok", {named, unnamed}, {}};
    const DetectionResults results{{image}, true};
    const OutputFiles files = render_results(results, &photo.dataset, "xmp", photo.losses);
    REQUIRE(files.files.size() == 1);
    CHECK(files.files[0].name == "a.jpg.xmp");
    CHECK(number_in(files.files[0].bytes, "stArea:x") == Approx(0.25));
    CHECK(number_in(files.files[0].bytes, "stArea:y") == Approx(0.3));
    photo.folder.write("a.jpg.xmp", files.files[0].bytes);
    CHECK(names_of(read_dataset("xmp:" + photo.folder.path().string()).samples.at(0)) ==
          std::vector<std::string>{"Ann", ""});
    CHECK(photo.losses == std::vector<std::string>{"2 detections lose the number of the person.",
                                                   "1 detection loses the distance to the gallery.",
                                                   "2 detections lose the score."});
    CHECK_THROWS_AS(render_results(results, nullptr, "xmp", photo.losses), UsageError);
}

TEST_CASE("xmp: a sidecar that is there keeps all but its faces", "[dataset][xmp][convert]") {
    const std::string before =
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- mine -->\n"
        "<x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.57'>\n"
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n\n"
        " <rdf:Description rdf:about='uuid:1'\n"
        "  xmlns:r='http://www.metadataworkinggroup.com/schemas/regions/' "
        "xmlns:a='http://ns.adobe.com/xmp/sType/Area#'>\n"
        "  <r:Regions rdf:parseType='Resource'><r:RegionList><rdf:Bag>"
        "<rdf:li r:Name='Old' r:Type='Face'><r:Area a:x='.5' a:y='.5' a:w='.1' a:h='.1'/></rdf:li>"
        "<rdf:li r:Name='Ann' r:Type='Face'><r:Area a:x='.5' a:y='.5' a:w='.1' a:h='.1'/></rdf:li>"
        "<rdf:li r:Name='Rex' r:Type='Pet'><r:Area a:x='.5' a:y='.5' a:w='.1' a:h='.1'/></rdf:li>"
        "</rdf:Bag></r:RegionList></r:Regions>\n"
        " </rdf:Description>\n"
        " <rdf:Description rdf:about='uuid:1' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'\n"
        "  xmlns:dc='http://purl.org/dc/elements/1.1/' dc:source='say \"cheese\" &#xA;&amp;'>\n"
        "  <dc:subject><rdf:Bag><rdf:li>sea &amp; sand&#xD;</rdf:li></rdf:Bag></dc:subject>\n"
        "  <dc:rights><![CDATA[<me>]]></dc:rights>\n"
        " </rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end='w'?>";
    TaggedPhoto photo({face_at({6, 4, 8, 4}, "Ann \"&\"\n"), face_at({20, 4, 8, 4}, "Ann")});
    photo.folder.write("a.jpg.xmp", before);
    OutputFiles files = render_dataset(photo.dataset, "xmp", {}, photo.losses);
    xmp::keep_contents_of_sidecars(files, photo.folder.path(), photo.losses);
    CHECK(photo.losses ==
          std::vector<std::string>{"1 name of faces in sidecars that were there is replaced and no "
                                   "longer in them, first: 'Old' in 'a.jpg.xmp'."});
    const std::string after = files.files[0].bytes;
    INFO(after);
    for (const char* part : {"<!-- mine -->", "x:xmptk=\"Image::ExifTool 12.57\"", "xmp:Rating=\"4\"",
                             "dc:source=\"say &quot;cheese&quot; &#xA;&amp;\"",
                             "<rdf:li>sea &amp; sand&#xD;</rdf:li>", "<![CDATA[<me>]]>", "r:Name=\"Rex\"",
                             "mwg-rs:Name=\"Ann &quot;&amp;&quot;&#10;\"", "<?xpacket end='w'?>"}) {
        CAPTURE(part);
        CHECK(after.find(part) != std::string::npos);
    }
    CHECK(after.find("Old") == std::string::npos);
    CHECK(after.find("rdf:about=\"\"") == std::string::npos);
    publish(files, photo.folder.path(), true);
    CHECK(names_of(read_dataset("xmp:" + photo.folder.path().string()).samples.at(0)) ==
          std::vector<std::string>{"Ann \"&\"\n", "Ann"});
    // Once more, nothing changes, and the dog is still there.
    xmp::keep_contents_of_sidecars(files = render_dataset(photo.dataset, "xmp", {}, photo.losses),
                                   photo.folder.path(), photo.losses);
    CHECK(files.files[0].bytes == after);
    CHECK(photo.losses.size() == 1);

    // A packet whose rdf has another prefix, and an empty file.
    const std::string other = "<q:RDF xmlns:q='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>";
    photo.folder.write("a.jpg.xmp", other);
    xmp::keep_contents_of_sidecars(files = render_dataset(photo.dataset, "xmp", {}, photo.losses),
                                   photo.folder.path(), photo.losses);
    publish(files, photo.folder.path(), true);
    CHECK(names_of(read_dataset("xmp:" + photo.folder.path().string()).samples.at(0)).size() == 2);
    photo.folder.write("a.jpg.xmp", "");
    xmp::keep_contents_of_sidecars(files = render_dataset(photo.dataset, "xmp", {}, photo.losses),
                                   photo.folder.path(), photo.losses);
    CHECK(files.files[0].bytes == photo.written());

    // Somebody else's file is not lost.
    for (const std::string broken : {"<x:xmpmeta>", "no XML", "<a/>", "\xFF\xFE<"}) {
        CAPTURE(broken);
        photo.folder.write("a.jpg.xmp", broken);
        CHECK_THROWS_WITH(xmp::keep_contents_of_sidecars(files, photo.folder.path(), photo.losses),
                          Contains("a.jpg.xmp"));
    }
}

TEST_CASE("xmp: exiftool reads the names and places that were written, and its own are read",
          "[dataset][xmp][convert]") {
    if (!has_program("exiftool", {"-ver"})) return;
    std::vector<Face> faces;
    for (std::size_t i = 0; i < odd_names.size(); ++i)
        faces.push_back(face_at({static_cast<double>(5 * i), 2, 4, 4}, odd_names[i]));
    TaggedPhoto photo(faces);
    photo.again();
    const std::string sidecar = (photo.folder.path() / "a.jpg.xmp").string();
    const auto regions = [&](const std::string& file) {
        const ProgramResult result = run_program({"exiftool", "-json", "-struct", "-RegionInfo", file});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(result.out).at(0).at("RegionInfo");
    };
    const Json info = regions(sidecar);
    CHECK(info["AppliedToDimensions"] == Json{{"H", 20}, {"Unit", "pixel"}, {"W", 40}});
    REQUIRE(info["RegionList"].size() == odd_names.size());
    for (std::size_t i = 0; i < odd_names.size(); ++i) {
        CAPTURE(odd_names[i]);
        const Json& region = info["RegionList"][i];
        CHECK(region["Name"] == odd_names[i]);
        CHECK(region["Type"] == "Face");
        CHECK(region["Area"]["Unit"] == "normalized");
        CHECK(region["Area"]["X"].get<double>() == Approx((5.0 * static_cast<double>(i) + 2) / 40));
        CHECK(region["Area"]["Y"].get<double>() == Approx(0.2));
        CHECK(region["Area"]["W"].get<double>() == Approx(0.1));
        CHECK(region["Area"]["H"].get<double>() == Approx(0.2));
    }
    // exiftool puts them into the photograph, and they are read there.
    const fs::path tagged = photo.folder.path() / "tagged";
    fs::create_directory(tagged);
    fs::copy_file(photo.folder.path() / "a.jpg", tagged / "a.jpg");
    REQUIRE(run_program({"exiftool", "-q", "-overwrite_original", "-tagsfromfile", sidecar, "-RegionInfo",
                         (tagged / "a.jpg").string()})
                .exit_code == 0);
    std::vector<std::string> expected = odd_names;
    // exiftool writes a carriage return as it is, and by XML's rule it then belongs to the line's end.
    for (std::string& name : expected)
        if (const std::size_t at = name.find('\r'); at != std::string::npos) name.erase(at, 1);
    CHECK(names_of(read_dataset("xmp:" + tagged.string()).samples.at(0)) == expected);
    // A sidecar of its own with a rating keeps it beside new faces.
    const fs::path rated = photo.folder.path() / "rated";
    fs::create_directory(rated);
    REQUIRE(run_program({"exiftool", "-q", "-Rating=4", "-Subject=sea", (rated / "a.jpg.xmp").string()})
                .exit_code == 0);
    OutputFiles files = render_dataset(photo.dataset, "xmp", {}, photo.losses);
    xmp::keep_contents_of_sidecars(files, rated, photo.losses);
    publish(files, rated, true);
    CHECK(regions((rated / "a.jpg.xmp").string()) == info);
    const ProgramResult kept =
        run_program({"exiftool", "-s3", "-Rating", "-Subject", (rated / "a.jpg.xmp").string()});
    CHECK(kept.out == "4\nsea\n");
}

TEST_CASE("xmp: exiv2 reads the names that were written", "[dataset][xmp][convert]") {
    if (!has_program("exiv2", {"--version"})) return;
    std::vector<Face> faces;
    // It prints a property to a line.
    std::vector<std::string> names = odd_names;
    std::erase_if(names, [](const std::string& name) { return name.find('\n') != std::string::npos; });
    for (std::size_t i = 0; i < names.size(); ++i)
        faces.push_back(face_at({static_cast<double>(5 * i), 2, 4, 4}, names[i]));
    TaggedPhoto photo(faces);
    photo.again();
    const ProgramResult result =
        run_program({"exiv2", "-PXkv", (photo.folder.path() / "a.jpg.xmp").string()});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string key =
            "Xmp.mwg-rs.Regions/mwg-rs:RegionList[" + std::to_string(i + 1) + "]/mwg-rs:Name";
        const std::size_t at = result.out.find(key);
        REQUIRE(at != std::string::npos);
        const std::string line =
            result.out.substr(at + key.size(), result.out.find('\n', at) - at - key.size());
        CAPTURE(line);
        CHECK(line.size() >= names[i].size());
        CHECK(line.substr(line.size() - names[i].size()) == names[i]);
    }
}
