import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Writes each text file a second and third time, compressed, so that the service need not do it for each request. */
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

/**
 * The code that several pages share, in a few files: many small ones compress badly. Each file is loaded as a whole, so it
 * has what all that load it need. The first group that matches takes a module, and what the module imports with it.
 * test/console/budget.browser.test.ts says what each page may load.
 */
const sharedCode = [
  // Whatever is shown. The entry itself stays a file of its own: index.html names it.
  { name: 'start', tags: ['$initial' as const], test: (id: string) => !/[\\/](main\.tsx|index\.html)$/.test(id) },
  // Pages to sign in, and the pages behind it.
  {
    name: 'basics',
    test: inSource(
      'console/appearance/(appearance-menu|logo)',
      'console/i18n/format',
      'console/ui/(forms/form-failure|person-name)',
      'components/(Anchor|Badge|CloseButton|InputBase|NativeSelect|Paper|TextInput|Title)/\\w+',
      // Small, and of several of the groups below or of many pages.
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
    ),
  },
  { name: 'pager', test: inSource('console/ui/lists/pager') },
  { name: 'checkbox', test: inSource('components/Checkbox/.+') },
  // Of tables, dialogs and lists of choices.
  { name: 'scroll-area', test: inSource('components/ScrollArea/.+') },
  { name: 'table', test: inSource('console/ui/lists/(data-table|search-field)') },
  // Of lists of choices, and of the fields of courses.
  { name: 'combobox', test: inSource('components/Combobox/Combobox') },
  {
    name: 'choices',
    test: inSource('console/pickers/(search-select|course-picker|person-picker)'),
  },
  // Of dialogs, and of pages that open none at first.
  { name: 'unsaved', test: inSource('console/ui/forms/unsaved') },
  { name: 'dialog', test: inSource('console/ui/forms/confirm-dialog', 'components/Modal/Modal') },
  { name: 'form', test: inSource('console/ui/forms/(form|password-field)', 'components/PasswordInput/.+') },
];

/** Modules by the ends of their paths, without extension, as patterns. */
function inSource(...paths: readonly string[]): RegExp {
  const ends = paths.map((path) => path.replaceAll('/', '[\\\\/]'));
  return new RegExp(`[\\\\/](${ends.join('|')})\\.\\w+$`);
}

export default defineConfig({
  root,
  // Whatever is built is public: only what a module or page names, not all files of a folder.
  publicDir: false,
  plugins: [react(), precompressed()],
  // The service puts the nonce of each page there: src/http/server/web-console.ts.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // Scripts and styles come from the service alone: its policy allows no `data:` addresses for them.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    // Of the packages whose code is part of the built console: see THIRD-PARTY-NOTICES.md.
    license: { fileName: 'LICENSES.md' },
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: sharedCode } } },
  },
  // Where `npm run dev` starts the service.
  server: { port: 5173, strictPort: true, proxy: { '/api': 'http://127.0.0.1:3000' } },
});
