const units: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 365.25 * 86_400],
  ['month', 30.4375 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** How far a time is from now: "3 days ago", "in 2 hours". */
export function relativeTime(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  return seconds > 0 ? 'in less than a minute' : 'just now';
}
