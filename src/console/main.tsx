import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { startTranslation } from './i18n/i18n.js';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element with the id "root".');
await startTranslation();
createRoot(root).render(<App />);
