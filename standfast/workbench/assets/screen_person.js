// The person screen: strips, advice of each method, tries by hand, limits.

import { make, personView } from "./person.js";
import { ask, askPatiently } from "./ask.js";
import { subject } from "./address.js";
import { problem } from "./tables.js";

function exportLinks(page) {
  const { state, world } = page;
  const body = () => JSON.stringify({ ...subject(state, world.inputs), method: state.method ?? world.methods[0]?.key });
  const link = (name, words, more = {}) => {
    const anchor = make("a", { href: `/export/${name}`, ...more }, words);
    anchor.addEventListener("pointerdown", () => { anchor.href = `/export/${name}?q=${encodeURIComponent(body())}`; });
    anchor.addEventListener("focus", () => { anchor.href = `/export/${name}?q=${encodeURIComponent(body())}`; });
    anchor.href = `/export/${name}?q=${encodeURIComponent(body())}`;
    return anchor;
  };
  return make("span", { class: "far" }, link("letter.html", "Letter", { target: "_blank", rel: "noopener" }), link("advice.csv", "CSV"), link("advice.py", "Python code"));
}

export function notes(world) {
  return world.notes.length ? make("details", { class: "notes" }, make("summary", {}, `${world.notes.length} ${world.notes.length === 1 ? "note" : "notes"}`), make("ul", {}, ...world.notes.map((note) => make("li", {}, note)))) : null;
}

export async function personScreen(page) {
  const { world, state, main } = page;
  const body = make("div");
  let links = exportLinks(page);
  const heading = make("h1", { class: "unseen" }, "Person");
  main.replaceChildren(heading, make("div", { class: "bar" }, ...page.bar(), links), ...[notes(world)].filter(Boolean), body);
  if (state.person === null && !state.values) { body.append(make("p", {}, "There is nobody to show; give people with --people.")); return; }
  let standing;
  try {
    standing = await ask("person", subject({ ...state, keep: new Set(), only: {} }, world.inputs));
  } catch (error) {
    if (page.current()) body.replaceChildren(problem(error));
    return;
  }
  if (!page.current()) return;
  const waiting = () => world.methods.map(({ key, title }) => ({ key, title, found: false, pending: true }));
  let round = 0;
  const host = {
    live: true,
    level: 2,
    state,
    tryValues: (values) => ask("try", { ...subject({ ...state, keep: new Set(), only: {} }, world.inputs), tried: values }),
    changed(_, what) {
      page.save();
      const fresh = exportLinks(page);
      links.replaceWith(fresh);
      links = fresh;
      if (what === "limits") advise();
      if (what === "tried") fromHere.hidden = !Object.keys(state.tried).length;
    },
  };
  const view = personView(body, { inputs: world.inputs, models: world.models, person: standing, advice: waiting(), reasons: null }, host);
  const fromHere = make("button", { type: "button", hidden: true }, "Advise from here");
  fromHere.addEventListener("click", () => page.go({ values: view.values(), tried: {}, keep: new Set(), only: {} }));
  main.querySelector(".bar").insertBefore(fromHere, links);
  fromHere.hidden = !Object.keys(state.tried).length;

  async function one({ key, title }, mine) {
    const still = () => page.current() && mine === round;
    const wait = (sentence) => { if (still()) view.setAdvice({ key, title, found: false, pending: true, waiting: sentence }); };
    try {
      const found = await askPatiently("advise", { ...subject(state, world.inputs), method: key }, wait, still);
      if (still()) view.setAdvice({ ...found, key, title });
    } catch (error) {
      if (still()) view.setAdvice({ key, title, found: false, error: error.message });
    }
  }
  async function why() {
    const reasons = await ask("reasons", subject({ ...state, keep: new Set(), only: {} }, world.inputs)).catch(() => null);
    if (reasons && page.current()) view.setReasons(reasons);
  }
  // The first method's answer is what people wait for. The rest follows one by one, so that who
  // changes a limit meanwhile finds the server free; fresh models may be long in coming.
  const [first, ...others] = world.methods;
  others.sort((a, b) => Number(a.key === "lasting") - Number(b.key === "lasting"));
  async function advise() {
    const mine = ++round;
    if (first) await one(first, mine);
    if (mine === 1) await why();
    for (const method of others) if (page.current() && mine === round) await one(method, mine);
  }
  if (Object.keys(state.tried).length) view.tryNow();
  advise();
}
