// The page: its views, its address, and what it begins with.

import { ask } from "./api.js";
import * as choose from "./choose.js";
import * as compare from "./compare.js";
import { alarm, done, find } from "./dom.js";
import * as drops from "./drops.js";
import * as hash from "./hash.js";
import * as learn from "./learn.js";
import * as shelf from "./shelf.js";
import { change, entry, on, state } from "./state.js";
import * as tokens from "./tokens.js";

const VIEWS = ["tokens", "learn", "compare", "choose"];
const HELLO = `The playground shows tokens as you type: naïve café, 漢字, 🙂
It learns the newest, the lowest and the widest words.`;

function show() {
  for (const view of VIEWS) {
    const tab = find(`#tab-${view}`), isSeen = view === state.view;
    tab.setAttribute("aria-selected", String(isSeen));
    tab.tabIndex = isSeen ? 0 : -1;
    find(`#${view}`).hidden = !isSeen;
  }
  // Learning by hand needs none.
  find("#shelf").hidden = state.view === "learn";
}

function tabs() {
  for (const view of VIEWS) find(`#tab-${view}`).addEventListener("click", () => change({ view }));
  find("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const view = VIEWS[(VIEWS.indexOf(state.view) + step + VIEWS.length) % VIEWS.length];
    change({ view });
    find(`#tab-${view}`).focus();
  });
}

function manners() {
  const button = find("#theme");
  const name = () => { button.textContent = theme.now() === "dark" ? "Light" : "Dark"; };
  button.addEventListener("click", () => { theme.toggle(); name(); });
  name();
  find("#link").addEventListener("click", async () => {
    const isWhole = toHash();
    await navigator.clipboard.writeText(location.href);
    done(find("#link"), isWhole ? "The link is copied." : "The link is copied; the text is too long to be in it.");
  });
}

const special = () => (state.special === "all" ? "all" : "");

/** What each view has in the address. */
const ADDRESSES = {
  tokens: () => ({ tok: entry()?.name, text: state.text, special: special() }),
  learn: learn.address,
  compare: () => ({ tok: entry()?.name, text: state.text }),
  choose: () => ({ tok: entry()?.name, text: state.text, ...choose.address() }),
};

const toHash = () => hash.write({ view: state.view, ...ADDRESSES[state.view]() });

function fromHash() {
  const said = hash.read();
  const named = state.tokenizers.find((each) => each.name === said.tok);
  for (const view of [learn, choose]) view.restore(said);
  change({
    view: VIEWS.includes(said.view) ? said.view : "tokens",
    tok: (named ?? state.tokenizers[0])?.key ?? null,
    special: said.special === "all" ? "all" : "text",
    text: said.text ?? (state.text || HELLO),
  });
  find("#special").checked = state.special === "all";
  for (const view of [learn, choose]) view.refresh();
  if (said.tok && !named) alarm(`The link names a tokenizer ${said.tok} that is not here; open its file.`);
}

/** A text file that was dropped goes where a text is asked for. */
async function read(given) {
  if (state.view === "learn") await learn.read(given);
  else change({ text: await drops.textOf(given) });
}

async function begin() {
  const { tokenizers, ...rest } = await ask("start");
  Object.assign(state, rest, { tokenizers });
  tabs();
  manners();
  shelf.begin();
  for (const view of [tokens, learn, compare, choose]) view.begin();
  on("view", show);
  on("view tok text special", toHash);
  learn.onStep(toHash);
  choose.onMove(toHash);
  drops.begin(read);
  fromHash();
  show();
  addEventListener("hashchange", fromHash);
  document.body.dataset.ready = "yes";
}

begin().catch(alarm);
