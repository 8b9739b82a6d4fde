/** Builds the page from its data: header, navigation, sections and their blocks; folds and prints. */
(function (fovea) {
  "use strict";

  const {element, name} = fovea;

  const blocks = {
    text: block => element("p", {class: block.note ? "note" : null}, name(block.text)),
    list: block => element("ul", {}, (block.items || []).map(item => element("li", {}, name(item)))),
    code: block => element("pre", {tabindex: "0"}, block.text),
    definitions: block => element("dl", {}, (block.items || []).map(item =>
      [element("dt", {}, name(item.term)), element("dd", {}, name(item.text))])),
    tiles: block => element("div", {class: "tiles"}, (block.tiles || []).map(tile =>
      element("div", {class: "tile"}, ["label", "value", "detail", "interval"].map(part =>
        tile[part] && element("span", {class: part}, name(tile[part])))))),
    table: block => fovea.table(block),
    plot: block => fovea.chart(block),
    gallery: block => fovea.gallery(block),
    timeline: block => fovea.timeline(block),
  };

  /** Neighbours of one kind share a grid, in which they stand side by side where there is room. */
  function grouped(items, shares_grid, built, kind) {
    const nodes = [];
    let grid = null;
    for (const item of items) {
      if (!shares_grid(item)) {
        grid = null;
        nodes.push(built(item));
        continue;
      }
      if (!grid) nodes.push(grid = element("div", {class: kind}));
      grid.append(built(item));
    }
    return nodes;
  }

  function section_content(section, level) {
    const drawable = (section.blocks || []).filter(block => blocks[block.type]);
    return [
      grouped(drawable, block => block.type === "plot", block => blocks[block.type](block), "columns charts"),
      grouped((section.sections || []).filter(is_filled), inner => Boolean(inner.beside),
        inner => section_element(inner, level + 1), "columns"),
    ];
  }

  const is_filled = ({blocks: own = [], sections = []}) => own.length > 0 || sections.some(is_filled);

  function section_element(section, level) {
    const content = section_content(section, level);
    if (section.fold) {
      return element("details", {
        id: section.id || null, open: section.fold === "open", class: section.fold === "screen" && "screen",
      }, element("summary", {}, name(section.title || "Details")), content);
    }
    return element("section", {id: section.id || null},
      section.title && element(`h${Math.min(level, 6)}`, {}, name(section.title)), content);
  }

  const runs = paragraph => paragraph.map(run => {
    const tags = {strong: "b", code: "code"};
    return tags[run.style] ? element(tags[run.style], {}, name(run.text)) : name(run.text);
  });

  function related_links(related) {
    const links = related.map(({title, address}, i) => [i > 0 && ", ",
      element("a", {href: fovea.safe_address(address)}, name(title))]);
    return element("p", {class: "note"}, "Other reports of this run: ", links);
  }

  /** The navigation marks the section that the reader is in. */
  function follow(navigation, parts) {
    const links = new Map([...navigation.children].map(link => [link.hash.slice(1), link]));
    const seen = new Set();
    const observer = new IntersectionObserver(entries => {
      for (const {target, isIntersecting} of entries) isIntersecting ? seen.add(target) : seen.delete(target);
      const current = parts.find(part => seen.has(part));
      for (const [id, link] of links) {
        if (current && current.id === id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }, {rootMargin: "-60px 0px -55% 0px"});
    parts.forEach(part => observer.observe(part));
  }

  /** Opens the folds around the place that the address names, and goes there: it was made after the page. */
  function go_to_place() {
    let id;
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const place = id && document.getElementById(id);
    if (!place) return;
    for (let node = place; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    place.scrollIntoView();
  }

  function open_folds_in_print() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not(.screen):not(.choice):not([open])")];
      for (const fold of opened) fold.open = true;
    });
    addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
  }

  fovea.build = (report, main) => {
    document.title = report.title || "Fovea";
    const sections = (report.sections || []).filter(is_filled);
    const parts = sections.map(section => ({section, node: section_element(section, 2)}));
    if (fovea.add_thresholds) fovea.add_thresholds(report, parts);
    if (fovea.add_samples) fovea.add_samples(report, parts);
    const navigation = element("nav", {"aria-label": "Sections"}, parts.map(({section}) =>
      element("a", {href: `#${encodeURIComponent(section.id)}`}, name(section.title))));
    main.append(
      element("header", {}, element("h1", {}, name(report.title || "")),
        (report.lead || []).map(paragraph => element("p", {class: "lead"}, runs(paragraph))),
        report.protocol && element("p", {class: "protocol"}, name(report.protocol)),
        (report.related || []).length > 0 && related_links(report.related)),
      ...(report.headline || []).filter(is_filled).map(section => section_element(section, 2)),
      ...(parts.length > 1 ? [navigation] : []),
      ...parts.map(part => part.node),
      ...(report.footer ? [element("footer", {}, name(report.footer))] : []));
    if (parts.length > 1) follow(navigation, parts.map(part => part.node));
    for (const chart of fovea.charts) chart.resize();
    open_folds_in_print();
    addEventListener("hashchange", go_to_place);
    go_to_place();
  };

  const main = document.getElementById("page");
  try {
    fovea.build(JSON.parse(document.getElementById("report").textContent), main);
  } catch (error) {
    main.append(element("p", {class: "alone"}, `This page's data cannot be shown: ${error.message}`));
    throw error;
  }
})(window.fovea = window.fovea || {});
