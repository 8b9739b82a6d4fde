#pragma once

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

namespace fovea::test {

/// The data of a page, as its viewer reads them.
inline Json page_view(const std::string& html) {
    const std::string begin = "id=\"report\">";
    const std::size_t at = html.find(begin);
    REQUIRE(at != std::string::npos);
    const std::size_t end = html.find("</script>", at);
    REQUIRE(end != std::string::npos);
    return Json::parse(html.substr(at + begin.size(), end - at - begin.size()));
}

/// The paragraphs at the head of a page, one a line.
inline std::string page_lead(const Json& view) {
    std::string text;
    for (const Json& paragraph : view.at("lead")) {
        for (const Json& run : paragraph) text += run.at("text").get<std::string>();
        text += "\n";
    }
    return text;
}

/// Adds every text within, one a line, in their order.
inline void add_texts(const Json& json, std::string& texts) {
    if (json.is_string()) texts += json.get<std::string>() + "\n";
    if (json.is_object() && json.contains("lead")) texts += page_lead(json);
    if (!json.is_structured()) return;
    for (const auto& [key, element] : json.items()) {
        if (key != "follows") add_texts(element, texts);  // the name of a number is not read
    }
}

/// Every text of a page's data.
inline std::string page_texts(const Json& view) {
    std::string texts = "\n";
    add_texts(view, texts);
    return texts;
}
inline std::string page_texts(const std::string& html) {
    return page_texts(page_view(html));
}

/// The section with this id, anywhere in a page's data; null without it.
inline Json page_section(const Json& json, const std::string& id) {
    if (json.is_object() && json.contains("id") && json["id"] == id && json.contains("blocks")) return json;
    if (json.is_structured()) {
        for (const Json& element : json) {
            Json found = page_section(element, id);
            if (!found.is_null()) return found;
        }
    }
    return nullptr;
}

/// The text of a definition of a page; none without it.
inline std::string page_definition(const Json& json, const std::string& term) {
    if (!json.is_structured()) return {};
    if (json.is_object() && json.contains("term") && json["term"] == term)
        return json["text"].get<std::string>();
    for (const Json& element : json) {
        const std::string found = page_definition(element, term);
        if (!found.empty()) return found;
    }
    return {};
}

/// Pictures within a page's data that are shown.
inline std::size_t pictures_in(const Json& json) {
    if (!json.is_structured()) return 0;
    std::size_t pictures = json.is_object() && json.contains("jpeg") ? 1 : 0;
    for (const Json& element : json) pictures += pictures_in(element);
    return pictures;
}

/// Ids of sections, tables and galleries.
inline void collect_ids(const Json& json, std::multiset<std::string>& ids) {
    if (!json.is_structured()) return;
    if (json.is_object() && json.contains("id")) ids.insert(json["id"].get<std::string>());
    for (const Json& element : json) collect_ids(element, ids);
}

/// Properties of every page: it may load nothing, its data end where they should, and its ids are unique.
inline void check_page(const std::string& html) {
    CHECK_THAT(html, Catch::Contains("default-src 'none'") && !Catch::Contains("<link"));
    const Json view = page_view(html);
    std::multiset<std::string> ids;
    collect_ids(view, ids);
    CHECK(ids.size() > 1);
    for (const std::string& id : ids) {
        CAPTURE(id);
        CHECK(ids.count(id) == 1);
    }
}

}  // namespace fovea::test
