#include "lib/dataset/formats/write_dataset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/fovea_json.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

Sample sample_of(const std::string& image, std::vector<Face> faces) {
    Sample sample;
    sample.image = image;
    sample.path = "/data/" + image;
    sample.faces = std::move(faces);
    sample.annotated = true;
    sample.size = ImageSize{100, 50};
    return sample;
}

Face face_of(const Box& box) {
    Face face;
    face.box = box;
    return face;
}

Dataset dataset_of(std::vector<Sample> samples) {
    Dataset dataset;
    dataset.name = "set";
    dataset.root = "/data";
    dataset.samples = std::move(samples);
    return dataset;
}

/// A face that is not at whole pixels, one that is ignored and reaches over the edge.
Dataset two_faces() {
    Face face = face_of({10.5, 20, 30, 15});
    face.attributes = {{"blur", "heavy"}, {"pose", "atypical"}};
    Face ignored = face_of({-4, 5, 10, 10});
    ignored.ignore = true;
    return dataset_of({sample_of("ev/a.jpg", {face, ignored})});
}

struct Rendered {
    WrittenDataset files;
    std::vector<std::string> losses;

    const std::string& text() const { return files.files.at(0).bytes; }
    bool loses(const std::string& part) const {
        return std::any_of(losses.begin(), losses.end(),
                           [&](const std::string& loss) { return loss.find(part) != std::string::npos; });
    }
};

Rendered render(const Dataset& dataset, const std::string& format) {
    Rendered rendered;
    rendered.files = render_dataset(dataset, format, {}, rendered.losses);
    return rendered;
}

}  // namespace

TEST_CASE("VOC: inclusive pixels from 1, edges rounded each", "[convert]") {
    // x 10.5 ... 40.5 becomes 11 ... 41 (halves upwards), so pixels 12 to 41 from 1; y 20 ... 35 is 21 to 35.
    // x -4 ... 6 is -3 to 6; y 5 ... 15 is 6 to 15.
    const Rendered voc = render(two_faces(), "voc");
    REQUIRE(voc.files.is_folder);
    REQUIRE(voc.files.files.size() == 1);
    CHECK(voc.files.files[0].name == "ev/a.xml");
    CHECK(voc.text() ==
          "<?xml version=\"1.0\"?>\n<annotation>\n  <folder>ev</folder>\n  <filename>a.jpg</filename>\n"
          "  <size>\n    <width>100</width>\n    <height>50</height>\n  </size>\n  <segmented>0</segmented>\n"
          "  <object>\n    <name>face</name>\n    <pose>atypical</pose>\n    <truncated>0</truncated>\n"
          "    <difficult>0</difficult>\n    <bndbox>\n      <xmin>12</xmin>\n      <ymin>21</ymin>\n"
          "      <xmax>41</xmax>\n      <ymax>35</ymax>\n    </bndbox>\n  </object>\n"
          "  <object>\n    <name>face</name>\n    <pose>Unspecified</pose>\n    <truncated>0</truncated>\n"
          "    <difficult>1</difficult>\n    <bndbox>\n      <xmin>-3</xmin>\n      <ymin>6</ymin>\n"
          "      <xmax>6</xmax>\n      <ymax>15</ymax>\n    </bndbox>\n  </object>\n</annotation>\n");
    CHECK(voc.losses == std::vector<std::string>{"1 box is rounded to whole pixels.",
                                                 "1 face loses the attribute 'blur'."});
}

TEST_CASE("VOC: names are escaped, unknown sizes told", "[convert]") {
    Sample sample = sample_of("a & <b>.jpg", {});
    sample.size.reset();
    const Rendered voc = render(dataset_of({sample}), "voc");
    CHECK_THAT(voc.text(), Catch::Contains("<filename>a &amp; &lt;b&gt;.jpg</filename>"));
    CHECK_THAT(voc.text(), !Catch::Contains("<size>"));
    CHECK(voc.losses ==
          std::vector<std::string>{"1 image has no size element because the size is not known."});
}

TEST_CASE("YOLO: units of the image, clipped to it", "[convert]") {
    // In 100x50: centre (25.5, 27.5) is 0.255, 0.55; 30x15 is 0.3, 0.3. [-10, -5, 20, 10] keeps 0 ... 10 by 0
    // ... 5.
    Dataset dataset = two_faces();
    dataset.samples[0].faces.push_back(face_of({-10, -5, 20, 10}));
    dataset.samples[0].faces.push_back(face_of({100, 5, 20, 10}));  // begins where the image ends
    dataset.samples[0].faces.push_back(face_of({5, 5, 0, 10}));
    dataset.samples.push_back(sample_of("empty.png", {}));
    dataset.samples.push_back(sample_of("unknown.png", {}));
    dataset.samples.back().size.reset();
    dataset.samples.push_back(sample_of("unlabelled.png", {}));
    dataset.samples.back().annotated = false;
    const Rendered yolo = render(dataset, "yolo");
    REQUIRE(yolo.files.files.size() == 3);
    CHECK(yolo.files.files[0].name == "classes.txt");
    CHECK(yolo.files.files[0].bytes == "face\n");
    CHECK(yolo.files.files[1].name == "labels/ev/a.txt");
    CHECK(yolo.files.files[1].bytes == "0 0.255 0.55 0.3 0.3\n0 0.05 0.05 0.1 0.1\n");
    CHECK(yolo.files.files[2].name == "labels/empty.txt");
    CHECK(yolo.files.files[2].bytes.empty());
    CHECK(yolo.loses("1 image has no label file because the size is not known"));
    CHECK(yolo.loses("1 box is clipped to the image"));
    CHECK(yolo.loses("2 boxes are left out: without area, or wholly outside"));
    CHECK(yolo.loses("1 face marked ignore is left out"));
    CHECK(yolo.loses("1 image has no label file, being not annotated"));
}

TEST_CASE("FDDB: ellipses as they are, boxes by the ellipse inscribed", "[convert]") {
    // [10, 20, 30, 40] is higher than wide: half axes 20 upright and 15, centre (25, 40). [0, 0, 40, 20]:
    // lying.
    Face drawn = face_of({1, 2, 3, 4});
    drawn.ellipse = Ellipse{{105.249970, 87.209036}, 67.363819, 44.511485, -1.476417};
    Dataset dataset = dataset_of(
        {sample_of("2002/08/11/big/img_591.jpg", {drawn, face_of({10, 20, 30, 40}), face_of({0, 0, 40, 20})}),
         sample_of("2002/empty.jpg", {})});
    dataset.samples[0].attributes = {{"fold", "1"}};
    const Rendered fddb = render(dataset, "fddb");
    CHECK_FALSE(fddb.files.is_folder);
    CHECK(fddb.text() ==
          "2002/08/11/big/img_591\n3\n67.363819 44.511485 -1.476417 105.24997 87.209036 1\n"
          "20 15 1.5707963267948966 25 40 1\n20 10 0 20 10 1\n2002/empty\n0\n");
    CHECK(fddb.loses("2 faces are written as the ellipse inscribed in the box."));
    CHECK(fddb.loses("1 image loses the attribute 'fold'."));

    dataset.samples.push_back(sample_of("2002/empty.png", {}));
    CHECK_THROWS_WITH(render(dataset, "fddb"),
                      Catch::Contains("'2002/empty'") && Catch::Contains("share the name"));
}

TEST_CASE("WIDER: columns from attributes, ignore is invalid, a line of zeros without faces", "[convert]") {
    // Edges 11 and 41, 20 and 35: [11, 20, 30, 15]. heavy blur is 2, atypical pose 1.
    Dataset dataset = two_faces();
    dataset.samples.push_back(sample_of("ev/none.jpg", {}));
    const Rendered wider = render(dataset, "wider");
    CHECK(wider.text() ==
          "ev/a.jpg\n2\n11 20 30 15 2 0 0 0 0 1\n-4 5 10 10 0 0 0 1 0 0\nev/none.jpg\n0\n0 0 0 0 0 0 0 0 0 "
          "0\n");
    CHECK(wider.loses("1 box is rounded"));
    CHECK(wider.loses("2 faces lack one or more of blur"));
    CHECK(wider.loses("1 face marked ignore is written as 'invalid'"));
    CHECK(wider.losses.size() == 3 + 1);  // and the sizes

    Face all = face_of({1, 2, 3, 4});
    all.attributes = {{"blur", "normal"}, {"expression", "exaggerate"}, {"illumination", "extreme"},
                      {"invalid", "yes"}, {"occlusion", "partial"},     {"pose", "typical"}};
    const Rendered full = render(dataset_of({sample_of("e/a.jpg", {all})}), "wider");
    CHECK(full.text() == "e/a.jpg\n1\n1 2 3 4 1 1 1 1 1 0\n");
    CHECK_FALSE(full.loses("lack"));
}

TEST_CASE("dlib: whole pixels, ignore marks, parts, labels", "[convert]") {
    Dataset dataset = two_faces();
    dataset.samples[0].faces[0].landmarks = {{11.4, 22}, {12, 22.5}};
    dataset.samples.push_back(sample_of("one.jpg", {face_of({1, 2, 3, 4}), face_of({5, 5, 0.2, 9})}));
    dataset.samples[1].subject = "ann";
    const Rendered dlib = render(dataset, "dlib");
    CHECK(
        dlib.text() ==
        "<?xml version=\"1.0\"?>\n<dataset>\n  <name>set</name>\n  <images>\n    <image file=\"ev/a.jpg\">\n"
        "      <box top=\"20\" left=\"11\" width=\"30\" height=\"15\">\n        <part name=\"00\" x=\"11\" "
        "y=\"22\" />\n"
        "        <part name=\"01\" x=\"12\" y=\"23\" />\n      </box>\n"
        "      <box top=\"5\" left=\"-4\" width=\"10\" height=\"10\" ignore=\"1\" />\n    </image>\n"
        "    <image file=\"one.jpg\">\n      <box top=\"2\" left=\"1\" width=\"3\" height=\"4\">\n"
        "        <label>ann</label>\n      </box>\n    </image>\n  </images>\n</dataset>\n");
    CHECK(dlib.loses("1 box is rounded"));
    CHECK(dlib.loses("1 face has landmarks rounded"));
    CHECK(dlib.loses("1 face is left out: the box has no area."));
    CHECK(dlib.files.images == 2);
    CHECK(dlib.files.faces == 3);
    dataset.samples[0].subject = "bob";
    CHECK(render(dataset, "dlib").loses("1 image loses the subject"));
}

TEST_CASE("pts: a file per face with landmarks", "[convert]") {
    Face face = face_of({1, 2, 2, 3});
    face.landmarks = {{1, 2}, {3, 5}, {2.25, 4}};
    Dataset dataset = dataset_of({sample_of("d/a.jpg", {face}), sample_of("two.jpg", {face, face}),
                                  sample_of("bare.jpg", {face_of({0, 0, 1, 1})})});
    const Rendered pts = render(dataset, "pts");
    REQUIRE(pts.files.files.size() == 3);
    CHECK(pts.files.files[0].name == "d/a.pts");
    CHECK(pts.files.files[1].name == "two_1.pts");
    CHECK(pts.files.files[2].name == "two_2.pts");
    CHECK(pts.text() == "version: 1\nn_points: 3\n{\n1 2\n3 5\n2.25 4\n}\n");
    CHECK(pts.files.images == 2);
    CHECK(pts.files.faces == 3);
    CHECK(pts.loses("1 face is left out: it has no landmarks"));
    CHECK(pts.loses("1 image is left out: there is no face with landmarks"));
    CHECK_FALSE(pts.loses("the box"));
    dataset.samples[0].faces[0].box.w = 9;
    CHECK(render(dataset, "pts").loses("1 face loses the box"));
    dataset.samples = {dataset.samples[2]};
    CHECK_THROWS_WITH(render(dataset, "pts"), Catch::Contains("nothing can be written as pts"));
}

TEST_CASE("MIT+CMU boxes: numbers as they are", "[convert]") {
    Dataset dataset = two_faces();
    dataset.samples.push_back(sample_of("none.png", {}));
    const Rendered boxes = render(dataset, "mit-cmu-boxes");
    CHECK(boxes.text() == "ev/a.jpg 10.5 20 30 15\n");
    CHECK(boxes.loses("1 face marked ignore is left out"));
    CHECK(boxes.loses("1 image is not named, having no face"));
    dataset.samples[0].image = "a photo.jpg";
    CHECK_THROWS_WITH(render(dataset, "mit-cmu-boxes"),
                      Catch::Contains("'a photo.jpg'") && Catch::Contains("blanks"));
    dataset.samples[0].faces.clear();
    CHECK_THROWS_AS(render(dataset, "mit-cmu-boxes"), Error);
}

TEST_CASE("LFW: pairs by fold, the same ones first", "[convert]") {
    Dataset dataset = dataset_of({sample_of("Ann/Ann_0001.jpg", {}), sample_of("Ann/Ann_0012.jpg", {}),
                                  sample_of("Bo_B/Bo_B_0002.jpg", {})});
    dataset.pairs = {{0, 2, false, 0}, {0, 1, true, 0}, {1, 2, false, 1}, {1, 0, true, 1}};
    CHECK(render(dataset, "lfw").text() ==
          "2\t1\nAnn\t1\t12\nAnn\t1\tBo_B\t2\nAnn\t12\t1\nAnn\t12\tBo_B\t2\n");
    dataset.pairs.resize(2);
    CHECK(render(dataset, "lfw").text() == "1\nAnn\t1\t12\nAnn\t1\tBo_B\t2\n");
    dataset.pairs.resize(1);
    CHECK_THROWS_WITH(render(dataset, "lfw"), Catch::Contains("0 pairs of one subject and 1 pair of two"));
    dataset.pairs = {{0, 1, false, 0}};
    CHECK_THROWS_WITH(render(dataset, "lfw"), Catch::Contains("the names say otherwise"));
    dataset.pairs.clear();
    CHECK_THROWS_WITH(render(dataset, "lfw"), Catch::Contains("no list of pairs"));
    dataset.pairs = {{0, 1, true, 0}};
    dataset.samples[1].image = "Ann/second.jpg";
    CHECK_THROWS_WITH(render(dataset, "lfw"), Catch::Contains("'Ann/second.jpg' is not named"));
}

TEST_CASE("FERET: eyes of the image, else of its one face", "[convert]") {
    Dataset dataset =
        dataset_of({sample_of("d/00001fa010.png", {}), sample_of("00002fb.png", {}), sample_of("x.png", {})});
    dataset.samples[0].eyes = Eyes{{1, 2}, {3.5, 4}};
    dataset.samples[0].subject = "00001";
    dataset.samples[1].faces = {face_of({0, 0, 9, 9})};
    dataset.samples[1].faces[0].eyes = Eyes{{5, 6}, {7, 8}};
    dataset.samples[1].subject = "ann";
    const Rendered feret = render(dataset, "feret");
    CHECK(feret.text() == "00001fa010 1 2 3.5 4\n00002fb 5 6 7 8\n");
    CHECK(feret.loses("1 image is left out: there are no eyes"));
    CHECK(feret.loses("1 image loses the faces"));
    CHECK(feret.loses("1 image loses the subject: it differs from the one in the name."));
    dataset.samples[2].image = "other/00002fb.gif";
    dataset.samples[2].eyes = Eyes{{5, 6}, {7, 8}};
    CHECK_THROWS_WITH(render(dataset, "feret"), Catch::Contains("'00002fb'"));
    CHECK_THROWS_WITH(render(dataset_of({sample_of("a.png", {})}), "feret"), Catch::Contains("has eyes"));
}

TEST_CASE("COCO: crowds, areas, attributes and the ids that the images came with", "[convert]") {
    Face crowd = face_of({0, 0, 10, 10});
    crowd.crowd = crowd.ignore = true;
    crowd.area = 42.5;
    crowd.attributes = {{"blur", "heavy"}};
    Dataset dataset = dataset_of({sample_of("a.jpg", {crowd}), sample_of("b.jpg", {})});
    dataset.samples[0].attributes = {{"id", "139"}, {"event", "3"}};
    dataset.samples[1].attributes = {{"id", "7"}};
    const Rendered coco = render(dataset, "coco");
    const Json json = Json::parse(coco.text());
    CHECK(json["images"].dump() ==
          R"([{"id":139,"file_name":"a.jpg","width":100,"height":50,"attributes":{"event":"3"}},)"
          R"({"id":7,"file_name":"b.jpg","width":100,"height":50}])");
    CHECK(json["annotations"].dump() ==
          R"([{"id":1,"image_id":139,"category_id":1,"bbox":[0.0,0.0,10.0,10.0],)"
          R"("area":42.5,"iscrowd":1,"attributes":{"blur":"heavy"}}])");
    CHECK(coco.losses.empty());
    dataset.samples[1].attributes = {{"id", "139"}};  // twice: not to be trusted
    const auto shown_ids = [&] {
        std::vector<std::string> shown;
        for (const RecordId& id : coco_image_ids(dataset)) shown.push_back(id.shown());
        return shown;
    };
    CHECK(shown_ids() == std::vector<std::string>{"1", "2"});
    dataset.samples[1].attributes = {{"id", "7x"}};
    CHECK(shown_ids() == std::vector<std::string>{"139", "7x"});
}

TEST_CASE("own JSON holds all that a dataset has", "[convert]") {
    Face face = face_of({1, 2, 0, 4});  // no area: such are in WIDER FACE
    face.crowd = face.ignore = true;
    face.ellipse = Ellipse{{1.5, 2}, 4, 3, -0.25};
    face.area = 9.5;
    face.attributes = {{"b", "2"}, {"a", "1"}};
    Dataset dataset = dataset_of({sample_of("a.jpg", {face}), sample_of("b.jpg", {})});
    dataset.samples[1].attributes = {{"event", "0--Parade"}};
    dataset.pairs = {{0, 1, false, 3}, {1, 1, true, 0}};
    const Rendered own = render(dataset, "fovea");
    CHECK(own.losses.empty());
    const Dataset read = dataset_from_fovea_json(Json::parse(own.text()), "text");
    CHECK(render(read, "fovea").text() == own.text());
    const Face& same = read.samples.at(0).faces.at(0);
    CHECK(same.box == face.box);
    CHECK(same.crowd);
    CHECK(same.ellipse == face.ellipse);
    CHECK(same.area == face.area);
    CHECK(same.attributes == face.attributes);
    CHECK(read.samples[0].size == ImageSize{100, 50});
    CHECK(read.samples[1].attributes == dataset.samples[1].attributes);
    REQUIRE(read.pairs.size() == 2);
    CHECK(read.pairs[0].second == 1);
    CHECK_FALSE(read.pairs[0].same);
    CHECK(read.pairs[0].fold == 3);
    CHECK(read.pairs[1].same);

    Json broken = Json::parse(own.text());
    broken["pairs"][0][1] = 2;
    CHECK_THROWS_WITH(dataset_from_fovea_json(broken, "text"),
                      Catch::Contains("text: 'pairs[0][1]' must be"));
    broken = Json::parse(own.text());
    broken["images"][0]["faces"][0]["ellipse"][2] = -1;
    CHECK_THROWS_WITH(dataset_from_fovea_json(broken, "text"), Catch::Contains(".ellipse' must be"));
    broken = Json::parse(own.text());
    broken["images"][0]["size"][0] = 0;
    CHECK_THROWS_WITH(dataset_from_fovea_json(broken, "text"),
                      Catch::Contains("'images[0].size[0]' must be"));
    dataset.samples[0].faces[0].attributes.push_back({"a", "3"});
    CHECK_THROWS_WITH(render(dataset, "fovea"), Catch::Contains("'a' twice"));
}

TEST_CASE("what cannot be written is refused, whatever the format", "[convert]") {
    for (const DatasetFormat& format : dataset_formats()) {
        if (!format.is_written()) continue;
        CAPTURE(format.name);
        Dataset dataset = dataset_of({sample_of("a/A_0001.jpg", {face_of({0, 0, 5, 5})})});
        dataset.samples[0].faces[0].landmarks = {{0, 0}, {5, 5}};
        dataset.samples[0].eyes = dataset.samples[0].faces[0].eyes = Eyes{{1, 1}, {4, 1}};
        dataset.samples.push_back(dataset.samples[0]);
        dataset.samples[1].image = "b/B_0001.jpg";
        dataset.pairs = {{0, 0, true, 0}, {0, 1, false, 0}};
        const std::string name(format.name);
        const Rendered good = render(dataset, name);
        CHECK_FALSE(good.files.files.empty());
        CHECK(good.files.is_folder == format.is_folder);
        CHECK(render(dataset, name).text() == good.text());
        if (name == "lfw") continue;  // it holds no coordinates
        const double nan = std::numeric_limits<double>::quiet_NaN();
        dataset.samples[0].faces[0].box.x = nan;
        dataset.samples[0].faces[0].landmarks[0].x = nan;
        dataset.samples[0].eyes->left.x = nan;
        CHECK_THROWS_AS(render(dataset, name), Error);
        // JSON of the project's own says "of the dataset".
        if (name != "fovea") CHECK_THROWS_WITH(render(dataset, name), Catch::Contains("A_0001"));
    }
    const Dataset outside = dataset_of({sample_of("../a.jpg", {})});
    CHECK_THROWS_WITH(render(outside, "voc"), Catch::Contains("'../a.jpg' lies outside"));
    CHECK_THROWS_WITH(render(dataset_of({sample_of("/x/a.jpg", {})}), "yolo"),
                      Catch::Contains("lies outside"));
    CHECK_THROWS_WITH(render(dataset_of({sample_of("a.jpg", {}), sample_of("a.png", {})}), "voc"),
                      Catch::Contains("share the name 'a.xml'"));
    CHECK_THROWS_AS(render(outside, "feather"), UsageError);
    CHECK_THROWS_WITH(render(dataset_of({sample_of("a\nb.jpg", {})}), "wider"),
                      Catch::Contains("a\\x0Ab.jpg"));
}
