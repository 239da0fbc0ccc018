// The fourth view: one tokenizer that was trained here, at any size up to its own.

import { encode, send } from "./api.js";
import { Chart } from "./chart.js";
import { el, figure, fill, find, latest, number, say } from "./dom.js";
import { change, entry, on, state } from "./state.js";
import { Strip } from "./strip.js";

const slider = el("input", { type: "range", id: "size", "aria-label": "Vocabulary size" });
const exact = el("input", { type: "number", id: "size-exact", "aria-label": "Vocabulary size, exactly" });
const mine = el("input", { type: "checkbox", id: "curve-mine" });
const figures = el("dl.figures", { id: "size-figures" });
const strip = new Strip("Tokens at this size; arrow keys move");
const chart = new Chart("Bytes per token by vocabulary size");
const knee = el("p.faint"), none = el("p.note", { hidden: true }), whole = el("div");
let curve = null, of = null, wanted = null, saying = null;

export function begin() {
  find("#choose").append(none, whole);
  whole.append(
    el("div.card", {}, el("div.row", {}, el("label", { for: "size" }, "Vocabulary size"), slider, exact), figures),
    el("div.halves", {},
      el("div.card", {},
        el("div.row", {},
          el("h2", {}, "Bytes per token"), el("span.spring"), el("label.check", {}, mine, " measured on my text")),
        chart.element, knee),
      el("div.card", {}, el("h2", {}, "Tokens of the text"), strip.element)));
  slider.addEventListener("input", () => at(Number(slider.value)));
  exact.addEventListener("change", () => exact.checkValidity() && exact.value !== "" && at(Number(exact.value)));
  mine.addEventListener("change", load);
  on("view tok text tokenizers", refresh);
}

const load = latest(async () => {
  const chosen = entry();
  none.hidden = Boolean(chosen?.sizes);
  whole.hidden = !chosen?.sizes;
  if (!chosen?.sizes) {
    fill(none, "A size can be chosen for a tokenizer that was trained here. Take one of these above, or ",
      el("button", { type: "button", onclick: () => change({ view: "learn" }) }, "train one"));
    return;
  }
  const [low, high] = chosen.sizes;
  for (const input of [slider, exact]) { input.min = String(low); input.max = String(high); }
  curve = await send("curve", { tok: chosen.key }, mine.checked ? state.text || " " : undefined);
  draw();
  if (of !== chosen.key) { of = chosen.key; wanted ??= curve.knee; }
  at(Math.max(low, Math.min(high, wanted)));
});

/** Bytes per token at a place of the curve. */
const ratio = (place) => (curve.tokens[place] ? curve.n_bytes / curve.tokens[place] : 0);

function draw() {
  const n = curve.vocab_size.length, step = Math.max(1, Math.ceil(n / 500));
  const places = [...Array(n).keys()].filter((place) => place % step === 0 || place === n - 1);
  const points = places.map((place) => [curve.vocab_size[place], ratio(place)]), bend = number(curve.knee);
  chart.show(points, [[curve.knee, `knee: ${bend}`]], ["vocabulary size", "bytes per token"]);
  knee.textContent = `Up to the knee, ${bend} tokens, one token more gains more than on average; after it, less.`;
}

function at(size) {
  wanted = size;
  slider.value = exact.value = String(size);
  slider.setAttribute("aria-valuetext", `${number(size)} tokens`);
  if (!curve) return;
  let place = curve.vocab_size.findIndex((each) => each >= size);
  if (place < 0) place = curve.vocab_size.length - 1;
  chart.mark(curve.vocab_size[place], ratio(place));
  tokens(size, place);
  moved();
}

const tokens = latest(async (size, place) => {
  const cut = await encode({ tok: state.tok, size, special: state.special }, state.text);
  strip.show(cut);
  const saved = place ? curve.tokens[place - 1] - curve.tokens[place] : 0;
  fill(figures, figure("tokens in the vocabulary", number(size)), figure("tokens of the text", number(cut.n_tokens)),
    figure("bytes per token on the curve", ratio(place).toFixed(3)), figure("saved by the last merge", number(saved)));
  clearTimeout(saying);
  saying = setTimeout(() => say(`${number(size)} tokens in the vocabulary, ${number(cut.n_tokens)} in the text`), 800);
});

let moved = () => {};
export const onMove = (then) => { moved = then; };

export const address = () => ({ size: wanted });

export function restore(said) {
  if (/^\d{1,7}$/.test(said.size ?? "")) wanted = Number(said.size);
}

/** Show what `restore` wants. */
export const refresh = () => state.view === "choose" && load();
