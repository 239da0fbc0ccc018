// The third view: the same texts by several tokenizers, and where these cut differently from the first.

import { ask, encode } from "./api.js";
import { el, fill, find, latest, number, table } from "./dom.js";
import { inspect } from "./inspector.js";
import { MOST_EDITED, takeLong } from "./pastes.js";
import { change, on, state } from "./state.js";
import { Strip } from "./strip.js";
import { clipped, visible } from "./visible.js";

const MOST_TEXTS = 8, MOST_DIFFERENCES = 12, MOST_MEASURED = 200_000;
const NOTHING = { n_tokens: 0, ids: [], starts: [], ends: [], bytes: new Uint8Array(), unseen: {} };

const boxes = el("fieldset.choices", { id: "compared" });
const field = el("textarea", { id: "compare-text", spellcheck: "false", "aria-label": "Text to compare on" });
const tabs = el("div.row", { id: "texts" });
const counts = el("div", { id: "counts" }), strips = el("div.strips", { id: "strips" });
const differences = el("div", { id: "differences" });

// The card of each tokenizer by its key; those that are not ticked; the texts, and which of them is shown.
const cards = new Map(), left = new Set();
let texts = [""], shown = 0, timer = null;

export function begin() {
  find("#compare").append(
    el("div.card", {}, boxes, tabs, field),
    el("div.card", {}, el("h2", {}, "Tokens, and how many more or fewer than the first"), counts),
    strips,
    el("div.card", {}, el("h2", {}, "What is cut differently most often"), differences));
  field.addEventListener("input", () => write(field.value));
  takeLong(field, (text) => { write(text); show(); });
  on("text view tok tokenizers", () => {
    texts[0] = state.text;
    if (state.view === "compare") show();
  });
}

/** The first text is that of the first view. */
function write(text) {
  texts[shown] = text;
  if (shown === 0) change({ text }); else soon();
}

const compared = () => state.tokenizers.filter((each) => !left.has(each.key));

function show() {
  const text = texts[shown], isHeld = text.length > MOST_EDITED;
  const seen = isHeld ? `${text.slice(0, 600)}…` : text;
  if (field.value !== seen) field.value = seen;
  field.readOnly = isHeld;
  fill(boxes, el("legend", {}, "Tokenizers; the others are held against the first"), ...state.tokenizers.map(box));
  fill(tabs, ...texts.map((_, place) => tab(place)), texts.length < MOST_TEXTS ? adder() : null);
  soon();
}

function box(each) {
  const input = el("input", { type: "checkbox", checked: !left.has(each.key), value: each.key });
  input.addEventListener("change", () => {
    if (input.checked) left.delete(each.key); else left.add(each.key);
    soon();
  });
  return el("label", {}, input, each.name);
}

function goTo(place) {
  shown = place;
  show();
  field.focus();
}

const tab = (place) => el("button", {
  type: "button", "aria-pressed": String(place === shown), onclick: () => goTo(place),
}, `Text ${place + 1}`);

const adder = () => el("button", {
  type: "button", id: "add-text", onclick: () => goTo(texts.push("") - 1),
}, "Add a text");

/** The tokens at once; what takes longer once the typing rests. */
function soon() {
  const chosen = compared();
  draw(chosen);
  clearTimeout(timer);
  timer = setTimeout(() => measure(chosen), texts[shown].length > 20_000 ? 400 : 60);
}

/** Where the tokens of one tokenizer are drawn; a click on one shows it in the first view. */
function card(each) {
  if (!cards.has(each.key)) {
    const strip = new Strip(`Tokens of ${each.name}`, (token) => {
      change({ tok: each.key, view: "tokens" });
      inspect(token, { tok: each.key });
    });
    const said = el("span.faint");
    const row = el("div.row", {}, el("h2", {}, each.name), el("span.spring"), said);
    const element = el("div.card", { "data-name": each.name }, row, strip.element);
    cards.set(each.key, { strip, said, element, text: null });
  }
  return cards.get(each.key);
}

const draw = latest(async (chosen) => {
  const text = texts[shown], mine = chosen.map(card);
  const cuts = await Promise.all(chosen.map((each) => encode({ tok: each.key }, text).catch((error) => error)));
  const now = [...strips.children];
  if (now.length !== mine.length || now.some((each, i) => each !== mine[i].element)) {
    fill(strips, ...mine.map((each) => each.element));
  }
  cuts.forEach((cut, i) => {
    const { strip, said } = mine[i], isFault = cut instanceof Error;
    said.textContent = isFault ? cut.message : `${number(cut.n_tokens)} tokens`;
    // The rings of the same text stay until it is measured again.
    strip.show(isFault ? NOTHING : cut, mine[i].text === text ? strip.rings : []);
    mine[i].text = text;
  });
});

const measure = latest(async (chosen) => {
  if (!chosen.length) {
    fill(counts, el("p.faint", {}, "Tick a tokenizer above."));
    fill(differences);
    return;
  }
  const given = texts.map((text) => text.slice(0, MOST_MEASURED));
  const found = await ask("compare", { tokenizers: chosen.map((each) => each.key), texts: given, shown });
  found.rings.forEach((rings, i) => cards.get(chosen[i].key)?.strip.ring(rings));
  const isCut = texts.some((text) => text.length > MOST_MEASURED);
  const note = `Measured on the first ${number(MOST_MEASURED)} characters of each text.`;
  fill(counts, countTable(found), isCut ? el("p.faint", {}, note) : null);
  fill(differences, differenceTable(found));
});

const fixed = (value) => (value === null ? "–" : value.toFixed(2));

function countTable({ tokenizers, groups, measures }) {
  const measure = (name, group) => measures.find((each) => each.tokenizer === name && each.group === group);
  const cells = (name) => groups.flatMap((group) => {
    const own = measure(name, group).n_tokens, first = measure(tokenizers[0], group).n_tokens;
    return [el("td.right", {}, number(own)), el("td.right", {}, first ? `${(own / first).toFixed(2)} ×` : "–")];
  });
  const rows = tokenizers.map((name) => {
    const own = measure(name, groups[shown] ?? groups[0]);
    return el("tr", {}, el("th", { scope: "row" }, name), ...cells(name),
      el("td.right", {}, fixed(own.bytes_per_token)), el("td.right", {}, fixed(own.fertility)));
  });
  const names = groups.flatMap((_, place) => [groups.length > 1 ? `text ${place + 1}` : "tokens", "ratio"]);
  return table(["", ...names, "bytes/token", "tokens/word"], rows);
}

function differenceTable({ tokenizers, differences: found }) {
  if (tokenizers.length < 2) {
    return el("p.faint", {}, "It takes two: tick one more, or drop a tokenizer.json, .tiktoken or .model file.");
  }
  if (!found.length) return el("p.faint", {}, "Nothing: they cut these texts alike.");
  const parts = (tokens) => el("td", {}, ...tokens.map((token) => el("span.t.plain", {}, clipped(visible(token)))));
  const rows = found.slice(0, MOST_DIFFERENCES).map((each) => el("tr", {},
    el("td", {}, each.tokenizer), el("td.right", {}, number(each.count)), parts(each.first), parts(each.other)));
  const more = found.length - rows.length;
  return el("div", {}, table(["tokenizer", "times", tokenizers[0], "it"], rows),
    more > 0 ? el("p.faint", {}, `${number(more)} more not shown`) : null);
}
