import { withoutWords } from '../i18n/i18n.js';

/** Stands for the console where its words could not be loaded: a blank page would not say why. */
export function LoadFailure() {
  return (
    <main id="content" className="load-failure" lang="en">
      <h1>{withoutWords.title}</h1>
      <p role="alert">{withoutWords.message}</p>
      <button type="button" onClick={() => window.location.reload()}>
        {withoutWords.retry}
      </button>
    </main>
  );
}
