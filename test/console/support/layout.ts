import type { Page } from '@playwright/test';
import { settled } from './browser.js';

/**
 * Measures the layout of a page, or of its open dialog. @returns problems: the page scrolls sideways, content is outside the
 * window and unreachable, texts are cut off or overlap, a label isn't centered in its button, a control is covered, or filters
 * don't fill a line on a narrow screen.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  await settled(page);
  // tsx calls `__name` in the functions below.
  await page.evaluate('globalThis.__name = (named) => named');
  return page.evaluate(() => {
    const problems: string[] = [];
    const dialog = [...document.querySelectorAll('[role="dialog"]')].findLast((one) => one.getClientRects().length > 0);
    const top = dialog ?? document.body;
    const describe = (element: Element) => {
      const text = element.getAttribute('aria-label') ?? element.textContent ?? '';
      return `<${element.localName} class="${element.getAttribute('class') ?? ''}"> ${JSON.stringify(text.slice(0, 60))}`;
    };
    const ancestorsOf = function* (element: Element) {
      for (let one: Element | null = element; one; one = one.parentElement) yield one;
    };
    const scrolls = (element: Element) =>
      [...ancestorsOf(element)].some(
        (one) =>
          one !== document.documentElement &&
          /auto|scroll/.test(getComputedStyle(one).overflowX) &&
          one !== document.body,
      );
    const isShown = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    /** Whether an element is only for screen readers, or an input that other elements draw. */
    const isTiny = ({ width, height }: DOMRect) => width < 4 || height < 4;

    /** Visible part of a text inside ancestors that scroll or cut off. */
    const seenPart = (element: Element, rect: DOMRect) => {
      let { left, right, top: above, bottom } = rect;
      for (const one of ancestorsOf(element)) {
        const { overflowX, overflowY } = getComputedStyle(one);
        if (one === document.body || (overflowX === 'visible' && overflowY === 'visible')) continue;
        const box = one.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        [above, bottom] = [Math.max(above, box.top), Math.min(bottom, box.bottom)];
      }
      return new DOMRect(left, above, Math.max(right - left, 0), Math.max(bottom - above, 0));
    };

    const beyond = document.documentElement.scrollWidth - window.innerWidth;
    if (beyond > 0) problems.push(`the page scrolls sideways, by ${beyond} pixels`);

    // Pieces of texts with their positions.
    const texts: { element: Element; layer: Element; rect: DOMRect; seen: DOMRect }[] = [];
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!element || (node.textContent ?? '').trim() === '' || !isShown(element)) continue;
      if (element.closest('select, option, script, style, .skip-link')) continue;
      const layer = [...ancestorsOf(element)].find((one) =>
        /fixed|sticky|absolute/.test(getComputedStyle(one).position),
      );
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        const seen = seenPart(element, rect);
        if (!isTiny(seen)) texts.push({ element, layer: layer ?? top, rect, seen });
      }
    }
    for (const { element, rect, seen } of texts) {
      if (!scrolls(element) && (seen.left < -1 || seen.right > window.innerWidth + 1))
        problems.push(`out of the window: ${describe(element)}`);
      // An ellipsis or a line clamp cuts off on purpose.
      for (const one of ancestorsOf(element)) {
        const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(one);
        if (/auto|scroll/.test(overflowX)) break;
        if (overflowX === 'visible') continue;
        if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none') break;
        const box = one.getBoundingClientRect();
        if (rect.left < box.left - 1 || rect.right > box.right + 1 || rect.top > box.bottom - 2)
          problems.push(`cut off: ${describe(element)}`);
      }
    }
    for (const [index, one] of texts.entries())
      for (const other of texts.slice(index + 1)) {
        if (one.element === other.element || one.layer !== other.layer) continue;
        const width = Math.min(one.seen.right, other.seen.right) - Math.max(one.seen.left, other.seen.left);
        const height = Math.min(one.seen.bottom, other.seen.bottom) - Math.max(one.seen.top, other.seen.top);
        if (width > 3 && height > 5)
          problems.push(`on top of each other: ${describe(one.element)} and ${describe(other.element)}`);
      }

    for (const button of top.querySelectorAll('.mantine-Button-root, .mantine-SegmentedControl-label')) {
      const label = button.querySelector('.mantine-Button-label, .mantine-SegmentedControl-innerLabel');
      const box = button.getBoundingClientRect();
      if (!label || !isShown(button) || isTiny(box) || button.hasAttribute('data-loading')) continue;
      const words = document.createRange();
      words.selectNodeContents(label);
      const icons = [...button.querySelectorAll('.mantine-Button-section')];
      const parts = [...words.getClientRects(), ...icons.map((icon) => icon.getBoundingClientRect())];
      // The padding beside an icon is smaller.
      const { paddingLeft, paddingRight } = getComputedStyle(button);
      const aside =
        Math.min(...parts.map(({ left }) => left)) -
        box.left -
        Number.parseFloat(paddingLeft) -
        (box.right - Number.parseFloat(paddingRight) - Math.max(...parts.map(({ right }) => right)));
      const high =
        Math.min(...parts.map((part) => part.top)) -
        box.top -
        (box.bottom - Math.max(...parts.map(({ bottom }) => bottom)));
      if (Math.abs(aside) > 3 || Math.abs(high) > 3)
        problems.push(`not in the middle, by ${aside / 2} and ${high / 2} pixels: ${describe(button)}`);
    }

    for (const search of window.innerWidth < 768 ? top.querySelectorAll('search') : []) {
      const lines: { left: number; right: number; bottom: number }[] = [];
      for (const field of search.children) {
        const { left, right, top: above, bottom, width } = field.getBoundingClientRect();
        // Open lists cover the page.
        if (width === 0 || field.matches('[class*="-dropdown"]')) continue;
        const line = lines.at(-1);
        if (!line || above >= line.bottom) lines.push({ left, right, bottom });
        else [line.left, line.right] = [Math.min(line.left, left), Math.max(line.right, right)];
      }
      const { width } = search.getBoundingClientRect();
      if (lines.some(({ left, right }) => right - left < width - 1))
        problems.push(`uneven: ${describe(search)}, ${JSON.stringify(lines)} of ${width} pixels`);
    }

    const controls = 'a[href], button, input, select, textarea, [role="tab"], [role="menuitem"], [role="option"]';
    for (const element of top.querySelectorAll(controls)) {
      if (!isShown(element) || isTiny(element.getBoundingClientRect()) || element.matches(':disabled, .skip-link'))
        continue;
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const { left, top: above, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, above + height / 2);
      const label = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      const isItself =
        hit && (element.contains(hit) || label.some((one) => one.contains(hit)) || hit.contains(element));
      // Open menus and lists cover other elements on purpose.
      if (hit?.closest('[role="menu"], [class*="-dropdown"]')) continue;
      if (!isItself && hit?.parentElement !== element.parentElement)
        problems.push(`covered: ${describe(element)} by ${hit ? describe(hit) : 'nothing'}`);
    }
    document.scrollingElement?.scrollTo(0, 0);
    return [...new Set(problems)].slice(0, 12);
  });
}
