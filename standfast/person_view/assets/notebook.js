// follows person.js in one module: the person component in a notebook, live through messages
function render({ model, el }) {
  const world = model.get("world");
  const first = model.get("first");
  const waiting = new Map();
  let count = 0;
  let turn = 0;
  const ask = (name, body) => new Promise((resolve, reject) => {
    waiting.set(++count, [resolve, reject]);
    model.send({ id: count, ask: name, body });
  });
  const answered = (message) => {
    const [resolve, reject] = waiting.get(message?.id) ?? [];
    waiting.delete(message?.id);
    if (resolve) message.error === undefined ? resolve(message.answer) : reject(new Error(message.error));
  };
  model.on("msg:custom", answered);
  const sheet = make("div");
  const choice = make("select", {}, ...world.people.map((label, k) => make("option", { value: String(k) }, label)));
  choice.value = String(first.person);
  el.classList.add("pv-notebook");
  el.replaceChildren(make("label", { class: "pv-choice" }, "Person ", choice), sheet);

  function draw(person, facts) {
    const mine = ++turn;
    const state = { tried: {}, keep: new Set(), only: {}, method: null };
    const limits = () => ({
      keep: [...state.keep].map((j) => world.inputs[j].name),
      only: Object.entries(state.only).map(([j, [lower, upper]]) => ({ input: world.inputs[j].name, lower, upper })),
    });
    const host = {
      live: world.live,
      state,
      tryValues: (tried) => ask("try", { person, tried }),
      changed: async (_, what) => {
        if (what !== "limits") return;
        const asked = ++turn;
        view.setAdvice({ ...world.method, found: false, pending: true });
        const found = await ask("advise", { person, ...limits() }).catch((error) => ({ found: false, error: error.message }));
        if (asked === turn) view.setAdvice({ ...found, ...world.method });
      },
    };
    const view = personView(sheet, { inputs: world.inputs, models: world.models, person: facts.standing, advice: [{ ...facts.advice, ...world.method }], reasons: facts.reasons, note: world.note }, host);
    return mine;
  }
  choice.addEventListener("change", async () => {
    const person = Number(choice.value);
    const mine = ++turn;
    try {
      const facts = await ask("facts", { person });
      if (mine === turn) draw(person, facts);
    } catch (error) {
      if (mine === turn) sheet.replaceChildren(make("p", { class: "pv-problem", role: "alert" }, error.message));
    }
  });
  draw(first.person, first);
  return () => model.off("msg:custom", answered);
}
export default { render };
