// The second view: a text, and the training on it by hand, step by step.

import { ask } from "./api.js";
import { alarm, choices, counted, el, find, latest, number, say } from "./dom.js";
import { textOf } from "./drops.js";
import * as exercises from "./exercises.js";
import { Lesson } from "./lesson.js";
import { MOST_EDITED, takeLong } from "./pastes.js";
import { Player } from "./player.js";
import { on, state } from "./state.js";
import * as steps from "./steps.js";
import * as training from "./training.js";

const MODES = { words: "words with </w>", text: "the whole text", bytes: "pieces of bytes" };
const RULES = { "first-seen": "first seen", lexicographic: "alphabetical" };
const MOST_AT_ONCE = 20_000;

const corpus = el("textarea", { id: "corpus", spellcheck: "false", "aria-label": "Text to learn from" });
const note = el("p.note", { id: "corpus-note", hidden: true });
const merges = el("input", { type: "number", id: "merges", min: "0", max: "500", value: "10" });
const file = el("input", { type: "file", id: "corpus-file" });
const player = new Player("Training, step by step", draw);

// A file that is too long for the field; the lesson that is shown, what was asked for it, and the step wanted in it.
let held = null, lesson = null, known = "", wanted = 0;
let stepped = () => {};

export function begin() {
  const go = (rank) => { player.pause(); player.go(rank + 1); };
  const example = el("button.main", { type: "button", id: "example", onclick: workedExample }, "The worked example");
  find("#learn").append(
    el("div.card", {},
      el("div.row", {},
        el("label", { for: "corpus" }, "Learn from this text"), el("span.spring"), example,
        el("label.file.button", {}, "Open a text", file)),
      corpus, note,
      el("div.row", {},
        choices("mode", "Cut into", MODES, change), choices("ties", "Among equals take", RULES, change),
        el("label", {}, "Merges ", merges))),
    el("div.card", { id: "steps" }, player.element, steps.build(go)),
    exercises.build(),
    training.build(() => held ?? corpus.value));
  player.keysIn(find("#steps"));
  takeLong(corpus, (text) => read(new File([text], "The pasted text")).catch(alarm));
  corpus.addEventListener("input", () => { hold(null); change(); });
  merges.addEventListener("input", change);
  file.addEventListener("change", async () => {
    if (file.files.length) await read(file.files[0]).catch(alarm);
    file.value = "";
  });
  on("view", refresh);
}

const radio = (name, value) => find(`#learn input[name=${name}]${value ? `[value="${value}"]` : ":checked"}`);

/** What the engine is asked to learn. */
const asked = () => ({
  text: corpus.value, mode: radio("mode").value, ties: radio("ties").value, num_merges: Number(merges.value),
});

function change() {
  wanted = 0;
  watch();
}

const watch = latest(async () => {
  if (state.view !== "learn") return;
  if (!merges.checkValidity() || merges.value === "") throw new Error("Merges is a whole number from 0 to 500.");
  const mine = asked(), key = JSON.stringify(mine);
  if (lesson === null || key !== known) {
    if (mine.text.length > MOST_AT_ONCE) say("A long text takes a moment.");
    lesson = new Lesson(await ask("trace", mine));
    known = key;
    exercises.about(mine, lesson);
  }
  player.load(lesson.n, Math.min(wanted, lesson.n));
  Object.assign(find("#steps").dataset, { ties: mine.ties, mode: mine.mode });
});

function draw(at) {
  if (!lesson) return;
  wanted = at;
  steps.show(lesson, at);
  stepped();
}

function workedExample() {
  hold(null);
  corpus.value = state.worked_example;
  radio("mode", "words").checked = true;
  merges.value = "10";
  change();
}

/** Take a file as the corpus: all of it for training, its beginning to learn by hand. */
export async function read(given) {
  const text = await textOf(given, state.limits.corpus);
  corpus.value = text.slice(0, MOST_EDITED);
  hold(text.length > MOST_EDITED ? given : null);
  change();
}

function hold(given) {
  held = given;
  note.hidden = !given;
  if (!given) return;
  const some = `its first ${number(MOST_EDITED)} characters`;
  note.textContent = `${given.name}, ${counted(given.size, "byte")}: by hand, ${some}; training below takes all of it.`;
}

/** What stands in the address. */
export function address() {
  const { text, mode, ties, num_merges } = asked();
  return { corpus: held ? "" : text, mode, ties, merges: num_merges, step: wanted };
}

export function restore(said) {
  corpus.value = said.corpus ?? (corpus.value || state.worked_example);
  for (const [name, options] of [["mode", MODES], ["ties", RULES]]) {
    if (Object.hasOwn(options, said[name] ?? "")) radio(name, said[name]).checked = true;
  }
  if (/^\d{1,3}$/.test(said.merges ?? "")) merges.value = said.merges;
  wanted = Number(said.step) || 0;
  lesson = null;
}

/** Show what `restore` wants. */
export const refresh = () => lesson === null && watch();

/** Call `then` after every step. */
export const onStep = (then) => { stepped = then; };
