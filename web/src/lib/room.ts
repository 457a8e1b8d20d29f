// How much room there is above what is not to be covered.

/** Keeps the property `--room` of an element at its distance from the top of the nearest of the others. */
export function roomAbove(element: HTMLElement, others: readonly Element[]): () => void {
  const top = (one: Element) => one.getBoundingClientRect().top;
  const measure = () => {
    const room = Math.min(...others.map(top)) - top(element);
    element.style.setProperty("--room", `${Math.floor(room)}px`);
  };
  const observer = new ResizeObserver(measure);
  for (const one of [document.body, ...others]) observer.observe(one);
  return () => observer.disconnect();
}
