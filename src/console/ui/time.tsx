import { formatAgo, formatTime, formatZonedTime } from '../i18n/format.js';

/** Time in the browser's time zone, which the tooltip names. @param relative whether to show a past time as "3 days ago" */
export function Time({ at, relative = false }: { at: string | null | undefined; relative?: boolean }) {
  if (!at) return '–';
  return (
    <time dateTime={at} title={formatZonedTime(at)}>
      {relative ? formatAgo(at) : formatTime(at)}
    </time>
  );
}
