// What the views share, and who wants to know when it changes.

export const state = { view: "tokens", tokenizers: [], tok: null, text: "", special: "text", patterns: [], limits: {} };

const listeners = new Map();

/** Call `then` whenever one of the named values was changed. */
export function on(names, then) {
  for (const name of names.split(" ")) listeners.set(name, [...(listeners.get(name) ?? []), then]);
}

/** Change values; each listener is called once. */
export function change(values) {
  const changed = Object.keys(values).filter((name) => state[name] !== values[name]);
  Object.assign(state, values);
  for (const then of new Set(changed.flatMap((name) => listeners.get(name) ?? []))) then(state);
}

export const entry = (key = state.tok) => state.tokenizers.find((each) => each.key === key) ?? null;
