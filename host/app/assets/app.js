// The page: sends what is typed to /chat and shows the events of the turn. All text is set as text, never as markup.
"use strict";

const at = (id) => document.getElementById(id);
const [log, form, message, problem, send, stop] = ["log", "form", "message", "problem", "send", "stop"].map(at);
let running = null;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function add(parent, child) {
  const main = document.querySelector("main");
  const isAtEnd = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
  parent.append(child);
  if (isAtEnd) main.scrollTop = main.scrollHeight;
  return child;
}

// Requests carry the token, if the server asked for one.
async function ask(path, options = {}) {
  const token = sessionStorage.getItem("operator") || sessionStorage.getItem("token");
  const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.status !== 401) return response;
  await askForToken();
  return ask(path, options);
}

function askForToken() {
  const dialog = at("token-dialog");
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    sessionStorage.setItem("token", at("token").value.trim());
    at("token").value = "";
    resolve();
  }, { once: true }));
}

// Only the operator answers: the link that `forge serve` prints carries the token, and this page takes it too.
function askForOperator() {
  const dialog = at("operator-dialog");
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    sessionStorage.setItem("operator", at("operator").value.trim());
    at("operator").value = "";
    resolve();
  }, { once: true }));
}

// The token is taken out of the address at once: it is never kept there.
function takeOperator() {
  const found = location.hash.match(/^#operator=([0-9a-f]+)$/);
  if (!found) return;
  sessionStorage.setItem("operator", found[1]);
  history.replaceState(null, "", "/");
}

// One turn on the page: its steps and its answer.
class Turn {
  constructor(text) {
    add(log, element("div", "user", text));
    this.root = add(log, element("div", "turn"));
    this.steps = new Map();
    this.answer = null;
  }
  step(number) {
    if (!this.steps.has(number)) {
      const details = element("details");
      const summary = element("summary");
      summary.append(element("b", "", "thinking"), element("span", "", " …"));
      details.append(summary);
      this.steps.set(number, this.root.insertBefore(details, this.answer));
    }
    return this.steps.get(number);
  }
  title(number, name, rest) {
    const [title, note] = this.step(number).querySelector("summary").children;
    title.textContent = name;
    note.textContent = rest;
  }
  text(piece) {
    if (!this.answer) this.answer = add(this.root, element("div", "answer", ""));
    this.answer.textContent += piece;
    document.querySelector("main").scrollTop = document.querySelector("main").scrollHeight;
  }
  replace(text, className) {
    if (!this.answer) this.answer = add(this.root, element("div", "answer"));
    this.answer.className = `answer ${className}`;
    this.answer.textContent = text;
  }
  take(name, data) {
    switch (name) {
      case "deciding": this.step(data.step); break;
      case "chosen": this.title(data.step, data.tool, " …"); break;
      case "delta": this.text(data.text); break;
      case "decision": {
        const isText = data.tool === "chat" || data.tool === "code";
        this.title(data.step, isText ? data.tool : `${data.tool}.${data.operation}`, " …");
        if (!isText) this.step(data.step).append(element("pre", "", data.input));
        break;
      }
      case "asking": this.asking(data); break;
      case "substep": this.title(data.step, data.name, " …"); break;
      case "step": {
        const step = this.step(data.step);
        const title = step.querySelector("b").textContent;
        step.className = data.outcome;
        this.title(data.step, title, ` ${data.outcome}, ${seconds(data.duration_ms)}`);
        if (data.tool !== "chat" && data.tool !== "code") step.append(element("pre", "", data.text));
        break;
      }
      case "retract": this.replace(data.replacement, ""); break;
      case "done": this.finish(data); break;
      case "error": throw new Error(data.detail);
    }
  }
  // A question of policy's, with the whole input. It is answered by whoever has the operator's token.
  asking({ id, call, shown, diff, reasons, may_be_always }) {
    const card = element("div", "asking");
    card.append(element("b", "", `${call} wants to run`), element("pre", "", shown));
    if (diff) card.append(element("p", "meta", "which changes"), coloured(diff));
    card.append(element("p", "", reasons.join("; ")));
    const buttons = element("p", "row");
    const choices = [["once", "Once"], ["session", "While Forge runs"], ["no", "No"]];
    if (may_be_always) choices.splice(2, 0, ["always", "Always, just this call"]);
    for (const [answer, title] of choices) {
      const button = element("button", answer === "no" ? "plain" : "", title);
      button.type = "button";
      button.addEventListener("click", () => this.answerTo(id, answer, card));
      buttons.append(button);
    }
    card.append(buttons);
    add(this.root, card);
  }
  async answerTo(id, answer, card) {
    try {
      const response = await fetch(`/approvals/${id}`, {
        method: "POST", body: JSON.stringify({ answer }),
        headers: { "content-type": "application/json", authorization: `Bearer ${sessionStorage.getItem("operator") || ""}` },
      });
      if (response.status === 403) { await askForOperator(); return; }
      if (!response.ok) throw new Error((await response.json()).detail);
      card.querySelector(".row").replaceWith(element("p", "meta", answer === "no" ? "refused" : "allowed"));
    } catch (error) {
      tell(error.message);
    }
  }
  finish(result) {
    const isCode = result.tool === "code" || result.output.includes("\n");
    this.replace(result.output, !result.ok ? "failed" : isCode && result.tool !== "chat" ? "code" : "");
    const { llm_calls, prompt_tokens, completion_tokens } = result.usage;
    const parts = [seconds(result.total_ms), `${llm_calls} model call${llm_calls === 1 ? "" : "s"}`];
    if (prompt_tokens !== null) parts.push(`${prompt_tokens} tokens in`);
    if (completion_tokens !== null) parts.push(`${completion_tokens} out`);
    if (!result.stored && result.ok) parts.push(result.not_stored ? `not stored: ${result.not_stored}` : "not stored");
    add(this.root, element("p", "meta", `${parts.join(" · ")} · run ${result.run_id}`));
  }
}

const seconds = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

// A diff, its lines by what becomes of them.
function coloured(diff) {
  const shown = element("pre", "diff", "");
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const kind = { "+": "added", "-": "removed", "@": "place" }[line[0]] || "";
    shown.append(element("span", kind, `${line}\n`));
  }
  return shown;
}

// The events of a stream, as they come.
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const part = (name) => lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart()).join("\n");
      if (part("data")) yield [part("event"), JSON.parse(part("data"))];
    }
  }
}

async function say(text) {
  const turn = new Turn(text);
  running = new AbortController();
  show(true);
  try {
    const body = JSON.stringify({ message: text, conversation: at("conversation").value, agent: at("agent").checked });
    const response = await ask("/chat", {
      method: "POST", body, signal: running.signal,
      headers: { "content-type": "application/json", accept: "text/event-stream" },
    });
    if (!response.ok) throw new Error((await response.json()).detail);
    for await (const [name, data] of events(response)) turn.take(name, data);
  } catch (error) {
    if (error.name === "AbortError") add(turn.root, element("p", "meta", "stopped"));
    else tell(error instanceof TypeError ? "Forge does not answer: is `forge serve` still running?" : error.message);
  } finally {
    running = null;
    show(false);
    message.focus();
  }
}

function tell(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

function show(isRunning) {
  send.hidden = isRunning;
  stop.hidden = !isRunning;
}

function fit() {
  message.style.height = "auto";
  message.style.height = `${message.scrollHeight + 2}px`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = message.value.trim();
  if (!text || running) return;
  tell("");
  message.value = "";
  fit();
  say(text);
});
message.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
message.addEventListener("input", fit);
stop.addEventListener("click", () => running?.abort());
at("conversation").addEventListener("change", () => { location.hash = at("conversation").value; });
addEventListener("hashchange", load);

// What was said before in the conversation that the address names.
async function load() {
  at("conversation").value = decodeURIComponent(location.hash.slice(1)) || "main";
  log.replaceChildren();
  tell("");
  try {
    const response = await ask(`/history?conversation=${encodeURIComponent(at("conversation").value)}&limit=1000`);
    const said = await response.json();
    if (!response.ok) throw new Error(said.detail);
    for (const { role, content } of said) add(log, element("div", role === "user" ? "user" : "answer", content));
  } catch (error) {
    tell(error.message);
  }
}

async function health() {
  const { provider, model } = await (await fetch("/health")).json();
  at("model").textContent = model ? `${model} on ${provider}` : `${provider}: no model answers yet`;
}

takeOperator();
load();
health().catch(() => tell("Forge does not answer."));
