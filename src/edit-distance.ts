/**
 * Number of insertions, deletions, replacements and swaps of adjacent characters between two texts (optimal string
 * alignment). docs/DECISIONS.md says why no package does this.
 * @param limit above this limit the function stops early and returns a number greater than the limit
 */
export function editDistance(one: string, other: string, limit = Number.POSITIVE_INFINITY): number {
  const [from, to] = [Array.from(one), Array.from(other)];
  let beforeLast: number[] = [];
  let last = to.map((_, column) => column).concat(to.length);
  let minimumOfLast = 0;
  for (let row = 0; row < from.length; row += 1) {
    const character = from[row];
    const current = [row + 1];
    let minimum = row + 1;
    for (let column = 0; column < to.length; column += 1) {
      const target = to[column];
      const replaced = (last[column] ?? 0) + (character === target ? 0 : 1);
      const swapped =
        character === to[column - 1] && target === from[row - 1] ? (beforeLast[column - 1] ?? 0) + 1 : Number.MAX_VALUE;
      const here = Math.min(replaced, swapped, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1);
      current.push(here);
      minimum = Math.min(minimum, here);
    }
    // All later rows derive from these two.
    if (minimum > limit && minimumOfLast > limit) return minimum;
    [beforeLast, last, minimumOfLast] = [last, current, minimum];
  }
  return last[to.length] ?? 0;
}
