import type { MouseEvent } from 'react';

/** Parts of a row with a click of their own; next to a checkbox, a click misses it. */
const controls = 'a, button, input, select, textarea, label, summary, [data-select]';

/** Presses the link or button of a clicked row that has the attribute `data-opens-row`. */
export function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget, target, ctrlKey, metaKey, shiftKey } = event;
  // React also passes on clicks in menus and dialogs of the row, which are elsewhere in the document.
  if (!(target instanceof Element) || !currentTarget.contains(target) || target.closest(controls)) return;
  if (ctrlKey || metaKey || shiftKey || window.getSelection()?.toString()) return;
  currentTarget.querySelector<HTMLElement>('[data-opens-row]')?.click();
}
