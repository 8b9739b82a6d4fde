#include <chrono>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* one_image =
    R"({"images":[{"id":1,"file_name":"a.jpg"}],"categories":[{"id":1,"name":"face"}],)";

std::string refused(const std::string& text) {
    const TempDir dir;
    return error_of("coco:" + dir.write("gt.json", text).string());
}

std::string annotations(const std::string& list) {
    return std::string(one_image) + "\"annotations\":[" + list + "]}";
}

}  // namespace

TEST_CASE("coco: images, boxes, crowds and what is ignored", "[dataset][coco]") {
    const TempDir dir;
    // Annotations stand before images here: the order in the file is free. Area 2 * 4 = 8 is that of the box.
    const auto file = dir.write("gt.json", R"({"info":{"year":[2020,[1]]},"annotations":[
        {"id":7,"image_id":20,"category_id":3,"bbox":[1,2.5,2,4],"area":8,"iscrowd":0,"segmentation":[[1,2,3]]},
        {"id":8,"image_id":20,"category_id":3,"bbox":[0,0,5,5],"area":20,"iscrowd":1,
         "segmentation":{"counts":[1,2],"size":[3,4]}},
        {"id":9,"image_id":20,"category_id":4,"bbox":[0,0,5,5],"area":25,"iscrowd":0},
        {"id":10,"image_id":-3,"category_id":3,"bbox":[0,0,0,1],"area":0,"iscrowd":0,"ignore":1},
        {"id":10,"image_id":-3,"category_id":3,"bbox":[0,0,1,1],
         "keypoints":[1,2,2, 3,4,1]},
        {"id":11,"image_id":-3,"category_id":3,"bbox":[0,0,1,1],"area":1,"iscrowd":false,
         "keypoints":[1,2,2, 0,0,0]}],
        "images":[{"id":20,"file_name":"d/b.jpg","width":640,"height":480},{"id":-3,"file_name":"a.jpg","width":0,
        "height":0},{"id":5,"file_name":"none.jpg"}],
        "categories":[{"id":4,"name":"cat"},{"id":3,"name":"face"}]})");
    dir.write("images/d/b.jpg", "x");
    const Dataset dataset = read_dataset("coco:" + file.string());
    CHECK(dataset.format == "coco");
    CHECK(images_of(dataset) == std::vector<std::string>{"d/b.jpg", "a.jpg", "none.jpg"});
    CHECK(dataset.samples[0].path == dir.path() / "images/d/b.jpg");
    CHECK(dataset.samples[0].size == ImageSize{640, 480});
    CHECK_FALSE(dataset.samples[1].size);
    CHECK(dataset.samples[1].attributes == std::vector<Attribute>{{"id", "-3"}});
    CHECK(dataset.samples[2].annotated);
    const std::vector<Face>& faces = dataset.samples[0].faces;
    REQUIRE(faces.size() == 2);
    CHECK(faces[0].box == Box{1, 2.5, 2, 4});
    CHECK_FALSE(faces[0].area);
    CHECK_FALSE(faces[0].crowd);
    CHECK(faces[1].area == 20.0);
    CHECK(faces[1].crowd);
    CHECK(faces[1].ignore);
    const std::vector<Face>& others = dataset.samples[1].faces;
    REQUIRE(others.size() == 3);
    CHECK(others[0].ignore);
    CHECK_FALSE(others[0].crowd);
    CHECK(others[0].attributes == std::vector<Attribute>{{"ignore", "1"}});
    CHECK(others[1].landmarks == std::vector<Point>{{1, 2}, {3, 4}});
    CHECK(*others[1].keypoints == std::vector<Keypoint>{{{1, 2}, Keypoint::Visibility::visible},
                                                        {{3, 4}, Keypoint::Visibility::hidden}});
    CHECK(others[2].landmarks.empty());
    CHECK(others[2].keypoints->at(1).visibility == Keypoint::Visibility::unlabelled);
    CHECK_FALSE(others[0].keypoints.is_set());
    CHECK(warns(dataset, "1 annotation has no iscrowd; it is taken as 0, first: annotations[4]"));
    CHECK(warns(dataset, "1 annotation has no area"));
    CHECK(warns(dataset, "an id that stands before"));
    CHECK(warns(dataset, "some keypoints only"));

    CHECK(read_dataset(file.string()).format == "coco");
    CHECK(read_dataset("coco:" + file.string() + ",category=cat").face_count() == 1);
    CHECK(read_dataset("coco:" + file.string() + ",category=4").face_count() == 1);
    CHECK_THAT(error_of("coco:" + file.string() + ",category=dog"),
               Contains("'dog'") && Contains("face, cat"));
    CHECK(read_dataset("coco:" + file.string() + ",images=" + dir.path().string()).samples[0].path ==
          dir.path() / "d/b.jpg");
}

TEST_CASE("coco: the category's ids, attributes and the annotation id 0", "[dataset][coco]") {
    const TempDir dir;
    const auto file = dir.write("gt.json", R"({"annotations":[
        {"id":0,"image_id":1,"category_id":3,"bbox":[1,2,2,4],"area":8,"iscrowd":0,
         "attributes":{"blur":"heavy","truncated":true,"track":7,"id":"5"}},
        {"id":1,"image_id":1,"category_id":3,"bbox":[1,2,2,4],"area":8,"iscrowd":0,"attributes":["blur"]},
        {"id":2,"image_id":1,"category_id":3,"bbox":[1,2,2,4],"area":8,"iscrowd":0,"attributes":{"a":[1]}}],
        "images":[{"id":1,"file_name":"a.jpg","attributes":{"event":"0--Parade"}}],
        "categories":[{"id":4,"name":"cat"},{"id":3,"name":"face"},{"id":8,"name":"face"}]})");
    const Dataset dataset = read_dataset("coco:" + file.string());
    REQUIRE(dataset.categories.size() == 2);
    CHECK(dataset.categories[0].id == 3);
    CHECK(dataset.categories[1].id == 8);
    CHECK(dataset.categories[1].name == "face");
    CHECK_FALSE(dataset.has_several_categories);
    CHECK(dataset.samples[0].attributes == std::vector<Attribute>{{"id", "1"}, {"event", "0--Parade"}});
    REQUIRE(dataset.samples[0].faces.size() == 3);
    // The id 0 is kept, others have no effect.
    CHECK(dataset.samples[0].faces[0].attributes ==
          std::vector<Attribute>{{"id", "0"}, {"blur", "heavy"}, {"truncated", "true"}, {"track", "7"}});
    CHECK(dataset.samples[0].faces[1].attributes.empty());
    CHECK(dataset.samples[0].faces[2].attributes.empty());
    const Dataset cats = read_dataset("coco:" + file.string() + ",category=cat");
    REQUIRE(cats.categories.size() == 1);
    CHECK(cats.categories[0].id == 4);
    CHECK(cats.face_count() == 0);

    const Dataset all = read_dataset("coco:" + file.string() + ",category=*");
    CHECK(all.has_several_categories);
    CHECK(all.categories.size() == 3);
    CHECK(all.face_count() == 3);
    CHECK(*find_attribute(all.samples[0].faces[1].attributes, category_attribute) == "3");
}

TEST_CASE("coco: broken data sets", "[dataset][coco]") {
    const std::string face = R"({"image_id":1,"category_id":1,"bbox":[1,2,3,4],"area":12,"iscrowd":0})";
    CHECK(refused(annotations(face)) == "read");
    CHECK(refused(annotations("")) == "read");
    CHECK_THAT(refused(annotations(face + R"(,{"image_id":2,"category_id":1,"bbox":[1,2,3,4]})")),
               Contains("annotations[1]: image_id is 2") && Contains("none of the \"images\""));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"category_id":1})")),
               Contains("annotations[0]: bbox is missing, expected [x, y, width, height]"));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"bbox":[1,2,3]})")), Contains("bbox is [1,2,3]"));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"bbox":[1,2,-3,4]})")), Contains("not negative"));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"bbox":[1,2,"3",4]})")),
               Contains("bbox is an object or a mixed"));
    CHECK_THAT(refused(annotations(R"({"image_id":1.5,"bbox":[1,2,3,4]})")), Contains("image_id is 1.5"));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"bbox":[1,2,3,4],"iscrowd":2})")),
               Contains("iscrowd is 2"));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"bbox":[1,2,3,4],"keypoints":[1,2]})")),
               Contains("keypoints"));
    CHECK_THAT(refused(annotations("3")), Contains("annotations[0]: expected an object"));
    CHECK_THAT(refused(R"({"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}]})"),
               Contains("images[1]: the id 1 stands before"));
    CHECK_THAT(refused(R"({"images":[{"id":true,"file_name":"a"}]})"),
               Contains("images[0]: id is true, expected a number or a text"));
    CHECK_THAT(refused(R"({"images":[{"id":1,"file_name":"a"},{"id":"1","file_name":"b"}]})"),
               Contains("images[1]: the id 1 stands before"));
    CHECK_THAT(refused(R"({"images":[]})"), Contains("name no image"));
    CHECK_THAT(refused("{}"), Contains("name no image"));
    CHECK_THAT(refused("[]"), Contains("COCO results"));
    CHECK_THAT(refused("[{}]"), Contains("COCO results"));
    CHECK_THAT(refused("{\"images\":[\n{\"id\":1,\n!"), Contains("gt.json:3: ") && Contains("not JSON"));
    CHECK_THAT(refused(R"({"images":[{"id":1,"file_name":"a"}],"annotations":[
        {"image_id":1,"category_id":1,"bbox":[1,2,3,4]},{"image_id":1,"category_id":2,"bbox":[1,2,3,4]}]})"),
               Contains("several categories") && Contains("category=*: 1, 2"));
    CHECK_THAT(refused(annotations(R"({"image_id":1,"bbox":[1,2,3,1e999]})")), Contains("too large"));
    const TempDir dir;
    const std::string text = annotations(face);
    CHECK(read_truncated("coco:", dir, "t.json", text) == text.size());
}
