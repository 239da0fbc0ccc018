// Steps that are gone through forth and back, by hand or by themselves: buttons, a slider and keys.

import { el } from "./dom.js";

const MOMENT = 1200;
const BUTTONS = [
  ["first", "|◀", "First step (Home)"], ["back", "◀", "Step back (←)"], ["play", "Play", "Play or pause (space)"],
  ["next", "▶", "Step (→)"], ["last", "▶|", "Last step (End)"],
];
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

export class Player {
  /** `show(step)` draws a step, 0 to `n`. */
  constructor(label, show, moment = MOMENT) {
    this.show = show;
    this.moment = moment;
    this.n = this.at = 0;
    this.timer = null;
    const button = ([name, sign, title]) => el("button", {
      type: "button", title, "aria-label": title, "data-do": name, onclick: () => this.do(name),
    }, sign);
    this.buttons = Object.fromEntries(BUTTONS.map((each) => [each[0], button(each)]));
    this.range = el("input", { type: "range", min: "0", value: "0", "aria-label": `${label}: step` });
    this.range.addEventListener("input", () => { this.pause(); this.go(Number(this.range.value)); });
    this.output = el("output");
    this.element = el("div.player", { role: "group", "aria-label": label },
      ...Object.values(this.buttons), this.range, this.output);
  }

  /** Begin anew with so many steps. */
  load(n, at = 0) {
    this.pause();
    this.n = n;
    this.range.max = String(n);
    this.go(at);
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.n, at));
    this.range.value = String(this.at);
    this.range.setAttribute("aria-valuetext", `step ${this.at} of ${this.n}`);
    this.output.textContent = `${this.at} / ${this.n}`;
    if (this.timer !== null && this.at === this.n) this.pause();
    this.show(this.at);
  }

  play() {
    if (this.at === this.n) this.go(0);
    if (!this.n) return;
    this.buttons.play.textContent = "Pause";
    this.timer = setInterval(() => this.go(this.at + 1), this.moment);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.buttons.play.textContent = "Play";
  }

  do(name) {
    if (name === "play") return this.timer === null ? this.play() : this.pause();
    this.pause();
    return this.go({ first: 0, back: this.at - 1, next: this.at + 1, last: this.n }[name]);
  }

  /** Use the keys for this player while the focus is in `area`, but where keys have a meaning of their own. */
  keysIn(area) {
    area.addEventListener("keydown", (event) => {
      if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.closest("input, textarea, select, .strip")) return;
      if (event.key === " " && event.target.closest("button")) return;
      event.preventDefault();
      this.do(KEYS[event.key]);
    });
  }
}
