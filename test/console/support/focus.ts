import type { Page } from '@playwright/test';
import { settled } from './browser.js';

/** Focused control. */
interface Stop {
  name: string;
  /** Whether the control is in the window, and at least partly visible (WCAG 2.2, 2.4.7 and 2.4.11). */
  isSeen: boolean;
  isInDialog: boolean;
}

/**
 * Presses Tab through a page or its open dialog.
 * @returns controls that can't be seen, don't show the focus, or are outside the dialog
 */
export async function focusProblems(page: Page): Promise<string[]> {
  await settled(page);
  // tsx calls `__name` in the functions below.
  await page.evaluate('globalThis.__name = (named) => named');
  const popups = page.locator('[role="menu"], [role="listbox"]').filter({ visible: true });
  // Arrow keys move in menus and lists: keyboard.browser.test.ts tests them.
  if ((await popups.count()) > 0) return [];
  const hasDialog = (await page.getByRole('dialog').count()) > 0;
  const problems: string[] = [];
  const seen = new Set<string>();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(describeFocus);
    // After the last control, or back at the first one.
    if (!stop || seen.has(stop.name)) break;
    seen.add(stop.name);
    if (!stop.isSeen) problems.push(`can't be seen: ${stop.name}`);
    if (hasDialog && !stop.isInDialog) problems.push(`is outside the dialog: ${stop.name}`);
    if (!(await page.evaluate(focusChangesLook))) problems.push(`looks as without the focus: ${stop.name}`);
  }
  return problems;
}

function describeFocus(): Stop | undefined {
  const element = document.activeElement;
  if (!element || element === document.body) return undefined;
  const all = [...document.querySelectorAll('*')];
  const label = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
  const boxes = [element, ...label].map((one) => one.getBoundingClientRect());
  const isSeen = boxes.some(({ left, top, width, height }) =>
    [0.5, 0.1, 0.9].some((x) =>
      [0.5, 0.1, 0.9].some((y) => {
        const hit = document.elementFromPoint(left + width * x, top + height * y);
        return hit !== null && width > 3 && [element, ...label].some((one) => one.contains(hit) || hit.contains(one));
      }),
    ),
  );
  const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 50);
  return {
    name: `${all.indexOf(element)} <${element.localName}> ${text} ${element.getAttribute('name') ?? ''}`,
    isSeen,
    isInDialog: element.closest('[role="dialog"]') !== null,
  };
}

/** Whether the focused control, or an element drawn instead of it, looks different without the focus. */
function focusChangesLook(): boolean {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement)) return true;
  const parts = [element, element.nextElementSibling, element.parentElement].filter((one) => one !== null);
  const look = () =>
    parts
      .map((part) => {
        const { outlineStyle, outlineWidth, boxShadow, borderColor, insetBlockStart } = getComputedStyle(part);
        return [outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor, insetBlockStart].join();
      })
      .join(';');
  const focused = look();
  element.blur();
  const blurred = look();
  element.focus({ preventScroll: true });
  return focused !== blurred;
}
