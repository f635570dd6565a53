/**
 * Whether a moment was less than so many milliseconds ago. One in the future wasn't: the clock was ahead when it was noted, and
 * what depends on it would last for as long as that.
 */
export function isRecent(moment: Date, now: Date, withinMs: number): boolean {
  const ago = now.getTime() - moment.getTime();
  return ago >= 0 && ago < withinMs;
}
