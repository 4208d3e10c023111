// Two engines side by side: every workload, vocabulary and state that one run has of both.

const a = document.getElementById("a"), b = document.getElementById("b");
const table = document.querySelector("main table");
const engines = unique(rows.map(r => r.engine).filter(e => !/ #\d+$/.test(e))).sort();
options(a, engines);
options(b, engines);

// start takes the engines that the address names, as #a=psc&b=trie.
function start() {
  const asked = new URLSearchParams(location.hash.slice(1));
  a.value = engines.includes(asked.get("a")) ? asked.get("a") : often(engines);
  b.value = engines.includes(asked.get("b")) ? asked.get("b") : often(engines.filter(e => e !== a.value), meetings(a.value)) || a.value;
  show();
}

const key = r => [r.result, r.workload, r.vocabulary, r.state].join("\u0000");
// apart is whether the 95% intervals of two mean steps do not overlap. Nothing else has intervals.
const apart = (p, q) => p.low !== null && q.low !== null && (p.high < q.low || q.high < p.low);
// meetings are the rows of an engine that are about the same as one of the other engine.
const meetings = other => {
  const of = new Set(rows.filter(r => r.engine === other).map(key));
  return rows.filter(r => of.has(key(r)));
};
// often is the engine with the most of some rows.
const often = (list, of = rows) => list.map(e => [of.filter(r => r.engine === e).length, e]).sort((p, q) => q[0] - p[0])[0]?.[1];

function show() {
  const second = new Map(rows.filter(r => r.engine === b.value).map(r => [key(r), r]));
  const pairs = rows.filter(r => r.engine === a.value && second.has(key(r))).map(r => [r, second.get(key(r))]);
  document.getElementById("none").hidden = pairs.length > 0;
  const heads = ["Workload", "Vocabulary", "State", "Result", ...["Mean step", "p99 step", "First mask", "Memory"].flatMap(m => [`${m}, ${a.value}`, b.value, "ratio"]), `${a.value} right`, `${b.value} right`];
  table.tHead.replaceChildren(html("tr", {}, ...heads.map(h => html("th", { scope: "col" }, h))));
  table.tBodies[0].replaceChildren(...pairs.map(([p, q]) => html("tr", {},
    html("th", { scope: "row" }, p.workload), html("td", {}, p.vocabulary), html("td", {}, p.state), html("td", {}, p.result),
    ...["mean", "p99", "first", "memory"].flatMap(m => [
      html("td", { class: "r", "data-value": p[m] ?? "" }, html("a", { href: p.record }, measures[m].write(p[m]))),
      html("td", { class: "r", "data-value": q[m] ?? "" }, html("a", { href: q.record }, measures[m].write(q[m]))),
      html("td", { class: "r", "data-value": p[m] && q[m] ? q[m] / p[m] : "" }, p[m] && q[m] ? (m === "mean" && !apart(p, q) ? "~ " : "") + digits(q[m] / p[m]) : "–")]),
    html("td", {}, p.right), html("td", {}, q.right))));
  sortable(table);
}
for (const select of [a, b]) select.addEventListener("change", () => {
  history.replaceState(null, "", `#a=${encodeURIComponent(a.value)}&b=${encodeURIComponent(b.value)}`);
  show();
});
addEventListener("hashchange", start);
start();
