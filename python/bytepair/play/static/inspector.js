// One token: what it is, and its merges played backwards until its bytes are left.

import { send } from "./api.js";
import { paint } from "./colour.js";
import { alarm, counted, el, fill, find, number, say } from "./dom.js";
import { Player } from "./player.js";
import { state } from "./state.js";
import { bytesOf, clipped, visible } from "./visible.js";

const KINDS = {
  special: "a special token: never learned", symbol: "there before any merge", merged: "learned",
  unmade: "in no merge: nothing makes it",
};

let asked = 0;

/** Show a token of a strip. `query` says of which tokenizer. */
export async function inspect(token, query = { tok: state.tok }) {
  const mine = asked += 1;
  try {
    const report = await send("token", { ...query, id: token.id });
    if (mine !== asked) return;
    show(token, report);
    alarm(null);
  } catch (error) {
    alarm(error);
  }
}

export function close() {
  asked += 1;
  const box = find("#inspector");
  box.hidden = true;
  find("#hint").hidden = false;
  fill(box);
}

function show(token, report) {
  const states = backwards(report.tree);
  const row = el("p.symbols", { "aria-live": "polite" }), said = el("p.faint");
  const player = new Player("Merges backwards", (step) => {
    const { nodes, undone } = states[step];
    fill(row, ...nodes.map((node) => chip(node, undone?.parts.includes(node))));
    said.textContent = sentence(step, states);
  }, 900);
  const box = find("#inspector");
  player.keysIn(box);
  const name = visible(report.token);
  fill(box, 
    el("div.row", {}, el("h2", { tabindex: "-1" }, "Token ", chip(report), ` ${report.id}`), el("span.spring"),
      el("button", { type: "button", onclick: close, "aria-label": "Close the token" }, "Close")),
    el("p", {}, facts(token, report)),
    states.length > 1 ? player.element : null, row, said,
    ...parents(report));
  box.hidden = false;
  find("#hint").hidden = true;
  player.load(states.length - 1);
  say(`Token ${report.id}, ${name}: ${facts(token, report)}`);
  if (states.length > 1) player.play();
}

export function chip(node, isNew = false) {
  const made = paint(el("span.t", { title: `id ${node.id}` }, clipped(visible(node.token))), node.id);
  if (isNew) made.classList.add("new");
  return made;
}

function facts(token, report) {
  const said = [KINDS[report.kind]];
  if (report.rank !== null) said.push(`merge ${number(report.rank)} of the list, counted from 0`);
  if (report.count !== null) said.push(`its pair stood ${counted(report.count, "time")} in the corpus then`);
  if (token.bytes.length) said.push(`bytes ${bytesOf(token.bytes, 24)}`);
  if (!report.reachable) said.push("no text can reach it");
  return `${said.join("; ")}.`;
}

/** From the token to its symbols: each time the merge that was learned last is undone. */
function backwards(tree) {
  const states = [{ nodes: [tree], undone: null }];
  for (let nodes = [tree]; ;) {
    let last = null;
    for (const node of nodes) if (node.parts.length && (last === null || rank(node) > rank(last))) last = node;
    if (last === null) return states;
    const place = nodes.indexOf(last);
    nodes = [...nodes.slice(0, place), ...last.parts, ...nodes.slice(place + 1)];
    states.push({ nodes, undone: last });
  }
}

const rank = (node) => node.rank ?? -1;

function sentence(step, states) {
  const { undone, nodes } = states[step];
  if (states.length === 1) return "It is made of no other tokens.";
  const n_symbols = states.at(-1).nodes.length;
  if (step === 0) return `Merged from ${counted(n_symbols, "symbol")} in ${counted(states.length - 1, "merge")}.`;
  const parts = undone.parts.map((part) => `\`${clipped(visible(part.token))}\``).join(" + ");
  const end = step === states.length - 1 ? ` These ${nodes.length} were there before any merge.` : "";
  const which = undone.rank === null ? "" : ` ${number(undone.rank)}`;
  return `Merge${which} undone: \`${clipped(visible(undone.token))}\` comes from ${parts}.${end}`;
}

function parents(report) {
  if (!report.parents.length) return [];
  const some = report.parents.slice(0, 12);
  const more = report.parents.length - some.length;
  return [el("p.parents", {}, el("span.faint", {}, "Part of: "), ...some.map((each) => chip(each)),
    more ? el("span.faint", {}, ` and ${number(more)} more`) : null)];
}
