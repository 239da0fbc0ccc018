// Long texts that are pasted: a field of a page takes seconds for what the engine does in a blink.

/** A field is given no text of more characters. */
export const MOST_EDITED = 50_000;

/** Where a long text is pasted into a field, `take` gets what the field would hold, and the field is left as it is. */
export function takeLong(field, take) {
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length <= MOST_EDITED) return;
    event.preventDefault();
    performance.mark("paste");
    const { selectionStart: start, selectionEnd: end, value } = field;
    take((value.slice(0, start) + text + value.slice(end)).replaceAll("\r\n", "\n"));
  });
}
