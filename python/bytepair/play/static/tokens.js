// The first view: a text, and its tokens as it is typed.

import { encode } from "./api.js";
import { counted, done, el, figure, fill, find, latest, number, say } from "./dom.js";
import { close, inspect } from "./inspector.js";
import { MOST_EDITED, takeLong } from "./pastes.js";
import { change, on, state } from "./state.js";
import { Strip } from "./strip.js";

// Of a text that is held aside the beginning is drawn first, while the whole of it is under way.
const BEGINNING = 6_000;

const strip = new Strip("Tokens of the text; arrow keys move, Enter shows one", (token) => inspect(token));
const field = find("#text");
let cut = null;
let saying = null;

export function begin() {
  find("#strip").replaceWith(strip.element);
  field.addEventListener("input", () => change({ text: field.value }));
  takeLong(field, (text) => change({ text }));
  find("#special").addEventListener("change", (event) => change({ special: event.target.checked ? "all" : "text" }));
  find("#clear").addEventListener("click", () => { change({ text: "" }); field.focus(); });
  find("#with-ids").addEventListener("change", (event) => strip.withIds(event.target.checked));
  find("#copy-ids").addEventListener("click", copyIds);
  on("text", showText);
  on("tok", close);
  on("text tok special view", () => state.view === "tokens" && update());
}

/** The field holds what it can edit; of more, a note stands in its place. */
function showText() {
  const isHeld = state.text.length > MOST_EDITED;
  const held = find("#held");
  field.hidden = isHeld;
  held.hidden = !isHeld;
  if (!isHeld) {
    if (field.value !== state.text) field.value = state.text;
    return;
  }
  field.value = "";
  fill(held, 
    el("p", {}, `A long text is held here: ${counted(state.text.length, "character")}. It is not edited in this page.`),
    el("pre", {}, `${state.text.slice(0, 600)}…`),
    el("button", { type: "button", onclick: () => change({ text: state.text.slice(0, MOST_EDITED) }) },
      `Keep the first ${number(MOST_EDITED)} to edit them`));
}

const update = latest(async () => {
  if (!state.tok) return;
  const { tok, special, text } = state;
  if (text.length > MOST_EDITED) {
    strip.show(await encode({ tok, special }, text.slice(0, BEGINNING)));
    await painted("first-tokens-painted");
  }
  cut = await encode({ tok, special }, text);
  strip.show(cut);
  figures(cut);
  painted("tokens-painted");
});

/** Wait until the browser has drawn what is in the page, and note the moment; a page that is not seen draws nothing. */
async function painted(name) {
  await new Promise((then) => {
    requestAnimationFrame(() => setTimeout(then));
    setTimeout(then, 300);
  });
  performance.mark(name);
}

function figures({ n_tokens, n_chars, n_bytes, rewritten }) {
  const ratio = n_tokens ? (n_bytes / n_tokens).toFixed(2) : "–";
  fill(find("#figures"), figure("tokens", number(n_tokens)), figure("characters", number(n_chars)),
    figure("bytes", number(n_bytes)), figure("bytes per token", ratio));
  find("#rewritten").hidden = !rewritten;
  clearTimeout(saying);
  // Said once the typing rests.
  saying = setTimeout(() => say(`${counted(n_tokens, "token")}, ${ratio} bytes per token`), 800);
}

async function copyIds() {
  await navigator.clipboard.writeText(cut ? `[${cut.ids.join(", ")}]` : "[]");
  done(find("#copy-ids"), "The ids are copied.");
}
