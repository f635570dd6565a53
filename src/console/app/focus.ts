import { useEffect } from 'react';

const canHaveFocus = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement && element.tabIndex >= 0;

/**
 * Moves the focus when the focused element disappears, such as a deleted row, a finished form, or a menu that opened a dialog.
 * The focus moves to the open dialog, otherwise to the nearest focusable ancestor that still exists, otherwise to the heading
 * of the page. Without this, browsers restart at the top of the document.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    let lastFocused: Element | undefined;
    /** Last focused element in `main`, with its ancestors. Menus are excluded, because they close. */
    let ancestors: Element[] = [];

    function remember({ target }: FocusEvent): void {
      if (!(target instanceof Element)) return;
      lastFocused = target;
      if (!target.closest('main') || target.closest('[role="menu"]')) return;
      ancestors = [];
      for (let one: Element | null = target; one && one.localName !== 'main'; one = one.parentElement)
        ancestors.push(one);
    }

    const observer = new MutationObserver(() => {
      if (!lastFocused || lastFocused.isConnected || document.activeElement !== document.body) return;
      lastFocused = undefined;
      const dialog = [...document.querySelectorAll('[role="dialog"]')].at(-1);
      const nearest = ancestors.find((one) => one.isConnected && canHaveFocus(one));
      const next = dialog ?? nearest ?? document.querySelector('main h1');
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, []);
}
