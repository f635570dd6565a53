import { formatAgo, formatTime, formatZonedTime } from '../i18n/format.js';

/** A time in the zone of the browser; the zone is in its title. @param relative for what is past: as "3 days ago" */
export function Time({ at, relative = false }: { at: string | null | undefined; relative?: boolean }) {
  if (!at) return '–';
  return (
    <time dateTime={at} title={formatZonedTime(at)}>
      {relative ? formatAgo(at) : formatTime(at)}
    </time>
  );
}
