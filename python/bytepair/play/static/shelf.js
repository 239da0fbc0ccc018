// The tokenizers: one is chosen for the first view; files are opened, and what was trained is saved.

import { file, send } from "./api.js";
import { alarm, counted, el, fill, find, number, say } from "./dom.js";
import { change, entry, on, state } from "./state.js";

const ORIGINS = { given: "given on the command line", dropped: "opened here", trained: "trained here" };
// Names of files that hold a tokenizer; anything else that is dropped is a text.
const TOKENIZER = /\.(json|tiktoken|model|gz|codes|bpe)$/i;

export function begin() {
  find("#tok").addEventListener("change", (event) => change({ tok: event.target.value }));
  find("#save").addEventListener("click", save);
  find("#remove").addEventListener("click", remove);
  find("#pattern").append(...state.patterns.map((name) => el("option", { value: name }, name)));
  on("tokenizers tok", show);
  show();
}

function show() {
  fill(find("#tok"), ...state.tokenizers.map((each) =>
    el("option", { value: each.key, selected: each.key === state.tok }, each.name)));
  const chosen = entry();
  find("#save").disabled = find("#remove").disabled = !chosen;
  const none = "There is no tokenizer here: open a file, or train one under Learn.";
  find("#about").textContent = chosen ? about(chosen) : none;
}

function about(each) {
  const losses = each.lossless ? "lossless" : each.losses[0] ?? "not lossless";
  const pattern = each.pattern.length > 40 ? `${each.pattern.slice(0, 40)}…` : each.pattern;
  const size = `${counted(each.vocab_size, "token")} of ${each.alphabet}`;
  return [size, `pattern ${pattern}`, ORIGINS[each.origin], losses].join(", ");
}

/** Put a tokenizer among the others, and choose it. */
export function add(found) {
  change({ tokenizers: [...state.tokenizers, found] });
  change({ tok: found.key });
}

export const isTokenizer = (given) => TOKENIZER.test(given.name);

/** Open tokenizer files; each that cannot be is said. */
export async function openAll(files) {
  const faults = [];
  for (const given of files) {
    try {
      refuseTooLarge(given);
      const found = await send("open", { name: given.name, pattern: find("#pattern").value }, given);
      add(found);
      faults.push(...found.remarks.map((remark) => `${found.name} is open; but ${remark}`));
      say(`${found.name} is open: ${about(found)}`);
    } catch (error) {
      faults.push(error.message);
    }
  }
  alarm(faults.length ? faults.join(" · ") : null);
}

function refuseTooLarge({ name, size }) {
  const most = state.limits.file;
  if (size > most) throw new Error(`${name} has ${number(size)} bytes; a tokenizer may have ${number(most)} here.`);
}

async function save() {
  try {
    const data = await file({ tok: state.tok });
    const link = el("a", { href: URL.createObjectURL(data), download: "tokenizer.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) { alarm(error); }
}

async function remove() {
  try {
    await send("remove", { tok: state.tok });
    const tokenizers = state.tokenizers.filter((each) => each.key !== state.tok);
    change({ tokenizers });
    change({ tok: tokenizers[0]?.key ?? null });
  } catch (error) { alarm(error); }
}
