"""The style of every page and fragment, and the one script: it steps through slides and knows nothing else."""

from __future__ import annotations

from typing import Final

# Every rule stays within `.bytepair`, so that a notebook keeps its own looks.
STYLE: Final = """
.bytepair{font:15px/1.5 system-ui,sans-serif;color:inherit;--line:#8885;
--mark:#fff3c4;--on-mark:#1b1f24;--faint:#7d8590}
.bytepair-page{margin:0;background:#fff;color:#1b1f24;--line:#d5dae0;--faint:#59636e}
.bytepair-page main{max-width:60rem;margin:0 auto;padding:1rem 1.25rem 4rem}
.bytepair h1{font-size:1.5rem;margin:.5rem 0}.bytepair h2{font-size:1.15rem;margin:1.2rem 0 .4rem}
.bytepair h3{font-size:1rem;margin:1rem 0 .3rem}.bytepair p{margin:.4rem 0}.bytepair small{color:var(--faint)}
.bytepair .bp-wide{overflow-x:auto}
.bytepair table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums}
.bytepair th,.bytepair td{text-align:left;padding:.15rem .8rem .15rem 0;border-bottom:1px solid var(--line);
vertical-align:top}
.bytepair th{font-weight:600;color:var(--faint);vertical-align:bottom}.bytepair .bp-right{text-align:right}
.bytepair .bp-marked td{background:var(--mark);color:var(--on-mark);font-weight:600}
.bytepair .bp-t{font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:3px;
padding:0 .18em;unicode-bidi:isolate;display:inline-block;max-height:6em;overflow:hidden;
vertical-align:top;max-width:100%}
.bytepair code.bp-t{background:#8882;font-size:.95em}
.bytepair .bp-strip{line-height:1.9}.bytepair .bp-strip .bp-t{padding:0 .05em}
.bytepair .bp-0,.bytepair .bp-1,.bytepair .bp-2,.bytepair .bp-3,.bytepair .bp-4,.bytepair .bp-5,.bytepair .bp-6,
.bytepair .bp-7{color:#111}
.bytepair .bp-0{background:#bcdcff}.bytepair .bp-1{background:#ffd9a0}.bytepair .bp-2{background:#b9f0b0}
.bytepair .bp-3{background:#ffc9dc}.bytepair .bp-4{background:#c3f3ef}.bytepair .bp-5{background:#ffe3c4}
.bytepair .bp-6{background:#dccbff}.bytepair .bp-7{background:#fbf3a8}
.bytepair .bp-tree,.bytepair .bp-tree ul{list-style:none;padding-left:1.2rem;margin:.2rem 0;
border-left:1px solid var(--line)}
.bytepair .bp-controls{position:sticky;top:0;background:inherit;padding:.5rem 0;border-bottom:1px solid var(--line);
display:flex;gap:.4rem;align-items:center;flex-wrap:wrap;z-index:1;background:#fff}
.bytepair .bp-controls[hidden]{display:none}
.bytepair .bp-controls button{font:inherit;padding:.2rem .7rem;border:1px solid var(--line);border-radius:6px;
background:#f6f8fa;color:#1b1f24;cursor:pointer}
.bytepair .bp-controls input{flex:1;min-width:6rem}.bytepair .bp-controls output{min-width:4.5em}
.bytepair svg{max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.bytepair-page{background:#14181d;color:#e6e9ed;--line:#3a424c;--mark:#4d4312;
--on-mark:#e6e9ed;--faint:#9aa5b1}.bytepair-page .bp-controls{background:#14181d}}
"""

SCRIPT: Final = """
"use strict";
for (const player of document.querySelectorAll(".bp-player")) {
  const slides = [...player.querySelectorAll(".bp-slide")];
  const controls = player.querySelector(".bp-controls");
  const range = controls.querySelector("input");
  const output = controls.querySelector("output");
  const play = controls.querySelector("[data-do=play]");
  let at = 0, timer = null;
  const show = (number) => {
    at = Math.max(0, Math.min(slides.length - 1, number));
    slides.forEach((slide, index) => { slide.hidden = index !== at; });
    range.value = at;
    output.textContent = `${at} / ${slides.length - 1}`;
    if (timer !== null && at === slides.length - 1) pause();
  };
  const pause = () => { clearInterval(timer); timer = null; play.textContent = "play"; };
  const start = () => {
    if (at === slides.length - 1) show(0);
    play.textContent = "pause";
    timer = setInterval(() => show(at + 1), 1500);
  };
  const actions = {
    first: () => show(0), back: () => show(at - 1), next: () => show(at + 1), last: () => show(slides.length - 1),
    play: () => (timer === null ? start() : pause()),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };
  controls.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) actions[button.dataset.do]();
  });
  range.addEventListener("input", () => show(Number(range.value)));
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.target === range) return;
    event.preventDefault();
    actions[action]();
  });
  // A button that has the focus would be pressed by the space key as well.
  controls.addEventListener("keyup", (event) => { if (event.key === " ") event.preventDefault(); });
  controls.hidden = slides.length < 2;
  show(0);
}
"""
