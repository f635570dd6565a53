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

export default defineConfig({
  root,
  plugins: [react(), precompressed()],
  // The service puts the nonce of each page there: src/http/server/web-console.ts.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    outDir: process.env.CONSOLE_OUT ?? '../../dist/console',
    emptyOutDir: true,
    // Scripts and styles come from the service alone: its policy allows no `data:` addresses for them.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    // Of the packages whose code is part of the built console: see THIRD-PARTY-NOTICES.md.
    license: { fileName: 'LICENSES.md' },
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': process.env.API_URL ?? 'http://127.0.0.1:3000' } },
});
