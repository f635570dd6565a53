/**
 * Number of insertions, deletions, replacements and swaps of adjacent characters between two texts (optimal string alignment).
 * Why no package: docs/DECISIONS.md.
 * @param limit above this limit the function stops early and returns a number greater than the limit
 */
export function editDistance(one: string, other: string, limit = Number.POSITIVE_INFINITY): number {
  const [from, to] = [Array.from(one), Array.from(other)];
  let beforeLast: number[] = [];
  let last = to.map((_, column) => column).concat(to.length);
  let leastOfLast = 0;
  for (let row = 0; row < from.length; row += 1) {
    const character = from[row];
    const current = [row + 1];
    let least = row + 1;
    for (let column = 0; column < to.length; column += 1) {
      const wanted = to[column];
      const replaced = (last[column] ?? 0) + (character === wanted ? 0 : 1);
      const swapped =
        character === to[column - 1] && wanted === from[row - 1] ? (beforeLast[column - 1] ?? 0) + 1 : Number.MAX_VALUE;
      const here = Math.min(replaced, swapped, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1);
      current.push(here);
      least = Math.min(least, here);
    }
    // All later rows derive from these two.
    if (least > limit && leastOfLast > limit) return least;
    [beforeLast, last, leastOfLast] = [last, current, least];
  }
  return last[to.length] ?? 0;
}
