// The workbench: four screens over one world. Nothing is kept but the address.

import { make } from "./person.js";
import { onReturn, world } from "./ask.js";
import { read, text, write } from "./address.js";
import { personScreen } from "./screen_person.js";
import { modelsScreen } from "./screen_models.js";
import { priceScreen } from "./screen_price.js";
import { promisesScreen } from "./screen_promises.js";

const SCREENS = { person: ["Person", personScreen], models: ["Models", modelsScreen], price: ["Price of lasting", priceScreen], promises: ["Promises", promisesScreen] };
const main = document.querySelector("#main");
let known = null;
let state = read();
let turn = 0;

function links() {
  document.querySelector("#screens").replaceChildren(...Object.entries(SCREENS).map(([key, [title]]) =>
    make("li", {}, make("a", { href: text({ ...state, screen: key }), ...(key === state.screen ? { "aria-current": "page" } : {}) }, title))));
}

function settle() {
  if (!(state.screen in SCREENS)) state.screen = "person";
  const { people, inputs, models } = known;
  if (state.values && state.values.length !== inputs.length) state.values = null;
  if (!state.values && (state.person === null || state.person >= people.length)) {
    const first = people.findIndex((one) => one.refused && !one.doubt);
    state.person = first < 0 ? (people.length ? 0 : null) : first;
  }
  for (const j of Object.keys(state.tried)) if (!inputs[j]) delete state.tried[j];
  for (const j of Object.keys(state.only)) if (!inputs[j]) delete state.only[j];
  state.keep = new Set([...state.keep].filter((j) => inputs[j]));
  if (state.members) state.members = state.members.filter((k) => k < models.length);
}

// who is asked about, and what can be taken away
function bar(show) {
  const choice = make("select", { id: "person" }, ...(state.values ? [make("option", { value: "" }, "typed by hand")] : []),
    ...known.people.map((one, k) => make("option", { value: String(k) }, `${one.label}${one.doubt ? " (outside the schema)" : one.refused ? "" : " (accepted)"}`)));
  choice.value = state.values ? "" : String(state.person);
  const go = (person) => {
    state = { ...state, person, values: null, tried: {}, keep: new Set(), only: {} };
    show(true);
  };
  choice.addEventListener("change", () => { if (choice.value !== "") go(Number(choice.value)); });
  const refused = known.people.map((one, k) => [one, k]).filter(([one]) => one.refused && !one.doubt).map(([, k]) => k);
  const here = state.person ?? -1;
  const before = refused.filter((k) => k < here).at(-1);
  const after = refused.find((k) => k > here);
  const step = (words, k) => {
    const button = make("button", { type: "button" }, words);
    button.disabled = k === undefined;
    button.addEventListener("click", () => go(k));
    return button;
  };
  return [make("label", { for: "person" }, "Person ", choice), make("span", {}, step("← Previous refused", before), " ", step("Next refused →", after))];
}

async function show(moved = false) {
  const mine = ++turn;
  settle();
  write(state);
  links();
  document.title = `${SCREENS[state.screen][0]} · standfast workbench`;
  const page = { world: known, state, main, bar: () => bar(show), go: (next) => { state = { ...state, ...next }; show(true); }, save: () => { write(state); links(); }, current: () => mine === turn };
  await SCREENS[state.screen][1](page);
  if (moved && mine === turn && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

async function open() {
  try {
    known = await world();
  } catch (error) {
    main.replaceChildren(make("p", { class: "problem" }, error.message));
    return;
  }
  document.querySelector("#world").textContent = known.title;
  await show();
}

window.addEventListener("hashchange", () => { if (known && location.hash !== "#main") { state = read(); show(true); } });
document.querySelector("#skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
onReturn(open);
open();
