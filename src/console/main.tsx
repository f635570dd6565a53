import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import './app/forced-colors.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { LoadFailure } from './app/load-failure.js';
import { mayBeSignedIn } from './app/session.js';
import { SignedIn } from './app/session-gate.js';
import { startTranslation } from './i18n/i18n.js';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element with the id "root".');
const translation = startTranslation();
// At the same time as the words and the session, not after them.
if (mayBeSignedIn()) SignedIn.preload();
const page = createRoot(root);
try {
  await translation;
  page.render(<App />);
} catch (error) {
  reportError(error);
  page.render(<LoadFailure />);
}
