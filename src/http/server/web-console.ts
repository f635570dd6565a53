import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeUTF8 } from 'entities';
import type { Request, RequestHandler, Response } from 'express';
import { lookup } from 'mime-types';
import type { Config } from '../../config/config.js';
import { programFile } from '../../package-root.js';
import { type Encoded, encodings, sendEncoded } from '../body/encodings.js';

/** Output folder of the build. */
const builtConsole = programFile('console');

/** Vite's placeholder for the nonce: see src/console/vite.config.ts. */
const noncePlaceholder = 'CSP_NONCE';

/** Suffixes of compressed files in Vite's output. */
const suffixes = { br: '.br', gzip: '.gz' } as const;

type Asset = Encoded & { type: string; cacheControl: string };

/** Returns the Cache-Control of a file. Files with a hash in their name never change; others are cached for an hour. */
const cacheControlOf = (name: string): string =>
  name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';

/** Reads the built files into memory (about 3 MiB), so that a slow disk delays no page. */
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

/** Sources of the inline scripts of the built page for its policy: their hashes (CSP 3, 2.3.1). */
const inlineScripts = (html: string): string =>
  [...html.matchAll(/<script(?: nonce="[^"]*")?>(.*?)<\/script>/gs)]
    .map(([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    .join('');

/**
 * Returns the Content-Security-Policy of the page: no other origins, no inline scripts except those of the build, and
 * inline styles only with the nonce.
 */
const policyFor = (nonce: string, scripts: string): string =>
  [
    "default-src 'none'",
    `script-src 'self'${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Name and logo of the programme, which the page shows. */
type Programme = Pick<Config['programme'], 'name' | 'logo'>;

/** Settings that the page shows. */
type PageSettings = { programme: Programme; auth: Pick<Config['auth'], 'passwordMinLength' | 'passwordBlocklist'> };

const manifestPath = '/app.webmanifest';

const iconTag = /<link rel="icon"[^>]* href="([^"]*)"[^>]*>/;

/** The programme's logo, else the icon of the build. */
const iconOf = (html: string, { logo }: Programme): string =>
  logo === undefined ? (iconTag.exec(html)?.[1] ?? '') : '/api/logo';

/** Writes the programme into the built page, where src/console/ui/programme.ts reads it. */
const withProgramme = (html: string, programme: Programme): string =>
  html
    .replace(
      /(?<=<title>|name="application-name" content="|class="shell-header" dir="auto">|<noscript>)coursectl/g,
      () => escapeUTF8(programme.name),
    )
    .replace(
      iconTag,
      `<link rel="icon" href="${iconOf(html, programme)}" /><link rel="manifest" href="${manifestPath}" />`,
    );

/** Writes the rules for passwords into the built page, where src/console/ui/forms/password-field.tsx reads them. */
const withPasswordRules = (html: string, { passwordMinLength, passwordBlocklist }: PageSettings['auth']): string =>
  html.replace(/(?<=name="password-rules" content=")[^"]*/, `${passwordMinLength} ${passwordBlocklist ? 'on' : 'off'}`);

/** Web app manifest (W3C): the name and icon of the console on a home screen. */
function manifestOf(html: string, programme: Programme): Asset {
  const manifest = {
    name: programme.name,
    id: '/',
    start_url: '/',
    // Keeps the browser's buttons to go back and to reload.
    display: 'minimal-ui',
    icons: [{ src: iconOf(html, programme), sizes: 'any' }],
  };
  const cacheControl = cacheControlOf(manifestPath);
  return { type: 'application/manifest+json', cacheControl, identity: Buffer.from(JSON.stringify(manifest)) };
}

/** First path segments of pages. */
export const pageNames: readonly string[] = [
  ...['', 'profile', 'people', 'groups', 'imports', 'courses', 'enrollments', 'catalogue', 'audit', 'mail'],
  // Links in mails and on certificates open these pages.
  ...['set-password', 'forgot-password', 'confirm-email', 'certificates', 'cancel-email'],
];

/**
 * Whether a request is for a page. A request that accepts HTML explicitly is for a page. A request that accepts anything,
 * like those of link previews and link checkers, is for a page only at the path of a page. At other paths, programs that accept
 * anything get JSON.
 */
function asksForPage(request: Request): boolean {
  if (/\btext\/html\b/.test(request.headers.accept ?? '')) return true;
  const [, name = ''] = request.path.split('/');
  return pageNames.includes(name) && request.accepts(['html', 'json']) === 'html';
}

/**
 * Creates the middleware of the web console. Serves files by their paths, and the page for all other paths outside `/api` that
 * a browser opens. Passes other requests on.
 * @param folder output folder of the build
 * @returns undefined if the console isn't built
 */
export function serveConsole(
  { programme, auth }: PageSettings,
  folder: string = builtConsole,
): RequestHandler | undefined {
  // The source folder also has an index.html, but only the build has a manifest.
  if (!existsSync(path.join(folder, 'manifest.json'))) return undefined;
  const html = readFileSync(path.join(folder, 'index.html'), 'utf8');
  // Split first: a name with the placeholder gets no nonce.
  const parts = html.split(noncePlaceholder).map((part) => withPasswordRules(withProgramme(part, programme), auth));
  const scripts = inlineScripts(html);
  const assets = readAssets(folder).set(manifestPath, manifestOf(html, programme));
  return (request, response, next) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading || /^\/api(\/|$)/.test(request.path)) return next();
    const asset = assets.get(request.path);
    if (asset) return sendAsset(request, response, asset);
    if (!asksForPage(request) || request.path.startsWith('/assets/')) return next();
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Content-Security-Policy', policyFor(nonce, scripts));
    // On plain HTTP, `Referer` is the only header with the origin of a GET: see session-cookie.ts.
    response.setHeader('Referrer-Policy', 'same-origin');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const page = Buffer.from(parts.join(nonce));
    response.setHeader('Content-Length', page.length);
    response.end(request.method === 'HEAD' ? undefined : page);
  };
}
