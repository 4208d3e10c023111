// What the other parts share: the data, the reader's choice, making elements, and how values are written.

const data = JSON.parse(document.getElementById("figure-data").textContent);

// The reader's choice: "" for all, and the algorithms that are hidden.
const chosen = { workload: "", tokenizer: "", state: "", hidden: new Set() };

// suits reports whether something that is about these is to be shown. What it does not say, it is about all of.
const suits = about =>
  ["workload", "tokenizer", "state"].every(k => !chosen[k] || !about[k] || about[k] === chosen[k]) &&
  !chosen.hidden.has(about.algorithm);

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// fill gives an element its attributes and children. Texts become text nodes, never markup.
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// looks are how algorithms are drawn, by name: as in the first figure that has them.
const looks = new Map();
for (const figure of data.figures) {
  for (const entry of figure.legend) {
    if (entry.algorithm && !looks.has(entry.algorithm)) looks.set(entry.algorithm, entry);
  }
}

// Black is the colour of text, whatever that is.
const paint = color => (color === "#000000" ? "currentColor" : color);

// stroke is how the line of an entry is drawn. Dashes are in points.
const stroke = entry => ({
  stroke: paint(entry.color), "stroke-width": 1.7, "stroke-linejoin": "round",
  "stroke-dasharray": entry.dashes && entry.dashes.map(d => +(d * 1.25).toFixed(2)).join(" "),
});

// marker is that of an entry at a place.
const marker = (entry, x, y) => svg("path", {
  d: entry.marker, transform: `translate(${x} ${y})${entry.hollow ? " scale(1.3)" : ""}`,
  stroke: entry.hollow ? paint(entry.color) : "none", "stroke-width": 1,
  fill: entry.hollow ? "none" : paint(entry.color),
});

// sample is a piece of an entry's line with its marker, as a legend has it.
const sample = entry => svg("svg", { class: "look", width: 24, height: 10, viewBox: "0 -5 24 10", "aria-hidden": "true" },
  svg("path", { d: "M0 0H24", fill: "none", ...stroke(entry) }), marker(entry, 12, 0));

const plain = (v, digits = 3) => v.toLocaleString("en-US", { maximumSignificantDigits: digits });

// write writes a value with its unit.
function write(v, unit) {
  if (unit === "share") return plain(100 * v, v > 0.99 && v < 1 ? 4 : 3) + "%";
  if (unit !== "ns") return plain(v);
  for (const [size, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
    if (v >= size * 0.9995) return plain(v / size) + " " + name;
  }
  return plain(v) + " ns";
}
