import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Also writes each text file compressed by gzip and Brotli, so that the service needs no compression for each request. */
function precompressed(): Plugin {
  let outDir = '';
  return {
    name: 'precompressed',
    apply: 'build',
    configResolved(config) {
      outDir = path.resolve(config.root, config.build.outDir);
    },
    writeBundle(_options, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const file = path.join(outDir, name);
        const content = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        const options = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: options }));
      }
    },
  };
}

/** Moves the links to styles behind the shell of index.html, which the browser then paints before the styles are loaded. */
const stylesAfterShell: Plugin = {
  name: 'styles-after-shell',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const links = /^ *<link rel="stylesheet".*\n/gm;
      return html.replace(links, '').replace(/^ *<noscript>/m, (next) => (html.match(links) ?? []).join('') + next);
    },
  },
};

/**
 * Code shared by several pages, in a few files: many small files compress badly. A file is always loaded as a whole, so the
 * same pages should need its modules. The first matching group takes a module, together with its imports.
 * test/console/budget.browser.test.ts limits the size of each page.
 */
const sharedCode = [
  // Needed by every page. The entry itself stays a separate file, because index.html names it.
  { name: 'start', tags: ['$initial' as const], test: (id: string) => !/[\\/](main\.tsx|index\.html)$/.test(id) },
  // For the sign-in pages and the pages behind them.
  {
    name: 'basics',
    test: inSource(
      'console/appearance/(appearance-menu|brand)',
      'console/i18n/format',
      'console/ui/(document-title|forms/form-failure|person-name)',
      'components/(Anchor|Badge|CloseButton|InputBase|NativeSelect|Paper|TextInput|Title)/\\w+',
      // Small modules of several groups below or of many pages.
      'core/MantineProvider/color-functions/.+',
      'icons-react/dist/esm/icons/Icon(ChevronDown|Trash)',
      'hooks/esm/utils/use-callback-ref/.+',
    ),
  },
  {
    name: 'frame',
    test: inSource(
      'console/app/(layout|signed-in)',
      'console/ui/(download-menu|links|notify|page|status-badge|time|forms/confirm|lists/(filters|list-search|row-menu))',
      '@tanstack/react-router/.+',
      // Less than 300 bytes each, for many pages.
      'console/api/enrollment-statuses',
      'hooks/esm/use-force-update/.+',
      'core/(utils/get-(base-value|env|safe-id)|Box/get-style-object)/.+',
    ),
  },
  { name: 'pager', test: inSource('console/ui/lists/pager') },
  { name: 'checkbox', test: inSource('components/Checkbox/.+') },
  // For tables, dialogs and dropdown lists.
  { name: 'scroll-area', test: inSource('components/ScrollArea/.+') },
  { name: 'table', test: inSource('console/ui/lists/(data-table|search-field)') },
  // For lists with checkboxes.
  {
    name: 'bulk',
    test: inSource('console/ui/(lists/(bulk-bar|selection)|person-avatar|unmount-signal)', 'icons/IconUserPlus'),
  },
  { name: 'course-state', test: inSource('console/courses/(course-state|course-values)') },
  { name: 'course-image', test: inSource('console/courses/course-image', 'components/Image/.+') },
  { name: 'enrollment-state', test: inSource('console/enrollments/enrollment-(state|changes)') },
  // For dropdown lists and the fields of courses.
  { name: 'combobox', test: inSource('components/Combobox/Combobox') },
  {
    name: 'choices',
    test: inSource('console/pickers/(search-select|course-picker|person-picker)'),
  },
  // For dialogs, and for pages without an open dialog at first.
  { name: 'unsaved', test: inSource('console/ui/forms/unsaved') },
  { name: 'dialog', test: inSource('console/ui/forms/confirm-dialog', 'components/Modal/Modal') },
  { name: 'form', test: inSource('console/ui/forms/(form|password-field)', 'components/PasswordInput/.+') },
];

/** Matches modules by the ends of their paths, given as patterns without the extension. */
function inSource(...paths: readonly string[]): RegExp {
  const ends = paths.map((path) => path.replaceAll('/', '[\\\\/]'));
  return new RegExp(`[\\\\/](${ends.join('|')})\\.\\w+$`);
}

export default defineConfig({
  root,
  // Built files are public, so only files that a module or page names are built, not whole folders.
  publicDir: false,
  plugins: [react(), stylesAfterShell, precompressed()],
  // Placeholder for the nonce of each page: src/http/server/web-console.ts.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // The content security policy allows no `data:` URLs for scripts and styles.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    // Licenses of the packages in the built console: see THIRD-PARTY-NOTICES.md.
    license: { fileName: 'LICENSES.md' },
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: sharedCode } } },
  },
  // `npm run dev` starts the service at this address.
  server: { port: 5173, strictPort: true, proxy: { '/api': 'http://127.0.0.1:3000' } },
});
