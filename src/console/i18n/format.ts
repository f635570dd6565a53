import i18next from 'i18next';

/** For `Intl`: the browser's own variant of the language, such as `en-GB`. */
function locale(): string {
  const { language } = i18next;
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? (language === 'ar-XB' ? 'en' : language);
}

/** A date and time in the browser's language and zone. */
export function formatTime(iso: string | null | undefined): string {
  if (!iso) return '–';
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** A time with seconds and the zone. */
export const formatZonedTime = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'full', timeStyle: 'long' }).format(new Date(iso));

/** The zone that times are shown in, such as `Europe/Berlin`. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The day of a time, in the user's zone. */
export function formatDate(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(iso));
}

/** A day without time, as the service gives it: `2026-11-22`, in no zone. */
export function formatDay(iso: string | null | undefined): string {
  if (!iso) return '–';
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso));
}

/** A day in full, for documents: `22 November 2026`. */
export const formatFullDay = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso));

/** A day without the year, for scales. */
export const formatShortDay = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(iso));

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** How long ago, or in how long: "3 days ago". What is to come is never shown as sooner than it is. */
function formatRelative(iso: string | null | undefined, now: number): string {
  if (!iso) return '–';
  // Rounds up what is to come, and down what has passed.
  const seconds = Math.ceil((Date.parse(iso) - now) / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.ceil(seconds / size), unit);
}

/** How long ago something happened. "Now" where the clock of the browser is behind the service's. */
export const formatAgo = (iso: string | null | undefined): string =>
  formatRelative(iso, Math.max(Date.now(), iso ? Date.parse(iso) : 0));

/** In how long something happens. "Now" once it has passed, on a page that was left open. */
export const formatAhead = (iso: string | null | undefined): string =>
  formatRelative(iso, Math.min(Date.now(), iso ? Date.parse(iso) : 0));

export const formatNumber = (number: number): string => new Intl.NumberFormat(locale()).format(number);

/** A share in percent: `0.25` as "25 %". */
export const formatShare = (share: number): string =>
  new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 0 }).format(share);

/** A size in bytes, in the unit that reads best. */
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
