// One person on a page: where they stand among all others, what each method advises, who accepts.
// Drawn from plain facts. With `host.live` values can be tried by hand and changes ruled out; the
// host is told of every change and answers with new facts. No imports: three hosts share this file.

const SVG = "http://www.w3.org/2000/svg";
const STEPS = 1000; // positions of a slider

// an element with text and children; text is never read as HTML
export function make(tag, about = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function draw(tag, about = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(about)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const many = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
export const percent = (share) => `${Math.round(100 * share)}\u202f%`;
export const short = (value) => value === null || value === undefined ? "–" : value.toFixed(2).replace("-", "−");
const signed = (text) => String(text).replace(/^-(?=\d)/, "−");

// a value as people read it
export function shown(input, value) {
  if (value === null || value === undefined) return "missing";
  if (input.categories) return input.categories[value]?.name ?? "missing";
  if (typeof value === "string") return value;
  return signed(Number(value.toPrecision(12)));
}

// the share of people with at most this value, by the stops that are known
function placeOf(input, value) {
  if (value === null || value === undefined) return null;
  if (input.categories) { const ends = input.categories[value]?.ends; return ends ? (ends[0] + ends[1]) / 2 : null; }
  let place = 0;
  for (const [stop, share] of input.stops ?? []) { if (stop > value) break; place = share; }
  return place;
}

function nearestStop(input, place) {
  let best = 0;
  input.stops.forEach(([, share], k) => { if (Math.abs(share - place) < Math.abs(input.stops[best][1] - place)) best = k; });
  return best;
}

function diamond(place, className) {
  return draw("svg", { x: `${100 * place}%`, y: "50%", class: "pv-mark", overflow: "visible" }, draw("path", { class: className, d: "M0-6.5 6.5 0 0 6.5-6.5 0Z" }));
}

// a strip from the least to the greatest of all people
function strip(input, marks, label) {
  const svg = draw("svg", { class: "pv-picture", role: "img", "aria-label": label, focusable: "false" });
  svg.append(draw("line", { class: "pv-track", x1: "0%", x2: "100%", y1: "50%", y2: "50%" }));
  const ticks = input.categories ? input.categories.slice(1).map((one) => one.ends[0]) : [0.25, 0.5, 0.75];
  for (const tick of ticks) svg.append(draw("line", { class: "pv-tick", x1: `${100 * tick}%`, x2: `${100 * tick}%`, y1: "30%", y2: "70%" }));
  for (const [from, to] of marks.bands ?? []) svg.append(draw("rect", { class: "pv-band", x: `${100 * from}%`, width: `${Math.max(0.4, 100 * (to - from))}%`, y: "15%", height: "70%", rx: 2 }));
  const { own, goal } = marks;
  if (own !== null && goal !== null && own !== undefined && goal !== undefined) svg.append(draw("line", { class: "pv-way", x1: `${100 * own}%`, x2: `${100 * goal}%`, y1: "50%", y2: "50%" }));
  if (own !== null && own !== undefined) svg.append(draw("circle", { class: "pv-own-mark", cx: `${100 * own}%`, cy: "50%", r: 5.5 }));
  if (goal !== null && goal !== undefined) svg.append(diamond(goal, "pv-goal"));
  return svg;
}

function stripLabel(input, own, goal) {
  if (own === null || own === undefined) return `${input.words}: missing`;
  const here = input.categories ? "" : `${percent(own)} of all people have at most this`;
  const there = goal === null || goal === undefined ? "" : input.categories ? "the advice changes it" : `${percent(goal)} at most what is advised`;
  return [`${input.words}`, ...[here, there].filter(Boolean)].join(", ");
}

// who accepts, as dots with their names
export function verdictLine(models, verdicts, verb, noun) {
  const known = verdicts.filter((yes) => yes !== null);
  if (!known.length) return [make("p", {}, `No ${noun} judged this.`)];
  const kept = known.filter(Boolean).length;
  const dots = make("span", { class: "dots", "aria-hidden": "true" }, ...verdicts.map((yes, k) => yes === null ? null : make("i", { class: yes ? "yes" : "no", title: `${models[k].name} ${yes ? "accepts" : "refuses"}` })));
  const line = make("p", { class: "kept" }, `${verb} ${kept} of ${many(known.length, noun)} (${percent(kept / known.length)})`, dots);
  const named = (wanted) => models.filter((_, k) => verdicts[k] === wanted).map((model) => model.name);
  const list = (label, names) => names.length ? [make("p", {}, label), make("ul", {}, ...names.map((name) => make("li", {}, name)))] : [];
  return [line, make("details", {}, make("summary", {}, `Which ${noun}s`), ...list("Accept:", named(true)), ...list("Refuse:", named(false)))];
}

export class PersonView {
  // facts: {inputs, models, noun, person, advice, reasons, note}; host: {live, level, state, changed, tryValues}
  constructor(root, facts, host = {}) {
    this.root = root;
    this.facts = facts;
    this.host = host;
    this.state = host.state ?? { tried: {}, keep: new Set(), only: {}, method: null };
    this.rows = new Map();
    this.asked = 0;
    this.draw();
  }

  get person() { return this.facts.person; }
  get noun() { return this.facts.noun ?? "model"; }
  // the host says below which heading it shows a person
  heading(tag, ...words) { return make(tag, { "aria-level": (this.host.level ?? 3) + Number(tag[1]) - 3 }, ...words); }

  chosen() {
    const there = this.facts.advice.filter((one) => one.found);
    if (!this.host.live) return null; // each card has its own strips there
    return there.find((one) => one.key === this.state.method) ?? there[0] ?? null;
  }

  value(j) { return j in this.state.tried ? this.state.tried[j] : this.person.values[j]; }
  values() { return this.person.values.map((_, j) => this.value(j)); }

  draw() {
    const { facts, person } = this;
    this.list = make("ul", { class: "pv-inputs" });
    this.cards = make("div", { class: "pv-cards" });
    this.why = make("div", { class: "pv-why" });
    this.said = make("div", { class: "pv-said", role: "status", "aria-live": "polite" });
    const left = make("div", { class: "standing" },
      this.heading("h3", `Where person ${person.label} stands`),
      facts.note ? make("p", { class: "twin-line" }, facts.note) : null,
      this.legend(), this.list, this.axis());
    const right = make("div", { class: "advice" }, this.said, this.why, this.heading("h3", "What each method advises"), this.cards);
    this.root.classList.add("pv");
    this.root.classList.toggle("pv-live", Boolean(this.host.live));
    this.root.replaceChildren(make("div", { class: "sheet" }, left, right));
    this.drawRows();
    this.drawCards();
    this.drawReasons();
    this.drawVerdicts();
  }

  legend() {
    const sign = (kind, text) => {
      const picture = draw("svg", { class: "pv-sign", viewBox: "-9 -9 18 18", "aria-hidden": "true" });
      picture.append(kind === "own" ? draw("circle", { class: "pv-own-mark", r: 5.5 }) : kind === "goal" ? draw("path", { class: "pv-goal", d: "M0-6.5 6.5 0 0 6.5-6.5 0Z" })
        : kind === "band" ? draw("rect", { class: "pv-band", x: -8, y: -6, width: 16, height: 12, rx: 2 }) : draw("rect", { class: "pv-hand", x: -3, y: -8, width: 6, height: 16, rx: 3 }));
      return make("li", {}, picture, text);
    };
    const signs = [sign("own", "stands"), sign("goal", "advice")];
    if (this.facts.advice.some((one) => one.bands)) signs.push(sign("band", "accepted by proof"));
    if (this.host.live) signs.push(sign("hand", "tried by hand"));
    this.signs = make("ul", { class: "pv-legend" }, ...signs);
    return this.signs;
  }

  axis() {
    return make("p", { class: "pv-axis" }, "A place on a strip is the share of people with at most that value, from 0\u202f% on the left to 100\u202f% on the right; of categories, their shares." + (this.host.live ? " What a change costs is the share of people that it passes, summed over the inputs, and 0.01 for each change." : ""));
  }

  drawRows() {
    this.rows.clear();
    const order = this.facts.inputs.map((_, j) => j);
    if (this.host.live) order.sort((a, b) => Number(this.facts.inputs[b].mutable) - Number(this.facts.inputs[a].mutable) || a - b);
    this.list.replaceChildren(...order.map((j) => this.row(j)));
  }

  row(j) {
    const input = this.facts.inputs[j];
    const picture = make("div", { class: "pv-strip" });
    const own = make("span", { class: "pv-own" }, this.person.shown?.[j] ?? shown(input, this.person.values[j]));
    const goal = make("span", { class: "pv-to" });
    const row = { picture, goal, input };
    this.rows.set(j, row);
    const name = make(this.host.live ? "label" : "span", { class: "pv-name", title: input.name }, input.words);
    const item = make("li", { class: "pv-input", "data-input": input.name }, make("div", { class: "pv-head" }, name, make("span", { class: "pv-values" }, own, goal)), picture);
    if (this.host.live) {
      this.controls(j, row, item);
      name.htmlFor = row.box.id;
    }
    this.marks(j);
    return item;
  }

  marks(j) {
    const { picture, goal, input, slider } = this.rows.get(j);
    const advice = this.chosen();
    const own = this.person.places[j];
    const moves = advice && advice.values.length && advice.values[j] !== this.person.values[j];
    const to = moves ? advice.places[j] : null;
    goal.textContent = moves ? ` → ${advice.shown?.[j] ?? shown(input, advice.values[j])}` : "";
    const svg = strip(input, { own, goal: to, bands: moves ? advice.bands?.[j] : advice?.bands?.[j] ?? [] }, stripLabel(input, own, to));
    picture.querySelector("svg")?.remove();
    picture.prepend(svg);
    if (slider) this.place(j);
  }

  // live: a slider on the strip, a box, and what this person cannot do

  controls(j, row, item) {
    const { input } = row;
    const id = `pv-${++PersonView.count}`;
    const problem = make("p", { class: "pv-problem", role: "alert", hidden: true });
    row.problem = problem;
    const side = make("div", { class: "pv-controls" });
    if (input.categories) {
      row.box = make("select", { class: "pv-box", id }, ...(input.gaps || this.person.values[j] === null ? [make("option", { value: "" }, "missing")] : []), ...input.categories.map((one, k) => make("option", { value: String(k) }, one.name)));
      row.box.addEventListener("change", () => this.put(j, row.box.value === "" ? null : Number(row.box.value)));
    } else {
      row.box = make("input", { class: "pv-box", id, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
      row.box.addEventListener("change", () => this.typed(j));
      row.slider = make("input", { class: "pv-slider", type: "range", min: "0", max: String(STEPS), step: "1", "aria-label": `${input.words}, tried by hand` });
      row.slider.addEventListener("input", () => this.slid(j));
      row.slider.addEventListener("keydown", (event) => this.keyed(j, event));
      row.picture.append(row.slider);
    }
    side.append(row.box);
    if (input.mutable) side.append(...this.limits(j, row, id));
    else side.append(make("span", { class: "pv-fixed" }, "cannot change"));
    item.append(side, ...(row.range ? [row.range] : []), problem);
    this.place(j);
  }

  limits(j, row, id) {
    const { input } = row;
    const cant = make("button", { type: "button", class: "pv-cant", "aria-pressed": String(this.state.keep.has(j)), "aria-label": `${input.words}: can’t do that` }, "Can’t do that");
    cant.addEventListener("click", () => {
      const on = !this.state.keep.has(j);
      if (on) this.state.keep.add(j); else this.state.keep.delete(j);
      delete this.state.only[j];
      this.limited(j);
    });
    row.cant = cant;
    if (input.categories) return [cant];
    const only = make("button", { type: "button", class: "pv-only", "aria-pressed": String(j in this.state.only), "aria-expanded": String(j in this.state.only), "aria-controls": `${id}-range`, "aria-label": `${input.words}: only this much` }, "Only this much");
    const ends = ["from", "to"].map((word) => make("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": `${input.words}, ${word}` }));
    row.range = make("div", { class: "pv-range", id: `${id}-range`, hidden: !(j in this.state.only) }, make("span", {}, "from "), ends[0], make("span", {}, " to "), ends[1]);
    row.ends = ends;
    row.only = only;
    for (const end of ends) end.addEventListener("change", () => this.bounded(j));
    only.addEventListener("click", () => {
      if (j in this.state.only) delete this.state.only[j]; else this.state.only[j] = this.halfway(j);
      this.state.keep.delete(j);
      this.limited(j);
    });
    this.showLimit(j);
    return [cant, only];
  }

  // half of what the advice asks for, or half of what is left on both sides
  halfway(j) {
    const input = this.facts.inputs[j];
    const own = this.person.values[j] ?? input.lower;
    const goal = this.chosen()?.values?.[j];
    const onGrid = (value) => input.step ? Number((Math.round(value / input.step) * input.step).toPrecision(12)) : value;
    if (goal !== undefined && goal !== null && goal !== own) {
      const middle = onGrid((own + goal) / 2);
      return goal < own ? [Math.min(middle, own), own] : [own, Math.max(middle, own)];
    }
    return [onGrid((input.lower + own) / 2), onGrid((own + input.upper) / 2)];
  }

  showLimit(j) {
    const row = this.rows.get(j);
    const limit = this.state.only[j];
    row.cant.setAttribute("aria-pressed", String(this.state.keep.has(j)));
    if (!row.only) return;
    row.only.setAttribute("aria-pressed", String(Boolean(limit)));
    row.only.setAttribute("aria-expanded", String(Boolean(limit)));
    row.range.hidden = !limit;
    if (limit) row.ends.forEach((end, k) => { end.value = limit[k] === null ? "" : String(limit[k]); });
  }

  limited(j) {
    this.showLimit(j);
    this.complain(j, "");
    this.host.changed?.(this.state, "limits");
  }

  bounded(j) {
    const row = this.rows.get(j);
    const ends = row.ends.map((end) => end.value.trim() === "" ? null : Number(end.value.replace("−", "-").replace(",", ".")));
    if (ends.some((end) => end !== null && !Number.isFinite(end))) { this.complain(j, `${row.input.words}: give two numbers, the lower first.`); return; }
    if (ends[0] !== null && ends[1] !== null && ends[0] > ends[1]) { this.complain(j, `${row.input.words}: the first number must be the lower one.`); return; }
    this.state.only[j] = ends;
    this.limited(j);
  }

  complain(j, sentence) {
    const { problem, box } = this.rows.get(j);
    problem.textContent = sentence;
    problem.hidden = !sentence;
    box.setAttribute("aria-invalid", String(Boolean(sentence)));
  }

  typed(j) {
    const { box, input } = this.rows.get(j);
    const text = box.value.trim().replace("−", "-").replace(",", ".");
    if (text === "" && input.gaps) { this.put(j, null); return; }
    const value = Number(text);
    if (text === "" || !Number.isFinite(value)) { this.complain(j, `${input.words}: “${box.value}” is not a number.`); return; }
    this.put(j, value);
  }

  slid(j) {
    const { slider, input } = this.rows.get(j);
    this.put(j, input.stops[nearestStop(input, slider.value / STEPS)][0], true);
  }

  keyed(j, event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { input } = this.rows.get(j);
    const value = this.value(j) ?? input.lower;
    const stops = input.stops.map(([stop]) => stop);
    let k = step > 0 ? stops.findIndex((stop) => stop > value) : stops.findLastIndex((stop) => stop < value);
    if (k < 0) return;
    k = Math.min(stops.length - 1, Math.max(0, k + (step > 0 ? step - 1 : step + 1)));
    this.put(j, stops[k]);
  }

  put(j, value, sliding = false) {
    if (value === this.person.values[j]) delete this.state.tried[j]; else this.state.tried[j] = value;
    this.complain(j, "");
    this.place(j, sliding);
    this.drawVerdicts();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tryNow(), sliding ? 40 : 0);
  }

  place(j, sliding = false) {
    const { box, slider, input } = this.rows.get(j);
    const value = this.value(j);
    box.value = input.categories ? (value === null ? "" : String(value)) : value === null ? "" : String(value);
    const tried = j in this.state.tried;
    this.rows.get(j).picture.classList.toggle("pv-tried", tried);
    box.classList.toggle("pv-tried", tried);
    if (!slider) return;
    const known = this.answer && tried && this.answer.values[j] === value ? this.answer.places[j] : null;
    const place = value === this.person.values[j] ? this.person.places[j] : known ?? placeOf(input, value);
    if (!sliding) slider.value = String(Math.round(STEPS * (place ?? 0)));
    slider.setAttribute("aria-valuetext", shown(input, value));
  }

  async tryNow() {
    this.host.changed?.(this.state, "tried");
    if (!Object.keys(this.state.tried).length) { this.answer = null; this.drawVerdicts(); return; }
    const mine = ++this.asked;
    try {
      const answer = await this.host.tryValues(this.values());
      if (mine !== this.asked) return;
      this.answer = answer;
      for (const j of this.rows.keys()) this.place(j, document.activeElement === this.rows.get(j).slider);
    } catch (error) {
      if (mine !== this.asked) return;
      this.answer = { error: error.message };
    }
    this.drawVerdicts();
  }

  reset() {
    this.state.tried = {};
    this.answer = null;
    for (const j of this.rows.keys()) { this.complain(j, ""); this.place(j); }
    this.tryNow();
  }

  // put the advised values into the boxes, to go on from there
  take(advice) {
    this.state.tried = {};
    advice.values.forEach((value, j) => { if (value !== this.person.values[j]) this.state.tried[j] = value; });
    for (const j of this.rows.keys()) { this.complain(j, ""); this.place(j); }
    this.tryNow();
  }

  // what every model says of where they stand and of what is tried

  drawVerdicts() {
    const { models } = this.facts;
    const stands = this.person.verdicts?.map((one) => typeof one === "object" && one ? one.accepts : one) ?? [];
    if (!this.host.live) {
      this.said.replaceChildren(...(stands.length ? verdictLine(models, stands, "As they stand, accepted by", this.noun) : []));
      return;
    }
    const tried = Object.keys(this.state.tried).length > 0;
    const answer = tried ? this.answer : null;
    const heads = ["Model", "stands", ...(tried ? ["tried"] : [])];
    const sign = (yes) => make("span", { class: yes ? "pv-yes" : "pv-no" }, yes ? "accepts" : "refuses");
    const rows = models.map((model, k) => make("tr", {}, make("th", { scope: "row" }, model.name), make("td", {}, sign(stands[k])),
      ...(tried ? [make("td", {}, answer?.verdicts ? sign(answer.verdicts[k].accepts) : "…")] : [])));
    const table = make("table", { class: "pv-verdicts" }, make("caption", { class: "unseen" }, "What every model says"), make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows));
    const parts = [this.heading("h3", "Who accepts"), models.length ? table : make("p", {}, "There is no model to ask.")];
    if (tried) {
      const words = answer?.error ? [make("p", { class: "pv-problem" }, answer.error)] : answer ? [
        make("p", {}, `These values cost ${short(answer.cost)}.`),
        ...answer.objections.map((text) => make("p", { class: "pv-problem" }, `The schema does not admit this change: ${text}.`))] : [];
      const back = make("button", { type: "button", class: "pv-reset" }, "Back to where they stand");
      back.addEventListener("click", () => this.reset());
      parts.push(...words, make("p", {}, back));
    }
    this.said.replaceChildren(...parts);
  }

  drawReasons() {
    const { reasons } = this.facts;
    if (!reasons) { this.why.replaceChildren(); return; }
    const rows = reasons.inputs.map((one) => make("tr", {}, make("th", { scope: "row" }, one.words),
      make("td", { class: "figure" }, one.necessity === null ? "no advice" : `+${short(one.necessity)}`),
      make("td", { class: "figure" }, one.sufficiency === null ? "not enough" : `${short(one.sufficiency)}${one.goal ? ` (to ${one.goal})` : ""}`)));
    const table = rows.length ? make("details", {}, make("summary", {}, "Reason by reason"), make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Reason by reason" }, make("table", {}, make("thead", {}, make("tr", {}, ...["Input", "Left as it is", "Alone"].map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows)))) : null;
    this.why.replaceChildren(this.heading("h3", "Why refused"), make("p", { class: "pv-reason" }, reasons.sentence), ...(table ? [table] : []));
  }

  // advice

  setAdvice(advice) {
    const k = this.facts.advice.findIndex((one) => one.key === advice.key);
    if (k < 0) this.facts.advice.push(advice); else this.facts.advice[k] = advice;
    this.drawCards();
    for (const j of this.rows.keys()) this.marks(j);
    this.signs.replaceWith(this.legend());
  }

  setReasons(reasons) { this.facts.reasons = reasons; this.drawReasons(); }

  drawCards() {
    const held = document.activeElement?.closest?.("[data-method]")?.dataset.method;
    const part = document.activeElement?.dataset?.part;
    this.cards.replaceChildren(...this.facts.advice.map((advice) => this.card(advice)));
    if (held && part) [...this.cards.children].find((card) => card.dataset.method === held)?.querySelector(`[data-part="${part}"]`)?.focus();
  }

  card(advice) {
    const chosen = this.chosen() === advice;
    const swatch = make("i", { class: "swatch" });
    if (advice.colour) swatch.style.setProperty("--colour", advice.colour);
    const head = this.heading("h4", make("span", { class: "method" }, swatch, advice.title ?? advice.method));
    const card = make("article", { class: `advised${this.host.live && chosen ? " pv-chosen" : ""}`, "data-method": advice.key, "aria-busy": String(Boolean(advice.pending)) }, head);
    if (advice.colour) card.style.setProperty("--colour", advice.colour);
    if (advice.pending) { card.append(make("p", { class: "aside" }, advice.waiting ?? "searching …")); return card; }
    if (advice.error) { card.append(make("p", { class: "pv-problem" }, advice.error)); return card; }
    card.append(make("p", { class: "say" }, advice.sentence));
    if (!advice.found) {
      head.append(make("span", { class: "aside" }, `no advice: ${advice.outcome.replaceAll("_", " ")}`));
      return card;
    }
    head.append(make("span", { class: "aside cost" }, advice.costs ?? `cost ${short(advice.cost)}`));
    const moves = this.facts.inputs.map((_, j) => j).filter((j) => advice.values.length && advice.values[j] !== this.person.values[j]);
    if (moves.length && !this.host.live) card.append(this.moves(advice, moves));
    const proof = [advice.proof, advice.remark].filter(Boolean).join(" ");
    if (proof) card.append(make("p", { class: "pv-proof" }, proof));
    if (advice.region) card.append(make("p", { class: "pv-region" }, make("b", {}, "Room: "), advice.region));
    if (advice.certificate) card.append(make("p", { class: "pv-certificate" }, make("b", {}, "Certificate: "), advice.certificate));
    if (advice.ways?.length) card.append(this.ways(advice.ways));
    if (advice.verdicts?.length) card.append(...verdictLine(this.facts.models, advice.verdicts, advice.verb ?? "Accepted by", this.noun));
    if (this.host.live) card.append(this.actions(advice, chosen));
    return card;
  }

  moves(advice, moves) {
    const { inputs } = this.facts;
    return make("ul", { class: "moves" }, ...moves.map((j) => make("li", { title: inputs[j].name }, `${inputs[j].words} `,
      make("b", {}, `${this.person.shown?.[j] ?? shown(inputs[j], this.person.values[j])} → ${advice.shown?.[j] ?? shown(inputs[j], advice.values[j])}`),
      typeof advice.places[j] === "number" && typeof this.person.places[j] === "number" ? make("span", { class: "pv-mini" }, strip(inputs[j], { own: this.person.places[j], goal: advice.places[j] }, stripLabel(inputs[j], this.person.places[j], advice.places[j]))) : null)));
  }

  ways(ways) {
    const timed = ways.some((way) => "months" in way);
    const title = timed ? "The cheapest for each time" : "Other ways";
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, make("table", { class: "pv-ways" }, make("caption", {}, title), make("tbody", {}, ...ways.map((way) => make("tr", {},
      timed ? make("th", { scope: "row" }, way.months ? `in ${many(way.months, "month")}` : "now") : null, make("td", { class: "figure" }, short(way.cost)), make("td", { class: "long" }, way.sentence))))));
  }

  actions(advice, chosen) {
    const show = make("button", { type: "button", "aria-pressed": String(chosen), "data-part": "show" }, chosen ? "On the strips" : "Show on the strips");
    show.addEventListener("click", () => {
      this.state.method = advice.key;
      this.drawCards();
      for (const j of this.rows.keys()) this.marks(j);
      this.host.changed?.(this.state, "method");
    });
    const take = make("button", { type: "button", "data-part": "take" }, "Try these values");
    take.addEventListener("click", () => this.take(advice));
    return make("p", { class: "pv-actions" }, show, take);
  }
}
PersonView.count = 0;

// the component in an element; the view can be given more facts later
export function personView(root, facts, host) { return new PersonView(root, facts, host); }
