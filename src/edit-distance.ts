/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment).
 * Why no package: docs/DECISIONS.md.
 */
export function editDistance(one: string, other: string): number {
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
