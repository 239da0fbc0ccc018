// The same id has the same colour in every view: its hue, by the golden angle, so that neighbours in the list differ.

export const hue = (id) => Math.round((id * 137.508) % 360);

export function paint(element, id) {
  element.style.setProperty("--h", hue(id));
  element.style.setProperty("--s", id % 3);
  return element;
}
