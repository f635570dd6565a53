import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './appearance/app.css';
import './appearance/forced-colors.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { LoadFailure } from './app/load-failure.js';
import { SignedIn } from './app/session-gate.js';
import { startTranslation } from './i18n/i18n.js';
import { isPublicPage, watchLinkTokens } from './links/link-token.js';
import { readOidcResult } from './session/oidc-result.js';
import { mayBeSignedIn } from './session/session.js';

watchLinkTokens();
readOidcResult();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element with the id "root".');
// Behind the styles: the variables that Mantine writes into the root replace those of its styles.
document.body.append(root);
const translation = startTranslation();
// Loads the pages in parallel with the translations and the session.
if (mayBeSignedIn() && !isPublicPage()) SignedIn.preload();
const page = createRoot(root);
try {
  await translation;
  page.render(<App />);
} catch (error) {
  reportError(error);
  page.render(<LoadFailure />);
}
