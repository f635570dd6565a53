/** Something that happens often under load, counted by the second. */
export interface PerSecond {
  add(): void;
  /** How many there are or were in the last second. */
  recent(): number;
}

/** @param report told at the end of each second in which there were any */
export function countPerSecond(report: (count: number) => void): PerSecond {
  let count = 0;
  let last = 0;
  function endSecond(): void {
    last = count;
    count = 0;
    if (last === 0) return;
    report(last);
    setTimeout(endSecond, 1000).unref();
  }
  return {
    add() {
      if (count + last === 0) setTimeout(endSecond, 1000).unref();
      count += 1;
    },
    recent: () => Math.max(count, last),
  };
}
