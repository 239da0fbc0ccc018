// Files that are opened, or dropped anywhere: a tokenizer goes to the others, a text to the view that is seen.

import { alarm, find, number } from "./dom.js";
import { isTokenizer, openAll } from "./shelf.js";
import { state } from "./state.js";

/** `read(file)` takes a file that is no tokenizer. */
export function begin(read) {
  const take = async (files) => {
    const tokenizers = files.filter(isTokenizer), texts = files.filter((each) => !isTokenizer(each));
    if (tokenizers.length) await openAll(tokenizers);
    if (texts.length) await read(texts[0]).then(() => alarm(null), alarm);
  };
  find("#open").addEventListener("change", async (event) => {
    await take([...event.target.files]);
    event.target.value = "";
  });
  const sign = find("#drop");
  let depth = 0;
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => { if (holdsFiles(event)) { depth += 1; sign.hidden = false; } });
  addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); sign.hidden = depth === 0; });
  addEventListener("dragover", (event) => { if (holdsFiles(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    depth = 0;
    sign.hidden = true;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}

/** The text of a file, which is UTF-8. */
export async function textOf(given, most = state.limits.text) {
  if (given.size > most) {
    throw new Error(`${given.name} has ${number(given.size)} bytes; a text may have ${number(most)} here.`);
  }
  const data = await given.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw new Error(`${given.name} is no tokenizer file by its name, and no text in UTF-8 either.`);
  }
}
