import i18next from 'i18next';

/** Locale for `Intl`: the browser's variant of the language, such as `en-GB`. */
function locale(): string {
  const { language } = i18next;
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? (language === 'ar-XB' ? 'en' : language);
}

/** Date and time in the browser's time zone. */
export function formatTime(iso: string | null | undefined): string {
  if (!iso) return '–';
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** Date and time with seconds and the time zone. */
export const formatZonedTime = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'full', timeStyle: 'long' }).format(new Date(iso));

/** Time zone of shown times, such as `Europe/Berlin`. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Day of a time, in the browser's time zone. */
export function formatDate(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(iso));
}

/** Day without time and time zone, from a text such as `2026-11-22`. */
export function formatDay(iso: string | null | undefined): string {
  if (!iso) return '–';
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso));
}

/** Day in full, for documents: `22 November 2026`. */
export const formatFullDay = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso));

/** Day of the week with day and month, for narrow columns: `Mon 22/11`. */
export const formatWeekday = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { weekday: 'short', day: 'numeric', month: 'numeric', timeZone: 'UTC' }).format(
    new Date(iso),
  );

/** Day without the year, for the axis of a chart. */
export const formatShortDay = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(iso));

/** The time from one day to another in days: "tomorrow", "in 3 days". */
export const formatDaysUntil = (day: string, today: string): string =>
  new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(
    (Date.parse(day) - Date.parse(today)) / 86_400_000,
    'day',
  );

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Relative time, such as "3 days ago". A future time is never shown as sooner than it is. */
function formatRelative(iso: string | null | undefined, now: number): string {
  if (!iso) return '–';
  // Rounds future times up, and past times down.
  const seconds = Math.ceil((Date.parse(iso) - now) / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.ceil(seconds / size), unit);
}

/** Relative time in the past; "now" if the browser's clock is behind the service's. */
export const formatAgo = (iso: string | null | undefined): string =>
  formatRelative(iso, Math.max(Date.now(), iso ? Date.parse(iso) : 0));

/** Relative time in the future; "now" once it has passed, on a page that stayed open. */
export const formatAhead = (iso: string | null | undefined): string =>
  formatRelative(iso, Math.min(Date.now(), iso ? Date.parse(iso) : 0));

export const formatNumber = (number: number): string => new Intl.NumberFormat(locale()).format(number);

/** Share in percent: `0.25` as "25 %". */
export const formatShare = (share: number): string =>
  new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 0 }).format(share);

/** Size in bytes, in a suitable unit. */
export function formatBytes(bytes: number): string {
  const names = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), names.length - 1);
  const unit = names[power] ?? 'byte';
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit,
    // The short form of bytes has no plural in English.
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}
