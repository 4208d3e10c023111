// The page of one run: what is chosen is applied to the rows of all tables below the controls, and
// to the figures. These are drawn from their data by Observable Plot: one panel for each workload,
// all with the same axes, names at the ends of lines where they do not run into each other, values
// under the pointer.

const figures = JSON.parse(document.getElementById("figure-data").textContent);
const choices = document.getElementById("choices");

// suits reports whether something that is about these is to be shown. What it does not say, it is
// about all of.
let without; // the engines that are not shown
const suits = about => ["workload", "tokenizer", "state"].every(k => !choices.elements[k]?.value || !about[k] || about[k] === choices.elements[k].value) &&
  !without.includes(about.algorithm);

// apply shows what suits the choice.
function apply() {
  without = all("[name=algorithm]:not(:checked)", choices).map(box => box.value);
  for (const table of all(".keyed table")) {
    for (const row of table.tBodies[0].rows) row.hidden = !suits(row.dataset);
    for (const cell of all("th[data-state], td[data-state]", table)) cell.hidden = !suits({ state: cell.dataset.state });
    table.hidden = [...table.tBodies[0].rows].every(row => row.hidden);
    table.parentNode.nextElementSibling.hidden = !table.hidden;
  }
  for (const figure of figures) drawFigure(document.getElementById("figure-" + figure.name), figure);
}

// symbols are the markers that D3 calls otherwise.
const symbols = { "triangle-down": "triangle2", cross: "times" };
const symbolOf = line => symbols[line.marker] || line.marker || "circle";
const direct = { lines: 6, gap: 12 }; // the most lines that are named where they end, and the pixels between names

// Black is the colour of text, whatever that is.
const paint = color => (color === "#000000" ? "currentColor" : color);

// sample is a piece of a line with its marker, as a legend has it.
const sample = line => Object.assign(Plot.plot({ width: 28, height: 12, margin: 0, x: { domain: [0, 2], axis: null }, y: { domain: [-1, 1], axis: null }, style: { background: "none", overflow: "visible" },
  marks: [Plot.line([[0, 0], [2, 0]], { stroke: paint(line.color), strokeWidth: 1.7, strokeDasharray: line.dashes?.join(" ") }), dots([[1, 0]], line, {})] }), { ariaHidden: "true" });

// dots are the markers of a line; a hollow one has the colour of the page inside.
const dots = (points, line, look) => Plot.dot(points, { ...look, stroke: paint(line.color), r: 3, symbol: symbolOf(line), fill: line.hollow ? "var(--paper)" : paint(line.color) });

// write writes a value with its unit.
const write = (v, unit) => (unit === "share" ? digits(100 * v, v > 0.99 && v < 1 ? 4 : 3) + "%" : unit === "ns" ? time(v) : digits(v));

// writeOn writes a value of an axis. Where the axis begins at zero, which a logarithm has no place
// for, what is below 1 lies evenly.
const writeOn = (axis, v) => write(axis.zero && v < 1 ? Math.max(0, (v - axis.min) / (1 - axis.min)) : v, axis.unit);

// scaleOf is an axis as Plot wants it.
const scaleOf = axis => ({
  type: axis.log ? "log" : "linear", domain: [axis.min, axis.max], label: null, clamp: true, grid: true, tickSize: 0,
  ticks: axis.ticks.filter(t => t.label).map(t => t.at), tickFormat: v => axis.ticks.find(t => t.at === v)?.label ?? "",
});

// pointsOf are a series' points, with what lies around them.
const pointsOf = s => s.x.map((x, i) => ({ x, y: s.y[i], xlow: s.xlow?.[i], xhigh: s.xhigh?.[i], low: s.low?.[i], high: s.high?.[i] }))
  .filter(p => p.x !== null && p.y !== null);

// marksOf draws a series.
function marksOf(figure, s) {
  const line = figure.legend[s.line], points = pointsOf(s), color = paint(line.color);
  const single = figure.points || points.length === 1;
  const marked = single ? points : (s.marks || []).flatMap((v, i, all) => (i % 2 ? [] : [{ x: v, y: all[i + 1] }]));
  const look = { x: "x", y: "y", stroke: color };
  return [
    Plot.line(points, { ...look, className: "line", strokeWidth: 1.7, strokeDasharray: line.dashes?.join(" ") }),
    Plot.ruleX(points.filter(p => p.low), { x: "x", y1: "low", y2: "high", stroke: color }),
    Plot.ruleY(points.filter(p => p.xlow), { y: "y", x1: "xlow", x2: "xhigh", stroke: color }),
    dots(marked, line, look),
  ];
}

// endsOf are the names at the ends of a panel's lines; null where two would run into each other.
function endsOf(figure, series, height) {
  const f = figure.y.log ? Math.log10 : v => v, part = v => (f(v) - f(figure.y.min)) / (f(figure.y.max) - f(figure.y.min));
  const ends = series.map(s => ({ ...pointsOf(s).at(-1), name: figure.legend[s.line].name })).filter(e => e.y !== undefined).sort((a, b) => a.y - b.y);
  const apart = ends.every((e, i) => i === 0 || (part(e.y) - part(ends[i - 1].y)) * height >= direct.gap);
  return apart && ends.length <= direct.lines ? ends : null;
}

// said is what the tip says of a point.
const said = (figure, panel) => p => `${figure.legend[p.line].name}\n${figure.xlabel}: ${writeOn(figure.x, p.x)}\n${figure.ylabel}: ${writeOn(figure.y, p.y)}`;

// drawPanel draws a panel into its place.
function drawPanel(place, figure, panel, ends) {
  const series = panel.series.filter(s => suits(figure.legend[s.line]));
  const crossings = (panel.crossings || []).filter(c => [c.before, c.after].every(name => series.some(s => figure.legend[s.line].name === name)));
  const points = series.flatMap(s => pointsOf(s).map(p => ({ ...p, line: s.line })));
  const plot = Plot.plot({
    width: place.clientWidth || 300, height: 210, marginLeft: 52, marginBottom: 24, marginRight: ends ? 92 : 12, marginTop: 8,
    x: scaleOf(figure.x), y: scaleOf(figure.y), style: { background: "none", color: "inherit", overflow: "visible" },
    ariaLabel: `${panel.title}: ${figure.ylabel} over ${figure.xlabel}`,
    marks: [
      ...series.flatMap(s => marksOf(figure, s)),
      Plot.dot(crossings, { x: "x", y: "y", r: 4.5, stroke: "currentColor", className: "crossing" }),
      ends && Plot.text(ends, { x: "x", y: "y", text: "name", dx: 7, textAnchor: "start", fill: "currentColor", stroke: "var(--paper)", strokeWidth: 3 }),
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: said(figure, panel), fill: "var(--paper)", className: "tip", fontSize: 11 })),
    ],
  });
  place.append(...(panel.title ? [html("h3", {}, panel.title)] : []), picture(plot));
}

// drawFigure draws the panels that suit the choice, with a legend where names do not stand at lines.
function drawFigure(element, figure) {
  const panels = figure.panels.filter(p => suits(p) && p.series.some(s => suits(figure.legend[s.line])));
  element.hidden = !suits(figure) || panels.length === 0;
  if (element.hidden) return;
  const shown = p => p.series.filter(s => suits(figure.legend[s.line]));
  const used = new Set(panels.flatMap(p => shown(p).map(s => s.line)));
  const names = panels.map(p => endsOf(figure, shown(p), 178)), named = names.every(n => n);
  const legend = figure.legend.filter((line, i) => used.has(i));
  const places = panels.map(() => html("div", { class: "panel" }));
  element.replaceChildren(element.querySelector("figcaption"),
    html("ul", { class: "legend" }, ...(named ? [] : legend.map(e => html("li", {}, sample(e), e.name)))),
    html("div", { class: "panels" }, ...places));
  panels.forEach((p, i) => drawPanel(places[i], figure, p, named ? names[i] : null));
}

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) apply(); // a phone resizes in height whenever it scrolls
  width = innerWidth;
});

// What a link leads to must not be folded away, nor what is printed.
function unfold(element) {
  for (let e = element; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
}
addEventListener("hashchange", () => unfold(document.getElementById(decodeURIComponent(location.hash.slice(1)))));
addEventListener("beforeprint", () => all("main details").forEach(unfold));

choices.addEventListener("change", apply);
choices.addEventListener("submit", event => event.preventDefault());
choices.hidden = choices.elements.length === 0;
apply();
