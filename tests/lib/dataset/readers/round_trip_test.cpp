// A dataset written in a format that is read comes back, as far as the losses say nothing else.
#include <cmath>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/files/file.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/publish.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/formats/write_results.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// Two images with faces at whole pixels, and their (empty) files in a folder.
struct Original {
    Original() {
        folder.write("set/ann/Ann_0001.jpg", "");
        folder.write("set/bob/Bob_0002.jpg", "");
        dataset.name = "original";
        dataset.root = folder.path() / "set";
        for (const char* image : {"ann/Ann_0001.jpg", "bob/Bob_0002.jpg"}) {
            Sample sample;
            sample.image = image;
            sample.path = dataset.root / image;
            sample.annotated = true;
            sample.size = ImageSize{64, 48};
            Face face;
            face.landmarks = {{5, 6}, {20, 7}, {12, 30}};
            face.box = {5, 6, 15, 24};
            sample.faces = {face};
            dataset.samples.push_back(sample);
        }
    }

    /// The dataset written and read again, with the images where they are. \param file where in the folder.
    Dataset again(const std::string& format, const std::string& file = "written") const {
        write(format, file);
        return read(format + ":" + path(file));
    }
    void write(const std::string& format, const std::string& file) const {
        std::vector<std::string> losses;
        publish(render_dataset(dataset, format, {}, losses), path(file), true);
    }
    Dataset read(const std::string& specification) const {
        DatasetOptions options;
        options.root = dataset.root;
        return read_dataset(specification, options);
    }
    /// Results written, with the names of the dataset, and read again.
    DetectionResults results_again(const DetectionResults& results, const std::string& format) const {
        std::vector<std::string> losses;
        publish(render_results(results, &dataset, format, losses), path("results"), true);
        return read_results(format + ":" + path("results"), dataset);
    }
    std::string path(const std::string& file) const { return (folder.path() / file).string(); }

    TempDir folder;
    Dataset dataset;
};

void check_same_boxes(const Dataset& a, const Dataset& b) {
    REQUIRE(images_of(a) == images_of(b));
    for (std::size_t i = 0; i < a.samples.size(); ++i) {
        CAPTURE(a.samples[i].image);
        REQUIRE(a.samples[i].faces.size() == b.samples[i].faces.size());
        for (std::size_t k = 0; k < a.samples[i].faces.size(); ++k) {
            CHECK(a.samples[i].faces[k].box == b.samples[i].faces[k].box);
            CHECK(a.samples[i].faces[k].ignore == b.samples[i].faces[k].ignore);
        }
    }
}

/// Detections in both images that exercise what formats may do to them: an order that is not that of the
/// scores, equal scores, numbers without a short decimal form, a box over the edge.
DetectionResults two_results() {
    const auto found = [](double score, const Box& box) {
        Detection detection;
        detection.score = score;
        detection.box = box;
        return detection;
    };
    ImageResult first{"ann/Ann_0001.jpg", 64, 48, "ok", {}, {}};
    first.detections = {found(0.25, {5, 6, 15, 24}), found(1.0 / 3, {-2.5, 0.125, 10, 7}),
                        found(1.0 / 3, {0.1, 0.2, 0.7, 1e-3})};
    ImageResult second{"bob/Bob_0002.jpg", 64, 48, "ok", {}, {}};
    return {{first, second}, true};
}

/// Boxes and scores in the order given. \param margin of the boxes.
void check_detections(const std::vector<Detection>& read, const std::vector<Detection>& expected,
                      double margin) {
    REQUIRE(read.size() == expected.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        CAPTURE(i);
        CHECK(read[i].score == expected[i].score);
        CHECK(std::abs(read[i].box.x - expected[i].box.x) <= margin);
        CHECK(std::abs(read[i].box.y - expected[i].box.y) <= margin);
        CHECK(std::abs(read[i].box.w - expected[i].box.w) <= margin);
        CHECK(std::abs(read[i].box.h - expected[i].box.h) <= margin);
    }
}

}  // namespace

TEST_CASE("written and read again: fovea", "[convert]") {
    Original original;
    original.dataset.samples[0].faces[0].attributes = {{"blur", "heavy"}};
    original.dataset.pairs = {{0, 1, false, 0}};
    const Dataset read = original.again("fovea");
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[0].faces[0].attributes == original.dataset.samples[0].faces[0].attributes);
    CHECK(read.samples[0].path == original.dataset.samples[0].path);
    CHECK(read.pairs.size() == 1);
}

TEST_CASE("written and read again: dlib", "[convert]") {
    Original original;
    original.dataset.samples[0].faces.push_back(original.dataset.samples[0].faces[0]);
    original.dataset.samples[0].faces[1].box.x = -3;
    original.dataset.samples[0].faces[1].ignore = true;
    original.dataset.samples[1].subject = "bob & co";
    const Dataset read = original.again("dlib", "written.xml");
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[0].faces[0].landmarks == original.dataset.samples[0].faces[0].landmarks);
    CHECK(read.samples[1].subject == "bob & co");
}

TEST_CASE("written and read again: pts, beside the images", "[convert]") {
    Original original;
    const Dataset read = original.again("pts", "set");
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[1].faces[0].landmarks == original.dataset.samples[1].faces[0].landmarks);
}

TEST_CASE("written and read again: MIT+CMU boxes", "[convert]") {
    Original original;
    original.dataset.samples[0].faces[0].box.x = 1.0 / 3;
    check_same_boxes(original.again("mit-cmu-boxes"), original.dataset);
}

TEST_CASE("written and read again: FERET coordinates", "[convert]") {
    Original original;
    original.dataset.samples[0].eyes = Eyes{{6, 10}, {18.5, 11}};
    original.dataset.samples[1].eyes = Eyes{{7, 10}, {17, 9}};
    const Dataset read = original.again("feret", "coords.txt");
    REQUIRE(images_of(read) == images_of(original.dataset));
    CHECK(read.samples[0].eyes == original.dataset.samples[0].eyes);
    CHECK(read.samples[1].eyes == original.dataset.samples[1].eyes);
}

TEST_CASE("written and read again: FDDB", "[convert]") {
    Original original;
    Face drawn;
    drawn.ellipse = Ellipse{{40.249970, 20.5}, 67.363819, 44.511485, -1.476417};
    drawn.box = bounding_box(*drawn.ellipse);
    Face ignored = drawn;
    ignored.ignore = true;
    original.dataset.samples[0].faces = {drawn, ignored};
    const Dataset read = original.again("fddb", "ellipses.txt");
    REQUIRE(images_of(read) == images_of(original.dataset));
    // The ignored face is left out, as datasets.md says; the ellipse comes back in every bit.
    REQUIRE(read.samples[0].faces.size() == 1);
    CHECK(read.samples[0].faces[0].ellipse == drawn.ellipse);
    CHECK(read.samples[0].faces[0].box == drawn.box);
    CHECK_FALSE(read.samples[0].faces[0].ignore);
    CHECK(read.samples[0].path == original.dataset.samples[0].path);
    // A box comes back as the box of the ellipse inscribed in it: radii 12 and 7.5, upright, about (12.5,
    // 18).
    const Face& box = read.samples[1].faces.at(0);
    REQUIRE(box.ellipse);
    CHECK(box.ellipse->centre == Point{12.5, 18});
    CHECK(box.ellipse->major_radius == 12);
    CHECK(box.ellipse->minor_radius == 7.5);
    CHECK(box.box.x == Approx(5).epsilon(1e-12));
    CHECK(box.box.y == Approx(6).epsilon(1e-12));
    CHECK(box.box.w == Approx(15).epsilon(1e-12));
    CHECK(box.box.h == Approx(24).epsilon(1e-12));
}

TEST_CASE("written and read again: FDDB's fold is that of the file's name", "[convert]") {
    Original original;
    const Dataset read = original.again("fddb", "FDDB-fold-07-ellipseList.txt");
    CHECK(read.samples[1].attributes == std::vector<Attribute>{{"fold", "7"}});
}

TEST_CASE("written and read again: WIDER FACE", "[convert]") {
    Original original;
    Face face = original.dataset.samples[0].faces[0];
    face.attributes = {{"blur", "normal"}, {"expression", "exaggerate"}, {"illumination", "extreme"},
                       {"invalid", "yes"}, {"occlusion", "partial"},     {"pose", "atypical"}};
    Face edge;
    edge.box = {-3, 40, 0, 9};  // over the edge, and without area: WIDER FACE has such
    edge.ignore = true;
    original.dataset.samples[0].faces = {face, edge};
    original.dataset.samples[1].faces.clear();
    const Dataset read = original.again("wider", "wider.txt");
    REQUIRE(images_of(read) == images_of(original.dataset));
    REQUIRE(read.samples[0].faces.size() == 2);
    CHECK(read.samples[0].faces[0].box == face.box);
    CHECK(read.samples[0].faces[0].attributes == face.attributes);
    // ignore is written as invalid, and read as the attribute: which faces count is said by the official
    // lists.
    CHECK(read.samples[0].faces[1].box == edge.box);
    REQUIRE(find_attribute(read.samples[0].faces[1].attributes, "invalid") != nullptr);
    CHECK(*find_attribute(read.samples[0].faces[1].attributes, "invalid") == "yes");
    CHECK_FALSE(read.samples[0].faces[1].ignore);
    // The line of zeros behind an image without faces is no face.
    CHECK(read.samples[1].faces.empty());
    CHECK(read.samples[1].annotated);
    CHECK(read.samples[0].attributes == std::vector<Attribute>{{"event", "ann"}});
}

TEST_CASE("written and read again: VOC", "[convert]") {
    Original original;
    Face difficult;
    difficult.box = {-3, 0, 64, 1};
    difficult.ignore = true;
    difficult.attributes = {{"pose", "Left"}, {"truncated", "yes"}};
    original.dataset.samples[0].faces.push_back(difficult);
    original.dataset.samples[1].faces.clear();
    original.write("voc", "voc");
    const Dataset read = original.read("voc:" + original.path("voc/ann/Ann_0001.xml") + "," +
                                       original.path("voc/bob/Bob_0002.xml"));
    check_same_boxes(read, original.dataset);
    CHECK(read.samples[0].size == ImageSize{64, 48});
    CHECK(read.samples[0].path == original.dataset.samples[0].path);
    CHECK(read.samples[1].annotated);
    const std::vector<Attribute>& attributes = read.samples[0].faces.at(1).attributes;
    REQUIRE(find_attribute(attributes, "pose") != nullptr);
    CHECK(*find_attribute(attributes, "pose") == "Left");
    CHECK(find_attribute(attributes, "truncated") != nullptr);
    CHECK(find_attribute(attributes, "difficult") != nullptr);
    CHECK(find_attribute(read.samples[0].faces[0].attributes, "difficult") == nullptr);
    CHECK(*find_attribute(attributes, "class") == "face");
}

TEST_CASE("written and read again: a folder of VOC files", "[convert]") {
    Original original;
    const std::filesystem::path flat = original.dataset.root / "ann";
    original.dataset.root = flat;
    original.dataset.samples.resize(1);
    original.dataset.samples[0].image = "Ann_0001.jpg";
    check_same_boxes(original.again("voc", "voc"), original.dataset);
}

TEST_CASE("written and read again: COCO", "[convert]") {
    Original original;
    Face& face = original.dataset.samples[0].faces[0];
    face.box = {1.0 / 3, 6, 15, 24.7};
    Face crowd;
    crowd.box = {0, 0, 64, 48};
    crowd.crowd = crowd.ignore = true;
    crowd.area = 99.5;
    Face ignored;
    ignored.box = {-1, 2, 3, 4};
    ignored.ignore = true;
    original.dataset.samples[0].faces.push_back(crowd);
    original.dataset.samples[0].faces.push_back(ignored);
    original.dataset.samples[1].faces.clear();
    const Dataset read = original.again("coco", "coco.json");
    check_same_boxes(read, original.dataset);
    const std::vector<Face>& faces = read.samples[0].faces;
    CHECK_FALSE(faces[0].crowd);
    CHECK_FALSE(faces[0].area);
    CHECK(faces[1].crowd);
    CHECK(faces[1].area == 99.5);
    CHECK_FALSE(faces[2].crowd);
    CHECK(read.samples[0].size == ImageSize{64, 48});
    CHECK(read.samples[0].path == original.dataset.samples[0].path);

    // Ids that a set came with stay.
    original.dataset.samples[0].attributes = {{"id", "139"}};
    original.dataset.samples[1].attributes = {{"id", "7"}};
    const Dataset numbered = original.again("coco", "numbered.json");
    CHECK(numbered.samples[0].attributes == original.dataset.samples[0].attributes);
    CHECK(numbered.samples[1].attributes == original.dataset.samples[1].attributes);
}

TEST_CASE("written and read again: YOLO", "[convert]") {
    // Sizes are those of the images, which lie beside the labels. In 64 x 48, [5, 6, 15, 24] has the centre
    // (12.5 / 64, 18 / 48) and the size (15 / 64, 24 / 48): dyadic fractions, which come back in every bit.
    Original original;
    std::string picture = "P5\n64 48\n255\n" + std::string(std::size_t{64} * 48, 'x');
    original.dataset.root = original.folder.path() / "yolo/images";
    for (Sample& sample : original.dataset.samples) {
        sample.image = sample.image.substr(0, sample.image.size() - 4) + ".pgm";
        sample.path = original.folder.write("yolo/images/" + sample.image, picture);
    }
    Face over_the_edge;
    over_the_edge.box = {-8, 36, 24, 24};
    Face ignored = over_the_edge;
    ignored.ignore = true;
    original.dataset.samples[1].faces = {over_the_edge, ignored};
    const Dataset read = original.again("yolo", "yolo");
    REQUIRE(images_of(read) == images_of(original.dataset));
    REQUIRE(read.samples[0].faces.size() == 1);
    CHECK(read.samples[0].faces[0].box == Box{5, 6, 15, 24});
    // Parts outside are cut off, ignored faces are left out.
    REQUIRE(read.samples[1].faces.size() == 1);
    CHECK(read.samples[1].faces[0].box == Box{0, 36, 16, 12});
    CHECK(read.samples[0].size == ImageSize{64, 48});
    CHECK(read.warnings.empty());
}

TEST_CASE("written and read again: LFW's pairs", "[convert]") {
    Original original;
    Dataset& dataset = original.dataset;
    for (const char* image : {"ann/ann_0001.jpg", "ann/ann_0012.jpg", "bob/bob_0002.jpg"}) {
        original.folder.write(std::string("lfw/") + image, "");
    }
    dataset.root = original.folder.path() / "lfw";
    dataset.samples.resize(1);
    dataset.samples[0] = {};
    dataset.samples[0].image = "ann/ann_0001.jpg";
    dataset.samples[0].subject = "ann";
    dataset.samples.resize(3, dataset.samples[0]);
    dataset.samples[1].image = "ann/ann_0012.jpg";
    dataset.samples[2].image = "bob/bob_0002.jpg";
    dataset.samples[2].subject = "bob";
    dataset.pairs = {{0, 1, true, 0}, {0, 2, false, 0}, {1, 0, true, 1}, {1, 2, false, 1}};
    original.write("lfw", "pairs.txt");
    const Dataset read =
        original.read("lfw:" + original.path("lfw") + ",pairs=" + original.path("pairs.txt"));
    REQUIRE(images_of(read) == images_of(dataset));
    CHECK(read.samples[2].subject == "bob");
    REQUIRE(read.pairs.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK(read.pairs[i].first == dataset.pairs[i].first);
        CHECK(read.pairs[i].second == dataset.pairs[i].second);
        CHECK(read.pairs[i].same == dataset.pairs[i].same);
        CHECK(read.pairs[i].fold == dataset.pairs[i].fold);
    }
    CHECK(read.warnings.empty());
}

TEST_CASE("results written and read again: FDDB", "[convert]") {
    const Original original;
    const DetectionResults results = two_results();
    const DetectionResults fddb = original.results_again(results, "fddb");
    REQUIRE(fddb.images.size() == 2);
    CHECK(fddb.records_every_image);
    CHECK(fddb.images[0].image == "ann/Ann_0001.jpg");
    check_detections(fddb.images[0].detections, results.images[0].detections, 0);
    CHECK(fddb.images[1].image == "bob/Bob_0002.jpg");
    CHECK(fddb.images[1].detections.empty());
}

TEST_CASE("results written and read again: WIDER FACE", "[convert]") {
    const Original original;
    const DetectionResults results = two_results();
    const DetectionResults wider = original.results_again(results, "wider");
    REQUIRE(wider.images.size() == 2);
    CHECK(wider.images[0].image == "ann/Ann_0001.jpg");
    CHECK(wider.images[1].detections.empty());
    // Scores fall; equal ones stay in their order.
    const std::vector<Detection>& given = results.images[0].detections;
    check_detections(wider.images[0].detections, {given[1], given[2], given[0]}, 0);
}

TEST_CASE("results written and read again: VOC", "[convert]") {
    const Original original;
    const DetectionResults results = two_results();
    const DetectionResults voc = original.results_again(results, "voc");
    // An image without detections leaves no line.
    REQUIRE(voc.images.size() == 1);
    CHECK_FALSE(voc.records_every_image);
    CHECK(voc.images[0].image == "ann/Ann_0001.jpg");
    // Corners are written and the pixel from 1 added and taken away, which rounds in the last bits.
    check_detections(voc.images[0].detections, results.images[0].detections, 1e-14);
}

TEST_CASE("a folder's files take their places together, and never that of an input", "[convert]") {
    const Original original;
    const auto folder = original.folder.path() / "out";
    OutputFiles files{true, {{"a.txt", "a"}, {"deep/b.txt", "b"}}};
    publish(files, folder, false);
    CHECK(read_file(folder / "deep/b.txt") == "b");
    // The second one cannot be written: the first one stays as it was.
    files.files[0].bytes = "new";
    files.files[1].name = "a.txt/b.txt";
    CHECK_THROWS_AS(publish(files, folder, true), UsageError);
    CHECK(read_file(folder / "a.txt") == "a");
    CHECK_FALSE(std::filesystem::exists(folder / "a.txt.part"));

    files.files[1].name = "deep/b.txt";
    InputFiles inputs;
    inputs.add(folder / "deep/b.txt");
    CHECK_THROWS_WITH(publish(files, folder, true, inputs), Catch::Contains("also an input"));
    CHECK(read_file(folder / "a.txt") == "a");
    CHECK_THROWS_AS(publish(files, "-", true), UsageError);
    CHECK_THROWS_WITH(publish(files, folder / "a.txt", true), Catch::Contains("cannot be made"));
}
