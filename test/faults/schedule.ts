/** Runs that measure times under load or allow no refusal: nothing else may keep the cores busy meanwhile. */
const alone = ['R1', 'R2', 'R3', 'R6', 'R11', 'R14'];
/** Of the others those that take longest, which begin first: else one is left that nothing runs beside. */
const longest = ['R10'];

/** How many of the others run concurrently, by themselves and beside tests; they mostly wait. */
export const concurrency = { byThemselves: 3, besideTests: 2 };

/** Divides runs into those that may run beside others, or beside tests, in the order of their start, and the rest. */
export function schedule(names: readonly string[]): Record<'sideBySide' | 'alone', string[]> {
  const rank = (name: string) => (longest.includes(name) ? longest.indexOf(name) : longest.length);
  const sideBySide = names.filter((name) => !alone.includes(name)).sort((one, other) => rank(one) - rank(other));
  return { sideBySide, alone: names.filter((name) => alone.includes(name)) };
}
