import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How many rows go by between two collections. */
const rowsBetween = 15_000;

/**
 * An import makes much garbage and keeps little. V8 waits until there is several times as much garbage as there is in
 * use, which for a long file is most of the memory that the command takes: so it is made to look now and then, at a
 * cost of some milliseconds.
 * @returns to be called with the number of rows so far
 */
export function garbageCollector(): (rows: number) => void {
  setFlagsFromString('--expose-gc');
  // V8's function, which takes no arguments and returns nothing.
  const collect = runInNewContext('gc') as () => void;
  let next = rowsBetween;
  return (rows) => {
    if (rows < next) return;
    next = rows + rowsBetween;
    collect();
  };
}
