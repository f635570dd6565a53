import { fallbackTexts } from '../i18n/i18n.js';
import { useMissingCodeReason, useOnline } from '../ui/missing-code.js';
import { programmeName } from '../ui/programme.js';

/** Replaces the console if its translations could not be loaded. */
export function LoadFailure() {
  const reason = useMissingCodeReason();
  const reload = () => window.location.reload();
  useOnline(reason === 'offline', reload);
  if (!reason) return null;
  const { message, action } = fallbackTexts[reason];
  return (
    <main id="content" className="load-failure" lang="en">
      <h1>{programmeName}</h1>
      <p role="alert">{message}</p>
      <button type="button" onClick={reload}>
        {action}
      </button>
    </main>
  );
}
