/**
 * Uses a page of `fovea browse` in a headless Chromium as a person does: browse_test.mjs PAGE.html FOLDER, the page
 * that page_browser_test.cpp makes, and a folder for downloads. Prints a sentence for each failure, and exits with 1 if
 * there was one.
 */
import {existsSync, readFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "./browser.mjs";

const [file, folder] = process.argv.slice(2).map(argument => resolve(argument));
const failures = [];
const say = (holds, sentence) => { if (!holds) failures.push(sentence); };
const equal = (value, expected, what) => {
  const [is, should_be] = [JSON.stringify(value), JSON.stringify(expected)];
  say(is === should_be, `${what}: ${is}, not ${should_be}`);
};

const browser = new Browser();
await browser.call("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: folder});
const page = await browser.open(pathToFileURL(file).href, {width: 1000, height: 700});
const hostile = "</script><script>document.title = 'taken'</script> <b>Ann</b>";

/** Waits until an expression holds in the page. */
async function until(code, what) {
  for (let wait = 0; wait < 150; ++wait) {
    if (await page.run(code)) return;
    await new Promise(end => setTimeout(end, 40));
  }
  failures.push(`${what} did not come`);
}
const seen = "document.querySelector('.view:not([hidden])')";
const text = selector => page.run(`${seen}.querySelector(${JSON.stringify(selector)})?.textContent`);
const count = selector => page.run(`${seen}.querySelectorAll(${JSON.stringify(selector)}).length`);
const go = async (place, what) => {
  await page.run(`location.hash = ${JSON.stringify(place)}`);
  await until(`!${seen}.hidden && ${seen}.getAttribute("aria-label") === ${JSON.stringify(what)}`, what);
};
const set = (selector, value, event) => page.run(`(() => {
  const field = ${seen}.querySelector(${JSON.stringify(selector)});
  field.value = ${JSON.stringify(value)}; field.dispatchEvent(new Event(${JSON.stringify(event)})); })()`);
const label_at = place =>
  page.run(`${seen}.querySelector("[aria-posinset='${place}'] button")?.getAttribute("aria-label")`);
const press = title =>
  page.run(`[...${seen}.querySelectorAll("button")].find(button => button.textContent === "${title}").click()`);
const focused = `document.activeElement.closest(".cell")?.getAttribute("aria-posinset")`;

// The grid: few of its cells are in the page, and the keys walk through it.
await until("fovea.archive.is_ready()", "the data");
equal(await text(".count"), "300 faces", "number of faces");
const drawn = await count(".cell");
say(drawn > 30 && drawn < 250, `${drawn} cells of 300 are in the page`);
await until(`!fovea.sprites_waiting()`, "the sprites");
await page.run(`${seen}.querySelector(".face").focus()`);
await page.key("ArrowRight");
equal(await page.run(focused), "2", "cell after an arrow");
await page.key("End");
await until(`${focused} === "300"`, "the last cell");
say(await page.run(`${seen}.querySelector(".scroller").scrollTop > 0`), "the grid did not scroll to its end");

// Order, search and filters.
await set("select[aria-label=Order]", "sure", "change");
say((await label_at(1)).includes("score 0.99"), `first by score: ${await label_at(1)}`);
await set("select[aria-label=Order]", "small", "change");
say((await label_at(1)).includes("20 px"), `first by size: ${await label_at(1)}`);
await set("input[type=search]", "ANN #1", "input");
await until(`${seen}.querySelector(".count").textContent === "50 of 300 faces"`, "faces of a search");
await set("input[type=search]", "", "input");
await set("select[aria-label='Whose faces']", "apart 1", "change");
equal(await text(".count"), "60 of 300 faces", "faces apart");
await press("Clear");
equal(await text(".count"), "300 faces", "faces without filters");

// People, their faces, and names that are saved.
await go("people", "People");
await until(`${seen}.querySelectorAll(".cell").length === 2`, "the people");
equal(await page.run(`${seen}.querySelector(".cell input").value`), hostile, "a name from the data");
equal(await page.run("document.title"), await page.run("fovea.archive.head.title"), "title");
await page.run(`${seen}.querySelectorAll(".cell input")[1].focus()`);
await page.call("Input.insertText", {text: "Bob \"B\""});
await press("Save names");
const saved = join(folder, "names.json");
for (let wait = 0; wait < 100 && !existsSync(saved); ++wait) await new Promise(end => setTimeout(end, 50));
equal(existsSync(saved) && JSON.parse(readFileSync(saved, "utf8")),
  {format: "fovea-names", version: 1, people: "abc", names: [{person: 9, name: "Bob \"B\""}]}, "file of names");
await page.run(`${seen}.querySelectorAll(".cell .face")[1].click()`);
await until(`${seen}.querySelector(".about h2")?.textContent === 'Bob "B"'`, "the person's faces");
equal(await text(".count"), "90 faces", "faces of the person");

// A photograph with boxes and landmarks, the next one, and one that browsers do not show.
await page.run(`${seen}.querySelector(".cell .face").click()`);
await until(`${seen}.querySelector("img")?.naturalWidth === 320`, "the photograph");
equal(await count(".over rect:not(.rim)"), 100, "boxes");
equal(await count(".over rect.subject:not(.rim)"), 1, "boxes that were chosen");
const walk = await text(".count");
say(/^\d of 3$/.test(walk), `place in the walk: ${walk}`);
await go("photo/0", "Photograph");
await page.run(`${seen}.querySelectorAll("input[type=checkbox]")[1].click()`);
await until(`${seen}.querySelectorAll(".over path.found").length === 100`, "the landmarks");
const points = await page.run(`${seen}.querySelector(".over path.found").getAttribute("d")`);
equal(points, "M0 0h0M5 5h0", "points of a face");
await go("photo/2", "Photograph");
await until(`!${seen}.querySelector(".trouble").hidden`, "why it is not shown");
say((await text(".trouble")).includes("Browsers do not show this kind of file."), `why: ${await text(".trouble")}`);
equal(await count(".strip canvas"), 100, "faces of a photograph that is not shown");
await page.key("Escape");

// Numbers, what could not be read, and the keys.
await go("numbers", "Numbers");
await until(`${seen}.querySelectorAll("svg.bars").length === 3`, "the histograms");
await go("unreadable", "Could not be read");
await until(`${seen}.querySelectorAll(".fault").length === 1`, "the list of what could not be read");
equal(await text(".fault"), "broken.jpgtruncated", "what could not be read");
await page.key("?");
say(await page.run(`document.querySelector("dialog").open`), "? did not show the keys");
await page.key("Escape");

equal(page.requests.filter(address => !/^(file|blob|data):/.test(address)), [], "requests beyond the disk");
equal(page.errors.filter(error => !error.includes("ERR_FILE_NOT_FOUND")), [], "errors");
const narrow = await browser.open(pathToFileURL(file).href, {width: 390, height: 800, dark: true, touch: true});
for (const place of ["faces", "people", "person/0", "photo/0", "numbers", "unreadable"]) {
  await narrow.run(`location.hash = "${place}"`);
  await new Promise(end => setTimeout(end, 200));
  const wide = await narrow.run("document.documentElement.scrollWidth");
  say(wide <= 390, `${place} is ${wide} pixels wide in a window of 390`);
}
equal(narrow.errors, [], "errors in a narrow window");
await browser.close();
for (const failure of failures) console.log(failure);
process.exit(failures.length ? 1 : 0);
