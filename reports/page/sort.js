// Columns that sort. A click on a head sorts upwards, a second one downwards, a third one gives the
// report's order back.

const collator = new Intl.Collator("en", { numeric: true });

// compare orders two entries of a column: figures by value, the rest as text. An entry without a
// value comes last either way.
function compare(a, b, figures, down) {
  const sign = down ? -1 : 1;
  if (!figures) return sign * collator.compare(a.textContent, b.textContent);
  const x = a.dataset.value, y = b.dataset.value;
  if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
  return sign * (x - y);
}

// sortBy sorts a table by a column; order is "ascending", "descending" or "none".
function sortBy(table, column, order) {
  const body = table.tBodies[0];
  const figures = table.tHead.rows[0].cells[column].classList.contains("r");
  const rows = all("tr", body).sort((a, b) => a.dataset.place - b.dataset.place);
  if (order !== "none") {
    rows.sort((a, b) => compare(a.cells[column], b.cells[column], figures, order === "descending"));
  }
  body.append(...rows);
  for (const head of table.tHead.rows[0].cells) head.setAttribute("aria-sort", "none");
  table.tHead.rows[0].cells[column].setAttribute("aria-sort", order);
  setBack(table);
}

// nameIn is the name in a cell, without the mark of a footnote.
const nameIn = cell => cell.firstChild?.textContent;

// setBack sets names back that stand in the row above, as in a table on paper.
function setBack(table) {
  let above = null;
  for (const row of table.tBodies[0].rows) {
    if (row.hidden) continue;
    let same = above !== null;
    all("td.name:not(.who)", row).forEach((cell, i) => {
      same = same && !cell.querySelector("sup") && nameIn(cell) === nameIn(above.cells[cell.cellIndex]);
      cell.classList.toggle("said", same);
      if (i === 0) row.classList.toggle("begins", !same && above !== null);
    });
    above = row;
  }
}

const nextOrder = { none: "ascending", ascending: "descending", descending: "none" };

for (const table of all("section table")) {
  all("tbody tr", table).forEach((row, i) => { row.dataset.place = i; });
  for (const head of table.tHead.rows[0].cells) {
    head.setAttribute("aria-sort", "none");
    const button = html("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(table, head.cellIndex, nextOrder[head.getAttribute("aria-sort")]));
  }
  for (const cell of all("td.who", table)) {
    const look = looks.get(cell.parentNode.dataset.algorithm);
    if (look) cell.prepend(sample(look));
  }
  setBack(table);
}
