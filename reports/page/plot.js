// Figures, drawn from their data as SVG: one panel for each workload, all with the same axes, and
// values under the pointer.

const room = { right: 12, top: 8, bottom: 20 };
const tip = document.getElementById("tip");

// scale turns values of an axis into places from a to b, and back.
function scale(axis, a, b) {
  const f = axis.log ? Math.log10 : v => v, g = axis.log ? v => 10 ** v : v => v;
  const low = f(axis.min), high = f(axis.max);
  const to = v => a + (b - a) * (f(v) - low) / (high - low);
  to.back = p => g(low + (high - low) * (p - a) / (b - a));
  return to;
}

// spaced picks the labels that do not run into the one before.
function spaced(ticks, place, size) {
  let end = -Infinity;
  return ticks.filter(t => t.label).sort((s, t) => place(s.at) - place(t.at)).filter(t => {
    const p = place(t.at), half = size(t.label) / 2;
    if (p - half < end + 4) return false;
    end = p + half;
    return true;
  });
}

// writeOn writes a value of an axis. Where the axis begins at zero, which a logarithm has no place
// for, what is below 1 lies evenly.
const writeOn = (axis, v) => write(axis.zero && v < 1 ? Math.max(0, (v - axis.min) / (1 - axis.min)) : v, axis.unit);

const letters = label => 6 * label.length;

// frame draws axes and grid.
function frame(figure, w, h, x, y, left) {
  const g = svg("g");
  for (const t of spaced(figure.x.ticks, x, letters)) {
    const p = x(t.at).toFixed(1);
    g.append(svg("path", { class: "grid", d: `M${p} ${room.top}V${h - room.bottom}` }));
    const end = +p + letters(t.label) / 2 > w;
    g.append(svg("text", { x: end ? w : p, y: h - 6, "text-anchor": end ? "end" : "middle" }, t.label));
  }
  for (const t of spaced(figure.y.ticks, y, () => 9)) {
    const p = y(t.at).toFixed(1);
    g.append(svg("path", { class: "grid", d: `M${left} ${p}H${w - room.right}` }));
    g.append(svg("text", { x: left - 5, y: +p + 3.5, "text-anchor": "end" }, t.label));
  }
  g.append(svg("path", { class: "axis", fill: "none", d: `M${left} ${room.top}V${h - room.bottom}H${w - room.right}` }));
  return g;
}

// whisker is an interval, along x or y.
const whisker = (line, a, b, along) => svg("path", {
  d: along === "x" ? `M${a.x} ${a.y}H${b.x}M${a.x} ${a.y - 3}v6M${b.x} ${a.y - 3}v6`
    : `M${a.x} ${a.y}V${b.y}M${a.x - 3} ${a.y}h6M${a.x - 3} ${b.y}h6`,
  stroke: paint(line.color), fill: "none",
});

// drawSeries draws one line, its intervals and its markers.
function drawSeries(series, line, x, y) {
  const g = svg("g", { "data-algorithm": line.algorithm });
  const at = (a, b) => ({ x: +x(a).toFixed(1), y: +y(b).toFixed(1) });
  const path = series.x.map((v, i) => at(v, series.y[i])).map(p => `${p.x} ${p.y}`).join("L");
  g.append(svg("path", { d: "M" + path, fill: "none", ...stroke(line) }));
  series.x.forEach((v, i) => {
    const w = series.y[i];
    if (series.xlow && series.xlow[i] < series.xhigh[i]) g.append(whisker(line, at(series.xlow[i], w), at(series.xhigh[i], w), "x"));
    if (series.low && series.low[i] < series.high[i]) g.append(whisker(line, at(v, series.low[i]), at(v, series.high[i]), "y"));
  });
  const marks = series.marks || [];
  for (let i = 0; i + 1 < marks.length; i += 2) {
    const p = at(marks[i], marks[i + 1]);
    g.append(marker(line, p.x, p.y));
  }
  return g;
}

// drawCrossing draws the small circle where one line overtakes another.
const drawCrossing = (c, x, y) => svg("circle", { class: "crossing", cx: x(c.x).toFixed(1), cy: y(c.y).toFixed(1), r: 4.5 });

// valueAt is the height of a line at x, between its points as the line is drawn; undefined where
// there is none.
function valueAt(series, v, x, y) {
  const i = series.x.findLastIndex(a => a <= v);
  if (i < 0 || (i === series.x.length - 1 && series.x[i] < v)) return undefined;
  if (i === series.x.length - 1) return series.y[i];
  const from = x(series.x[i]), part = (x(v) - from) / (x(series.x[i + 1]) - from);
  const a = y(series.y[i]), b = y(series.y[i + 1]);
  return y.back(a + (b - a) * part);
}

// readLines are the values of all lines at x, the line next to the pointer marked.
function readLines(figure, shown, at, x, y, crossings) {
  const v = x.back(at.x);
  const rows = shown.map(s => ({ line: figure.legend[s.line], value: valueAt(s, v, x, y) })).filter(r => r.value !== undefined);
  const far = r => Math.abs(y(r.value) - at.y);
  const near = rows.reduce((best, r) => (best && far(best) <= far(r) ? best : r), null);
  const met = crossings.filter(c => Math.hypot(x(c.x) - at.x, y(c.y) - at.y) < 12);
  return {
    x: at.x, head: `${figure.xlabel}: ${writeOn(figure.x, v)}`,
    rows: [...rows.map(r => ({ line: r.line, text: write(r.value, figure.y.unit), near: r === near && rows.length > 1, y: y(r.value) })),
      ...met.map(c => ({ label: `${c.after} overtakes ${c.before} at`, text: writeOn(figure.x, c.x) }))],
  };
}

// between writes the interval of point i, if it has one.
const between = (low, high, i, unit) => (low && low[i] < high[i] ? ` [${write(low[i], unit)}, ${write(high[i], unit)}]` : "");

// readPoint is the point next to the pointer; null if it has none near.
function readPoint(figure, shown, at, x, y) {
  let best = null;
  for (const s of shown) {
    s.x.forEach((v, i) => {
      const far = Math.hypot(x(v) - at.x, y(s.y[i]) - at.y);
      if (far < 60 && (!best || far < best.far)) best = { far, s, i };
    });
  }
  if (!best) return null;
  const { s, i } = best;
  const line = figure.legend[s.line];
  return {
    x: x(s.x[i]), head: line.name,
    rows: [
      { label: figure.xlabel, text: writeOn(figure.x, s.x[i]) + between(s.xlow, s.xhigh, i, figure.x.unit) },
      { label: figure.ylabel, text: write(s.y[i], figure.y.unit) + between(s.low, s.high, i, figure.y.unit), line, y: y(s.y[i]) },
    ],
  };
}

// showTip writes what was read beside the pointer, inside the window.
function showTip(read, left, top) {
  tip.replaceChildren(html("b", {}, read.head), html("table", {}, ...read.rows.map(r =>
    html("tr", { class: r.near ? "near" : null },
      html("td", {}, ...(r.label ? [r.label] : [sample(r.line), " ", r.line.name])), html("td", { class: "r" }, r.text)))));
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), gap = 14;
  const x = left + gap + box.width > innerWidth ? left - gap - box.width : left + gap;
  tip.style.left = Math.max(8, Math.min(x, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(8, Math.min(top + gap, innerHeight - box.height - 8)) + "px";
}

// clearLast takes away what is shown of the last panel.
let clearLast = () => {};
addEventListener("scroll", () => clearLast(), { passive: true });
addEventListener("pointerdown", event => { if (!event.target.closest(".panel svg")) clearLast(); });

// follow shows the values of a panel under the pointer, or under a line that the arrow keys move.
function follow(picture, figure, shown, crossings, x, y, h) {
  const read = figure.points ? readPoint : readLines;
  const cursor = svg("g", { class: "lines" });
  picture.append(cursor);
  const clear = () => { tip.hidden = true; cursor.replaceChildren(); };
  const leave = event => { if (event.pointerType !== "touch") clear(); }; // a lifted finger lets the values stay
  const show = at => {
    const box = picture.getBoundingClientRect(), found = read(figure, shown, at, x, y, crossings);
    if (!found) return clear();
    if (clearLast !== clear) clearLast();
    clearLast = clear;
    const size = box.width / picture.viewBox.baseVal.width;
    cursor.replaceChildren(svg("path", { class: "cursor", d: `M${found.x.toFixed(1)} ${room.top}V${h - room.bottom}` }),
      ...found.rows.filter(r => r.y !== undefined).map(r => svg("circle", { cx: found.x.toFixed(1), cy: r.y.toFixed(1), r: 3.5, fill: paint(r.line.color) })));
    showTip(found, box.left + at.x * size, box.top + at.y * size);
  };
  const inside = p => Math.max(x(figure.x.min), Math.min(p, x(figure.x.max)));
  const pointed = event => {
    const box = picture.getBoundingClientRect(), size = box.width / picture.viewBox.baseVal.width;
    show({ x: inside((event.clientX - box.left) / size), y: (event.clientY - box.top) / size });
  };
  picture.addEventListener("pointermove", pointed);
  picture.addEventListener("pointerdown", pointed);
  picture.addEventListener("pointerleave", leave);
  for (const event of ["pointercancel", "blur"]) picture.addEventListener(event, clear);
  let place = (x(figure.x.min) + x(figure.x.max)) / 2;
  picture.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") clear();
    if (!step) return;
    event.preventDefault();
    place = inside(place + step * (x(figure.x.max) - x(figure.x.min)) / 50);
    show({ x: place, y: h / 2 });
  });
}

// drawPanel draws a panel as wide as its place is. A hollow marker lies below, and so around, a
// filled one.
function drawPanel(place, figure, panel) {
  const shown = panel.series.filter(s => suits(figure.legend[s.line]));
  const hollow = s => Number(figure.legend[s.line].hollow || false);
  const names = new Set(shown.map(s => figure.legend[s.line].name));
  const crossings = (panel.crossings || []).filter(c => names.has(c.before) && names.has(c.after));
  const w = Math.max(160, place.clientWidth), h = Math.round(Math.max(150, Math.min(300, w * 0.62)));
  const left = 9 + Math.max(...figure.y.ticks.map(t => letters(t.label || "")));
  const x = scale(figure.x, left, w - room.right), y = scale(figure.y, h - room.bottom, room.top);
  const picture = svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", tabindex: 0,
    "aria-label": `${panel.title}: ${figure.ylabel} over ${figure.xlabel}; arrow keys read values` });
  picture.append(frame(figure, w, h, x, y, left),
    svg("g", { class: "lines" }, ...[...shown].sort((s, t) => hollow(t) - hollow(s)).map(s => drawSeries(s, figure.legend[s.line], x, y))),
    svg("g", {}, ...crossings.map(c => drawCrossing(c, x, y))));
  follow(picture, figure, shown, crossings, x, y, h);
  place.replaceChildren(html("h3", {}, panel.title), picture);
}

// drawFigure draws what is to be seen of a figure.
function drawFigure(element, figure) {
  const panels = figure.panels.filter(p => suits(p) && p.series.some(s => suits(figure.legend[s.line])));
  element.hidden = !suits(figure) || panels.length === 0;
  if (element.hidden) return;
  const used = new Set(panels.flatMap(p => p.series.map(s => s.line)));
  const legend = figure.legend.filter((line, i) => used.has(i) && suits(line));
  const places = panels.map(() => html("div", { class: "panel" }));
  element.replaceChildren(element.querySelector("figcaption"),
    html("ul", { class: "legend" }, ...legend.map(e => html("li", { "data-algorithm": e.algorithm }, sample(e), e.name))),
    html("div", { class: "panels" }, ...places));
  panels.forEach((p, i) => drawPanel(places[i], figure, p));
}

function drawFigures() {
  for (const figure of data.figures) drawFigure(document.getElementById("figure-" + figure.name), figure);
}

// point sets all lines but those of one algorithm back; none does with "".
function point(root, algorithm) {
  for (const line of all(".panel .lines > g", root)) line.classList.toggle("back", algorithm !== "" && line.dataset.algorithm !== algorithm);
}

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) drawFigures(); // a phone resizes in height whenever it scrolls
  width = innerWidth;
});
