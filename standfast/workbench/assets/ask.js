// Questions to the server, and what to do while it does not answer.

const lost = document.querySelector("#lost");
const listeners = [];
let away = false;

export class Refused extends Error {
  constructor(status, sentence) { super(sentence); this.status = status; }
}

// called when the server answers again after it did not
export function onReturn(listener) { listeners.push(listener); }

function say(sentence) {
  lost.textContent = sentence;
  lost.hidden = !sentence;
}

async function knock() {
  try {
    const answer = await fetch("/api/world", { signal: AbortSignal.timeout(5000) });
    if (answer.status === 401) { say("The server was started again. Open the address that it printed."); return; }
    if (!answer.ok) throw new Error("not yet");
    away = false;
    say("");
    for (const listener of listeners) listener();
  } catch {
    setTimeout(knock, 1500);
  }
}

function gone() {
  if (!away) { away = true; setTimeout(knock, 1500); }
  say("The server does not answer. The page continues as soon as it is back.");
}

async function request(address, options) {
  let answer;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(90000), ...options });
  } catch {
    gone();
    throw new Refused(0, "The server does not answer.");
  }
  const body = await answer.json().catch(() => ({ error: "The answer cannot be read." }));
  if (answer.status === 401) say(body.error);
  if (answer.status === 202) throw new Refused(202, body.waiting);
  if (!answer.ok) throw new Refused(answer.status, body.error);
  return body;
}

export function ask(name, body) {
  return request(`/api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

export const world = () => request("/api/world", {});

// asked again as long as the answer is that something is still being prepared
export async function askPatiently(name, body, waiting, still = () => true) {
  for (;;) {
    try {
      return await ask(name, body);
    } catch (error) {
      if (error.status !== 202 || !still()) throw error;
      waiting(error.message);
      await new Promise((done) => setTimeout(done, 1000));
      if (!still()) throw error;
    }
  }
}
