// Dark or light, as the system has it or as was chosen here. Not a module: it runs before anything is drawn.
"use strict";
const theme = {
  chosen() {
    try { return localStorage.getItem("theme"); } catch { return null; }
  },
  now() {
    return theme.chosen() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  },
  show() {
    document.documentElement.dataset.theme = theme.now();
  },
  toggle() {
    const other = theme.now() === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", other); } catch { /* shown all the same, until the page closes */ }
    document.documentElement.dataset.theme = other;
  },
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.show);
theme.show();
