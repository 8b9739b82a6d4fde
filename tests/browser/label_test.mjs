/**
 * Uses a page of `fovea label` in a headless Chromium as a person does: label_test.mjs PAGE.html FOLDER, a page of four
 * frames of 320 x 240 pixels with person 1 at 20,20,80,100 and person 2 at 200,60,60,80, and a folder for downloads.
 * Prints a sentence for each failure, and exits with 1 if there was one.
 */
import {existsSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "./browser.mjs";

const [file, folder] = process.argv.slice(2).map(argument => resolve(argument));
const failures = [];
const say = (holds, sentence) => { if (!holds) failures.push(sentence); };
const equal = (value, expected, what) =>
  say(JSON.stringify(value) === JSON.stringify(expected), `${what}: ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`);

const browser = new Browser();
await browser.call("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: folder});
const page = await browser.open(pathToFileURL(file).href, {width: 900, height: 800});

/** The boxes that are drawn: text, then x, y, w, h in pixels of the frame. */
const boxes = () => page.run(`[...document.querySelectorAll("svg.shot g.box")].map(g => {
  const at = g.querySelector("rect:not(.rim)");
  return [g.querySelector("text").textContent, ...["x", "y", "width", "height"].map(k => Number(at.getAttribute(k)))];
})`);
const place = () => page.run(`document.querySelector(".place").textContent`);
const status = () => page.run(`document.querySelector(".status").textContent`);
const click = text => page.run(`[...document.querySelectorAll("button")].find(b => b.textContent === ${JSON.stringify(text)}).click()`);
const type_number = value => page.run(`document.querySelector("input[type=number]").value = ${value}`);

/** A place of the frame in the window. */
async function window_place(x, y) {
  return page.run(`(() => { const svg = document.querySelector("svg.shot");
    const at = new DOMPoint(${x}, ${y}).matrixTransform(svg.getScreenCTM()); return [at.x, at.y]; })()`);
}
async function drag(x1, y1, x2, y2) {
  const [from, to] = [await window_place(x1, y1), await window_place(x2, y2)];
  const held = {button: "left", buttons: 1, clickCount: 1};
  await page.mouse("mouseMoved", ...from);
  await page.mouse("mousePressed", ...from, held);
  await page.mouse("mouseMoved", (from[0] + to[0]) / 2, (from[1] + to[1]) / 2, held);
  await page.mouse("mouseMoved", ...to, held);
  await page.mouse("mouseReleased", ...to, {button: "left", clickCount: 1});
}
const pick = (x, y) => drag(x, y, x, y);
/** Boxes whose numbers are within a pixel of the expected ones: a window's pixels are not the frame's. */
async function near(expected, what) {
  const drawn = await boxes();
  const is_near = drawn.length === expected.length && drawn.every((box, i) => box[0] === expected[i][0] &&
    box.slice(1).every((value, k) => Math.abs(value - expected[i][k + 1]) <= 1));
  say(is_near, `${what}: ${JSON.stringify(drawn)}, not ${JSON.stringify(expected)}`);
}
async function saved() {
  const name = join(folder, "clip.txt");
  rmSync(name, {force: true});
  await click("save");
  for (let wait = 0; wait < 100 && !existsSync(name); ++wait) await new Promise(end => setTimeout(end, 50));
  return existsSync(name) ? readFileSync(name, "utf8") : "nothing was saved";
}
async function load(text) {
  const name = join(folder, "given.txt");
  writeFileSync(name, text);
  const {root} = await page.call("DOM.getDocument");
  const {nodeId} = await page.call("DOM.querySelector", {nodeId: root.nodeId, selector: "input[type=file]"});
  await page.run(`document.querySelector(".status").textContent = ""`);
  await page.call("DOM.setFileInputFiles", {nodeId, files: [name]});
  for (let wait = 0; wait < 100 && !(await status()); ++wait) await new Promise(end => setTimeout(end, 20));
}

const first = ["1", 20, 20, 80, 100], second = ["2", 200, 60, 60, 80];
equal(await boxes(), [first, second], "boxes at first");
equal(await place(), "frame 1, 1 of 4; 1 checked", "place at first");
equal(await saved(), "# annotated frames: 1\n1,1,20,20,80,100,1,1,1\n1,2,200,60,60,80,1,1,1\n", "file of a frame");
say(/3 frames were not looked at/.test(await status()), `status of a file of one frame: ${await status()}`);

// The mouse: move, resize by a corner and by an edge, draw, and a slip that draws nothing.
await drag(60, 60, 75, 50);
await near([["1", 35, 10, 80, 100], second], "moved");
await drag(115, 110, 125, 130);
await near([["1", 35, 10, 90, 120], second], "resized by a corner");
await drag(35, 70, 45, 70);
await near([["1", 45, 10, 80, 120], second], "resized by an edge");
await drag(140, 180, 180, 230);
const drawn = ["3", 140, 180, 40, 50];
await near([["1", 45, 10, 80, 120], second, drawn], "drawn");
await drag(300, 200, 301, 201);
await near([["1", 45, 10, 80, 120], second, drawn], "a slip");

// Keys: number, ignored, pixels, delete, undo.
await pick(160, 200);
await page.key("7");
await page.key("i");
await page.key("ArrowRight", 1);
await near([["1", 45, 10, 80, 120], second, ["7 ignored", 141, 180, 40, 50]], "numbered, ignored and nudged");
await page.key("2");
equal((await boxes()).map(box => box[0]), ["1", "7", "2 ignored"], "numbers that were exchanged");
await page.key("z", 2);
await page.key("Delete");
equal((await boxes()).length, 3, "boxes after Delete without a selected one");
await page.key(" ");
await page.key(" ");
await page.key("Delete");
equal((await boxes()).map(box => box[0]), ["1", "7 ignored"], "boxes after the second was deleted");
for (let i = 0; i < 9; ++i) await page.key("z", 2);
equal(await boxes(), [first, second], "all undone");

// A number from here on, in frames 2 to 4; frame 1 keeps it.
await page.key("ArrowRight");
await pick(60, 60);
await type_number(2);
await click("from here on");
equal((await boxes()).map(box => box[0]), ["2", "1"], "exchanged here");
await page.key("End");
equal((await boxes()).map(box => box[0]), ["2", "1"], "exchanged in the last frame");
equal(await place(), "frame 4, 4 of 4; 3 checked", "place after a jump");
// A box of the frame before.
await page.key(" ");
await page.key("Delete");
await page.key("p");
await near([["2", ...first.slice(1)], ["1", ...second.slice(1)]], "taken from the frame before");
await page.key("Home");
equal((await boxes()).map(box => box[0]), ["1", "2"], "not exchanged in the first frame");
const lines = frame => (frame === 1 ? ["1,1,20,20,80,100,1,1,1", "1,2,200,60,60,80,1,1,1"] :
  [`${frame},1,200,60,60,80,1,1,1`, `${frame},2,20,20,80,100,1,1,1`]);
const text = await saved();
equal(text, ["# annotated frames: 1-2, 4", ...[1, 2, 4].flatMap(lines), ""].join("\n"), "file of three frames");

// A file is loaded: its frames take their boxes, others are saved as they are.
await load("# annotated frames: 2-10 every 4, 3\n2,5,1,2,3,4,1,1,1\n6,8,1.5,2,3,4,0,8,1\n3,1,0,0,9,9,1,4,1\n");
say(/Loaded 2 frames of this page, and 2 others/.test(await status()), `status of a file: ${await status()}`);
equal(await place(), "frame 1, 1 of 4; 3 checked", "place after loading");
await page.key("ArrowRight");
equal(await boxes(), [["5", 1, 2, 3, 4]], "boxes that were loaded");
equal(await saved(), ["# annotated frames: 1-3, 6, 10", ...lines(1), "2,5,1,2,3,4,1,1,1", "6,8,1.5,2,3,4,0,8,1",
  "3,1,0,0,9,9,1,4,1", ""].join("\n"), "file after loading");
for (const [wrong, message] of [
  ["1,1,1,1,1,1,1\n1,x,1,1,1,1,1\n", "line 2: expected 6 to 10 numbers"],
  ["1,1,1,1,1,1,1\n1,1,1,1,1,1,1\n", "line 2: expected one box of person 1 in frame 1"],
  ["0,1,1,1,1,1,1\n", "line 1: expected the number of a frame"],
  ["1,1,1,1,-1,1,1\n", "line 1: expected a box whose width"],
  ["# annotated frames: 5-4\n", "line 1: expected numbers of frames"],
  ["# annotated frames: 2\n1,1,1,1,1,1,1\n", "frame 1 has a box, but is not among the annotated frames"]]) {
  await load(wrong);
  say((await status()).includes(message), `message on ${JSON.stringify(wrong)}: ${await status()}`);
}
equal(await boxes(), [["5", 1, 2, 3, 4]], "boxes after files that are wrong");

equal(page.errors, [], "errors of the page");
equal(page.requests.filter(address => !/^(file|data|blob):/.test(address)), [], "requests of the page");
await browser.close();
for (const failure of failures) console.log(failure);
process.exit(failures.length ? 1 : 0);
