#include "lib/results/result_line.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("A line of results is summed up", "[results]") {
    const auto line = read_result_line(
        R"({"image":"a \"b\".jpg","width":4,"height":3,"status":"ok","detections":[)"
        R"({"box":[1,2,3,4],"score":7,"landmarks":[[1,2],[3,4]],"candidates":[{"image":"x","status":"y"}]},)"
        R"({"box":[1,2,3,4],"score":1e-7,"detections":[{},{}]}],"more":{"detections":[{}],"image":3}})"
        "\n");
    REQUIRE(line);
    CHECK(line->image == "a \"b\".jpg");
    CHECK(line->ok());
    CHECK(line->detections == 2);
    const auto unreadable =
        read_result_line(R"({"image":"a","status":"unreadable: why: x","detections":[]})");
    REQUIRE(unreadable);
    CHECK_FALSE(unreadable->ok());
    CHECK(unreadable->unreadable_reason() == "why: x");
    CHECK(unreadable->detections == 0);
}

TEST_CASE("Other text is not taken for a line of results", "[results]") {
    for (const char* text : {"",
                             "\n",
                             "null",
                             "3",
                             "[]",
                             "{}",
                             R"({"image":"a","status":"ok"})",
                             R"({"image":"a","detections":[]})",
                             R"({"status":"ok","detections":[]})",
                             R"({"image":3,"status":"ok","detections":[]})",
                             R"({"image":"a","status":"ok","detections":{}})",
                             R"({"image":"a","status":"ok","detections":[1]})",
                             R"({"image":"a","status":"ok","detections":[[]]})",
                             R"({"image":"a","status":"ok","detections":["x"]})",
                             R"({"image":"a","status":"ok","detections":[{}],"detections":[]})",
                             R"({"image":"a","image":"b","status":"ok","detections":[]})",
                             R"({"image":"a","status":"ok","detections":[{}]}{})",
                             R"({"image":"a","status":"ok","detections":[{}])",
                             R"([{"image":"a","status":"ok","detections":[]}])",
                             "{\"image\":\"\xFF\",\"status\":\"ok\",\"detections\":[]}"}) {
        CAPTURE(text);
        CHECK_FALSE(read_result_line(text));
    }
    // Deep nesting needs no stack.
    CHECK_FALSE(read_result_line(R"({"image":"a","status":"ok","more":)" + std::string(1000000, '[')));
}
