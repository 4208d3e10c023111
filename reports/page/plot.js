// Figures, drawn from their data by Observable Plot: one panel for each workload, all with the same
// axes, names at the ends of lines where they do not run into each other, values under the pointer.

const symbols = { "triangle-down": "triangle2", cross: "times" };
const direct = { lines: 6, gap: 12 }; // the most lines that are named where they end, and the pixels between names

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

// marksOf draws a series. Its shapes are found again by their label.
function marksOf(figure, s) {
  const line = figure.legend[s.line], points = pointsOf(s), color = paint(line.color), ariaLabel = () => "line:" + s.line;
  const single = figure.points || points.length === 1;
  const dots = single ? points : (s.marks || []).flatMap((v, i, all) => (i % 2 ? [] : [{ x: v, y: all[i + 1] }]));
  const look = { x: "x", y: "y", stroke: color, ariaLabel };
  return [
    Plot.line(points, { ...look, strokeWidth: 1.7, strokeDasharray: line.dashes?.join(" ") }),
    Plot.ruleX(points.filter(p => p.low), { x: "x", y1: "low", y2: "high", stroke: color, ariaLabel }),
    Plot.ruleY(points.filter(p => p.xlow), { y: "y", x1: "xlow", x2: "xhigh", stroke: color, ariaLabel }),
    Plot.dot(dots, { ...look, r: 3, symbol: symbols[line.marker] || line.marker || "circle", fill: line.hollow ? "var(--paper)" : color }),
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
  const all = series.flatMap(s => pointsOf(s).map(p => ({ ...p, line: s.line })));
  const plot = Plot.plot({
    width: place.clientWidth || 300, height: 210, marginLeft: 52, marginBottom: 24, marginRight: ends ? 92 : 12, marginTop: 8,
    x: scaleOf(figure.x), y: scaleOf(figure.y), style: { background: "none", color: "inherit", overflow: "visible" },
    ariaLabel: `${panel.title}: ${figure.ylabel} over ${figure.xlabel}`,
    marks: [
      ...series.flatMap(s => marksOf(figure, s)),
      Plot.dot(crossings, { x: "x", y: "y", r: 4.5, stroke: "currentColor", ariaLabel: () => "crossing" }),
      ends && Plot.text(ends, { x: "x", y: "y", text: "name", dx: 7, textAnchor: "start", fill: "currentColor", stroke: "var(--paper)", strokeWidth: 3 }),
      Plot.tip(all, Plot.pointer({ x: "x", y: "y", title: said(figure, panel), fill: "var(--paper)", className: "tip", fontSize: 11 })),
    ],
  });
  for (const shape of plot.querySelectorAll("[aria-label]")) {
    const [kind, line] = shape.getAttribute("aria-label").split(":");
    if (kind === "line" && line) shape.parentNode.dataset.algorithm = figure.legend[line].algorithm ?? "";
    if (kind === "crossing") shape.classList.add("crossing");
    shape.removeAttribute("aria-label");
  }
  plot.setAttribute("role", "img");
  place.append(...(panel.title ? [html("h3", {}, panel.title)] : []), plot);
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
    html("ul", { class: "legend" }, ...(named ? [] : legend.map(e => html("li", { "data-algorithm": e.algorithm }, sample(e), e.name)))),
    html("div", { class: "panels" }, ...places));
  panels.forEach((p, i) => drawPanel(places[i], figure, p, named ? names[i] : null));
}

function drawFigures() {
  for (const figure of data.figures) drawFigure(document.getElementById("figure-" + figure.name), figure);
}

// point sets all lines but those of one algorithm back; none does with "".
function point(root, algorithm) {
  for (const line of all(".panel g[data-algorithm]", root)) line.classList.toggle("back", algorithm !== "" && line.dataset.algorithm !== algorithm);
}

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) drawFigures(); // a phone resizes in height whenever it scrolls
  width = innerWidth;
});
