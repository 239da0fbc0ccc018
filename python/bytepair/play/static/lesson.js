// A training by hand as the engine told it, and the symbols of every piece after any number of merges.

import { paint } from "./colour.js";
import { el, number } from "./dom.js";
import { clipped, visible } from "./visible.js";

const MOST_IN_A_ROW = 120;
const ENDS = {
  target: "That is as many merges as were asked for.", "no-pairs": "No pair of neighbours is left to merge.",
  "min-count": "Every pair that is left is too rare.",
};

export class Lesson {
  constructor({ trace, spelled, rows, made }) {
    this.pieces = trace.pieces;
    this.steps = trace.steps;
    this.reason = trace.reason;
    this.spelled = spelled;
    this.made = made;
    this.first = rows;
    this.n = trace.steps.length;
    this.byName = new Map(Object.entries(spelled).map(([id, name]) => [name, Number(id)]));
    this.now = rows.slice();
    this.at = 0;
  }

  end() { return ENDS[this.reason]; }

  /** The ids of the symbols of each piece after so many merges. */
  rows(at) {
    if (at < this.at) { this.now = this.first.slice(); this.at = 0; }
    for (; this.at < at; this.at += 1) {
      for (const place of this.steps[this.at].changed) this.now[place] = merged(this.now[place], this.made[this.at]);
    }
    return this.now;
  }

  /** The same without moving what is shown. */
  stateOf(at) {
    const rows = this.first.slice();
    for (let k = 0; k < at; k += 1) {
      for (const place of this.steps[k].changed) rows[place] = merged(rows[place], this.made[k]);
    }
    return rows;
  }

  names(ids) { return ids.map((id) => visible(this.spelled[id])); }

  chip(id, isNew = false) {
    const made = paint(el("span.t", { title: `id ${id}` }, clipped(visible(this.spelled[id]))), id);
    if (isNew) made.classList.add("new");
    return made;
  }

  /** A symbol by its spelling. */
  named(name) { return this.chip(this.byName.get(name)); }

  /** Symbols side by side; of a long row, the beginning. */
  row(ids, made = null) {
    const more = ids.length - MOST_IN_A_ROW;
    return el("span.symbols", {}, ...ids.slice(0, MOST_IN_A_ROW).map((id) => this.chip(id, id === made)),
      more > 0 ? el("span.faint", {}, ` … ${number(more)} more`) : null);
  }
}

/** The symbols with every occurrence of a pair joined, from left to right without overlap. */
export function merged(ids, [left, right, made]) {
  const joined = [];
  for (let i = 0; i < ids.length; i += 1) {
    const isPair = ids[i] === left && ids[i + 1] === right;
    joined.push(isPair ? made : ids[i]);
    if (isPair) i += 1;
  }
  return joined;
}
