#include "lib/report/html/style.hpp"

namespace fovea::report {

const char* const style_sheet = R"css(
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --panel: #ffffff; --line: #e1e5ea; --ink: #1f2933; --soft: #5b6672; --accent: #0072b2;
  --shade: #f0f3f6; --best: #00694d;
  --truth: #ffc20a; --found: #3db5ff;
  --plot-paper: #ffffff; --plot-ink: #1f2933; --plot-axis: #8a94a0; --plot-grid: #e4e7eb; --plot-muted: #a3acb8;
  --plot-1: #0072b2; --plot-2: #d55e00; --plot-3: #009e73; --plot-4: #cc79a7; --plot-5: #e69f00;
  --plot-6: #56b4e9; --plot-7: #6b7280; --plot-8: #5606e2; --plot-9: #7d007d; --plot-10: #5f5b0a;
  --plot-11: #521b00; --plot-12: #274540;
  --shadow: rgba(31, 41, 51, .28);
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12161b; --panel: #1a2027; --line: #2d353f; --ink: #e4e8ed; --soft: #9aa6b2; --accent: #5fb4e8;
    --shade: #222a33; --best: #4fd1a5;
    --plot-paper: #1a2027; --plot-ink: #dbe1e8; --plot-axis: #7b8794; --plot-grid: #2d353f; --plot-muted: #66717d;
    --plot-1: #4285cd; --plot-2: #eb7d4d; --plot-3: #69f2b4; --plot-4: #e290cc; --plot-5: #d2c664;
    --plot-6: #aad4f4; --plot-7: #8b9095; --plot-8: #873af0; --plot-9: #a0538c; --plot-10: #d6f344;
    --plot-11: #e03653; --plot-12: #2f791e;
    --shadow: rgba(0, 0, 0, .8);
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
}
main { max-width: 1160px; margin: 0 auto; padding: 40px 24px 56px; }
h1, h2, h3 { line-height: 1.25; margin: 0; font-weight: 650; letter-spacing: -0.011em; overflow-wrap: anywhere; }
h1 { font-size: 30px; }
h2 { font-size: 21px; margin: 48px 0 14px; }
h3 { font-size: 16px; margin: 24px 0 10px; }
p { margin: 0 0 10px; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
.lead { max-width: 78ch; margin: 14px 0 0; font-size: 17px; overflow-wrap: anywhere; }
.protocol { max-width: 88ch; margin: 10px 0 0; color: var(--soft); font-size: 14.5px; }
.note { color: var(--soft); font-size: 14.5px; max-width: 88ch; }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 18px 0 0; font-size: 14.5px; }

.comparison { margin: 28px 0 0; }
.note.below { margin-top: 8px; }
.columns.below { margin: 14px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; margin: 28px 0 0; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px 12px; }
.tile .label { display: block; color: var(--soft); font-size: 13.5px; }
.tile .value {
  display: block; font-size: 28px; line-height: 1.3; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums; white-space: nowrap;
}
.tile .detail { display: block; white-space: pre-line; color: var(--soft); font-size: 12.5px; line-height: 1.4; }

/* A shadow at an edge says that there is more behind it: it is covered by a piece of panel that moves along. */
.scroll, .drawing {
  overflow-x: auto;
  background:
    linear-gradient(to right, var(--panel) 40%, transparent) left / 36px 100% no-repeat local,
    linear-gradient(to left, var(--panel) 40%, transparent) right / 36px 100% no-repeat local,
    linear-gradient(to right, var(--shadow), transparent) left / 13px 100% no-repeat scroll,
    linear-gradient(to left, var(--shadow), transparent) right / 13px 100% no-repeat scroll,
    var(--panel);
}
.scroll { border: 1px solid var(--line); border-radius: 8px; }
.scroll:focus-visible, .drawing:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
table { position: relative; border-collapse: separate; border-spacing: 0; width: 100%; font-size: 14.5px; font-variant-numeric: tabular-nums lining-nums; }
th, td { padding: 7px 12px; text-align: left; vertical-align: baseline; }
th { color: var(--soft); font-weight: 500; font-size: 13px; line-height: 1.3; vertical-align: bottom; }
caption { text-align: left; color: var(--soft); font-size: 13px; padding: 8px 12px 2px; }
caption span { position: sticky; left: 12px; }
thead th { border-bottom: 1px solid var(--line); }
tbody tr + tr td { border-top: 1px solid var(--line); }
th:first-child, td:first-child { position: sticky; left: 0; z-index: 1; background: var(--panel); }
.many th, .many td { padding-left: 8px; padding-right: 8px; }
.num { text-align: right; white-space: nowrap; }
th.num { white-space: normal; max-width: 16em; overflow-wrap: break-word; }
td.best { font-weight: 650; color: var(--best); }
td .small { font-weight: 400; }
td:first-child { white-space: nowrap; min-width: 9em; }
td:first-child:has(.small) { min-width: 17em; }
td .name { white-space: normal; overflow-wrap: anywhere; }
.series { display: flex; align-items: baseline; min-width: 11em; }
.series + br { display: none; }
.path { white-space: normal; overflow-wrap: anywhere; }
code { font: 0.88em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.small { color: var(--soft); font-size: 12.5px; }
th button { all: unset; cursor: pointer; }
th button:hover { color: var(--ink); }
th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
th[aria-sort="ascending"]::after { content: " \2191"; }
th[aria-sort="descending"]::after { content: " \2193"; }
.swatch { flex: none; width: 11px; height: 11px; border-radius: 3px; margin-right: 8px; border: 2px solid; }
.swatch.calibrated { border-style: dashed; border-width: 1.5px; }
.bar { display: inline-block; width: 72px; height: 7px; border-radius: 4px; background: var(--shade); margin-left: 10px;
  vertical-align: 1px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--plot-1); }

.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 20px; align-items: start; }
.columns.charts { align-items: stretch; }
.columns > * { min-width: 0; }
.columns h3 { margin-top: 0; }
ul { margin: 0; padding-left: 20px; font-size: 14.5px; overflow-wrap: anywhere; }
figure { margin: 0; }
figure.chart { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 16px 16px 14px; }
figure.chart h3 { margin: 0 0 8px; }
figure.chart figcaption { color: var(--soft); font-size: 13.5px; line-height: 1.45; margin-top: 6px; }
/* Below this width the type of a plot would be smaller than 11 pixels: it scrolls. */
svg.plot { display: block; width: 100%; min-width: 480px; height: auto; font-family: inherit; }
.wide svg.plot { min-width: 990px; }

.legend > span { min-width: 0; overflow-wrap: anywhere; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 22px; font-size: 14px; color: var(--soft); margin: 0 0 14px; }
.legend svg { width: 34px; height: 20px; vertical-align: -5px; margin-right: 7px; }
.legend.plots { position: sticky; top: 0; z-index: 1; background: var(--paper); padding: 8px 0; margin: 0 0 8px; }
.legend.plots svg { width: 34px; height: 12px; vertical-align: 0; }
.legend.plots path { fill: none; stroke-width: 2.5; }

.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(164px, 1fr)); gap: 18px 14px; }
.gallery figure { min-width: 0; }
.picture { display: block; width: 100%; aspect-ratio: 1; background: #1b1f24; border-radius: 6px; }
a.enlarge { display: block; cursor: zoom-in; }
.step { display: none; }
.gallery figure:target {
  position: fixed; inset: 0; z-index: 10; margin: 0; padding: 12px 16px; overflow: auto; background: var(--paper);
  display: flex; flex-direction: column; align-items: center; justify-content: safe center;
}
figure:target a.enlarge { cursor: default; width: min(94vw, 82vh); }
.gallery figure:target figcaption { font-size: 15px; text-align: center; }
.gallery figure:target figcaption b { font-size: 16px; }
figure:target .step { display: flex; gap: 8px; margin: 0 0 10px; }
.step a { padding: 7px 14px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); font-size: 15px; }
.picture.none { display: flex; align-items: center; justify-content: center; background: var(--shade); color: var(--soft);
  font-size: 13px; text-align: center; padding: 12px; overflow: hidden; overflow-wrap: anywhere; }
.picture.none p { margin: 0; }
.gallery figcaption { font-size: 12.5px; line-height: 1.4; margin-top: 6px; color: var(--soft); font-variant-numeric: tabular-nums; }
.gallery figcaption b { display: block; font-weight: 500; font-size: 13px; color: var(--ink); overflow-wrap: anywhere; }
path.dots { fill: none; stroke-linecap: round; stroke-width: 3.4px; vector-effect: non-scaling-stroke; }
path.dots.rim { stroke: rgba(0, 0, 0, .6); stroke-width: 5px; }
path.dots.truth { stroke: var(--truth); }
path.dots.found { stroke: var(--found); }
rect.rim, rect.truth, rect.found { fill: none; vector-effect: non-scaling-stroke; }
rect.rim.rim { stroke: rgba(0, 0, 0, .45); stroke-width: 3.6px; }
rect.truth { stroke: var(--truth); stroke-width: 1.8px; }
rect.found { stroke: var(--found); stroke-width: 2px; }
rect.subject { stroke-width: 3px; }
rect.rim.subject { stroke-width: 4.8px; }
rect.found, rect.rim.found { stroke-dasharray: 7 4; }
rect.ignored, rect.rim.ignored { stroke-dasharray: 2 4; }

details { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 12px; padding: 0 16px; }
summary { cursor: pointer; padding: 11px 0; font-weight: 550; overflow-wrap: anywhere; }
details[open] { padding-bottom: 16px; }
details > h3 { margin-top: 18px; }
details > summary + h3 { margin-top: 4px; }
details .scroll { border-radius: 6px; }
pre { margin: 0; padding: 14px 16px; background: var(--shade); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
dl { display: grid; grid-template-columns: minmax(8em, max-content) 1fr; gap: 6px 20px; margin: 0; font-size: 14.5px; }
dl.made { margin-bottom: 6px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 48px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13.5px; overflow-wrap: anywhere; }

@media (max-width: 600px) {
  main { padding: 24px 14px 40px; }
  h1 { font-size: 24px; }
  h2 { margin-top: 36px; }
  .lead { font-size: 16px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .tile { padding: 11px 12px 10px; }
  .tile .value { font-size: 23px; }
  th, td { padding: 6px 9px; }
  th:first-child, td:first-child { max-width: 42vw; white-space: normal; overflow-wrap: anywhere; }
  td:first-child, td:first-child:has(.small) { min-width: 36vw; }
  td .path, td .name { min-width: 0; }
  .series { min-width: 8.4em; }
  .small, .tile .detail, .gallery figcaption { font-size: 12px; }
  .bar { display: none; }
  figure.chart { padding: 12px 8px 12px; }
  figure.chart h3, figure.chart figcaption { padding: 0 6px; }
  .gallery { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .legend.plots { position: static; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 8px; }
}
@page { size: A4; margin: 13mm 12mm; }
@media print {
  :root { --paper: #ffffff; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  nav, details.screen, .step { display: none; }
  details:not(.screen)::details-content { content-visibility: visible; display: block; block-size: auto; }
  figure, .tile, tr, .legend { break-inside: avoid; }
  h2, h3, summary, .note { break-after: avoid; }
  .note.below { break-after: auto; break-before: avoid; }
  h2 { margin-top: 24px; }
  .columns { grid-template-columns: 1fr 1fr; gap: 12px; }
  .columns.beside { grid-template-columns: 5fr 3fr; }
  figure.chart { padding: 8px; }
  .scroll, .drawing { overflow: visible; background: none; }
  svg.plot, .wide svg.plot { min-width: 0; }
  .legend.plots { position: static; }
  #curves { break-before: page; }
  table { font-size: 9pt; }
  th, td { padding: 3px 6px; }
  th, td .small { font-size: 8pt; }
  th, td:first-child { white-space: normal; overflow-wrap: anywhere; }
  th:first-child, td:first-child { position: static; }
  td:first-child, td:first-child:has(.small) { min-width: 0; }
  .num { white-space: normal; }
  .many { font-size: 7.5pt; }
  .many th, .many td .small { font-size: 6.5pt; }
  .many th, .many td { padding: 2px 3px; }
  .series { min-width: 5em; }
  .gallery { grid-template-columns: repeat(5, 1fr); gap: 8px; }
  details { padding: 0 8px; }
  .swatch, .bar, .bar i, .picture { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

const char* const page_script = R"js(
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    // A button can be reached by keyboard.
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // Numbers start with the largest, names with A; a second click turns the order round.
      const numeric = head.classList.contains("num");
      const before = head.getAttribute("aria-sort");
      const falling = before ? before === "ascending" : numeric;
      const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
      const rising = (a, b) => numeric ? key(a) - key(b) : key(a).localeCompare(key(b));
      const rows = [...body.rows].sort((a, b) => falling ? rising(b, a) : rising(a, b));
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      body.append(...rows);
    });
  });
}
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details:not(.screen)")) part.open = true;
});
)js";

}  // namespace fovea::report
