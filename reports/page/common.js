// What the other parts share: the data, the reader's choice, making elements, and how values are
// written.

const data = JSON.parse(document.getElementById("figure-data").textContent);

// The reader's choice: "" for all, and the algorithms that are hidden.
const chosen = { workload: "", tokenizer: "", state: "", hidden: new Set() };

// suits reports whether something that is about these is to be shown. What it does not say, it is
// about all of.
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

// looks are how algorithms are drawn, by name.
const looks = new Map(data.algorithms.map(a => [a.name, a]));

// Black is the colour of text, whatever that is.
const paint = color => (color === "#000000" ? "currentColor" : color);

// stroke is how a line is drawn. Dashes are in points.
const stroke = line => ({
  stroke: paint(line.color), "stroke-width": 1.7, "stroke-linejoin": "round",
  "stroke-dasharray": line.dashes && line.dashes.map(d => +(d * 1.1).toFixed(2)).join(" "),
});

// marker is the marker of a line; a hollow one has the colour of the page inside, and is a little
// larger.
const marker = (line, x, y) => svg("path", {
  d: data.markers[line.marker] || "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z", class: line.hollow ? "hollow" : null,
  transform: `translate(${x} ${y})` + (line.hollow ? " scale(1.25)" : ""),
  ...(line.hollow ? { stroke: paint(line.color), "stroke-width": 1.1 } : { fill: paint(line.color) }),
});

// sample is a piece of a line with its marker, as a legend has it.
const sample = line => svg("svg", { class: "look", width: 26, height: 10, viewBox: "0 -5 26 10", "aria-hidden": "true" },
  svg("path", { d: "M0 0H26", fill: "none", ...stroke(line) }), marker(line, 13, 0));

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
