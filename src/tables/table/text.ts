import { editDistance } from '../../edit-distance.js';
import { normalized, withoutInvisible } from '../../schemas/text.js';

/** Counts the cells up to the last one that isn't blank. */
export const filledWidth = (cells: readonly string[]): number => cells.findLastIndex((cell) => cell.trim() !== '') + 1;

/** Maximum length of known headings and words, in UTF-16 units. Longer headings are compared by their exact text only. */
export const maxHeadingLength = 200;

const maxShownLength = 60;

/** Shortens a heading or a cell to one line for messages. */
export function shownText(text: string): string {
  const line = withoutInvisible(text.slice(0, maxHeadingLength))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line.toWellFormed());
  return characters.length > maxShownLength ? `${characters.slice(0, maxShownLength).join('')}…` : characters.join('');
}

const maxComparedLength = 100;

const foldText = (text: string) =>
  normalized(text.slice(0, maxComparedLength), 'NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .slice(0, maxComparedLength);

/** Returns the most similar candidate, if at most a third of the text differs. Compares only the first 100 characters. */
export function findSuggestion(text: string, candidates: readonly string[]): string | undefined {
  const wanted = foldText(text);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length * 0.34)) + 1;
  for (const candidate of candidates) {
    const other = foldText(candidate);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const difference = editDistance(wanted, other, least - 1);
    if (difference >= least) continue;
    [best, least] = [candidate, difference];
  }
  return best;
}
