// The first page: each question's ranking and plot for what the reader chooses.

// value of a control by name.
const chosen = (form, name) => form.elements[name].value;

// control is a labelled select.
const control = (label, name) => html("label", {}, label, html("select", { name }));

// setUp makes the controls of a question.
function setUp(form) {
  const mine = rows.filter(r => r.question === form.dataset.question);
  form.append(control("Result", "result"), control("Workload", "workload"), control("Vocabulary", "vocabulary"), control("Engine state", "state"),
    control("Rank by", "rank"), control("Plot over", "over"),
    html("label", { class: "box" }, html("input", { type: "checkbox", name: "exact" }), "only without a known fault"));
  const names = Object.keys(measures);
  options(form.elements.rank, names, names.map(n => measures[n].name));
  options(form.elements.over, names, names.map(n => measures[n].name));
  form.elements.over.value = "first";
  form.elements.rank.value = "p99";
  form.hidden = false;
  const narrow = (preset) => {
    let left = mine;
    for (const part of ["result", "workload", "vocabulary", "state"]) {
      options(form.elements[part], unique(left.map(r => r[part])));
      if (preset) form.elements[part].value = form.dataset[part];
      left = left.filter(r => r[part] === chosen(form, part));
    }
    show(form, left);
  };
  form.addEventListener("change", () => narrow(false));
  form.addEventListener("submit", event => event.preventDefault());
  narrow(true);
}

// show writes ranking and plot.
function show(form, left) {
  const by = chosen(form, "rank"), over = chosen(form, "over");
  const shown = left.filter(r => !form.elements.exact.checked || r.exact);
  const last = r => (r[by] === null ? Infinity : r[by]);
  shown.sort((a, b) => !a.exact - !b.exact || last(a) - last(b));
  const answer = form.nextElementSibling, table = answer.querySelector("table");
  const least = {};
  for (const m of Object.keys(measures)) least[m] = Math.min(...shown.filter(r => r.exact && r[m] !== null).map(r => r[m]));
  table.tBodies[0].replaceChildren(...shown.map(r => line(r, least)));
  for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
  plot(answer.querySelector("figure"), shown, over, by);
}

// line is a row of the ranking; the least of a column stands in bold.
function line(r, least) {
  const cell = (m, ...more) => html("td", { class: "r" + (r.exact && r[m] === least[m] ? " least" : ""), "data-value": r[m] ?? "" }, measures[m].write(r[m]), ...more);
  const range = r.low === null ? [] : [" ", html("small", {}, `[${time(r.low)}, ${time(r.high)}]`)];
  return html("tr", { class: r.exact ? null : "inexact" },
    html("th", { scope: "row" }, html("a", { href: `engine-${slug(r.engine.replace(/ #\d+$/, ""))}.html` }, r.engine)),
    cell("mean", ...range), cell("p99"), cell("first"), cell("memory"), html("td", { class: "long" }, r.right),
    html("td", {}, html("a", { href: r.record, "aria-label": `Command and record of ${r.engine}` }, "record")));
}

// front are the rows that no other beats in both measures.
const front = (list, x, y) => list.filter(r => !list.some(o => o !== r && o[x] <= r[x] && o[y] <= r[y] && (o[x] < r[x] || o[y] < r[y])));

// plot draws one measure over another, both logarithmic, with the names beside the points.
function plot(figure, shown, x, y) {
  const points = shown.filter(r => r[x] > 0 && r[y] > 0);
  figure.hidden = points.length < 2 || x === y;
  if (figure.hidden) return;
  figure.querySelector("figcaption").textContent = `${measures[y].name} over ${measures[x].name}: left and below is better. ` +
    "The line joins the engines without a known fault that no other beats in both; hollow points have one.";
  const width = Math.min(880, figure.parentNode.clientWidth || 880);
  const edge = front(points.filter(r => r.exact), x, y).sort((a, b) => a[x] - b[x]);
  const paint = r => (r.color === "#000000" ? "currentColor" : r.color);
  const axis = m => ({ type: "log", label: measures[m].name, grid: true, ticks: width < 500 ? 2 : 5, tickFormat: measures[m].write, nice: true });
  const drawn = Plot.plot({
    width, height: Math.min(440, Math.max(300, width * 0.55)), marginLeft: 66, marginRight: width < 500 ? 70 : 130, marginTop: 26, marginBottom: 40,
    ariaLabel: figure.querySelector("figcaption").textContent, ariaDescription: points.map(r => `${r.engine}: ${measures[x].write(r[x])}, ${measures[y].write(r[y])}`).join("; "),
    style: { background: "none", color: "inherit", fontSize: "12px", overflow: "visible" },
    x: axis(x), y: axis(y),
    marks: [
      Plot.line(edge, { x, y, stroke: "currentColor", strokeOpacity: 0.45, strokeDasharray: "4 3" }),
      y === "mean" ? Plot.ruleX(points.filter(r => r.low !== null), { x, y1: "low", y2: "high", stroke: paint }) : null,
      Plot.dot(points, { x, y, r: 5, stroke: paint, strokeWidth: 1.8, fill: r => (r.exact ? paint(r) : "transparent") }),
      Plot.text(points.filter(r => !/ #\d+$/.test(r.engine)), { x, y, className: "names", text: r => short(r.engine, width < 500 ? 12 : 24), dx: 9, textAnchor: "start", stroke: "var(--paper)", strokeWidth: 3, fill: "currentColor" }),
      Plot.tip(points, Plot.pointer({ x, y, title: r => `${r.engine}\n${measures[x].name}: ${measures[x].write(r[x])}\n${measures[y].name}: ${measures[y].write(r[y])}\n${r.right}`, fill: "var(--paper)" })),
    ],
  });
  figure.querySelector(".plot").replaceChildren(picture(drawn));
  spread(drawn);
}

const forms = all("form[data-question]");
forms.forEach(setUp);
let wide = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === wide) return; // a phone resizes in height whenever it scrolls
  wide = innerWidth;
  for (const form of forms) form.dispatchEvent(new Event("change"));
});
