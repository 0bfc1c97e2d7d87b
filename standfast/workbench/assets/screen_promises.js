// The promises screen: the ledger, the gate of a candidate model, and repair.

import { make, many, short } from "./person.js";
import { ask } from "./ask.js";
import { problem, table } from "./tables.js";

const START = { advice: "where the advice sent them", factual: "where they stood before" };
const UNDER = { g: "the candidate", "f and g": "the candidate and the reference" };
const tableOf = (caption, heads, rows, figures) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table(caption, heads, rows, figures));

export async function promisesScreen(page) {
  const { world, state, main } = page;
  main.replaceChildren(make("h1", {}, "Promises"));
  if (!world.ledger) {
    main.append(make("p", { class: "prose" }, "No ledger was given. A ledger records what people were promised; start the workbench with one to see its promises, judge a candidate model and compare repairs:"),
      make("pre", { tabindex: "0" }, make("code", {}, "standfast workbench --schema schema.toml --table train.csv --model current.skops \\\n    --model challenger.skops --favourable 1 --ledger promises.db --key key.txt")));
    return;
  }
  const overview = make("div", {}, make("p", { class: "aside", role: "status" }, "reading the ledger …"));
  const judged = make("div", { role: "status", "aria-live": "polite" });
  const mended = make("div", { role: "status", "aria-live": "polite" });
  const candidate = make("select", { id: "candidate" }, ...world.models.map((model, k) => make("option", { value: String(k) }, model.name)));
  candidate.value = String(Math.min(state.candidate, world.models.length - 1));
  const require = make("input", { id: "require", class: "field", type: "text", autocomplete: "off", spellcheck: "false" });
  require.value = state.require;
  const [judge, repair] = ["Run the gate", "Compare repairs"].map((words) => make("button", { type: "button" }, words));
  main.append(overview, make("h2", {}, "The gate"), make("p", { class: "prose" }, "What would a candidate model do to the open promises? Nothing is recorded."),
    make("div", { class: "bar" }, make("label", { for: "candidate" }, "Candidate ", candidate), make("label", { for: "require" }, "Require ", require), judge, repair), judged, mended);
  const fail = (place) => (error) => { if (page.current()) place.replaceChildren(problem(error)); };
  const keep = () => { state.candidate = Number(candidate.value); state.require = require.value; page.save(); };
  candidate.addEventListener("change", keep);
  require.addEventListener("change", keep);
  const rest = (more) => more ? " More are open; the first are judged here, and “standfast gate” judges all." : "";
  const number = (title, value, more = "") => make("div", {}, make("dt", {}, title), make("dd", {}, value, make("small", {}, more)));

  judge.addEventListener("click", async () => {
    keep();
    judged.replaceChildren(make("p", { class: "aside" }, "judging …"));
    await ask("gate", { candidate: state.candidate, require: state.require }).then((found) => {
      const rows = found.conditions.map((one) => [one.text, one.found === null ? "–" : String(Number(one.found.toPrecision(3))), make("span", { class: one.holds ? "yes" : "no" }, one.holds ? "holds" : "does not hold")]);
      judged.replaceChildren(make("p", { class: "prose" }, make("b", {}, found.sentence), rest(found.more)),
        make("dl", { class: "numbers" }, number("Kept", String(found.kept), "proven over the whole box"), number("At risk", String(found.at_risk), "a point of the box is refused, or undecided"), number("Broken", String(found.broken), "the advice itself is refused")),
        ...(rows.length ? [tableOf("Conditions", ["Condition", "Found", "Verdict"], rows, [1])] : []));
    }, fail(judged));
  });
  repair.addEventListener("click", async () => {
    keep();
    mended.replaceChildren(make("p", { class: "aside" }, "searching for repairs …"));
    await ask("repair", { candidate: state.candidate }).then((found) => {
      if (!found.broken) { mended.replaceChildren(make("p", {}, `${found.candidate} breaks no promise here.`)); return; }
      const rows = found.ways.map((way) => [way.way, START[way.start] ?? way.start, UNDER[way.under] ?? way.under, `${way.repaired} of ${found.searched}`, short(way.cost)]);
      mended.replaceChildren(tableOf(`Ways to repair ${found.searched < found.broken ? `the first ${found.searched} of ` : ""}${many(found.broken, "broken promise")}`, ["Way", "From", "Accepted by", "Repaired", "Mean cost to people"], rows, [3, 4]));
    }, fail(mended));
  });

  try {
    const found = await ask("promises", {});
    if (!page.current()) return;
    const rows = found.rows.map((row) => [String(row.number), row.method, row.outcome, short(row.cost), row.until, row.state]);
    overview.replaceChildren(make("dl", { class: "numbers" }, number("Open promises", `${found.open}${found.more ? " and more" : ""}`, found.where), ...Object.entries(found.methods).map(([name, n]) => number(name, String(n), "by method"))),
      make("details", {}, make("summary", {}, `The first ${rows.length}`), tableOf("Open promises; people are listed by number only", ["Promise", "Method", "Proof", "Cost", "Until", "State"], rows, [3])));
  } catch (error) { fail(overview)(error); }
}
