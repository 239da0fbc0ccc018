// A line over two axes, with a mark that moves. The numbers are in the page as text as well.

import { number, svg } from "./dom.js";

const WIDTH = 640, HEIGHT = 260, LEFT = 48, RIGHT = 26, TOP = 14, BOTTOM = 40;

export class Chart {
  constructor(label) {
    this.element = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "chart" });
  }

  /** Draw points (x, y) in order of x, and notes (x, text). */
  show(points, notes, names) {
    const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    const [low, high] = [xs[0], Math.max(xs.at(-1), xs[0] + 1)], top = Math.max(...ys) * 1.05 || 1;
    this.x = (x) => LEFT + (WIDTH - LEFT - RIGHT) * (x - low) / (high - low);
    this.y = (y) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / top;
    const path = points.map(([x, y], i) => `${i ? "L" : "M"}${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`).join("");
    this.line = svg("line", { class: "now", y1: TOP, y2: HEIGHT - BOTTOM, x1: 0, x2: 0 });
    this.dot = svg("circle", { class: "now", r: 5, cx: 0, cy: 0 });
    this.element.replaceChildren(
      ...ticks(0, top, 5).flatMap((y) => this.level(y)),
      ...ticks(low, high, 6).map((x) => this.text(number(x), this.x(x), HEIGHT - BOTTOM + 17, "middle")),
      this.text(names[0], (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, "middle"),
      this.text(names[1], LEFT, TOP - 3, "start"),
      svg("path", { class: "line", d: path }),
      ...notes.flatMap(([x, said]) => this.note(this.x(x), said)),
      this.line, this.dot);
  }

  note(x, said) {
    const isFarRight = x > WIDTH * 0.75;
    return [svg("line", { class: "note", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }),
      this.text(said, x + (isFarRight ? -5 : 5), HEIGHT - BOTTOM - 6, isFarRight ? "end" : "start")];
  }

  level(y) {
    return [svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(y), y2: this.y(y) }),
      this.text(String(y), LEFT - 6, this.y(y) + 4, "end")];
  }

  text(said, x, y, anchor) {
    return svg("text", { x, y, "text-anchor": anchor }, said);
  }

  mark(x, y) {
    for (const [name, value] of [["x1", this.x(x)], ["x2", this.x(x)]]) this.line.setAttribute(name, value);
    this.dot.setAttribute("cx", this.x(x));
    this.dot.setAttribute("cy", this.y(y));
  }
}

/** Round numbers between two others. */
function ticks(low, high, n) {
  const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const found = [];
  for (let x = Math.ceil(low / step) * step; x <= high; x += step) found.push(Number(x.toPrecision(6)));
  return found;
}
