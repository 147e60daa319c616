"use strict";
// The plane: what the filters leave of the records of one target, drawn and listed.

const DATA = JSON.parse(document.getElementById("data").textContent);
const COLOURS = ["#d1495b", "#2e6f95", "#66a182", "#edae49", "#8d6cab", "#d17a3f", "#4ba3b5",
  "#b0609a", "#7d8c3c", "#8d8d92"];
const UNITS = { area_ge: "gate equivalents", lut: "LUTs", slices: "slices" };
const SPEEDS = { throughput_mbps: "Mbit/s", bits_per_cycle: "bits a cycle" };
const COLUMNS = [["name", "core"], ["target", "target"], ["flow", "flow"], ["area_ge", "GE"],
  ["lut", "LUT"], ["ff", "FF"], ["block_ram", "RAM"], ["slices", "slices"], ["cycle_ns", "ns"],
  ["fmax_mhz", "fmax MHz"], ["cycles_per_block", "cycles"], ["throughput_mbps", "Mbit/s"],
  ["mbps_per_klut", "per kLUT"], ["mbps_per_kge", "per kGE"], ["verified", "verified"],
  ["hash", "hash"]];
const LITERATURE = [["label", "design"], ["device", "device"], ["area_ge", "GE"], ["lut", "LUT"],
  ["slices", "slices"], ["block_ram", "RAM"], ["clock_mhz", "MHz"],
  ["throughput_mbps", "Mbit/s"], ["citation", "citation"]];
const TEXTS = new Set(["name", "target", "flow", "verified", "hash", "label", "device",
  "citation"]);
const FRACTIONS = new Set(["cycle_ns", "fmax_mhz", "clock_mhz", "throughput_mbps",
  "mbps_per_klut", "mbps_per_kge"]);
const CHOICES = DATA.choices;
const NOTHING = "nothing is left: tick more values";

const inOrder = (values) =>
  [...new Set(values)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
const named = (value) => value || "none";
const byId = (id) => document.getElementById(id);
const left = {}; // the values that a filter has taken out, by choice
let chosen = null;
let sorted = { key: "name", up: true };

function element(name, attributes = {}, text = null, space = null) {
  const made = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}
const svg = (name, attributes, text) =>
  element(name, attributes, text, "http://www.w3.org/2000/svg");

function number(value, key) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  const whole = Number.isInteger(value) && !FRACTIONS.has(key);
  const digits = whole || Math.abs(value) >= 100 ? 0 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function options(id, pairs) {
  const select = byId(id);
  const before = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
  if (pairs.some(([value]) => value === before)) select.value = before;
}

const ofTarget = () => DATA.points.filter((p) => p.target === byId("target").value);
const shown = () => ofTarget().filter((p) =>
  CHOICES.every((choice) => !left[choice] || !left[choice].has(p.choices[choice])));
const placed = (points) => {
  const x = byId("unit").value, y = byId("speed").value;
  return points.filter((p) => p[x] > 0 && p[y] > 0);
};

function frontOf(points) {
  // Less area and more speed are better; of equals the first one stays.
  const x = byId("unit").value, y = byId("speed").value, best = [];
  const ranked = [...points].sort((a, b) => a[x] - b[x] || b[y] - a[y]);
  for (const p of ranked) if (!best.length || p[y] > best[best.length - 1][y]) best.push(p);
  return best;
}

function axes() {
  const points = ofTarget();
  const has = (key) => points.some((p) => p[key] > 0);
  options("unit", Object.entries(UNITS).filter(([key]) => has(key)));
  options("speed", Object.entries(SPEEDS).filter(([key]) => has(key)));
}

function filters() {
  const box = byId("filters");
  box.replaceChildren();
  for (const choice of CHOICES) {
    const values = inOrder(ofTarget().map((p) => p.choices[choice]));
    if (values.length < 2) continue;
    const set = element("fieldset", { "data-choice": choice });
    set.append(element("legend", {}, choice.replaceAll("_", " ")));
    for (const value of values) {
      const label = element("label");
      const tick = element("input", { type: "checkbox", value });
      tick.checked = !(left[choice] && left[choice].has(value));
      tick.addEventListener("change", () => {
        left[choice] ??= new Set();
        if (tick.checked) left[choice].delete(value); else left[choice].add(value);
        draw();
      });
      label.append(tick, " ", named(value));
      set.append(label);
    }
    box.append(set);
  }
}

function colours(points) {
  const choice = byId("colour").value;
  const values = inOrder(points.map((p) => p.choices[choice]));
  const of = Object.fromEntries(values.map((v, i) => [v, COLOURS[i % COLOURS.length]]));
  const legend = byId("legend");
  legend.replaceChildren();
  for (const value of values) {
    const entry = element("span");
    const dot = element("i");
    dot.style.background = of[value];
    entry.append(dot, named(value));
    legend.append(entry);
  }
  return (p) => of[p.choices[choice]];
}

function ticks(low, high) {
  const found = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
    for (const m of [1, 2, 5]) {
      const value = m * 10 ** e;
      if (value >= low && value <= high) found.push(value);
    }
  return found;
}

function draw() {
  const plane = byId("plane"), width = 760, height = 470;
  const box = { left: 66, right: 14, top: 12, bottom: 40 };
  const x = byId("unit").value, y = byId("speed").value;
  const all = placed(shown());
  const front = new Set(frontOf(all));
  const points = byId("only-front").checked ? [...front] : all;
  const literature = byId("published").checked ? placed(DATA.published) : [];
  plane.setAttribute("viewBox", `0 0 ${width} ${height}`);
  plane.replaceChildren();
  table("records", COLUMNS, byId("only-front").checked ? points : shown(), front);
  const both = [...points, ...literature];
  if (!both.length) {
    plane.append(svg("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, NOTHING));
    byId("legend").replaceChildren();
    return;
  }
  const range = (key) => {
    const values = both.map((p) => p[key]);
    return [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
  };
  const [x0, x1] = range(x), [y0, y1] = range(y);
  const share = (v, a, b) => Math.log(v / a) / Math.log(b / a);
  const px = (v) => box.left + share(v, x0, x1) * (width - box.left - box.right);
  const py = (v) => height - box.bottom - share(v, y0, y1) * (height - box.top - box.bottom);
  for (const v of ticks(x0, x1)) {
    plane.append(svg("line", { class: "grid", x1: px(v), x2: px(v), y1: box.top,
      y2: height - box.bottom }));
    plane.append(svg("text", { x: px(v), y: height - box.bottom + 15, "text-anchor": "middle" },
      number(v)));
  }
  for (const v of ticks(y0, y1)) {
    plane.append(svg("line", { class: "grid", x1: box.left, x2: width - box.right, y1: py(v),
      y2: py(v) }));
    plane.append(svg("text", { x: box.left - 6, y: py(v) + 4, "text-anchor": "end" }, number(v)));
  }
  plane.append(svg("text", { x: width - box.right, y: height - 8, "text-anchor": "end" },
    UNITS[x]));
  plane.append(svg("text", { x: 8, y: box.top + 2, "text-anchor": "start" }, SPEEDS[y]));
  const line = [...front].map((p) => `${px(p[x])},${py(p[y])}`).join(" ");
  plane.append(svg("polyline", { class: "front", points: line }));
  for (const p of literature) {
    const [a, b] = [px(p[x]), py(p[y])];
    const mark = svg("path", { class: "lit",
      d: `M${a - 4},${b - 4}L${a + 4},${b + 4}M${a - 4},${b + 4}L${a + 4},${b - 4}` });
    mark.append(svg("title", {}, `${p.label} (published): ${number(p[x])} ${UNITS[x]}, ` +
      `${number(p[y])} ${SPEEDS[y]}, ${p.device}`));
    plane.append(mark);
  }
  if (!points.length)
    plane.append(svg("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, NOTHING));
  const colour = colours(points);
  for (const p of points) {
    const name = `${p.name}, ${p.flow}: ${number(p[x])} ${UNITS[x]}, ${number(p[y])} ${SPEEDS[y]}`;
    const dot = svg("circle", { class: p === chosen ? "point chosen" : "point", cx: px(p[x]),
      cy: py(p[y]), r: front.has(p) ? 6 : 4.5, fill: colour(p), tabindex: 0, role: "button",
      "aria-label": name, "data-name": p.name });
    dot.append(svg("title", {}, name));
    dot.addEventListener("click", () => open(p));
    dot.addEventListener("keydown", (event) => { if (event.key === "Enter") open(p); });
    plane.append(dot);
  }
}

function table(id, columns, rows, front) {
  const there = columns.filter(([key]) => rows.some((row) => row[key] !== null &&
    row[key] !== undefined && row[key] !== ""));
  const head = element("tr");
  for (const [key, title] of there) {
    const cell = element("th", TEXTS.has(key) ? { class: "text" } : {}, title);
    cell.addEventListener("click", () => {
      sorted = { key, up: sorted.key === key ? !sorted.up : true };
      draw();
      literatureTable();
    });
    head.append(cell);
  }
  const order = [...rows].sort((a, b) => {
    const [u, v] = [a[sorted.key], b[sorted.key]];
    if (u === v) return 0;
    if (u === null || u === undefined) return 1;
    if (v === null || v === undefined) return -1;
    return (u < v ? -1 : 1) * (sorted.up ? 1 : -1);
  });
  const body = order.map((row) => {
    const line = element("tr", front && front.has(row) ? { class: "front" } : {});
    for (const [key] of there)
      line.append(element("td", TEXTS.has(key) ? { class: "text" } : {}, number(row[key], key)));
    if (row.choices) line.addEventListener("click", () => open(row));
    return line;
  });
  byId(id).querySelector("thead").replaceChildren(head);
  byId(id).querySelector("tbody").replaceChildren(...body);
}

const literatureTable = () => table("literature", LITERATURE, DATA.published, null);

function pairs(rows) {
  const made = element("table");
  for (const [name, value] of rows) {
    if (value === null || value === undefined || value === "") continue;
    const line = element("tr");
    line.append(element("td", { class: "text" }, name), element("td", {}, number(value)));
    made.append(line);
  }
  return made;
}

function open(p) {
  chosen = p;
  const sheet = byId("sheet");
  sheet.hidden = false;
  sheet.replaceChildren(element("h2", {}, p.name));
  sheet.append(element("p", { class: "note" }, `${p.target}, ${p.flow}`));
  sheet.append(element("code", { class: "command" }, p.command));
  const figures = COLUMNS.filter(([key]) => !["name", "target", "flow", "hash"].includes(key));
  sheet.append(pairs(figures.map(([key, title]) => [title, p[key]])));
  sheet.append(element("h2", {}, "Cycles"), pairs(p.cycles));
  sheet.append(element("h2", {}, "Choices"), pairs(Object.entries(p.choices)
    .map(([key, value]) => [key.replaceAll("_", " "), value])));
  if (p.picture) {
    sheet.append(element("h2", {}, "Placement"));
    sheet.append(element("img", { src: DATA.pictures[p.picture], alt: `Placement of ${p.name}` }));
  }
  if (p.components.length) sheet.append(element("h2", {}, "Components"), pairs(p.components));
  if (p.path.length) sheet.append(element("h2", {}, "Longest path, ns"), pairs(p.path));
  sheet.append(element("h2", {}, "Record"), pairs([["design hash", p.hash], ...p.tools]));
  const spec = element("details");
  spec.append(element("summary", {}, "spec"), element("pre", {}, p.spec));
  sheet.append(spec);
  draw();
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

options("target", DATA.targets.map((name) => [name, name]));
options("colour", CHOICES.map((name) => [name, name.replaceAll("_", " ")]));
if (CHOICES.includes("architecture")) byId("colour").value = "architecture";
byId("target").addEventListener("change", () => { chosen = null; axes(); filters(); draw(); });
for (const id of ["unit", "speed", "colour", "published", "only-front"])
  byId(id).addEventListener("change", draw);
byId("theme").addEventListener("click", theme);
axes();
filters();
draw();
literatureTable();
