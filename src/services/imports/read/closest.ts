import { normalized } from '../../../schemas/text.js';

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment).
 * Why no package: docs/DECISIONS.md.
 */
function distance(one: string, other: string): number {
  const [from, to] = [Array.from(one), Array.from(other)];
  let beforeLast: number[] = [];
  let last = to.map((_, column) => column).concat(to.length);
  from.forEach((character, row) => {
    const current = [row + 1];
    to.forEach((wanted, column) => {
      const replaced = (last[column] ?? 0) + (character === wanted ? 0 : 1);
      const swapped =
        character === to[column - 1] && wanted === from[row - 1] ? (beforeLast[column - 1] ?? 0) + 1 : Number.MAX_VALUE;
      current.push(Math.min(replaced, swapped, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    });
    [beforeLast, last] = [last, current];
  });
  return last[to.length] ?? 0;
}

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
    const difference = distance(wanted, other);
    if (difference >= least) continue;
    [best, least] = [candidate, difference];
  }
  return best;
}
