// The price of lasting: cost against validity, for one person and for everybody, with a dial.

import { draw, make, percent, short } from "./person.js";
import { askPatiently } from "./ask.js";
import { problem, table } from "./tables.js";
import { subject } from "./address.js";

const WIDE = 640, HIGH = 300, LEFT = 46, BELOW = 36;

function chart(own, all, best) {
  const points = [...own, ...all];
  const most = Math.max(0.1, ...points.map((one) => one.cost)) * 1.08;
  const least = Math.min(0.5, Math.floor(10 * Math.min(1, ...points.map((one) => one.validity))) / 10);
  const x = (validity) => LEFT + (WIDE - LEFT - 12) * (validity - least) / (1 - least);
  const y = (cost) => HIGH - BELOW - (HIGH - BELOW - 12) * cost / most;
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `Cost against validity: ${own.map((one) => `${percent(one.validity)} at ${short(one.cost)}`).join(", ")}` });
  for (let k = 0; k <= 4; k++) {
    const cost = most * k / 4;
    const grid = draw("line", { class: "grid", x1: LEFT, x2: WIDE - 12, y1: y(cost), y2: y(cost) });
    const label = draw("text", { class: "axis", x: LEFT - 8, y: y(cost) + 4, "text-anchor": "end" });
    label.textContent = short(cost);
    svg.append(grid, label);
  }
  for (let share = least; share <= 1.001; share += (1 - least) > 0.6 ? 0.2 : 0.1) {
    const label = draw("text", { class: "axis", x: x(share), y: HIGH - BELOW + 18, "text-anchor": "middle" });
    label.textContent = percent(share);
    svg.append(label);
  }
  const title = draw("text", { class: "axis", x: WIDE - 12, y: HIGH - 2, "text-anchor": "end" });
  title.textContent = "share of fresh models that accept →";
  svg.append(title);
  for (const [kind, given] of [["all", all], ["own", own]]) {
    const sorted = [...given].sort((a, b) => a.validity - b.validity || a.cost - b.cost);
    if (sorted.length > 1) svg.append(draw("polyline", { class: kind, points: sorted.map((one) => `${x(one.validity)},${y(one.cost)}`).join(" ") }));
    for (const one of sorted) svg.append(draw("circle", { class: kind, cx: x(one.validity), cy: y(one.cost), r: 4.5 }));
  }
  if (best) svg.append(draw("circle", { class: "here", cx: x(best.validity), cy: y(best.cost), r: 9 }));
  return svg;
}

export async function priceScreen(page) {
  const { world, state, main } = page;
  const picture = make("div", { class: "chart" });
  const status = make("p", { class: "aside", role: "status", "aria-live": "polite" }, "searching …");
  const dial = make("input", { type: "range", id: "breach", min: "0", max: "2", step: "0.05" });
  dial.value = String(state.breach);
  const amount = make("output", { for: "breach" });
  const verdict = make("div", { "aria-live": "polite" });
  const listed = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cost and validity" });
  main.replaceChildren(make("h1", {}, "Price of lasting"), make("div", { class: "bar" }, ...page.bar()),
    make("p", { class: "prose" }, "The cheapest advice is often refused by the next model. Advice that more fresh models accept costs more. Each point is advice made for a share of fresh models; its validity is counted by models that no search has used."),
    status, make("div", { class: "two" }, make("div", {}, make("ul", { class: "key" }, make("li", {}, make("i"), "this person"), make("li", {}, make("i", { class: "all" }), "everybody, on average")), picture),
      make("div", {}, make("h2", {}, "What does a broken promise cost?"), make("div", { class: "dial" }, make("label", { for: "breach" }, "A broken promise costs "), dial, amount), verdict, listed)));
  if (world.fresh === "none" || !world.models.length) {
    status.textContent = world.models.length ? "There are no fresh models. Draw some with “standfast fresh draw” and give their folder as --fresh." : "No model could be read.";
    return;
  }
  const own = [], all = [];
  const base = subject({ ...state, members: null }, world.inputs);

  function redraw() {
    amount.textContent = short(state.breach);
    const known = own.filter((one) => one.found && one.validity !== null);
    const means = all.filter((one) => one.validity !== null && one.validity !== undefined);
    const expected = (one) => one.cost + state.breach * (1 - one.validity);
    const best = known.reduce((least, one) => least && expected(least) <= expected(one) ? least : one, null);
    if (known.length || means.length) picture.replaceChildren(chart(known, means, best));
    const name = (one) => one.target === null ? "cheapest" : `for ${percent(one.target)}`;
    if (best) verdict.replaceChildren(
      make("p", {}, `Then the advice ${best.target === null ? "that is cheapest today" : `made for ${percent(best.target)} of fresh models`} is the best of these: it costs ${short(best.cost)}, and ${short(expected(best))} with what broken promises are expected to cost.`),
      make("p", { class: "say" }, make("b", {}, best.sentence)), make("p", { class: "aside" }, best.certificate ?? ""));
    else if (own.length) verdict.replaceChildren(make("p", {}, own[0].sentence));
    const row = (one, mean) => [name(one), ...(one.found ? [short(one.cost), percent(one.validity)] : ["–", "–"]),
      ...(mean ? [short(mean.cost), percent(mean.validity ?? 0), `${mean.advised} of ${mean.asked}`] : ["…", "…", "…"])];
    const heads = ["Advice", "Cost", "Validity", "Mean cost", "Mean validity", "People"];
    listed.replaceChildren(table("This person, and the means over a sample of refused people", heads, own.map((one) => row(one, all.find((mean) => mean.target === one.target))), [1, 2, 3, 4, 5]));
  }
  dial.addEventListener("input", () => { state.breach = Number(dial.value); redraw(); });
  dial.addEventListener("change", () => page.save());

  const still = () => page.current();
  const wait = (sentence) => { if (still()) status.textContent = sentence; };
  try {
    const first = await askPatiently("price", base, wait, still);
    if (!still()) return;
    own.push(first);
    redraw();
    for (const validity of first.ladder) {
      status.textContent = `searching for ${percent(validity)} …`;
      own.push(await askPatiently("price", { ...base, method: "lasting", validity }, wait, still));
      if (!still()) return;
      redraw();
    }
    for (const one of [...own]) {
      status.textContent = "searching for everybody …";
      all.push(await askPatiently("everybody", { ...base, ...(one.target === null ? {} : { method: "lasting", validity: one.target }) }, wait, still));
      if (!still()) return;
      redraw();
    }
    const short2 = all.filter((one) => one.unfinished).length;
    status.textContent = short2 ? "Some searches for everybody did not finish in 2 s; their people are not in the means." : "";
  } catch (error) {
    if (still()) { status.textContent = ""; status.after(problem(error)); }
  }
}
