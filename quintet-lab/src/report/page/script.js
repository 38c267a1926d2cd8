// Finds rows in the tables, sorts them, and marks the section that is read. Without it, the page
// shows everything as it is.
"use strict";

const find = document.getElementById("find");
const found = document.getElementById("found");
const rows = [...document.querySelectorAll("tbody tr")];

// Shows the rows that have the text, in all tables.
function filter() {
  const wanted = find.value.trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
    if (!row.hidden) count++;
  }
  found.textContent = wanted ? `${count} of ${rows.length} rows` : "";
}
find.addEventListener("input", filter);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && event.target !== find) {
    event.preventDefault();
    find.focus();
  }
  if (event.key === "Escape" && event.target === find) {
    find.value = "";
    filter();
    find.blur();
  }
});

// Numbers have their thousands apart and may have a unit; addresses are hexadecimal.
function value(text) {
  const number = Number.parseFloat(text.replace(/\s(?=\d)/g, "").replace("\u2212", "-"));
  if (text.startsWith("0x")) return Number(text);
  return Number.isNaN(number) ? text.trim().toLowerCase() : number;
}

function compare(left, right) {
  if (typeof left === typeof right) return left < right ? -1 : Number(left > right);
  return typeof left === "number" ? -1 : 1;
}

// Cells with nothing in them come last, in either order.
function inOrder(rows, key, sign) {
  return rows.sort((left, right) => {
    const [one, other] = [key(left), key(right)];
    if (one === "" || other === "") return Number(one === "") - Number(other === "");
    return sign * compare(one, other);
  });
}

// The heads of a table sort it: numbers the largest first, then the other way round.
function sort(table, head, column) {
  const isNumber = head.classList.contains("number");
  const order = head.getAttribute("aria-sort");
  const isDescending = order ? order === "ascending" : isNumber;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const key = (row) => value(row.cells[column]?.textContent ?? "");
  body.append(...inOrder([...body.rows], key, isDescending ? -1 : 1));
}

for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.addEventListener("click", () => sort(table, head, column));
    head.replaceChildren(button);
  });
}

// The section nearest to the top is the current one of the list.
const links = new Map(
  [...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]),
);
const seen = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target.id);
    else seen.delete(target.id);
  }
  const first = [...links.keys()].find((id) => seen.has(id));
  for (const [id, link] of links) {
    if (id === first) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
});
document.querySelectorAll("main section").forEach((section) => observer.observe(section));
