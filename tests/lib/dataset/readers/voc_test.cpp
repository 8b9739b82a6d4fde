#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string object(const std::string& name, const std::string& corners, const std::string& more = "") {
    return "<object><name>" + name + "</name>" + more + "<bndbox>" + corners + "</bndbox></object>\n";
}

std::string corners(const std::string& x1, const std::string& y1, const std::string& x2,
                    const std::string& y2) {
    return "<xmin>" + x1 + "</xmin><ymin>" + y1 + "</ymin><xmax>" + x2 + "</xmax><ymax>" + y2 + "</ymax>";
}

std::string annotation(const std::string& file_name, const std::string& objects) {
    return "<annotation>\n<folder>VOC</folder><filename>" + file_name +
           "</filename><size><width>20</width><height>10</height><depth>3</depth></size>\n" + objects +
           "</annotation>\n";
}

std::string refused(const std::string& objects) {
    const TempDir dir;
    return error_of("voc:" + dir.write("a.xml", annotation("a.jpg", objects)).string());
}

}  // namespace

TEST_CASE("voc: boxes count from 0 and end before their last pixel", "[dataset][voc]") {
    const TempDir dir;
    dir.write("JPEGImages/a.jpg", "x");
    dir.write("JPEGImages/b.png", "x");
    // The whole image of 20 x 10 is 1, 1, 20, 10 in VOC.
    const auto first = dir.write(
        "Annotations/a.xml",
        annotation("a.jpg", object("face", corners("1", "1", "20", "10"),
                                   "<pose>Frontal</pose><truncated>1</truncated><difficult>0</difficult>") +
                                object("cat", corners("1", "1", "2", "2")) +
                                object("face", corners("3", "4", "3", "4"), "<difficult>1</difficult>")));
    dir.write("Annotations/b.xml", annotation("b.jpg", ""));
    dir.write("ImageSets/Main/face_val.txt", "b -1\n");
    const Dataset dataset = read_dataset("voc:" + dir.path().string());
    CHECK(dataset.format == "voc");
    CHECK(images_of(dataset) == std::vector<std::string>{"a.jpg", "b.png"});
    CHECK(dataset.samples[1].path == dir.path() / "JPEGImages/b.png");
    CHECK(dataset.samples[0].size == ImageSize{20, 10});
    const std::vector<Face>& faces = dataset.samples[0].faces;
    REQUIRE(faces.size() == 2);
    CHECK(faces[0].box == Box{0, 0, 20, 10});
    CHECK_FALSE(faces[0].ignore);
    CHECK(faces[0].attributes ==
          std::vector<Attribute>{{"class", "face"}, {"pose", "Frontal"}, {"truncated", "yes"}});
    CHECK(faces[1].box == Box{2, 3, 1, 1});
    CHECK(faces[1].ignore);
    CHECK(*find_attribute(faces[1].attributes, "difficult") == "yes");
    CHECK(dataset.samples[1].annotated);
    CHECK(dataset.samples[1].faces.empty());

    CHECK(images_of(read_dataset("voc:" + dir.path().string() + ",set=face_val")) ==
          std::vector<std::string>{"b.png"});
    CHECK(read_dataset("voc:" + dir.path().string() + ",class=cat").face_count() == 1);
    CHECK(read_dataset(dir.path().string()).format == "voc");
    CHECK(images_of(read_dataset(first.string())) == std::vector<std::string>{"a.jpg"});
    CHECK_THAT(error_of("voc:" + dir.path().string() + ",class=dog"),
               Contains("'dog'") && Contains("cat, face"));
    dir.write("ImageSets/Main/bad.txt", "a\nz\n");
    CHECK_THAT(error_of("voc:" + dir.path().string() + ",set=bad"),
               Contains("bad.txt:2:") && Contains("z.xml"));
    CHECK(is_usage_error("voc:" + dir.path().string() + ",set=absent"));
}

TEST_CASE("voc: XML beside images, one class, no size", "[dataset][voc]") {
    const TempDir dir;
    dir.write("1.png", "x");
    dir.write("1.xml", "<annotation><size><width>0</width><height>0</height></size>" +
                           object("head", corners("1.5", "2", "4.5", "2.25")) + "</annotation>");
    dir.write("2.xml", annotation("elsewhere.jpg", ""));
    const Dataset dataset = read_dataset("voc:" + dir.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"1.png", "elsewhere.jpg"});
    CHECK(dataset.samples[0].faces.at(0).box == Box{0.5, 1, 4, 1.25});
    CHECK_FALSE(dataset.samples[0].size);
    CHECK(warns(dataset, "1 of 2 images is not in"));
    dir.write("3.xml", annotation("1.png", ""));
    CHECK_THAT(error_of("voc:" + dir.path().string()), Contains("3.xml") && Contains("'1.png'"));
}

TEST_CASE("voc: broken annotation", "[dataset][voc]") {
    CHECK_THAT(refused("<object><name>face</name></object>"), Contains("a.xml:3:") && Contains("<bndbox>"));
    CHECK_THAT(refused(object("", corners("1", "1", "2", "2"))), Contains("<name>"));
    CHECK_THAT(refused(object("face", corners("1", "1", "nan", "2"))),
               Contains("a.xml:3:") && Contains("<xmax>"));
    CHECK_THAT(refused(object("face", corners("5", "1", "4", "2"))), Contains("xmax"));
    CHECK_THAT(refused(object("face", corners("1", "1", "2", "2"), "<difficult>2</difficult>")),
               Contains("0 or 1"));
    CHECK_THAT(refused(object("a", corners("1", "1", "2", "2")) + object("b", corners("1", "1", "2", "2"))),
               Contains("class=NAME: a, b"));
    const TempDir dir;
    CHECK_THAT(error_of("voc:" + dir.write("d.xml", "<dataset/>").string()), Contains("d.xml:1:"));
    CHECK_THAT(error_of("voc:" + dir.path().string()), Contains("<annotation>"));
}
