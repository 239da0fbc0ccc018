// Text as it can be seen: white space and control characters get a sign, bytes that are no text their number.

const SIGNS = { " ": "·", "\n": "⏎", "\t": "→", "\r": "␍" };
const UNSEEN = /[\p{C}\p{Z}]/gu;
const MARK = /^\p{M}/u;
const MOST = 48;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const hex = (value, digits) => value.toString(16).padStart(digits, "0");

function escaped(character) {
  if (SIGNS[character]) return SIGNS[character];
  const point = character.codePointAt(0);
  if (point < 0x100) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

/** A text with everything invisible made visible. A mark at the beginning sits on a circle, not on its neighbour. */
export const visible = (text) => (MARK.test(text) ? "◌" : "") + text.replace(UNSEEN, escaped);

/** Bytes as text, those that are not UTF-8 by their number. */
export function readable(bytes) {
  try { return strict.decode(bytes); } catch { /* a part of a character: byte by byte */ }
  let text = "";
  for (let i = 0; i < bytes.length;) {
    const n = widthOf(bytes, i, bytes.length);
    text += n ? strict.decode(bytes.subarray(i, i + n)) : `\\x${hex(bytes[i], 2)}`;
    i += n || 1;
  }
  return text;
}

/** How many bytes the character at a place has; 0 where there is none. */
function widthOf(bytes, i, end) {
  const byte = bytes[i];
  const n = byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
  if (i + n > end) return 0;
  try { if (n > 1) strict.decode(bytes.subarray(i, i + n)); } catch { return 0; }
  return n;
}

/** A text that is not too long to be drawn. */
export function clipped(text) {
  if (text.length <= MOST) return text;
  return `${Array.from(text.slice(0, MOST)).slice(0, -1).join("")}…`;
}

export const bytesOf = (bytes, most = 16) =>
  Array.from(bytes.subarray(0, most), (byte) => hex(byte, 2)).join(" ") + (bytes.length > most ? " …" : "");

/** About how many columns a token takes once it is visible: never fewer than it needs. It runs for every token. */
export function columns(bytes, start, end) {
  let n = 0;
  for (let i = start; i < end && n < MOST;) {
    const byte = bytes[i];
    if (byte < 0x80) {
      n += (byte >= 32 && byte !== 127) || byte === 9 || byte === 10 || byte === 13 ? 1 : 4;
      i += 1;
      continue;
    }
    const width = byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    let whole = width > 0 && i + width <= end;
    for (let k = 1; whole && k < width; k += 1) whole = (bytes[i + k] & 0xc0) === 0x80;
    if (!whole) { n += 4; i += 1; continue; }
    // Characters without a picture are shown by their number; most of East Asia and all pictures are wide.
    const next = bytes[i + 1];
    const unseen = (byte === 0xe2 && (next === 0x80 || next === 0x81)) || (byte === 0xc2 && next < 0xa1);
    n += unseen ? 6 : byte >= 0xe3 || byte === 0xe1 ? 2 : 1;
    i += width;
  }
  return Math.min(n, MOST + 1);
}
