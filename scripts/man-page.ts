/** Writes the manual page into `dist`: a part of `npm run build`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { manPage } from './manual.js';

const folder = new URL('../dist/man/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(fileURLToPath(new URL('coursectl.1', folder)), await manPage());
