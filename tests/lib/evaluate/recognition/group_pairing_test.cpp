#include "lib/evaluate/recognition/group_pairing.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/evaluate/recognition/joined.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Dataset people() {
    Dataset dataset;
    dataset.name = "folder:people";
    for (const auto& [image, subject] :
         {std::pair{"Ann/1.jpg", "Ann"}, {"Ann/2.jpg", "Ann"}, {"Bob/1.jpg", "Bob"}, {"x.jpg", ""}}) {
        Sample sample;
        sample.image = image;
        sample.subject = subject;
        dataset.samples.push_back(sample);
    }
    return dataset;
}

FaceGroups find(const std::vector<GroupEntry>& entries) {
    const KnownFaces faces = known_faces(people());
    return groups_of(faces, ImageNames(faces.images), {"groups.txt", entries});
}

}  // namespace

TEST_CASE("subjects of a dataset have numbers; images without one are left out", "[evaluate][clustering]") {
    const KnownFaces faces = known_faces(people());
    CHECK(faces.subjects == std::vector<int>{0, 0, 1, no_number});
    CHECK(faces.subject_names == std::vector<std::string>{"Ann", "Bob"});
    CHECK(faces.images.at(3) == "x.jpg");
    CHECK_THAT(joined(faces.warnings), Contains("1 image shows nobody who is known"));
    Dataset strangers = people();
    for (Sample& sample : strangers.samples) sample.subject.clear();
    CHECK_THROWS_WITH(known_faces(strangers), Contains("folder:people: it is not known who is shown"));
}

TEST_CASE("groups find their images by any unambiguous name", "[evaluate][clustering]") {
    const FaceGroups found = find({{"Ann/2", "7"},
                                   {"2.jpg", "7"},
                                   {"Bob/1.jpg", ""},
                                   {"Ann/1.jpg", "cats"},
                                   {"1.jpg", "7"},
                                   {"Eve/1.jpg", "9"}});
    CHECK(found.groups == std::vector<int>{1, 0, no_number, no_number});
    CHECK(found.group_names == std::vector<std::string>{"7", "cats"});
    // "1.jpg" is Ann's or Bob's.
    CHECK_THAT(joined(found.warnings), Contains("2 names of the file are none of the dataset's"));
    CHECK(find({{"x.jpg", "1"}}).groups == std::vector<int>{no_number, no_number, no_number, 0});
}

TEST_CASE("groups that belong to no image, or contradict themselves, are errors", "[evaluate][clustering]") {
    CHECK_THROWS_WITH(find({{"Eve/1.jpg", "9"}}),
                      Contains("groups.txt names none of the 4 images of folder:people") &&
                          Contains("'Eve/1.jpg'") && Contains("'Ann/1.jpg'"));
    CHECK_THROWS_WITH(find({}), Contains("it is empty"));
    CHECK_THROWS_WITH(find({{"Ann/2", "7"}, {"2.jpg", "8"}}),
                      Contains("'Ann/2.jpg' is in the group '7' as 'Ann/2' and in the group '8' as '2.jpg'"));
    CHECK_THROWS_WITH(find({{"Ann/2", ""}, {"2.jpg", "8"}}), Contains("is in no group as 'Ann/2'"));
}
