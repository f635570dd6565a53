import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { lookup } from 'mime-types';
import { programFile } from '../../package-root.js';
import { type Encoded, encodings, sendEncoded } from '../body/encodings.js';

/** Where the build puts the web console. */
const builtConsole = programFile('console');

/** What Vite writes in place of the nonce: see src/console/vite.config.ts. */
const noncePlaceholder = 'CSP_NONCE';

/** How Vite's output names compressed files. */
const suffixes = { br: '.br', gzip: '.gz' } as const;

/** A file as it is sent. */
type Asset = Encoded & { type: string; cacheControl: string };

/** Names with a hash of their content never change; the others are asked for again after an hour. */
const cacheControlOf = (name: string): string =>
  name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';

/** Reads the built files into memory: some 3 MiB. They are few, and a disk that stalls delays no page. */
function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  const assets = new Map<string, Asset>();
  for (const name of names) {
    if (/\.(br|gz|html|md)$/.test(name) || name === 'manifest.json') continue;
    const asset: Asset = {
      type: lookup(name) || 'application/octet-stream',
      cacheControl: cacheControlOf(name),
      identity: readFileSync(path.join(folder, name)),
    };
    for (const encoding of encodings) {
      const compressed = `${name}${suffixes[encoding]}`;
      if (names.includes(compressed)) asset[encoding] = readFileSync(path.join(folder, compressed));
    }
    assets.set(`/${name}`, asset);
  }
  return assets;
}

function sendAsset(request: Request, response: Response, asset: Asset): void {
  response.setHeader('Content-Type', asset.type.startsWith('text/') ? `${asset.type}; charset=utf-8` : asset.type);
  response.setHeader('Cache-Control', asset.cacheControl);
  sendEncoded(request, response, asset);
}

/** What the page may load: nothing of other origins, and no inline script or style without this page's nonce. */
const policyFor = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** First parts of the addresses of pages. */
export const pageNames: readonly string[] = [
  ...['', 'profile', 'people', 'imports', 'courses', 'enrollments', 'catalogue', 'audit', 'mail'],
  // Links in mails and on certificates open these.
  ...['set-password', 'forgot-password', 'confirm-email', 'certificates', 'cancel-email'],
];

/**
 * Whether a request is for a page: one that names HTML, or takes anything at the address of a page, as previews and checks of
 * links do. Elsewhere programs that take anything get JSON.
 */
function asksForPage(request: Request): boolean {
  if (/\btext\/html\b/.test(request.headers.accept ?? '')) return true;
  const [, name = ''] = request.path.split('/');
  return pageNames.includes(name) && request.accepts(['html', 'json']) === 'html';
}

/**
 * Serves the web console: its files by their names, and its page for every other address that a browser opens outside
 * `/api`. Other requests pass.
 * @param folder where the build put it
 * @returns nothing when it isn't built
 */
export function serveConsole(folder: string = builtConsole): RequestHandler | undefined {
  // The source has an index.html, too; only the build has a manifest.
  if (!existsSync(path.join(folder, 'manifest.json'))) return undefined;
  const [beginning = '', ...parts] = readFileSync(path.join(folder, 'index.html'), 'utf8').split(noncePlaceholder);
  const assets = readAssets(folder);
  return (request, response, next) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading || /^\/api(\/|$)/.test(request.path)) return next();
    const asset = assets.get(request.path);
    if (asset) return sendAsset(request, response, asset);
    if (!asksForPage(request) || request.path.startsWith('/assets/')) return next();
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Content-Security-Policy', policyFor(nonce));
    // By plain HTTP, browsers tell of no other header of a GET where it comes from: see session-cookie.ts.
    response.setHeader('Referrer-Policy', 'same-origin');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const page = Buffer.from([beginning, ...parts].join(nonce));
    response.setHeader('Content-Length', page.length);
    response.end(request.method === 'HEAD' ? undefined : page);
  };
}
