// What the page asks of the engine. The header marks the request as one of this page: no other site may send it.

const HEADERS = { "x-bytepair": "play" };

/** What to say where no answer comes. */
function gone(error) {
  if (error?.name === "AbortError") return error;
  return new Error("The playground does not answer: start it again with `bytepair play`, and reload this page.");
}

async function post(name, query, body, signal) {
  const asked = new URLSearchParams(query).toString();
  let reply;
  try {
    reply = await fetch(`/api/${name}${asked ? `?${asked}` : ""}`, { method: "POST", headers: HEADERS, body, signal });
  } catch (error) {
    throw gone(error);
  }
  if (reply.ok) return reply;
  const said = await reply.json().catch(() => ({}));
  throw new Error(said.error ?? `The playground failed (${reply.status}); what happened stands in its terminal.`);
}

/** An answer of JSON to a request of JSON. */
export const ask = async (name, fields = {}) => (await post(name, {}, JSON.stringify(fields))).json();

/** An answer of JSON to named values, and perhaps bytes. */
export const send = async (name, query = {}, body = undefined) => (await post(name, query, body)).json();

/** The bytes of a tokenizer.json. */
export const file = async (query) => (await post("file", query)).blob();

/** A text as tokens: ids, starts and ends are numbers by token, the last two in bytes of `bytes`. */
export async function encode(query, text) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const data = await (await post("encode", query, bytes)).arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const n = header.n_tokens;
  const numbers = (place) => new Uint32Array(data, 4 + length + 4 * n * place, n);
  const own = new Uint8Array(data, 4 + length + 12 * n);
  return { ...header, ids: numbers(0), starts: numbers(1), ends: numbers(2), bytes: header.rewritten ? own : bytes };
}

/** A training, told news by news as it goes on. */
export async function* train(query, body, signal) {
  const reply = await post("train", query, body, signal);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", last = null;
  for (;;) {
    const { value, done } = await reader.read().catch((error) => { throw gone(error); });
    // The last news is the result.
    if (done && last?.stage === undefined && last !== null) return;
    if (done) throw gone();
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield last = JSON.parse(line);
  }
}
