import { useEffect } from 'react';

const canHaveFocus = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement && element.tabIndex >= 0;

/**
 * Keeps the keyboard's place when what has the focus goes away, as a row that is deleted, a form that is done, or the menu from
 * which a dialog was opened: the focus moves to the dialog that is open, to what had it before in the page, to the nearest frame
 * around that, or to the page's heading. Browsers would begin at the top of the document again.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    let lastFocused: Element | undefined;
    /** What had the focus last in the page, and what is around it: menus and dialogs were opened there. */
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
