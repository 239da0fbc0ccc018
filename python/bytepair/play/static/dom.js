// Elements. Text goes into the page as text alone: nothing here, or anywhere, makes markup of a string.

export const find = (selector) => document.querySelector(selector);

/** An element: el("button.small", {type: "button", onclick}, "Step"). Children are elements or text. */
export function el(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag || "div");
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  return fill(made, ...children);
}

/** Put children in the place of those that an element has; null is none. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same for drawings. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A table of rows under names. */
export const table = (names, rows) => el("div.wide", {}, el("table", {},
  el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows)));

/** A number that is to be seen from afar, with its name. */
export const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));

/** A group of buttons of which one is chosen: value -> text. */
export const choices = (name, label, options, onchange) => el("fieldset.choices", {}, el("legend", {}, label),
  ...Object.entries(options).map(([value, text], place) =>
    el("label", {}, el("input", { type: "radio", name, value, checked: place === 0, onchange }), text)));

export const number = (value) => value.toLocaleString("en-US");

export const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Say something to those who listen to the page instead of looking at it. */
export function say(sentence) {
  find("#status").textContent = sentence;
}

/** Say on a button, for a moment, that it was done. */
export function done(button, sentence) {
  const name = button.dataset.name ??= button.textContent;
  button.textContent = "Copied";
  say(sentence);
  setTimeout(() => { button.textContent = name; }, 1500);
}

/** Show what went wrong, until it is closed or something else does; nothing takes it away. */
export function alarm(error) {
  if (error?.name === "AbortError") return;
  const box = find("#alert");
  const attributes = { type: "button", "aria-label": "Close the message", onclick: () => alarm(null) };
  const close = el("button", attributes, "Close");
  fill(box, error ? [el("span", {}, error.message ?? String(error)), close] : []);
  box.hidden = !error;
}

/** Of many calls while one is under way, only the last is made, with its own arguments. */
export function latest(work) {
  let running = false, waiting = null, hasFailed = false;
  return async function call(...given) {
    if (running) { waiting = given; return; }
    running = true;
    try {
      await work(...given);
      // What others said stays.
      if (hasFailed) alarm(null);
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      alarm(error);
    } finally {
      running = false;
      if (waiting) { const next = waiting; waiting = null; call(...next); }
    }
  };
}
