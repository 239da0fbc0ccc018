// The address of what is seen: everything that fits stands behind the # and is read from there again.

const MOST = 2000;

/** The values behind the #. */
export const read = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** Put values behind the #, without a new page in the history; a text that is too long is left out. */
export function write(values) {
  const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const some = kept.filter(([, value]) => String(value).length <= MOST);
  const fresh = `#${new URLSearchParams(some)}`;
  if (fresh !== location.hash) history.replaceState(null, "", fresh);
  return some.length === kept.length;
}
