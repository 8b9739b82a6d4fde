/**
 * Checks pages of Fovea in a headless Chromium: browser_test.mjs PAGE.html...
 * Prints a sentence for each failure, and exits with 1 if there was one.
 */
import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import {Browser} from "./browser.mjs";

const widths = [390, 768, 1280, 1920];
const paper_width = 703;  // A4 without its margins, in CSS pixels
const tabs = 120;
const failures = [];

/** Runs in the page: texts whose contrast to their background is below WCAG AA. */
function low_contrast() {
  const channels = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = colour => {
    const [r, g, b] =
      channels(colour).map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor, alpha = channels(colour)[3] ?? 1;
      if (alpha > 0.99) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const bad = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim(), node = walker.currentNode.parentElement;
    if (!text || node.closest("script, style, noscript, title, option, [hidden], :disabled")) continue;
    if (!node.getClientRects().length) continue;
    const style = getComputedStyle(node), in_svg = node instanceof SVGElement;
    const [a, b] = [light(in_svg ? style.fill : style.color), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5))
      bad.set(`${node.tagName}.${node.getAttribute("class")}`, `${ratio.toFixed(2)} "${text.slice(0, 30)}"`);
  }
  return [...bad].map(([key, value]) => `${key} ${value}`);
}

/** Runs in the page, in print: cells and folds that paper would not hold. */
function lost_on_paper(width) {
  const lost = [];
  for (const cell of document.querySelectorAll("details:not(.screen) th, td, section > .table th")) {
    if (cell.closest("details.screen, .samples, .choice, tr[hidden]")) continue;
    const box = cell.getBoundingClientRect();
    if (box.width === 0) lost.push(`a cell is not shown: ${cell.textContent.slice(0, 40)}`);
    else if (box.right > width + 1)
      lost.push(`a cell ends at ${Math.round(box.right)} px: ${cell.textContent.slice(0, 40)}`);
    else if (cell.scrollWidth > cell.clientWidth + 1)
      lost.push(`a cell is cut: ${cell.textContent.slice(0, 40)}`);
  }
  for (const fold of document.querySelectorAll("details:not(.screen):not(.choice)")) {
    if (!fold.open) lost.push(`a fold is closed: ${fold.querySelector("summary").textContent}`);
  }
  for (const fold of document.querySelectorAll("details.screen")) {
    if (fold.getClientRects().length)
      lost.push(`a fold for screens is printed: ${fold.querySelector("summary").textContent}`);
  }
  for (const svg of document.querySelectorAll("svg.plot")) {
    if (!svg.closest("details.screen") && svg.getBoundingClientRect().width < 100)
      lost.push(`a chart is not drawn: ${svg.getAttribute("aria-label")}`);
  }
  return [...new Set(lost)].slice(0, 5);
}

/**
 * Runs in the page: tables, plots and pictures follow a slider, whose counts are the sums of the slices'; paper and
 * "as at first" show the report's own point.
 */
async function uses_of_thresholds(wait) {
  const wrong = [];
  const say = (holds, sentence) => { if (!holds) wrong.push(sentence); };
  const report = JSON.parse(document.getElementById("report").textContent), main = document.getElementById("page");
  if (!/"follows":\[/.test(JSON.stringify(report))) return wrong;
  const state = () => [...main.querySelectorAll(".table, .gallery")].map(node => node.textContent).join("|") +
    JSON.stringify(window.fovea.charts.flatMap(({plot}) => plot.series.map(({y}) => y)));
  const press = async position => {
    for (const slider of main.querySelectorAll(".threshold input[type=range]")) {
      slider.value = position(Number(slider.max));
      slider.dispatchEvent(new Event("input"));
    }
    await wait();
  };
  const first = main.querySelector(".thresholds .controls button");
  first.click();
  await wait();
  const own = state(), seen = new Set([own]);
  const groups = [];  // those that hold every face
  const collect = section => {
    for (const {rows = []} of section.blocks || []) {
      const led = rows.map(row => row.filter(cell => cell.follows && cell.follows[2] === "recall"));
      if (/^(Faces in the image|Face width|Face size)$/.test(section.title)) groups.push(led.map(row => row[0].follows[1]));
    }
    (section.sections || []).forEach(collect);
  };
  report.sections.forEach(collect);
  let is_noted = false;
  for (const position of [() => 0, max => Math.ceil(max / 2), max => max]) {
    await press(position);
    seen.add(state());
    is_noted ||= [...main.querySelectorAll(".note.below")]
      .some(node => !node.hidden && /^Moved: /.test(node.textContent));
    const found = tally =>
      Number(window.fovea.followed({follows: [0, tally, "found"], text: "0"}).text.replace(/,/g, ""));
    const all = found(0);
    for (const tallies of groups) {
      const sum = tallies.reduce((total, tally) => total + found(tally), 0);
      say(sum === all, `slices hold ${sum} faces found of ${all}`);
    }
  }
  say(seen.size > 1, "no table, plot or picture follows the sliders");
  say(is_noted, "no table says that a threshold has moved");
  const moved = state();
  dispatchEvent(new Event("beforeprint"));
  say(state() === own, "paper does not show the report's own point");
  dispatchEvent(new Event("afterprint"));
  await wait();
  say(state() === moved, "the sliders are not where they were before printing");
  first.click();
  await wait();
  say(state() === own, "'as at first' does not lead back to the report's own point");
  return wrong;
}

/** Runs in the page: a timeline zooms, scrolls, is searched and shows its pictures. */
async function uses_of_timeline(wait) {
  const wrong = [];
  const say = (holds, sentence) => { if (!holds) wrong.push(sentence); };
  const area = document.querySelector(".time");
  if (!area) return wrong;
  const box = area.querySelector(".timeline"), rows = [...box.querySelectorAll(".time-row:not(.time-head)")];
  const marks = () => [...box.querySelectorAll(".time-axis span")].map(mark => mark.textContent);
  const settle = async () => { for (let i = 0; i < 5; ++i) await wait(); };
  const press = async key => {
    box.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    await settle();
  };
  const whole = marks();
  say(whole.length >= 2 && /^\d+:\d\d/.test(whole[0]), `a timeline has the marks ${whole}`);
  say(box.scrollWidth <= box.clientWidth + 1, "a whole timeline is wider than its room");
  for (let i = 0; i < 3; ++i) await press("+");
  say(box.scrollWidth > 5 * box.clientWidth, "plus does not zoom into a timeline");
  say(marks().length >= 2 && String(marks()) !== String(whole), "the marks of a timeline do not follow the zoom");
  const bar = rows[0].querySelector(".time-bars"), name = rows[0].querySelector("button");
  name.click();
  await settle();
  const place = bar.querySelector("path").getBoundingClientRect(), view = box.getBoundingClientRect();
  say(place.left >= view.left && place.left < view.right, "a track's name does not lead to its first bar");
  bar.dispatchEvent(new PointerEvent("pointermove", {clientX: place.left + 2, clientY: place.top + 2}));
  const tip = document.getElementById("tip");
  say(tip && !tip.hidden && /from \d+:\d\d.* to \d+:\d\d/.test(tip.textContent), "a bar does not tell its times");
  await press("0");
  say(box.scrollWidth <= box.clientWidth + 1, "0 does not show the whole timeline");
  const field = area.querySelector("input[type=search]"), shown = () => rows.filter(row => !row.hidden).length;
  say(Boolean(field) === rows.length > 8, "a long timeline has no search, or a short one has it");
  if (field) {
    for (const [text, count] of [["12", 1], ["ann <i>", 1], ["nobody", 0], ["", rows.length]]) {
      field.value = text;
      field.dispatchEvent(new Event("input"));
      say(shown() === count, `a search for '${text}' shows ${shown()} rows`);
    }
  }
  const faces = area.querySelector("input[type=checkbox]"), figures = () => box.querySelectorAll(".time-strip figure").length;
  if (!faces.checked) {
    say(figures() === 0, "hidden strips are made");
    faces.click();
  }
  await settle();
  say(figures() > 0, "a strip near the view has no pictures");
  say(rows.length < 40 || figures() < rows.length * 3, "strips far from the view are made");
  const strip = box.querySelector(".time-strip");
  say(strip.getBoundingClientRect().width <= box.clientWidth + 1, "a strip is wider than the view");
  strip.querySelector("button.enlarge").click();
  const dialog = document.querySelector("dialog[open]");
  say(dialog, "a face is not enlarged");
  if (dialog) dialog.close();
  dispatchEvent(new Event("beforeprint"));
  say(figures() >= rows.length * 3, "paper lacks faces");
  return wrong;
}

/** Runs in the page: what the keyboard can reach has a tab stop; it presses on charts, tables and legends. */
function uses_of_page() {
  const wrong = [];
  const say = (holds, sentence) => { if (!holds) wrong.push(sentence); };
  const key = (node, name) =>
    node.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
  const wait = () => new Promise(end => requestAnimationFrame(() => setTimeout(end, 30)));
  return (async () => {
    const main = document.getElementById("page");
    say(document.querySelector("noscript"), "no sentence for readers without JavaScript");
    say(!main.querySelector("script, iframe, object, embed, img"), "the data became markup");
    for (const link of main.querySelectorAll("a[href]"))
      say(/^(file|https?):$/.test(link.protocol), `a link leads to ${link.protocol}`);
    for (const figure of main.querySelectorAll("figure.chart")) {
      const svg = figure.querySelector("svg.plot"), tip = () => document.getElementById("tip");
      const {targets} = window.fovea.charts.find(chart => chart.node === svg);
      const has_points = targets.some(({xs, ys}) => xs.some((x, i) => !Number.isNaN(x + ys[i])));
      if (!svg.getClientRects().length || !has_points) continue;
      svg.focus({preventScroll: true});
      key(svg, "ArrowRight");
      const title = svg.getAttribute("aria-label").split(".")[0];
      say(tip() && !tip().hidden && tip().textContent.length > 3, `the arrow keys show no point of ${title}`);
      say(figure.querySelector("[role=status]").textContent, `the arrow keys speak no point of ${title}`);
      const before = svg.innerHTML;
      key(svg, "+");
      say(svg.innerHTML !== before, `plus does not zoom into ${title}`);
      key(svg, "0");
      key(svg, "Escape");
      say(!tip() || tip().hidden, `Escape leaves the values of ${title}`);
    }
    const keys = [...main.querySelectorAll(".legend button")];
    if (keys.length > 0) {
      const same = keys.filter(other => other.title === keys[0].title);
      keys[0].click();
      say(
        same.every(other => other.getAttribute("aria-pressed") === "false"),
        "a name is not switched off in all charts");
      keys[0].click();
      say(
        same.every(other => other.getAttribute("aria-pressed") === "true"),
        "a name is not switched on again");
    }
    for (const table of [...main.querySelectorAll("table")].slice(0, 6)) {
      const button = table.querySelector("thead th button");
      if (!button || !button.getClientRects().length) continue;
      button.click();
      const first = button.closest("th").getAttribute("aria-sort");
      button.click();
      say(
        !table.querySelector("th[aria-sort]") || first !== button.closest("th").getAttribute("aria-sort"),
        "a second click does not turn the order of a table");
    }
    const defined = [...main.querySelectorAll("button.defined")].find(node => !node.closest("details:not([open])"));
    if (defined && defined.getClientRects().length) {
      defined.blur();
      defined.focus();
      const tip = document.getElementById("tip");
      say(
        tip && !tip.hidden && defined.getAttribute("aria-describedby") === "tip",
        "the focus tells no definition of a column");
      defined.blur();
      say(tip && tip.hidden, "a definition stays when the focus leaves");
    }
    const picture = main.querySelector(".gallery button.enlarge");
    if (picture && picture.getClientRects().length) {
      picture.focus();
      picture.click();
      const dialog = document.querySelector("dialog[open]");
      say(dialog, "a picture is not enlarged");
      if (dialog) {
        const text = dialog.textContent;
        key(dialog, "ArrowRight");
        say(
          main.querySelectorAll(".gallery button.enlarge").length < 2 || dialog.textContent !== text,
          "the arrow keys do not lead to the next picture");
        dialog.close();
        say(document.activeElement === picture, "closing a picture does not lead back to it");
      }
    }
    (await window.uses_of_timeline(wait)).forEach(sentence => wrong.push(sentence));
    const slider = main.querySelector(".threshold input[type=range]");
    if (slider && slider.getClientRects().length && Number(slider.max) > 1) {
      const shown = () => [...slider.closest(".threshold").querySelectorAll("output")].map(o => o.textContent).join();
      const before = shown();
      slider.value = Math.abs(Number(slider.value) - Number(slider.max)) < 2 ? 1 : Number(slider.max);
      slider.dispatchEvent(new Event("input"));
      await wait();
      say(shown() !== before, "a threshold slider moves no number");
      say(document.querySelector("circle.operating"), "no chart shows the operating point");
      (await uses_of_thresholds(wait)).forEach(sentence => wrong.push(sentence));
    }
    return wrong;
  })();
}

const call = (code, ...values) => `(${code})(${values.map(value => JSON.stringify(value)).join(",")})`;

async function check(browser, file) {
  const address = pathToFileURL(resolve(file)).href;
  const say = sentence => failures.push(`${file}: ${sentence}`);
  const finish = async page => {
    page.errors.forEach(error => say(`script error: ${error}`));
    page.requests.filter(url => !/^(file|data|blob):/.test(url)).forEach(url => say(`asks for ${url}`));
    await page.close();
  };
  for (const width of widths) {
    const page = await browser.open(address, {width});
    const wide = await page.run("document.documentElement.scrollWidth");
    if (wide > width) say(`is ${wide} px wide in a window of ${width} px`);
    if (width === 1280) {
      await page.run(`window.uses_of_thresholds = ${uses_of_thresholds}; window.uses_of_timeline = ${uses_of_timeline}`);
      (await page.run(call(uses_of_page))).forEach(say);
    }
    if (width === 1280 || width === 390) {
      await page.run("document.activeElement.blur(); scrollTo(0, 0)");
      const stops = new Set();
      for (let i = 0; i < tabs; ++i) {
        await page.key("Tab");
        const stop =
          await page.run(`(() => { const node = document.activeElement, style = getComputedStyle(node);
          if (node === document.body) return null;
          return [node.tagName + "." + node.className, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0]; })()`);
        if (!stop) break;
        if (!stop[1]) stops.add(stop[0]);
      }
      stops.forEach(stop => say(`the focus of ${stop} cannot be seen`));
    }
    await finish(page);
  }
  for (const dark of [false, true]) {
    const page = await browser.open(address, {dark});
    await page.run(
      "for (const fold of document.querySelectorAll('details')) fold.open = true; scrollTo(0, 1e6)");
    await page.run("new Promise(end => setTimeout(end, 400))");
    (await page.run(call(low_contrast)))
      .forEach(text => say(`low contrast in ${dark ? "dark" : "light"}: ${text}`));
    await finish(page);
  }
  const page = await browser.open(address, {width: paper_width});
  await page.call("Emulation.setEmulatedMedia", {media: "print"});
  await page.run("dispatchEvent(new Event('beforeprint')); new Promise(end => setTimeout(end, 200))");
  const wide = await page.run("document.documentElement.scrollWidth");
  if (wide > paper_width) say(`is ${wide} px wide on paper of ${paper_width} px`);
  (await page.run(call(lost_on_paper, paper_width))).forEach(text => say(`on paper ${text}`));
  await finish(page);
}

const browser = new Browser();
try {
  for (const file of process.argv.slice(2)) await check(browser, file);
} finally {
  await browser.close();
}
failures.forEach(failure => console.log(failure));
console.log(failures.length === 0 ? "All pages pass." : `${failures.length} failures.`);
process.exit(failures.length === 0 ? 0 : 1);
