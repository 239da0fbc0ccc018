// A text as patches of colour, a token each. However long it is, only the rows that are seen are in the page.

import { el, number } from "./dom.js";
import { paint } from "./colour.js";
import { bytesOf, clipped, columns, readable, visible } from "./visible.js";

const ROW = 30, ROW_WITH_IDS = 46, MORE = 6;
const NEWLINE = 10;
// As many are measured, which fit on any screen.
const COLUMNS = 20;
let n_strips = 0;

export class Strip {
  /** `choose` is called with what `token(i)` gives when a token is clicked, or Enter is pressed on it. */
  constructor(label, choose) {
    this.name = `strip${n_strips += 1}`;
    this.choose = choose;
    this.rows = el("div.rows", { role: "presentation" });
    this.space = el("div.space", { role: "presentation" }, this.rows);
    this.element = el("div.strip", { tabindex: "0", role: "listbox", "aria-label": label }, this.space);
    this.cut = null;
    this.at = -1;
    this.ids = false;
    this.rings = [];
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => this.click(event));
    this.element.addEventListener("pointerover", (event) => this.hover(event));
    this.element.addEventListener("pointerleave", () => hideTip());
    this.element.addEventListener("blur", () => hideTip());
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** Show a text and its tokens, as `encode` of api.js gives them. */
  show(cut, rings = []) {
    this.cut = cut;
    this.rings = rings;
    this.at = -1;
    this.width = 0;
    this.resize();
  }

  ring(ranges) {
    this.rings = ranges;
    this.draw();
  }

  withIds(yes) {
    this.ids = yes;
    this.width = 0;
    this.resize();
  }

  get row() { return this.ids ? ROW_WITH_IDS : ROW; }

  resize() {
    const width = this.element.clientWidth;
    if (!this.cut || !width || width === this.width) return;
    this.width = width;
    this.lines = lines(this.cut, this.columns(width), this.ids);
    this.space.style.height = `${(this.lines.length - 1) * this.row}px`;
    this.draw();
  }

  columns(width) {
    const probe = el("span.t", {}, "0".repeat(COLUMNS));
    this.rows.replaceChildren(el("div.line", {}, probe));
    // Three pixels on both sides of a token, and one between two.
    const column = (probe.getBoundingClientRect().width - 6) / COLUMNS || 9;
    return { most: Math.max(8, (width - 22) / column), gap: 7 / column };
  }

  draw() {
    if (!this.cut || !this.lines) return;
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.row) - MORE);
    const last = Math.min(this.lines.length - 1, first + Math.ceil(this.element.clientHeight / this.row) + 2 * MORE);
    const drawn = [];
    for (let line = first; line < last; line += 1) drawn.push(this.line(line));
    this.rows.style.transform = `translateY(${first * this.row}px)`;
    this.rows.replaceChildren(...drawn);
    this.mark();
  }

  line(line) {
    const made = el("div.line", { role: "presentation" });
    made.style.height = `${this.row}px`;
    for (let i = this.lines[line]; i < this.lines[line + 1]; i += 1) made.append(this.drawn(i));
    return made;
  }

  drawn(i) {
    const { id, text } = this.token(i);
    const made = el("span.t", {
      role: "option", id: `${this.name}-${i}`, "data-i": String(i), "aria-label": `${text}, id ${id}`,
      "aria-posinset": String(i + 1), "aria-setsize": String(this.cut.n_tokens),
    }, clipped(text));
    if (this.ids) made.append(el("small", {}, String(id)));
    if (this.isRinged(i)) made.classList.add("ring");
    if (this.cut.starts[i] === this.cut.ends[i]) made.classList.add("unseen-in-text");
    return paint(made, id);
  }

  isRinged(i) {
    const start = this.cut.starts[i];
    let low = 0, high = this.rings.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rings[middle][1] <= start) low = middle + 1; else high = middle;
    }
    return low < this.rings.length && this.rings[low][0] <= start && this.cut.ends[i] > start;
  }

  /** All that is known of a token without asking. */
  token(i) {
    const { ids, starts, ends, bytes, unseen } = this.cut;
    const own = bytes.subarray(starts[i], ends[i]);
    const spelled = own.length ? readable(own) : unseen[ids[i]] ?? "";
    return { i, id: ids[i], start: starts[i], end: ends[i], bytes: own, text: visible(spelled) };
  }

  /** Go to a token, and bring it into view. */
  go(i) {
    if (!this.cut?.n_tokens) return;
    this.at = Math.max(0, Math.min(this.cut.n_tokens - 1, i));
    const top = this.lineOf(this.at) * this.row;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    const below = top + this.row - this.element.clientHeight;
    if (below > this.element.scrollTop) this.element.scrollTop = below;
    this.draw();
    showTip(this, this.at);
  }

  lineOf(i) {
    let low = 0, high = this.lines.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lines[middle] <= i) low = middle; else high = middle - 1;
    }
    return low;
  }

  mark() {
    for (const old of this.rows.querySelectorAll(".at")) old.classList.remove("at");
    const here = document.getElementById(`${this.name}-${this.at}`);
    here?.classList.add("at");
    here?.setAttribute("aria-selected", "true");
    if (here) this.element.setAttribute("aria-activedescendant", here.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.cut) return;
    const line = this.at < 0 ? 0 : this.lineOf(this.at);
    const steps = {
      ArrowRight: () => this.at + 1, ArrowLeft: () => this.at - 1, Home: () => 0, End: () => this.cut.n_tokens - 1,
      ArrowDown: () => this.lines[Math.min(line + 1, this.lines.length - 2)],
      ArrowUp: () => this.lines[Math.max(line - 1, 0)],
    };
    if (steps[event.key]) this.go(steps[event.key]());
    else if ((event.key === "Enter" || event.key === " ") && this.at >= 0) this.choose?.(this.token(this.at));
    else if (event.key === "Escape") hideTip();
    else return;
    event.preventDefault();
  }

  click(event) {
    const i = event.target.closest(".t")?.dataset.i;
    if (i === undefined) return;
    this.at = Number(i);
    this.mark();
    this.choose?.(this.token(this.at));
  }

  hover(event) {
    const i = event.target.closest(".t")?.dataset.i;
    if (i === undefined) hideTip(); else showTip(this, Number(i));
  }
}

/** Which token each row begins with, and after the last row the number of tokens: a token is never broken. */
export function lines(cut, { most, gap }, withIds = false) {
  const { n_tokens, starts, ends, bytes, ids, unseen } = cut;
  const begun = [0];
  let used = 0;
  for (let i = 0; i < n_tokens; i += 1) {
    const start = starts[i], end = ends[i];
    let width = start === end ? (unseen[ids[i]] ?? "").length : columns(bytes, start, end);
    if (withIds) width = Math.max(width, Math.ceil(String(ids[i]).length * 0.8));
    width += gap;
    if (used > 0 && used + width > most) { begun.push(i); used = 0; }
    used += width;
    if (end > start && bytes[end - 1] === NEWLINE && i + 1 < n_tokens) { begun.push(i + 1); used = 0; }
  }
  begun.push(n_tokens);
  return begun;
}

const tip = document.getElementById("tip");

function hideTip() { tip.hidden = true; }

function showTip(strip, i) {
  const element = document.getElementById(`${strip.name}-${i}`);
  if (!element) return;
  const { id, text, start, end, bytes } = strip.token(i);
  const before = characters(strip.cut.bytes, start), until = characters(strip.cut.bytes, end);
  const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
  tip.replaceChildren(el("code", {}, clipped(text)), el("dl", {},
    fact("id", String(id)), fact("bytes", bytesOf(bytes) || "none in the text"),
    fact("span", `bytes ${number(start)}–${number(end)}, characters ${number(before)}–${number(until)}`)));
  tip.hidden = false;
  const box = element.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - own.width - 8));
  const top = box.bottom + own.height + 8 < innerHeight ? box.bottom + 6 : Math.max(8, box.top - own.height - 6);
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

function characters(bytes, end) {
  let n = 0;
  for (let i = 0; i < end; i += 1) n += (bytes[i] & 0xc0) !== 0x80;
  return n;
}
