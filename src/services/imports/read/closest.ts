import { editDistance } from '../../../edit-distance.js';
import { normalized } from '../../../schemas/text.js';

const longestCompared = 100;

const folded = (text: string) =>
  normalized(text.slice(0, longestCompared), 'NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .slice(0, longestCompared);

/** The candidate that differs least, if at most a third of the text differs. Only the first 100 characters count. */
export function closest(text: string, candidates: readonly string[]): string | undefined {
  const wanted = folded(text);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length * 0.34)) + 1;
  for (const candidate of candidates) {
    const other = folded(candidate);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const difference = editDistance(wanted, other);
    if (difference >= least) continue;
    [best, least] = [candidate, difference];
  }
  return best;
}
