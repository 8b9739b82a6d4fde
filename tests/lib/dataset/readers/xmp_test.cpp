// Face regions of photo managers, in sidecars and in photographs.
#include <cmath>

#include "lib/dataset/face_names.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/lib/dataset/xmp/packets.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* quarter = "stArea:x='0.25' stArea:y='0.3' stArea:w='0.2' stArea:h='0.2'";

void check_close(const Box& box, const Box& expected) {
    CAPTURE(box.x, box.y, box.w, box.h);
    CHECK(std::abs(box.x - expected.x) < 1e-9);
    CHECK(std::abs(box.y - expected.y) < 1e-9);
    CHECK(std::abs(box.w - expected.w) < 1e-9);
    CHECK(std::abs(box.h - expected.h) < 1e-9);
}

/// A folder with a.pgm of 100 x 80 and its sidecar, read.
struct SidecarFolder {
    explicit SidecarFolder(const std::string& packet) {
        folder.write("a.pgm", grey_pgm(100, 80));
        folder.write("a.pgm.xmp", packet);
    }
    std::string name() const { return "xmp:" + folder.path().string(); }
    Dataset read() const { return read_dataset(name()); }
    std::vector<Face> faces() const { return read().samples.at(0).faces; }

    TempDir folder;
};

std::vector<std::string> names_of(const std::vector<Face>& faces) {
    std::vector<std::string> names;
    for (const Face& face : faces) names.emplace_back(name_of(face));
    return names;
}

}  // namespace

TEST_CASE("spellings: xmp", "[dataset][xmp][spellings]") {
    const std::string list = "<mwg-rs:RegionList><rdf:Bag>", end = "</rdf:Bag></mwg-rs:RegionList>";
    const std::string numbers = "stArea:x='0.5' stArea:y='0.25' stArea:w='0.2' stArea:h='0.1'";
    const std::string fields =
        "<stArea:x>0.5</stArea:x><stArea:y>0.25</stArea:y><stArea:w>0.2</stArea:w><stArea:h>0.1</stArea:h>";
    const std::string resource = " rdf:parseType='Resource'>";
    const std::vector<std::pair<std::string, std::string>> spellings{
        {"Lightroom", described("<mwg-rs:Regions" + resource + drawn_in(100, 80) + list +
                                "<rdf:li><rdf:Description mwg-rs:Name='Ann' mwg-rs:Type='Face' "
                                "mwg-rs:Rotation='0.1'><mwg-rs:Area " +
                                numbers + "/></rdf:Description></rdf:li>" + end + "</mwg-rs:Regions>")},
        {"exiftool",
         described("<mwg-rs:Regions" + resource + list + "<rdf:li" + resource + "<mwg-rs:Area" + resource +
                   fields +
                   "<stArea:unit>normalized</stArea:unit></mwg-rs:Area><mwg-rs:Name>Ann</mwg-rs:Name>"
                   "<mwg-rs:Type>Face</mwg-rs:Type></rdf:li>" +
                   end + "</mwg-rs:Regions>")},
        {"digiKam", described("<mwg-rs:Regions" + resource + list +
                              "<rdf:li mwg-rs:Name='Ann' "
                              "mwg-rs:Type='Face'><mwg-rs:Area stArea:unit='normalized' " +
                              numbers + "/></rdf:li>" + end + "</mwg-rs:Regions>")},
        {"Picasa", described("<mwg-rs:Regions" + resource + list + "<rdf:li" + resource +
                             "<mwg-rs:Type>Face</mwg-rs:Type><mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Area " +
                             numbers + "/></rdf:li>" + end + "</mwg-rs:Regions>")},
        {"descriptions all the way",
         described("<mwg-rs:Regions><rdf:Description>" + list +
                   "<rdf:li><rdf:Description><mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Area>"
                   "<rdf:Description>" +
                   fields + "</rdf:Description></mwg-rs:Area></rdf:Description></rdf:li>" + end +
                   "</rdf:Description></mwg-rs:Regions>")},
        {"a list in order",
         described("<mwg-rs:Regions" + resource + "<mwg-rs:RegionList><rdf:Seq>" +
                   region_item("Ann", numbers) + "</rdf:Seq></mwg-rs:RegionList></mwg-rs:Regions>")},
        {"other prefixes",
         described("<r:Regions xmlns:r='http://www.metadataworkinggroup.com/schemas/regions/'"
                   " xmlns:a='http://ns.adobe.com/xmp/sType/Area#'" +
                   resource +
                   "<r:RegionList><rdf:Bag><rdf:li r:Name='Ann'><r:Area a:x='0.5' "
                   "a:y='0.25' a:w='0.2' a:h='0.1'/></rdf:li></rdf:Bag></r:RegionList></r:Regions>")},
        {"lines, blanks and other numbers",
         described("<mwg-rs:Regions" + resource + list + "<rdf:li" + resource +
                   "<mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Type> face\n</mwg-rs:Type><mwg-rs:Area" + resource +
                   "<stArea:x>\n +0.5 </stArea:x><stArea:y>2.5e-1</stArea:y><stArea:w>.2</stArea:w>"
                   "<stArea:h>0.10</stArea:h><stArea:unit/></mwg-rs:Area></rdf:li>" +
                   end + "</mwg-rs:Regions>")},
        {"a qualified name",
         described("<mwg-rs:Regions" + resource + list + "<rdf:li" + resource + "<mwg-rs:Name" + resource +
                   "<rdf:value>Ann</rdf:value></mwg-rs:Name>"
                   "<mwg-rs:Area " +
                   numbers + "/></rdf:li>" + end + "</mwg-rs:Regions>")},
        {"extensions, and a second description",
         described("<tiff:Make>x</tiff:Make>") +
             described("<mwg-rs:Regions" + resource + list + "<rdf:li" + resource +
                       "<mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Extensions" + resource +
                       "<tiff:Make>y</tiff:Make></mwg-rs:Extensions><mwg-rs:Area " + numbers + "/></rdf:li>" +
                       end + "</mwg-rs:Regions>")},
        {"Microsoft", described("<MP:RegionInfo" + resource +
                                "<MPRI:Regions><rdf:Bag><rdf:li "
                                "MPReg:Rectangle='0.4, 0.2, 0.2, 0.1' MPReg:PersonDisplayName='Ann' "
                                "MPReg:PersonEmailDigest='x'/></rdf:Bag></MPRI:Regions></MP:RegionInfo>")},
        {"Microsoft, elements",
         described(
             "<MP:RegionInfo><rdf:Description><MPRI:Regions><rdf:Bag><rdf:li><rdf:Description>"
             "<MPReg:Rectangle>0.4,0.2,0.2,0.1</MPReg:Rectangle>"
             "<MPReg:PersonDisplayName>Ann</MPReg:PersonDisplayName></rdf:Description></rdf:li></rdf:Bag>"
             "</MPRI:Regions></rdf:Description></MP:RegionInfo>")},
    };
    for (const auto& [writer, description] : spellings) {
        CAPTURE(writer);
        const Dataset dataset = SidecarFolder(xmp_packet(description)).read();
        CHECK(dataset.format == "xmp");
        REQUIRE(dataset.samples.size() == 1);
        const Sample& sample = dataset.samples[0];
        CHECK(sample.image == "a.pgm");
        CHECK(sample.annotated);
        CHECK(sample.subject == "Ann");
        CHECK(sample.size == ImageSize{100, 80});
        REQUIRE(sample.faces.size() == 1);
        CHECK(sample.faces[0].attributes == std::vector<Attribute>{{"name", "Ann"}});
        // The middle (50, 20) of 20 x 8 pixels.
        check_close(sample.faces[0].box, {40, 16, 20, 8});
        CHECK(dataset.sources.size() == 1);
        CHECK(dataset.warnings.empty());
    }
    // RDF without Adobe's element around it.
    std::string bare = region_packet(region_item("Ann", numbers));
    bare = bare.substr(bare.find("<rdf:RDF"));
    bare = bare.substr(0, bare.find("</x:xmpmeta>"));
    CHECK(SidecarFolder(bare).faces().size() == 1);
}

TEST_CASE("xmp: regions count in the stored picture, faces in the displayed one", "[dataset][xmp]") {
    // Stored: 40 x 20 pixels, the face in 6..14 x 4..8.
    const std::string packet = region_packet(
        region_item("Ann", "stArea:x='0.25' stArea:y='0.3' stArea:w='0.2' stArea:h='0.2'"), drawn_in(40, 20));
    const std::vector<Box> displayed{{6, 4, 8, 4}, {26, 4, 8, 4}, {26, 12, 8, 4}, {6, 12, 8, 4},
                                     {4, 6, 4, 8}, {12, 6, 4, 8}, {12, 26, 4, 8}, {4, 26, 4, 8}};
    for (int orientation = 1; orientation <= 8; ++orientation) {
        CAPTURE(orientation);
        const TempDir folder;
        folder.write("a.jpg", text_of(photo_jpeg(40, 20, orientation)));
        folder.write("a.jpg.xmp", packet);
        const Dataset dataset = read_dataset("xmp:" + folder.path().string());
        const Sample& sample = dataset.samples.at(0);
        CHECK(sample.size == (orientation < 5 ? ImageSize{40, 20} : ImageSize{20, 40}));
        check_close(sample.faces.at(0).box, displayed[static_cast<std::size_t>(orientation - 1)]);
        CHECK(dataset.warnings.empty());
        // Pictures that are not turned.
        DatasetOptions as_stored;
        as_stored.is_as_displayed = false;
        check_close(read_dataset("xmp:" + folder.path().string(), as_stored).samples.at(0).faces.at(0).box,
                    displayed[0]);
    }
}

TEST_CASE("xmp: the packet tells the orientation of pictures whose files do not", "[dataset][xmp]") {
    const TempDir folder;
    // Read as displayed, with 20 columns and 40 rows, as a developed raw picture is.
    folder.write("a.pgm", grey_pgm(20, 40));
    folder.write("a.xmp",
                 xmp_packet("<rdf:Description rdf:about='' tiff:Orientation='6'>"
                            "<mwg-rs:Regions rdf:parseType='Resource'>" +
                            drawn_in(40, 20) + "<mwg-rs:RegionList><rdf:Bag>" + region_item("Ann", quarter) +
                            "</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions></rdf:Description>"));
    const Dataset dataset = read_dataset("xmp:" + folder.path().string());
    CHECK(dataset.samples.at(0).size == ImageSize{20, 40});
    check_close(dataset.samples.at(0).faces.at(0).box, {12, 6, 4, 8});
    CHECK(dataset.warnings.empty());
}

TEST_CASE("xmp: which regions are faces", "[dataset][xmp]") {
    const SidecarFolder f(
        region_packet(region_item("Rex", quarter, "Pet") + region_item("", quarter, "Focus") +
                      region_item("1", quarter, "BarCode") + region_item("", quarter) +
                      region_item(" \n", quarter) + region_item("Ann", quarter, "") +
                      // A circle of 0.5 of the shorter side: 40 pixels.
                      region_item("Bob", "stArea:x='0.5' stArea:y='0.5' stArea:d='0.5'") +
                      region_item("Cid", "stArea:x='0.5' stArea:y='0.5'") +
                      region_item("Dot", "stArea:x='0.5' stArea:y='0.5' stArea:w='0' stArea:h='0'") +
                      "<rdf:li mwg-rs:Name='Eve' mwg-rs:Type='Face'/>"));
    const Dataset dataset = f.read();
    const Sample& sample = dataset.samples.at(0);
    CHECK(names_of(sample.faces) == std::vector<std::string>{"", "", "Ann", "Bob"});
    CHECK(sample.faces[0].attributes.empty());
    check_close(sample.faces[3].box, {30, 20, 40, 40});
    // Several faces: who the image's subject is nobody says.
    CHECK(sample.subject.empty());
    REQUIRE(dataset.warnings.size() == 1);
    CHECK(dataset.warnings[0] ==
          "3 face regions are points or without a place, and left out, first: 'a.pgm'");
}

TEST_CASE("xmp: Microsoft's people count where there are no other faces", "[dataset][xmp]") {
    const std::string people =
        "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag>"
        "<rdf:li MPReg:Rectangle='0, 0, 0.5, 0.5' MPReg:PersonDisplayName='Bob'/>"
        "<rdf:li MPReg:PersonDisplayName='Cid'/></rdf:Bag></MPRI:Regions></MP:RegionInfo>";
    const auto with = [&](const std::string& items) {
        return SidecarFolder(xmp_packet(described(people +
                                                  "<mwg-rs:Regions rdf:parseType='Resource'>"
                                                  "<mwg-rs:RegionList><rdf:Bag>" +
                                                  items + "</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>")))
            .read();
    };
    CHECK(names_of(with(region_item("Ann", quarter)).samples.at(0).faces) == std::vector<std::string>{"Ann"});
    CHECK(with(region_item("Ann", quarter)).warnings.empty());
    const Dataset alone = with(region_item("Rex", quarter, "Pet"));
    CHECK(names_of(alone.samples.at(0).faces) == std::vector<std::string>{"Bob"});
    check_close(alone.samples[0].faces[0].box, {0, 0, 50, 40});
    CHECK(warns(alone, "1 face region is a point or without a place"));
    // People who do not count may be broken.
    const std::string broken = described(
        "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag><rdf:li "
        "MPReg:Rectangle='0.1'/></rdf:Bag>"
        "</MPRI:Regions></MP:RegionInfo>");
    std::string both = region_packet(region_item("Ann", quarter));
    both.insert(both.find("</rdf:RDF>"), broken);
    CHECK(names_of(SidecarFolder(both).faces()) == std::vector<std::string>{"Ann"});
}

TEST_CASE("xmp: the sidecar of a picture, and the packet in it", "[dataset][xmp]") {
    const TempDir folder;
    const auto packet = [](const std::string& name) { return region_packet(region_item(name, quarter)); };
    const ByteVector jpeg = photo_jpeg(40, 20);
    const std::string tagged = text_of(with_xmp(jpeg, packet("in the file")));
    const std::string no_regions = xmp_packet("<rdf:Description rdf:about='' tiff:Orientation='1'/>");
    folder.write("photos/1.jpg", tagged);
    folder.write("photos/2.jpg", tagged);
    folder.write("photos/2.jpg.xmp", packet("long"));
    folder.write("photos/2.xmp", packet("short"));
    folder.write("photos/3.jpg", tagged);
    folder.write("photos/3.XMP", packet("short"));
    // darktable's sidecars hold no regions, and hide none.
    folder.write("photos/4.jpg", tagged);
    folder.write("photos/4.jpg.xmp", no_regions);
    // Lightroom's sidecar is that of the raw file among pictures of one name.
    folder.write("photos/5.jpg", text_of(jpeg));
    folder.write("photos/5.nef", "no picture");
    folder.write("photos/5.xmp", region_packet(region_item("raw", quarter), drawn_in(40, 20)));
    folder.write("photos/6.jpg", text_of(jpeg));
    folder.write("photos/sub/7.jpg", text_of(with_metadata(with_exif(jpeg, make_exif(6, true)), 9)));
    folder.write("photos/sub/7.jpg.xmp", packet("turned"));
    folder.write("photos/clip.mp4.xmp", packet("a video's"));
    folder.write("photos/8.jpg", text_of(with_xmp(jpeg, "<x>broken, and nobody's regions")));
    const Dataset dataset = read_dataset("xmp:" + (folder.path() / "photos").string());
    std::vector<std::string> found;
    for (const Sample& sample : dataset.samples) found.push_back(sample.image + " " + sample.subject);
    CHECK(found == std::vector<std::string>{"1.jpg in the file", "2.jpg long", "3.jpg short",
                                            "4.jpg in the file", "5.nef raw", "sub/7.jpg turned"});
    CHECK(dataset.warnings ==
          std::vector<std::string>{"3 images have no face regions and are left out, first: '5.jpg'"});
    CHECK(dataset.sources.size() == 4);

    // One sidecar, and a folder of sidecars without photographs.
    CHECK(images_of(read_dataset("xmp:" + (folder.path() / "photos/2.jpg.xmp").string())) ==
          std::vector<std::string>{"2.jpg"});
    folder.write("sidecars/6.jpg.xmp", packet("Ann"));
    folder.write("sidecars/sub/7.xmp", packet("Bob"));
    const Dataset apart = read_dataset("xmp:" + (folder.path() / "sidecars").string() +
                                       ",images=" + (folder.path() / "photos").string());
    found.clear();
    for (const Sample& sample : apart.samples) found.push_back(sample.image + " " + sample.subject);
    // XMP in photographs counts, too.
    CHECK(found == std::vector<std::string>{"1.jpg in the file", "2.jpg in the file", "3.jpg in the file",
                                            "4.jpg in the file", "6.jpg Ann", "sub/7.jpg Bob"});
}

TEST_CASE("xmp: a packet behind much other metadata is found", "[dataset][xmp]") {
    const TempDir folder;
    const ByteVector tagged = with_xmp(photo_jpeg(40, 20), region_packet(region_item("Ann", quarter)));
    folder.write("a.jpg", text_of(with_metadata(tagged, 7)));
    CHECK(read_dataset("xmp:" + folder.path().string()).samples.at(0).subject == "Ann");
}

TEST_CASE("xmp: photographs that are missing or cannot be read", "[dataset][xmp]") {
    const TempDir folder;
    folder.write("a.jpg.xmp", region_packet(region_item("Ann", quarter), drawn_in(40, 20)));
    folder.write("b.xmp", region_packet(region_item("Bob", quarter)));
    folder.write("c.jpg", "no picture");
    folder.write("c.jpg.xmp", region_packet(region_item("Cid", quarter)));
    folder.write("d.jpg", "no picture");
    folder.write("d.jpg.xmp", region_packet(region_item("Dan", quarter), drawn_in(40, 20)));
    const Dataset dataset = read_dataset("xmp:" + folder.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"c.jpg", "d.jpg", "a.jpg", "b.jpg"});
    // Nothing is lost: whoever reads the images says that these are not there.
    CHECK_FALSE(dataset.samples[0].annotated);
    check_close(dataset.samples[1].faces.at(0).box, {6, 4, 8, 4});
    check_close(dataset.samples[2].faces.at(0).box, {6, 4, 8, 4});
    CHECK_FALSE(dataset.samples[3].annotated);
    CHECK(warns(dataset, "2 of 4 images are not in '" + folder.path().string() +
                             "', first: a.jpg; name their folder with ,images=DIR"));
    CHECK(warns(dataset, "2 photographs have face regions that cannot be placed"));
    CHECK(warns(dataset, "first: 'c.jpg'"));
}

TEST_CASE("xmp: pictures that were turned or cut since are named", "[dataset][xmp]") {
    const auto warnings = [](int width, int height) {
        return SidecarFolder(region_packet(region_item("Ann", quarter), drawn_in(width, height)))
            .read()
            .warnings;
    };
    // 100 x 80: as it was, reduced and rounded, and without a size.
    CHECK(warnings(100, 80).empty());
    CHECK(warnings(4001, 3200).empty());
    CHECK(warnings(0, 0).empty());
    REQUIRE(warnings(80, 100).size() == 1);
    CHECK_THAT(warnings(80, 100)[0], Contains("1 photograph has another shape") &&
                                         Contains("'a.pgm', stored as 100x80, drawn in 80x100"));
    CHECK(warnings(100, 100).size() == 1);
}

TEST_CASE("xmp: what is broken is refused with its place", "[dataset][xmp]") {
    const auto error = [](const std::string& packet) { return error_of(SidecarFolder(packet).name()); };
    const auto area = [&](const std::string& numbers) {
        return error(region_packet(region_item("Ann", numbers)));
    };
    CHECK_THAT(error("<x:xmpmeta><rdf:RDF></x:xmpmeta>"),
               Contains("a.pgm.xmp:1: ") && Contains("well-formed XML"));
    CHECK_THAT(error(""), Contains("a.pgm.xmp"));
    CHECK_THAT(area("stArea:x='0.25' stArea:w='0.2' stArea:h='0.2'"),
               Contains("a.pgm.xmp:13: ") && Contains("stArea:x and stArea:y"));
    CHECK_THAT(area("stArea:x='0.25' stArea:y='0.2' stArea:w='0.2'"), Contains("both stArea:w and stArea:h"));
    CHECK_THAT(area("stArea:x='250' stArea:y='300' stArea:w='100' stArea:h='100'"),
               Contains("stArea:x to be a share of the picture, from 0 to 1, not '250'"));
    for (const std::string number : {"", "nan", "inf", "1e999", "0,5", "-1.5", "half"}) {
        CAPTURE(number);
        CHECK_THAT(area("stArea:x='" + number + "' stArea:y='0.3' stArea:w='0.2' stArea:h='0.2'"),
                   Contains("stArea:x"));
    }
    CHECK_THAT(area("stArea:x='0.25' stArea:y='0.3' stArea:w='-0.2' stArea:h='0.2'"),
               Contains("not negative"));
    CHECK_THAT(area(std::string(quarter) + " stArea:unit='pixel'"),
               Contains("the unit of the area to be normalized"));
    for (const std::string rectangle :
         {"0.1, 0.2, 0.3", "0.1, 0.2, 0.3, 0.4, 0.5", "0.1, 0.2, x, 0.4", "1, 2, 3, 4"}) {
        CAPTURE(rectangle);
        CHECK_THAT(error(xmp_packet(
                       described("<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag><rdf:li "
                                 "MPReg:Rectangle='" +
                                 rectangle + "'/></rdf:Bag></MPRI:Regions></MP:RegionInfo>"))),
                   Contains("MPReg:Rectangle"));
    }
    // In a photograph.
    const TempDir folder;
    folder.write("a.jpg", text_of(with_xmp(photo_jpeg(40, 20), region_packet("<rdf:li>"))));
    CHECK_THAT(error_of("xmp:" + folder.path().string()), Contains("a.jpg (its XMP):"));
    // Nothing to read.
    CHECK(is_usage_error("xmp:" + (folder.path() / "absent").string()));
    CHECK(is_usage_error("xmp:" + (folder.path() / "a.jpg").string()));
    const TempDir plain;
    plain.write("a.pgm", grey_pgm(4, 4));
    CHECK_THAT(error_of("xmp:" + plain.path().string()), Contains("holds no face regions"));
    CHECK(is_usage_error("xmp:" + plain.path().string()));
}

TEST_CASE("xmp: definitions of a document are not followed", "[dataset][xmp]") {
    std::string bomb = "<!DOCTYPE x [<!ENTITY a 'ha'>";
    std::string last = "a";
    for (const char name : std::string("bcdefghijk")) {
        std::string ten;
        for (int i = 0; i < 10; ++i) ten += "&" + last + ";";
        last = std::string(1, name);
        bomb += "<!ENTITY " + last + " '" + ten + "'>";
    }
    bomb += "<!ENTITY file SYSTEM 'file:///etc/passwd'>]>\n";
    const std::string packet = region_packet(region_item("&" + last + ";&file;", quarter));
    const std::size_t at = packet.find("<x:xmpmeta");
    CHECK(names_of(SidecarFolder(packet.substr(0, at) + bomb + packet.substr(at)).faces()) ==
          std::vector<std::string>{"&k;&file;"});
}

TEST_CASE("xmp: every truncation is read or refused", "[dataset][xmp]") {
    const TempDir folder;
    folder.write("a.pgm", grey_pgm(100, 80));
    const std::string packet = region_packet(region_item("Ann", quarter), drawn_in(100, 80));
    // All but those that lack the end of the packet's mark alone.
    CHECK(read_truncated("xmp:", folder, "a.pgm.xmp", packet) > packet.size() - 40);
}
