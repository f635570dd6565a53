import { useEffect } from 'react';

const isFocusable = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement && element.tabIndex >= 0;

/**
 * Moves the focus when the focused element disappears, such as a deleted row or a finished form. Browsers would move it to the
 * top of the document. The new focus is the open dialog; without a dialog, the nearest remaining ancestor that can have the
 * focus; without such an ancestor, the heading of the page.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    let lastFocused: Element | undefined;
    /** Last focused element, and its ancestors. Excludes elements of menus and dialogs, because these close. */
    let focusPath: Element[] = [];

    function remember({ target }: FocusEvent): void {
      if (!(target instanceof Element)) return;
      lastFocused = target;
      if (target.closest('[role="menu"], [role="dialog"]')) return;
      focusPath = [];
      for (let one: Element | null = target; one && one.localName !== 'main'; one = one.parentElement)
        focusPath.push(one);
    }

    const observer = new MutationObserver(() => {
      if (!lastFocused || lastFocused.isConnected || document.activeElement !== document.body) return;
      lastFocused = undefined;
      const dialog = [...document.querySelectorAll('[role="dialog"]')].at(-1);
      const nearest = focusPath.find((one) => one.isConnected && isFocusable(one));
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
