// Homework on the lesson that is shown: the engine knows the answers, and keeps them until they are asked for.

import { ask } from "./api.js";
import { counted, el, fill, latest } from "./dom.js";

const KINDS = { next: "Which pair is next?", count: "How often is a pair?", encode: "How is a word encoded?" };
const MOST_PIECES = 12;
const HINTS = {
  next: "the two symbols, a space between them", count: "a number",
  encode: "its tokens, a space between them; write · for a space",
};

const question = el("p", { id: "question", "aria-live": "polite" });
const shown = el("div", { id: "question-state" });
const answer = el("input", {
  type: "text", id: "answer", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
});
const label = el("label", { for: "answer" }, "Your answer");
const verdict = el("p", { id: "verdict", role: "status" });
const score = el("span.faint", { id: "score" });

// What the exercises are about; which one it is; how many answers were right, and whether this one was given.
let asked = null, lesson = null, kind = "next", turn = 0, right = 0, tried = 0, isDone = true;

export function build() {
  const buttons = Object.entries(KINDS).map(([name, text]) => el("button", {
    type: "button", "data-kind": name, "aria-pressed": String(name === kind), onclick: () => choose(name),
  }, text));
  const another = el("button", { type: "button", id: "another", onclick: () => { turn += 1; pose(); } }, "Another");
  const form = el("form.row", { id: "exercise" },
    label, answer, el("button.main", { type: "submit" }, "Check"), another);
  form.addEventListener("submit", (event) => { event.preventDefault(); check(); });
  return el("div.card", { id: "exercises" },
    el("div.row", {}, el("h2", {}, "Exercises"), ...buttons, el("span.spring"), score), question, shown, form, verdict);
}

/** Ask about another lesson from now on. */
export function about(fields, fresh) {
  asked = fields;
  lesson = fresh;
  turn = 0;
  pose();
}

function choose(name) {
  kind = name;
  turn = 0;
  for (const button of document.querySelectorAll("#exercises [data-kind]")) {
    button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
  }
  pose();
}

const pose = latest(async () => {
  verdict.textContent = "";
  verdict.className = "";
  answer.value = "";
  const isPossible = lesson.n > 0;
  for (const part of document.querySelectorAll("#exercise input, #exercise button")) part.disabled = !isPossible;
  if (!isPossible) {
    question.textContent = "There is nothing to ask: no pair is merged in this text.";
    fill(shown);
    return;
  }
  const posed = await ask("exercise", { ...asked, kind, number: turn });
  isDone = false;
  question.textContent = posed.question;
  label.textContent = `Your answer (${HINTS[kind]})`;
  fill(shown, kind === "encode" ? merges(posed.step) : pieces(posed.step));
});

function pieces(step) {
  const rows = lesson.stateOf(step), more = rows.length - MOST_PIECES;
  const items = rows.slice(0, MOST_PIECES).map((row, place) =>
    el("li", {}, `${lesson.pieces[place].count} × `, lesson.row(row)));
  return el("ul.pieces", {}, ...items,
    more > 0 ? el("li.faint", {}, `and ${counted(more, "more piece")}, which count too`) : null);
}

const merges = (step) => el("ol.merges", {}, ...lesson.made.slice(0, step).map(([left, right_]) =>
  el("li", {}, lesson.chip(left), " + ", lesson.chip(right_))));

const check = latest(async () => {
  if (!answer.value.trim()) { verdict.textContent = "Write an answer first."; return; }
  const found = await ask("answer", { ...asked, kind, number: turn, answer: answer.value });
  if (!isDone) { tried += 1; right += found.right; isDone = true; }
  verdict.className = found.right ? "good" : "bad";
  verdict.textContent = `${found.right ? "Right." : `Not quite: it is ${found.answer.join(" ")}.`} ${found.why}`;
  score.textContent = `${right} of ${tried} right`;
});
