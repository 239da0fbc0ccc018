// Training on all of a text, by the engine: it tells how far it is, and can be cancelled.

import { train } from "./api.js";
import { alarm, el, number, say } from "./dom.js";
import { add } from "./shelf.js";
import { change, state } from "./state.js";

const TIES = ["lexicographic", "first-seen", "largest", "lowest-id", "shortest"];

const size = el("input", { type: "number", id: "vocab-size", min: "256", max: "200000", value: "1000", step: "1" });
const name = el("input", { type: "text", id: "train-name", value: "trained here", maxlength: "60" });
const pattern = el("select", { id: "train-pattern" });
const ties = el("select", { id: "train-ties" }, ...TIES.map((rule) => el("option", { value: rule }, rule)));
const bar = el("progress", { max: "1", value: "0", hidden: true, "aria-label": "Training" });
const said = el("p", { id: "train-said" });
const start = el("button.main", { type: "submit" }, "Train");
const cancel = el("button", { type: "button", id: "cancel", hidden: true }, "Cancel");
const next = el("p", { hidden: true },
  el("button", { type: "button", onclick: () => change({ view: "tokens" }) }, "See its tokens"), " ",
  el("button", { type: "button", onclick: () => change({ view: "choose" }) }, "Choose its size"));
let abort = null;

/** `source()` gives what is learned from: a text or a file. */
export function build(source) {
  pattern.append(...state.patterns.map((each) => el("option", { value: each, selected: each === "cl100k" }, each)));
  const form = el("form.row", { id: "train" }, el("label", {}, "Tokens ", size), el("label", {}, "Pattern ", pattern),
    el("label", {}, "Ties ", ties), el("label", {}, "Name ", name), start, cancel);
  form.addEventListener("submit", (event) => { event.preventDefault(); run(source()); });
  cancel.addEventListener("click", () => abort?.abort());
  return el("div.card", { id: "training" }, el("h2", {}, "Train on all of it"),
    el("p.faint", {}, "The engine learns a tokenizer of bytes from the text above; it is then used in every view."),
    form, bar, said, next);
}

async function run(source) {
  abort = new AbortController();
  busy(true);
  tell("The text is sent.");
  const query = { vocab_size: size.value, pattern: pattern.value, ties: ties.value, name: name.value };
  try {
    for await (const news of train(query, source, abort.signal)) follow(news);
    alarm(null);
  } catch (error) {
    if (error.name === "AbortError") tell("Cancelled: nothing was kept.");
    else { tell(""); alarm(error); }
  } finally {
    busy(false);
  }
}

function follow(news) {
  if (news.error) throw new Error(news.error);
  if (news.cancelled) return tell("Cancelled: nothing was kept.");
  if (news.entry) {
    add(news.entry);
    next.hidden = false;
    tell(`${news.entry.name}: ${news.report}`);
    return say(`Trained: ${number(news.entry.vocab_size)} tokens`);
  }
  bar.value = news.share ?? 0;
  return tell(`${news.stage}: ${news.said}`);
}

function tell(sentence) { said.textContent = sentence; }

function busy(yes) {
  bar.hidden = cancel.hidden = !yes;
  start.disabled = yes;
  if (yes) { next.hidden = true; bar.value = 0; }
}
