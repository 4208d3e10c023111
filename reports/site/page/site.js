"use strict";
// What all pages share: making elements, writing figures, sorting tables, finding in lists.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// html makes an element. Texts become text nodes, never markup.
function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const digits = (v, n = 3) => v.toLocaleString("en-US", { maximumSignificantDigits: n });

// time writes nanoseconds.
function time(ns) {
  if (ns === null || ns === undefined) return "–";
  for (const [size, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) if (ns >= size * 0.9995) return digits(ns / size) + " " + name;
  return digits(ns) + " ns";
}

const memory = bytes => (bytes === null ? "–" : digits(bytes / 1048576) + " MiB");

// measures are what engines are ranked by and plotted over.
const measures = {
  mean: { name: "mean step", write: time }, p99: { name: "p99 step", write: time }, max: { name: "longest step", write: time },
  first: { name: "time to the first mask", write: time }, offline: { name: "offline time", write: time }, memory: { name: "memory", write: memory },
};

// picture makes a plot one image for readers of screens: its label and description say what is in it.
function picture(plot) {
  for (const e of all("[aria-label]", plot)) e.removeAttribute("aria-label");
  plot.setAttribute("role", "img");
  return plot;
}

// short is a name as far as a plot has room; the whole one stands in the table.
const short = (name, most) => (name.length > most ? name.slice(0, most - 1) + "…" : name);

// spread moves the names of a plot down that would run into others.
function spread(plot) {
  const placed = [];
  const names = all(".names text", plot).map(e => ({ e, box: e.getBoundingClientRect(), at: e.getAttribute("transform").match(/[-\d.]+/g).map(Number) }));
  for (const name of names.sort((p, q) => p.box.top - q.box.top)) {
    const hits = p => p.left < name.box.right && name.box.left < p.right && Math.abs(p.top - top) < 12;
    let top = name.box.top;
    for (let p; (p = placed.find(hits)); ) top = p.top + 12.5;
    placed.push({ left: name.box.left, right: name.box.right, top });
    name.e.setAttribute("transform", `translate(${name.at[0]},${name.at[1] + top - name.box.top})`);
  }
}

const slug = name => [...name].map(c => (/[a-z0-9.-]/.test(c) ? c : /[A-Z]/.test(c) ? c.toLowerCase() : "-")).join("");
const unique = list => [...new Set(list)];

// options fills a select and keeps what was chosen where it is still there.
function options(select, values, names = values) {
  const before = select.value;
  select.replaceChildren(...values.map((v, i) => html("option", { value: v }, names[i])));
  if (values.includes(before)) select.value = before;
}

// sortable gives the heads of a table buttons that sort its rows.
function sortable(table) {
  for (const head of table.tHead.rows[0]?.cells || []) {
    if (head.querySelector("button")) continue;
    const button = html("button", { type: "button" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => {
        const cell = row.cells[head.cellIndex];
        if (cell.dataset.value === undefined) return cell.textContent;
        return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
      };
      const compare = (a, b) => {
        if (typeof a === "string") return a.localeCompare(b);
        if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b); // what is missing stays last
        return up ? a - b : b - a;
      };
      const rows = [...table.tBodies[0].rows].map(row => [key(row), row]).sort((a, b) => compare(a[0], b[0]));
      if (!up && typeof rows[0]?.[0] === "string") rows.reverse();
      table.tBodies[0].append(...rows.map(r => r[1]));
    });
  }
}
all("table.ranking").forEach(sortable);

for (const link of all("header nav a")) if (link.href === location.href.split("#")[0]) link.setAttribute("aria-current", "page");

// finding hides the items of a list that do not have the text.
for (const input of all("input[data-find]")) {
  input.parentNode.hidden = false;
  input.addEventListener("input", () => {
    for (const item of document.getElementById(input.dataset.find).children) item.hidden = !item.textContent.toLowerCase().includes(input.value.toLowerCase());
  });
}
