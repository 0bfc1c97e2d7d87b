// The models screen: who accepts whom, which models bind, and what each one adds.

import { make, percent, short } from "./person.js";
import { ask } from "./ask.js";
import { subject } from "./address.js";
import { problem } from "./tables.js";

const sign = (yes) => make("span", { class: yes ? "yes" : "no" }, yes ? "accepts" : "refuses");
const share = (value) => value === null || value === undefined ? "–" : percent(value);

export async function modelsScreen(page) {
  const { world, state, main } = page;
  const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The models" });
  const found = make("div", { role: "status", "aria-live": "polite" });
  main.replaceChildren(make("h1", {}, "Models"), make("div", { class: "bar" }, ...page.bar()),
    make("p", { class: "prose" }, "Switch models on and off: the advice must satisfy all that are on. Cost and validity move with them; the reference stays on. Mistakes are the share of held-out people whom a model judges wrongly, where that is known."), table, found);
  if (!world.models.length) { table.replaceChildren(make("p", {}, "No model could be read, so there is nothing to compare.")); return; }
  let listed;
  try {
    listed = (await ask("models", subject(state, world.inputs))).models;
  } catch (error) {
    if (page.current()) table.replaceChildren(problem(error));
    return;
  }
  if (!page.current()) return;
  const on = new Set(state.members ?? world.models.map((_, k) => k));
  on.add(0);
  const cells = listed.map(() => ({ advice: make("td"), binds: make("td", { class: "figure" }) }));
  const rows = listed.map((model, k) => {
    const box = make("input", { type: "checkbox", id: `model-${k}`, ...(on.has(k) ? { checked: true } : {}), ...(k === 0 ? { disabled: true } : {}) });
    box.addEventListener("change", () => {
      if (box.checked) on.add(k); else on.delete(k);
      state.members = on.size === listed.length ? null : [...on].sort((a, b) => a - b);
      page.save();
      together();
    });
    return make("tr", {}, make("td", {}, box), make("th", { scope: "row" }, make("label", { for: `model-${k}` }, model.name), k === 0 ? make("small", {}, " reference") : null),
      make("td", {}, model.kind), make("td", { class: "figure" }, share(model.risk)), make("td", { class: "figure" }, `${model.accepts} of ${model.of}`),
      make("td", {}, sign(model.stands)), cells[k].advice, cells[k].binds);
  });
  const heads = ["On", "Model", "Kind", "Mistakes", "People it accepts now", "This person now", "With the advice", "Binds, of the sample"];
  table.replaceChildren(make("table", {}, make("caption", { class: "unseen" }, "The models"), make("thead", {}, make("tr", {}, ...heads.map((text, k) => make("th", { scope: "col", class: [3, 4, 7].includes(k) ? "figure" : "" }, text)))), make("tbody", {}, ...rows)));

  let round = 0;
  async function together() {
    const mine = ++round;
    found.setAttribute("aria-busy", "true");
    let answer;
    try {
      answer = await ask("members", { ...subject(state, world.inputs), members: [...on] });
    } catch (error) {
      if (page.current() && mine === round) found.replaceChildren(problem(error));
      return;
    }
    if (!page.current() || mine !== round) return;
    found.setAttribute("aria-busy", "false");
    draw(answer);
    if (answer.judges === "preparing") setTimeout(() => { if (page.current() && mine === round) together(); }, 1500);
  }

  function draw({ person, everybody, judges, binding }) {
    const whose = { "fresh models": "of fresh models accept", preparing: "the fresh models are being prepared", "models left out": person.validity === null ? "no model to judge by" : "of the models left out accept" }[judges];
    const number = (title, value, more) => make("div", {}, make("dt", {}, title), make("dd", {}, value, make("small", {}, more)));
    listed.forEach((_, k) => {
      cells[k].binds.textContent = everybody.binding[String(k)] ?? "–";
      cells[k].advice.replaceChildren(...(person.by ? [sign(person.by[k]), binding.includes(k) ? ", binds" : ""] : ["–"]));
    });
    const people = everybody.accepted.filter((one) => one.by);
    const matrix = make("table", { class: "matrix" }, make("caption", { class: "unseen" }, "Who accepts whom"),
      make("thead", {}, make("tr", {}, make("td"), ...people.map((one) => make("th", { scope: "col" }, one.label)))),
      make("tbody", {}, ...listed.map((model, k) => make("tr", {}, make("th", { scope: "row" }, model.name), ...people.map((one) => make("td", {}, make("i", { class: one.by[k] ? "on" : "" }), make("span", { class: "unseen" }, one.by[k] ? "accepts" : "refuses")))))));
    const left = everybody.unfinished ? `For ${everybody.unfinished} of them the search did not finish in 2 s.` : "";
    found.replaceChildren(make("h2", {}, "What these models cost"),
      make("dl", { class: "numbers" }, number("This person", short(person.cost), person.cost === null ? person.sentence : "cost"), number("Validity", share(person.validity), whose),
        number("Everybody", short(everybody.cost), `mean cost of ${everybody.advised} of ${everybody.asked} people`), number("Validity", share(everybody.validity), whose)),
      make("p", { class: "prose" }, person.sentence), left ? make("p", { class: "aside" }, left) : "",
      make("h2", {}, "Who accepts whom"), make("p", { class: "aside" }, `Advice for ${people.length} of ${everybody.asked} refused people, under the models that are on: a filled dot accepts.`), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Who accepts whom" }, matrix));
  }
  await together();
}
