import { fallbackTexts } from '../i18n/i18n.js';
import { programmeName } from '../ui/programme.js';

/** Replaces the console if its translations could not be loaded. */
export function LoadFailure() {
  return (
    <main id="content" className="load-failure" lang="en">
      <h1>{programmeName}</h1>
      <p role="alert">{fallbackTexts.message}</p>
      <button type="button" onClick={() => window.location.reload()}>
        {fallbackTexts.retry}
      </button>
    </main>
  );
}
