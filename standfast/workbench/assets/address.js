// The state of the page is in its address, so that it can be shared and reloaded.

const numbers = (text) => (text ?? "").split(",").filter((part) => part !== "").map(Number).filter(Number.isFinite);

export function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const pairs = (name) => (given.get(name) ?? "").split(",").filter(Boolean).map((part) => part.split(":"));
  const number = (text) => text === "" || text === undefined || text === null ? null : Number.isFinite(Number(text)) ? Number(text) : null;
  const person = Number(given.get("person") ?? NaN);
  return {
    screen: given.get("screen") ?? "person",
    person: Number.isInteger(person) && person >= 0 ? person : null,
    values: given.has("values") ? given.get("values").split(",").map(number) : null,
    method: given.get("method"),
    tried: Object.fromEntries(pairs("tried").filter(([j]) => /^\d+$/.test(j)).map(([j, value]) => [Number(j), number(value)])),
    keep: new Set(numbers(given.get("keep"))),
    only: Object.fromEntries(pairs("only").filter(([j]) => /^\d+$/.test(j)).map(([j, low, high]) => [Number(j), [number(low), number(high)]])),
    members: given.has("members") ? numbers(given.get("members")) : null,
    breach: number(given.get("breach")) ?? 0.5,
    candidate: number(given.get("candidate")) ?? 0,
    require: given.get("require") ?? "kept >= 0.98",
  };
}

export function text(state) {
  const given = new URLSearchParams();
  const put = (name, value) => { if (value !== null && value !== undefined && value !== "") given.set(name, value); };
  put("screen", state.screen);
  if (state.values) put("values", state.values.map((value) => value ?? "").join(",")); else put("person", state.person);
  put("method", state.method);
  put("tried", Object.entries(state.tried).map(([j, value]) => `${j}:${value ?? ""}`).join(","));
  put("keep", [...state.keep].join(","));
  put("only", Object.entries(state.only).map(([j, [low, high]]) => `${j}:${low ?? ""}:${high ?? ""}`).join(","));
  if (state.members) put("members", state.members.join(","));
  if (state.screen === "price") put("breach", state.breach);
  if (state.screen === "promises") { put("candidate", state.candidate); put("require", state.require); }
  return `#${given.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

export function write(state) { history.replaceState(null, "", text(state)); }

// the part of a question that says who is asked about, and what they cannot do
export function subject(state, inputs) {
  const body = state.values ? { values: state.values } : { person: state.person };
  const keep = [...state.keep].filter((j) => inputs[j]).map((j) => inputs[j].name);
  const only = Object.entries(state.only).filter(([j]) => inputs[j]).map(([j, [lower, upper]]) => ({ input: inputs[j].name, lower, upper }));
  return { ...body, ...(keep.length ? { keep } : {}), ...(only.length ? { only } : {}), ...(state.members ? { members: state.members } : {}) };
}
