// The controls: what is chosen is applied to the rows of all tables below the summary, and to the
// figures.

const bar = document.getElementById("choices");

// apply shows what suits the choice.
function apply() {
  for (const table of all("main table")) {
    for (const row of table.tBodies[0].rows) row.hidden = !suits(row.dataset);
    for (const cell of all("th[data-state], td[data-state]", table)) cell.hidden = !suits({ state: cell.dataset.state });
    const empty = [...table.tBodies[0].rows].every(row => row.hidden);
    table.hidden = empty && table.tBodies[0].rows.length > 0;
    table.parentNode.nextElementSibling.hidden = !table.hidden;
    setBack(table);
  }
  drawFigures();
}

for (const table of all("main table")) {
  table.parentNode.after(html("p", { class: "nothing", hidden: "hidden" }, "Nothing here for this choice."));
}

// choose sets a part of the choice.
function choose(name, value) {
  chosen[name] = value;
  apply();
}

// segments are buttons in place of a list, for the few states.
function segments(label, select) {
  const buttons = [...select.options].map(option => {
    const button = html("button", { type: "button", "data-value": option.value }, option.value || "all");
    button.addEventListener("click", () => press(option.value));
    return button;
  });
  const press = value => {
    for (const b of buttons) b.setAttribute("aria-pressed", b.dataset.value === value);
    choose("state", value);
  };
  for (const b of buttons) b.setAttribute("aria-pressed", b.dataset.value === select.value);
  const text = label.firstChild.textContent.trim();
  label.replaceWith(html("div", { class: "state" }, text + " ", html("span", { class: "segments", role: "group", "aria-label": text }, ...buttons)));
}

for (const select of all("select[data-choice]", bar)) {
  const name = select.dataset.choice;
  chosen[name] = select.value;
  if (name === "state") segments(select.parentNode, select);
  else select.addEventListener("change", () => choose(name, select.value));
}

const jump = document.getElementById("goto");
if (jump) {
  jump.addEventListener("change", () => {
    location.hash = jump.value;
    jump.value = "";
  });
}

// chip is a button that shows and hides an algorithm; it is also the legend of the page.
function chip(algorithm) {
  const button = html("button", { type: "button", class: "chip", "aria-pressed": "true" }, sample(looks.get(algorithm)), algorithm);
  button.addEventListener("click", () => {
    if (!chosen.hidden.delete(algorithm)) chosen.hidden.add(algorithm);
    pressed();
  });
  button.addEventListener("pointerenter", () => point(document, chosen.hidden.has(algorithm) ? "" : algorithm));
  button.addEventListener("pointerleave", () => point(document, ""));
  return button;
}

const chips = data.algorithms.length > 1 ? data.algorithms.map(a => chip(a.name)) : [];
const every = html("button", { type: "button", class: "every" }, "none");
every.addEventListener("click", () => {
  if (chosen.hidden.size > 0) chosen.hidden.clear();
  else data.algorithms.forEach(a => chosen.hidden.add(a.name));
  pressed();
});

// pressed brings chips and page in line with what is hidden.
function pressed() {
  chips.forEach((c, i) => c.setAttribute("aria-pressed", !chosen.hidden.has(data.algorithms[i].name)));
  every.textContent = chosen.hidden.size > 0 ? "all" : "none";
  apply();
}

if (chips.length > 0) bar.querySelector(".chips").append(...chips, every);

// A row under the pointer points at its algorithm's lines beside it.
for (const section of all("main section")) {
  section.addEventListener("pointerover", event => {
    const about = event.target.closest("tr[data-algorithm], .legend li[data-algorithm]");
    point(section, about ? about.dataset.algorithm : "");
  });
  section.addEventListener("pointerleave", () => point(section, ""));
}

// What a link leads to must not be folded away, nor what is printed.
function unfold(element) {
  for (let e = element; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
}
addEventListener("hashchange", () => unfold(document.getElementById(decodeURIComponent(location.hash.slice(1)))));
addEventListener("beforeprint", () => all("details").forEach(unfold));

bar.hidden = false;
apply();
