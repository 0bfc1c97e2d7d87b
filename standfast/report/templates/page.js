// follows person.js in one module: make, short and personView are its
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

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
  const place = (rank) => typeof rank === "number" ? rank : null;
  const stood = "do nothing";

  // what the person component draws, from the compact facts of a scene
  function facts(scene, person) {
    const judged = (advice) => [...(advice?.judged ?? "")].map((sign) => sign === " " ? null : sign === "1");
    const idle = person.advice.find((advice) => advice.method === stood);
    return {
      inputs: scene.features.map((name, j) => ({ name, words: scene.words[j] || name })),
      models: scene.rivals.map((name) => ({ name })),
      noun: "rival",
      note: scene.note,
      person: { label: person.person, values: person.values, shown: person.values.map(shown), places: person.ranks.map(place), verdicts: idle?.found ? judged(idle) : [] },
      advice: person.advice.filter((advice) => advice.method !== stood).map((advice) => ({
        ...advice, key: advice.method, title: advice.method, colour: data.colours[advice.method], verb: "Kept by",
        costs: `total shift ${short(advice.total)}, maximal ${short(advice.max)}`,
        values: advice.values ?? [], shown: advice.values?.map(shown), places: advice.ranks?.map(place) ?? [], verdicts: judged(advice),
      })),
    };
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
    personView(one("#sheet"), facts(scene, person));
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
