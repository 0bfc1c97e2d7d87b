"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // an element with text and children; text is never read as HTML
  function make(tag, about = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(about)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // sortable tables: numbers by data-sort, text as it is spelt, what is missing last
  function key(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.sort !== undefined) return cell.dataset.sort === "" ? null : Number(cell.dataset.sort);
    return cell.dataset.text ?? cell.textContent.trim();
  }
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a === b ? 0 : a < b ? -1 : 1);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }
  function sort(header) {
    const body = header.closest("table").tBodies[0];
    const sign = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const column = header.cellIndex;
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort((a, b) => compare(a[0], b[0], sign));
    body.append(...rows.map((pair) => pair[1]));
    for (const other of header.parentElement.cells) other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  }
  for (const button of all("table.sortable thead button")) {
    button.addEventListener("click", () => sort(button.closest("th")));
  }

  // one scene at a time in the exhibits; without this script all are shown
  const choice = one("#scene-choice");
  function choose() {
    for (const scene of all(".scene")) scene.hidden = choice.value !== "" && !scene.dataset.scene.split(" ").includes(choice.value);
  }
  if (choice) {
    choice.closest(".scene-choice").hidden = false;
    choice.addEventListener("change", choose);
    choose();
  }

  // what scrolls sideways can be reached by keyboard
  function reachable() {
    for (const box of all(".scroll, .plot")) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0; else box.removeAttribute("tabindex");
    }
  }
  for (const event of ["load", "resize", "toggle", "change"]) window.addEventListener(event, reachable, true);

  // the contents show where the reader is
  const links = new Map(all(".contents a").map((a) => [a.hash.slice(1), a]));
  if ("IntersectionObserver" in window) {
    const watch = new IntersectionObserver((seen) => {
      for (const entry of seen) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.classList.toggle("here", link === links.get(entry.target.id));
      }
    }, { rootMargin: "-15% 0px -75% 0px" });
    for (const id of links.keys()) { const part = document.getElementById(id); if (part) watch.observe(part); }
  }

  // person browser
  const browser = one("#browser");
  if (!browser) return;
  const data = JSON.parse(one("#people-data").textContent);
  const [scenes, persons, previous, next] = ["#person-scene", "#person", "#previous", "#next"].map((id) => one(id));
  const shown = (value) => value === null || value === undefined ? "–" : typeof value === "string" ? value : String(Number(value.toPrecision(12))).replace("-", "−");
  const short = (value) => value === null || value === undefined ? "–" : value.toFixed(2).replace("-", "−");
  const many = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const stood = "do nothing", rebuilt = "reconstruction only";

  // a strip from the least to the greatest of all people, with where one stands and where they are sent
  function strip(from, to, colour) {
    if (typeof from !== "number") return [];
    const svg = (tag, about) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(about)) element.setAttribute(name, value);
      return element;
    };
    const at = (share) => 5 + 110 * share;
    const percent = (share) => `${Math.round(100 * share)}\u202f%`;
    const moved = typeof to === "number";
    const text = `${percent(from)} of all people have at most this` + (moved ? `, ${percent(to)} at most what is advised` : "");
    const picture = svg("svg", { class: "strip", viewBox: "0 0 120 12", role: "img", "aria-label": text, style: colour ? `--colour:${colour}` : "" });
    const title = svg("title", {});
    title.textContent = text;
    picture.append(title, svg("line", { x1: 5, x2: 115, y1: 6, y2: 6 }));
    if (moved) picture.append(svg("line", { class: "way", x1: at(from), x2: at(to), y1: 6, y2: 6 }));
    picture.append(svg("circle", { cx: at(from), cy: 6, r: 3.5 }));
    if (moved) picture.append(svg("circle", { class: "goal", cx: at(to), cy: 6, r: 4 }));
    return [picture];
  }

  function words(scene, j) { return scene.words[j] || scene.features[j]; }

  function verdicts(scene, advice, verb) {
    const known = [...advice.judged].filter((sign) => sign !== " ").length;
    const kept = [...advice.judged].filter((sign) => sign === "1").length;
    if (!known) return [make("p", {}, "No rival judged this.")];
    const dots = make("span", { class: "dots", "aria-hidden": "true", style: `--colour:${data.colours[advice.method]}` },
      ...[...advice.judged].map((sign, k) => make("i", sign === "1" ? { class: "yes", title: `${scene.rivals[k]} accepts` }
        : sign === "0" ? { class: "no", title: `${scene.rivals[k]} refuses` } : { hidden: "" })));
    const share = Math.round(100 * kept / known);
    const line = make("p", { class: "kept" }, `${verb} ${kept} of ${many(known, "rival")} (${share}\u202f%)`, dots);
    const named = (sign) => scene.rivals.filter((_, k) => advice.judged[k] === sign);
    const list = (label, names) => names.length ? [make("p", {}, label), make("ul", {}, ...names.map((n) => make("li", {}, n)))] : [];
    const which = make("details", {}, make("summary", {}, "Which rivals"),
      ...list("Accept:", named("1")), ...list("Refuse:", named("0")));
    return [line, which];
  }

  function standing(scene, person) {
    const rows = scene.features.map((name, j) => make("tr", {},
      make("td", { title: name }, words(scene, j)), make("td", {}, ...strip(person.ranks[j])),
      make("td", { class: "figure" }, shown(person.values[j]))));
    const idle = person.advice.find((advice) => advice.method === stood);
    return make("div", { class: "standing" }, make("h3", {}, `Where person ${person.person} stands`),
      ...(scene.note ? [make("p", { class: "twin-line" }, scene.note)] : []),
      make("table", {}, make("tbody", {}, ...rows)),
      ...(idle && idle.found ? verdicts(scene, idle, "As they stand, accepted by") : []));
  }

  function advised(scene, person, advice) {
    const colour = data.colours[advice.method];
    const head = make("h4", {}, make("span", { class: "method" },
      make("i", { class: "swatch", style: `--colour:${colour}` }), advice.method));
    const card = make("article", { class: "advised", "data-method": advice.method }, head, make("p", { class: "say" }, advice.sentence));
    if (!advice.found) {
      head.append(make("span", { class: "aside" }, `no advice: ${advice.outcome.replaceAll("_", " ")}`));
      return card;
    }
    head.append(make("span", { class: "aside cost" }, `total shift ${short(advice.total)}, maximal ${short(advice.max)}`));
    const moves = scene.features.map((_, j) => j).filter((j) => advice.values.length && advice.values[j] !== person.values[j]);
    if (moves.length) {
      card.append(make("ul", { class: "moves" }, ...moves.map((j) => make("li", { title: scene.features[j] }, `${words(scene, j)} `,
        make("b", {}, `${shown(person.values[j])} → ${shown(advice.values[j])}`),
        ...(typeof advice.ranks[j] === "number" ? strip(person.ranks[j], advice.ranks[j], colour) : [])))));
    }
    card.append(...verdicts(scene, advice, "Kept by"));
    return card;
  }

  function show(link) {
    const scene = data.scenes[scenes.selectedIndex];
    const k = persons.selectedIndex;
    previous.disabled = k <= 0;
    next.disabled = k < 0 || k >= scene.people.length - 1;
    if (k < 0) {
      one("#position").textContent = "";
      one("#sheet").replaceChildren(make("p", { class: "measured none" }, "Nobody was asked about in this scene."));
      return;
    }
    const person = scene.people[k];
    one("#position").textContent = `${k + 1} of ${scene.people.length}`;
    const order = person.advice.filter((advice) => advice.method !== stood);
    one("#sheet").replaceChildren(make("div", { class: "sheet" }, standing(scene, person),
      make("div", { class: "advice" }, make("h3", {}, "What each method advises"), ...order.map((advice) => advised(scene, person, advice)))));
    if (link) history.replaceState(null, "", `#person/${scene.slug}/${encodeURIComponent(person.person)}`);
  }

  function fill() {
    const scene = data.scenes[scenes.selectedIndex];
    persons.replaceChildren(...scene.people.map((person) => make("option", {}, person.person)));
  }

  // #person/<scene>/<person> opens the browser there
  function follow() {
    const [what, slug, ...label] = location.hash.slice(1).split("/");
    if (what !== "person") return false;
    const s = data.scenes.findIndex((scene) => scene.slug === slug);
    if (s < 0) return false;
    scenes.selectedIndex = s;
    fill();
    let person = label.join("/");
    try { person = decodeURIComponent(person); } catch { /* a hand-written address */ }
    persons.selectedIndex = Math.max(0, data.scenes[s].people.findIndex((one) => one.person === person));
    if (!data.scenes[s].people.length) persons.selectedIndex = -1;
    show(false);
    one("#people").scrollIntoView();
    return true;
  }

  browser.hidden = false;
  scenes.append(...data.scenes.map((scene) => make("option", {}, scene.label)));
  scenes.addEventListener("change", () => { fill(); show(true); });
  persons.addEventListener("change", () => show(true));
  for (const [button, step] of [[previous, -1], [next, 1]]) {
    button.addEventListener("click", () => { persons.selectedIndex += step; show(true); });
  }
  window.addEventListener("hashchange", follow);
  if (!follow()) {
    scenes.selectedIndex = Math.max(0, data.scenes.findIndex((scene) => scene.people.length));
    fill();
    show(false);
  }
})();
