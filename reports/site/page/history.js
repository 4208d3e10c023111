// A workload over the results that have it, in the order of their dates.

const when = new Map(Object.entries(runs).map(([result, [revision, finished]]) => [result, { revision, finished }]));
const workload = document.getElementById("workload"), vocabulary = document.getElementById("vocabulary");
const table = document.querySelector("main table"), figure = document.getElementById("lines");

// often are the values of a part of rows that more than one result has.
const often = (list, part) => unique(list.map(r => r[part])).filter(v => new Set(list.filter(r => r[part] === v).map(r => r.result)).size > 1);

function show() {
  const mine = rows.filter(r => r.workload === workload.value);
  options(vocabulary, often(mine, "vocabulary"));
  const state = mine.some(r => r.state === "new") ? "new" : "first";
  const left = mine.filter(r => r.vocabulary === vocabulary.value && r.state === state && r.mean !== null);
  const results = unique(left.map(r => r.result)).sort((p, q) => when.get(p).finished.localeCompare(when.get(q).finished));
  const engines = often(left, "engine");
  document.getElementById("none").hidden = results.length > 1;
  const name = r => `${r} (${[when.get(r).revision, when.get(r).finished.slice(0, 10)].filter(Boolean).join(", ") || "date unknown"})`;
  table.tHead.replaceChildren(html("tr", {}, html("th", { scope: "col" }, "Engine"), ...results.map(r => html("th", { scope: "col", class: "r" }, name(r)))));
  table.tBodies[0].replaceChildren(...engines.map(e => html("tr", {}, html("th", { scope: "row" }, e), ...results.map(result => {
    const r = left.find(r => r.engine === e && r.result === result);
    return html("td", { class: "r", "data-value": r?.mean ?? "" }, r ? html("a", { href: r.record }, time(r.mean)) : "–");
  }))));
  sortable(table);
  figure.hidden = results.length < 2 || engines.length === 0;
  if (figure.hidden) return;
  figure.querySelector("figcaption").textContent = `Mean step of ${workload.value} with ${vocabulary.value}, state ${state}, by result`;
  const lines = left.filter(r => engines.includes(r.engine));
  const ends = engines.map(e => left.filter(r => r.engine === e).sort((p, q) => results.indexOf(p.result) - results.indexOf(q.result)).at(-1));
  const width = Math.min(880, figure.parentNode.clientWidth);
  const drawn = picture(Plot.plot({
    width, height: 360, marginLeft: 66, marginRight: 120, marginTop: 26, marginBottom: 80,
    ariaLabel: figure.querySelector("figcaption").textContent, style: { background: "none", color: "inherit", fontSize: "12px" },
    x: { type: "point", domain: results, label: null, tickRotate: -30 }, y: { type: "log", grid: true, ticks: 5, tickFormat: time, label: "mean step" },
    marks: [
      Plot.line(lines, { x: "result", y: "mean", z: "engine", stroke: "color", sort: r => results.indexOf(r.result) }),
      Plot.dot(lines, { x: "result", y: "mean", fill: "color" }),
      Plot.text(ends, { x: "result", y: "mean", text: r => short(r.engine, width < 500 ? 16 : 24), className: "names", stroke: "var(--paper)", strokeWidth: 3, dx: 8, textAnchor: "start", fill: "currentColor" }),
    ],
  }));
  figure.querySelector(".plot").replaceChildren(drawn);
  spread(drawn);
}
options(workload, often(rows, "workload"));
document.getElementById("none").hidden = workload.options.length > 0;
document.getElementById("pick").hidden = workload.options.length === 0;
if (workload.options.length > 0) {
  workload.addEventListener("change", show);
  vocabulary.addEventListener("change", show);
  show();
}
