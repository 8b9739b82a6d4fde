#include "lib/evaluate/detection/image_pairing.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using Catch::Contains;
using fovea::ImagePairing;
using fovea::pair_images;
using fovea::test::EvaluationCase;

namespace {

EvaluationCase names(const std::vector<std::string>& samples, const std::vector<std::string>& results) {
    EvaluationCase result;
    for (const std::string& image : samples) result.add_sample(image, {});
    for (const std::string& image : results) result.add_result(image, {});
    return result;
}

// For every sample the name of its result, or "-".
std::vector<std::string> paired(const EvaluationCase& set, std::size_t warnings) {
    const ImagePairing pairing = pair_images(set.dataset, set.results);
    CHECK(pairing.warnings.size() == warnings);
    std::vector<std::string> result;
    for (const fovea::ImageResult* found : pairing.results)
        result.push_back(found != nullptr ? found->image : "-");
    return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Images are paired by equal paths", "[evaluate]") {
    CHECK(paired(names({"a/1.png", "a/2.png"}, {"a/2.png", "a/1.png"}), 0) == Names{"a/1.png", "a/2.png"});
    CHECK(paired(names({"a/1.png", "./a//2.png"}, {"./a//1.png", "a\\2.png"}), 0) ==
          Names{"./a//1.png", "a\\2.png"});
    // One equal name is enough: the others are other images, even if they look alike.
    const EvaluationCase set = names({"a/1.png", "a/2.png"}, {"a/1.png", "2.png"});
    CHECK(paired(set, 2) == Names{"a/1.png", "-"});
    CHECK(pair_images(set.dataset, set.results).extra == 1);
    // Names that are not UTF-8 went through JSON.
    CHECK(paired(names({"caf\xE9.png"}, {"caf\xEF\xBF\xBD.png"}), 0) == Names{"caf\xEF\xBF\xBD.png"});
}

TEST_CASE("Images are paired without folders and extensions if no path is equal, and the user is told",
          "[evaluate]") {
    const EvaluationCase set = names({"test/voyager.png", "test/ds9.png"}, {"voyager.gif"});
    CHECK(paired(set, 2) == Names{"voyager.gif", "-"});
    CHECK_THAT(pair_images(set.dataset, set.results).warnings.at(0),
               Contains("'voyager.gif' with 'test/voyager.png'"));
    // Folders that only the results have; equal file names in several folders.
    CHECK(paired(names({"1/img_7.jpg", "2/img_7.jpg"}, {"/data/2/img_7", "/data/1/img_7"}), 1) ==
          Names{"/data/1/img_7", "/data/2/img_7"});
    CHECK(paired(names({"x/1.tif.gz"}, {"1.pgm.bz2"}), 1) == Names{"1.pgm.bz2"});
    // Folders of another name.
    CHECK(paired(names({"new/a.png", "new/b.png"}, {"old/b.gif", "old/a.gif"}), 1) ==
          Names{"old/a.gif", "old/b.gif"});
    // A dot in a folder or at the start of a name is no extension.
    CHECK(paired(names({"v1.2/a"}, {"v1.2/a.png"}), 1) == Names{"v1.2/a.png"});
}

TEST_CASE("Images in doubt are not paired", "[evaluate]") {
    // "1.png" may be in either folder.
    EvaluationCase set = names({"a/1.png", "b/1.png"}, {"1.png"});
    CHECK_THROWS_WITH(pair_images(set.dataset, set.results),
                      Contains("no image in common") && Contains("'1.png'") && Contains("'a/1.png'"));
    // Two results for one image.
    set = names({"a/1.png"}, {"1.png", "1.jpg"});
    CHECK_THROWS_AS(pair_images(set.dataset, set.results), fovea::Error);
    set = names({"a.png"}, {"b.png"});
    CHECK_THROWS_WITH(pair_images(set.dataset, set.results), Contains("'b.png'") && Contains("'a.png'"));
    // Known images, but without ground truth.
    set = names({"a.png", "b.png"}, {"b.png"});
    set.dataset.samples[1].annotated = false;
    CHECK_THROWS_WITH(pair_images(set.dataset, set.results), Contains("None of the images"));
}

TEST_CASE("Images that results of detections alone do not name are images without detections", "[evaluate]") {
    EvaluationCase set = names({"a.png", "b.png"}, {"b.png"});
    set.results.images[0].detections.resize(1);
    set.results.records_every_image = false;
    ImagePairing pairing = pair_images(set.dataset, set.results);
    REQUIRE(pairing.results[0] != nullptr);
    CHECK(pairing.results[0]->ok());
    CHECK(pairing.results[0]->detections.empty());
    CHECK(pairing.results[1] == &set.results.images[0]);
    CHECK(pairing.warnings.empty());
    set.results.images.clear();
    pairing = pair_images(set.dataset, set.results);
    CHECK(pairing.results[1] != nullptr);
    CHECK(pairing.warnings.empty());
    set.results.records_every_image = true;
    pairing = pair_images(set.dataset, set.results);
    CHECK(pairing.results[1] == nullptr);
    CHECK(pairing.warnings.size() == 1);
}

TEST_CASE("An image that stands twice is refused", "[evaluate]") {
    EvaluationCase set = names({"a.png", "./a.png"}, {"a.png"});
    CHECK_THROWS_WITH(pair_images(set.dataset, set.results), Contains("'a.png' stands twice in the dataset"));
    set = names({"a.png"}, {"a.png", "a.png"});
    CHECK_THROWS_WITH(pair_images(set.dataset, set.results), Contains("'a.png' stands twice in the results"));
}

TEST_CASE("Files whose names differ in a backslash are two images", "[evaluate][backslash]") {
    CHECK(paired(names({"m/a.jpg", "m\\a.jpg"}, {"m\\a.jpg", "m/a.jpg"}), 0) == Names{"m/a.jpg", "m\\a.jpg"});
    CHECK(paired(names({"m\\a.jpg"}, {"m/a.jpg"}), 0) == Names{"m/a.jpg"});
    CHECK(paired(names({"m/a.jpg", "m/b.jpg"}, {".\\m\\a.jpg", "m/b.jpg"}), 0) ==
          Names{".\\m\\a.jpg", "m/b.jpg"});
    // Both names of the results mean the one image.
    const EvaluationCase set = names({"m/a.jpg"}, {"m\\a.jpg", "m/a.jpg"});
    CHECK_THROWS_WITH(pair_images(set.dataset, set.results),
                      Contains("'m/a.jpg' stands twice in the results"));
    // Two that the dataset does not have are two.
    CHECK(pair_images(names({"b.jpg"}, {"b.jpg", "m\\a.jpg", "m/a.jpg"}).dataset,
                      names({"b.jpg"}, {"b.jpg", "m\\a.jpg", "m/a.jpg"}).results)
              .extra == 2);
}
