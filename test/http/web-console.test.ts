import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import request from 'supertest';
import { createApp } from '../../src/http/server/app.js';
import { startServer } from '../../src/http/server/server.js';
import { pageNames, serveConsole } from '../../src/http/server/web-console.js';
import { useHarness } from '../support/harness.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('The web console', () => {
  const harness = useHarness();
  const folder = temporaryFolder();
  const page = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  before(() => {
    mkdirSync(path.join(folder.path, 'assets'), { recursive: true });
    const files = {
      'index.html':
        '<!doctype html><title>coursectl</title><meta name="application-name" content="coursectl" />' +
        '<link rel="icon" type="image/svg+xml" href="/icon.svg" />' +
        '<meta name="password-rules" content="6 off" />' +
        '<script nonce="CSP_NONCE">document.title</script><script src="/assets/main-1a2b3c.js"></script>' +
        '<meta property="csp-nonce" nonce="CSP_NONCE"><style nonce="CSP_NONCE"></style>' +
        '<div class="shell-header" dir="auto">coursectl</div>' +
        '<noscript>coursectl needs JavaScript.</noscript>',
      'manifest.json': '{}',
      'assets/main-1a2b3c.js': 'console.log(1)',
      'assets/main-1a2b3c.js.br': brotliCompressSync('console.log("brotli")'),
      'assets/main-1a2b3c.js.gz': gzipSync('console.log("gzip")'),
      'icon.svg': '<svg/>',
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder.path, name), content);
  });
  after(() => folder.remove());

  type Settings = Parameters<typeof serveConsole>[0];
  const app = (
    programme: Settings['programme'] = { name: 'coursectl' },
    auth: Settings['auth'] = { passwordMinLength: 6, passwordBlocklist: false },
  ) => createApp(harness.context, {}, serveConsole({ programme, auth }, folder.path));

  it('serves its page to navigations, with a new nonce and a strict policy', async () => {
    const hash = `'sha256-${createHash('sha256').update('document.title').digest('base64')}'`;
    const nonces = [];
    for (const address of ['/', '/people?page=2', '/courses/1']) {
      const { status, headers, text } = await request(app()).get(address).set(page);
      expect(status, address).to.equal(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers['referrer-policy']).to.equal('same-origin');
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? [];
      expect(headers['content-security-policy']).to.equal(
        `default-src 'none'; script-src 'self' ${hash}; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; ` +
          "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(text.match(new RegExp(`nonce="${nonce.replace(/[+/]/g, '\\$&')}"`, 'g'))).to.have.length(3);
      nonces.push(nonce);
    }
    expect(new Set(nonces)).to.have.length(3);
  });

  it('writes the rules for passwords into its page', async () => {
    const auth = { passwordMinLength: 12, passwordBlocklist: true };
    const { text } = await request(app(undefined, auth)).get('/').set(page);
    expect(text).to.include('<meta name="password-rules" content="12 on" />');
  });

  it('serves its page only to navigations that accept HTML, and never below /api', async () => {
    for (const [address, accept] of [
      ['/', 'application/json'],
      ['/people', 'application/json, text/plain, */*'],
      ['/healthz/nothing', '*/*'],
      ['/peoples', '*/*'],
      ['/api/nothing', page.Accept],
      ['/api', page.Accept],
      ['/assets/gone.js', page.Accept],
    ] as const) {
      const { status, body } = await request(app()).get(address).set('Accept', accept);
      expect(status, address).to.equal(404);
      expect(body).to.deep.equal({ error: 'Resource not found.' });
    }
    const posted = await request(app()).post('/people').set(page);
    expect(posted.status).to.equal(404);
  });

  it('serves its page to programs that accept anything at the paths of pages, mailed links and certificates', async () => {
    const addresses = ['/', '/people', '/courses/1', '/set-password', '/certificates/A48M-D3PV', '/cancel-email'];
    for (const address of addresses)
      for (const accept of ['*/*', '', 'text/*'])
        for (const method of ['get', 'head'] as const) {
          const { status, headers } = await request(app())[method](address).set('Accept', accept);
          expect([status, headers['content-type']], `${method} ${address} ${accept}`).to.deep.equal([
            200,
            'text/html; charset=utf-8',
          ]);
        }
    const without = await request(app()).get('/certificates/A48M-D3PV').unset('Accept');
    expect(without.headers['content-type']).to.equal('text/html; charset=utf-8');
  });

  it('has the paths of all pages', () => {
    const source = (name: string) => readFileSync(`src/console/app/${name}`, 'utf8');
    const paths = [
      ...source('router.tsx').matchAll(/^ {2}path: '\/([^/']*)/gm),
      ...source('public-pages.tsx').matchAll(/^ {2}'\/([^/']*)':/gm),
    ].map(([, name = '']) => name);
    expect([...new Set(paths)]).to.have.members(pageNames);
  });

  it('serves compressed files as the client accepts them', async () => {
    const get = (encoding: string) =>
      request(app()).get('/assets/main-1a2b3c.js').set('Accept-Encoding', encoding).buffer(true);
    const brotli = await get('gzip, br');
    expect([brotli.headers['content-encoding'], brotli.text]).to.deep.equal(['br', 'console.log("brotli")']);
    const gzip = await get('gzip');
    expect([gzip.headers['content-encoding'], gzip.text]).to.deep.equal(['gzip', 'console.log("gzip")']);
    expect(brotli.headers['cache-control']).to.equal('public, max-age=31536000, immutable');
    expect(brotli.headers.vary).to.equal('Accept-Encoding');
    expect(brotli.headers['content-type']).to.match(/^text\/javascript/);
    const plain = await get('identity');
    expect([plain.headers['content-encoding'], plain.text]).to.deep.equal([undefined, 'console.log(1)']);
    const icon = await request(app()).get('/icon.svg');
    expect([icon.status, icon.headers['cache-control']]).to.deep.equal([200, 'public, max-age=3600']);
  });

  it('names the programme in its page, escaped, with its logo as the icon', async () => {
    const name = `"A" & 'B' </title><script>$& CSP_NONCE`;
    const { text, headers } = await request(app({ name, logo: '/logo.svg' }))
      .get('/')
      .set(page);
    const escaped = '&quot;A&quot; &amp; &apos;B&apos; &lt;/title&gt;&lt;script&gt;$&amp; CSP_NONCE';
    expect(text).to.include(`<title>${escaped}</title><meta name="application-name" content="${escaped}" />`);
    expect(text).to.include(`<div class="shell-header" dir="auto">${escaped}</div>`);
    expect(text).to.include(`<noscript>${escaped} needs JavaScript.</noscript>`);
    expect(text).to.include('<link rel="icon" href="/api/logo" /><link rel="manifest" href="/app.webmanifest" />');
    expect(text).not.to.include('coursectl');
    expect(text.match(/<script/g)).to.have.length(2);
    expect(Number(headers['content-length'])).to.equal(Buffer.byteLength(text));
  });

  it('names coursectl, with its icon, without a name and a logo', async () => {
    const { text } = await request(app()).get('/').set(page);
    expect(text).to.include('<title>coursectl</title><meta name="application-name" content="coursectl" />');
    expect(text).to.include('<link rel="icon" href="/icon.svg" />');
  });

  it('has a web app manifest with the name and icon of the programme', async () => {
    for (const [programme, icon] of [
      [{ name: 'coursectl' }, '/icon.svg'],
      [{ name: 'Kurse "Süd" <&>', logo: '/logo.png' }, '/api/logo'],
    ] as const) {
      const { status, headers, body } = await request(app(programme)).get('/app.webmanifest');
      expect(status).to.equal(200);
      expect(headers).to.include({
        'content-type': 'application/manifest+json',
        'cache-control': 'public, max-age=3600',
      });
      expect(body).to.deep.include({ name: programme.name, start_url: '/', icons: [{ src: icon, sizes: 'any' }] });
    }
  });

  it('responds to HEAD without a body', async () => {
    const { status, headers, text } = await request(app()).head('/').set(page);
    expect([status, text]).to.deep.equal([200, undefined]);
    expect(Number(headers['content-length'])).to.be.greaterThan(0);
  });
});

describe('CONSOLE', () => {
  const harness = useHarness({ PORT: '0', CONSOLE: 'off' });
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('off serves only the API', async () => {
    writeFileSync(path.join(folder.path, 'index.html'), '<!doctype html>');
    writeFileSync(path.join(folder.path, 'manifest.json'), '{}');
    expect(serveConsole(harness.context.config, folder.path)).to.be.a('function');
    const server = await startServer(harness.context, { consoleFolder: folder.path });
    try {
      expect(server.hasConsole).to.equal(false);
      const response = await fetch(server.url, { headers: { Accept: 'text/html' } });
      expect([response.status, await response.json()]).to.deep.equal([404, { error: 'Resource not found.' }]);
    } finally {
      await server.close();
    }
  });

  it('serves nothing if the console is not built', () => {
    expect(serveConsole(harness.context.config, path.join(folder.path, 'nothing'))).to.equal(undefined);
  });
});
