// One step of a training by hand: which pair and why, the pairs that there were, and the pieces afterwards.

import { counted, el, fill, number, table } from "./dom.js";

const MOST_PIECES = 40;

const heading = el("h2"), why = el("p", { id: "why", "aria-live": "polite" });
const pairs = el("div", { id: "pairs" }), pieces = el("div", { id: "pieces" }), learned = el("ol", { id: "merged" });
let go = null;

/** `goTo(rank)` shows the step of a merge. */
export function build(goTo) {
  go = goTo;
  return [
    heading, why,
    el("div.halves", {},
      el("div", {}, el("h3", {}, "Pairs, and how often they stand"), pairs),
      el("div", {}, el("h3", {}, "The text, piece by piece"), pieces)),
    el("h3", {}, "Learned so far"), learned,
  ];
}

export function show(lesson, at) {
  const step = at ? lesson.steps[at - 1] : null, made = at ? lesson.made[at - 1] : null;
  heading.textContent = step ? `Step ${at}: merge (${lesson.names(made.slice(0, 2)).join(", ")})` : "Before any merge";
  why.textContent = sentence(lesson, step, at);
  fill(pairs, pairTable(lesson, step ?? lesson.steps[0], step?.pair));
  fill(pieces, pieceTable(lesson, lesson.rows(at), new Set(step?.changed), made?.[2]));
  fill(learned, ...lesson.made.slice(0, at).map((each, rank) => merge(lesson, each, rank)));
}

function sentence(lesson, step, at) {
  const end = at === lesson.n ? lesson.end() : "";
  if (step) return `${step.why} ${end}`;
  return lesson.n ? "These are the pairs there are; the most frequent one is merged first." : end;
}

/** The pairs before a merge. Names are compared, since the table of the engine has them. */
function pairTable(lesson, step, chosen) {
  if (!step) return el("p.faint", {}, "There is no pair.");
  const key = JSON.stringify, tied = new Set(chosen ? step.tied.map(key) : []), most = step.pairs[0][2];
  const rows = step.pairs.map(([left, right, count]) => {
    const pair = key([left, right]), isChosen = pair === key(chosen);
    return el(isChosen ? "tr.chosen" : "tr", {},
      el("td", {}, lesson.named(left), " ", lesson.named(right)),
      el("td.right", {}, number(count)),
      el("td", {}, el("meter", { min: "0", max: String(most), value: String(count), "aria-hidden": "true" })),
      el("td.said", {}, isChosen ? "merged" : tied.has(pair) ? "tied" : ""));
  });
  return el("div", {}, table(["pair", "count", "", ""], rows), notShown(step.n_pairs - rows.length, "rarer pair"));
}

/** Of many pieces those that changed come before the others. */
function pieceTable(lesson, rows, changed, made) {
  const places = [...rows.keys()].sort((a, b) => changed.has(b) - changed.has(a)).slice(0, MOST_PIECES);
  const drawn = places.sort((a, b) => a - b).map((place) => el(changed.has(place) ? "tr.chosen" : "tr", {},
    el("td.right", {}, `${number(lesson.pieces[place].count)} ×`), el("td", {}, lesson.row(rows[place], made))));
  return el("div", {}, table(["times", "symbols"], drawn), notShown(rows.length - places.length, "piece"));
}

const notShown = (n, noun) => (n > 0 ? el("p.faint", {}, `${counted(n, noun)} not shown`) : null);

function merge(lesson, [left, right, made], rank) {
  return el("li", {}, el("button", { type: "button", "aria-label": `Go to step ${rank + 1}`, onclick: () => go(rank) },
    lesson.chip(left), "+", lesson.chip(right), "→", lesson.chip(made)));
}
