// Links that the client follows itself.

/** The link that a click follows in this window; none if it opens another one. */
export function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
    return null;
  const link = (event.target as Element | null)?.closest("a");
  return link && !link.target ? link : null;
}

/** An action that opens the rules over the page instead of following links to them. */
export function opensRules(node: HTMLElement, open: (clause: string) => void) {
  node.onclick = (event) => {
    const link = linkOf(event);
    if (!link?.pathname.startsWith("/rules/")) return;
    event.preventDefault();
    open(link.hash.slice(1));
  };
}
