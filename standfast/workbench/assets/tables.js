// What several screens draw alike: tables, and what went wrong.

import { make } from "./person.js";

export const problem = (error) => make("p", { class: "problem", role: "alert" }, error.message);

// a table with its caption; the first cell of a row is its head, and `figures` are columns of numbers
export function table(caption, heads, rows, figures = []) {
  const look = (k) => figures.includes(k) ? "figure" : "";
  return make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads.map((text, k) => make("th", { scope: "col", class: look(k) }, text)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, k) => make(k ? "td" : "th", { scope: k ? null : "row", class: look(k) }, cell))))));
}
