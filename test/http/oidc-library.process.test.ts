import { expect } from 'chai';
import { issuerSettings } from '../support/issuer.js';
import { scaled } from '../support/machine.js';
import { useCommandLine } from '../support/run-cli.js';
import { useSubprocesses } from '../support/subprocess.js';

const script = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;

/** Makes the library of the organisation's sign-in fail when it is loaded. */
const hook = script(
  "export function resolve(name, context, next) { if (name === 'openid-client') throw new Error('the library is loaded'); return next(name, context); }",
);
const NODE_OPTIONS = `--import=${script(`import { register } from 'node:module'; register(${JSON.stringify(hook)});`)}`;

describe("The library of the organisation's sign-in", function () {
  this.timeout(scaled(60_000));
  const processes = useSubprocesses();
  const cli = useCommandLine(() => ({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }));

  async function serve(settings: Record<string, string> = {}) {
    const env = { ...cli.env, ...settings, NODE_OPTIONS };
    const server = processes.start(['serve', '--migrate', '--port', '0'], { cwd: cli.folder, env });
    const [, url = ''] = await server.waitForOutput(/coursectl is listening on (http:\/\/127\.0\.0\.1:\d+)\n/);
    return { server, get: (path: string) => fetch(url + path, { redirect: 'manual' }) };
  }

  it('is not loaded without OIDC_ISSUER', async () => {
    const { server, get } = await serve();
    expect(await (await get('/api/oidc')).json()).to.deep.equal({ name: null, passwordLogin: true });
    for (const path of ['/api/oidc/start', '/api/oidc/callback']) {
      const { status, headers } = await get(path);
      expect([status, headers.get('Error-Code')], path).to.deep.equal([400, 'OIDC_NOT_SET_UP']);
    }
    server.kill('SIGTERM');
    const { exitCode, stderr } = await server.ended;
    expect(exitCode).to.equal(0);
    expect(stderr).not.to.include('the library is loaded');
  });

  it('is loaded by the first sign-in', async () => {
    const { server, get } = await serve(issuerSettings({ url: 'http://127.0.0.1:1' }));
    expect(await (await get('/api/oidc')).json()).to.include({ name: 'Example Org' });
    const { status, headers } = await get('/api/oidc/start');
    expect([status, headers.get('Location')]).to.deep.equal([303, '/sign-in#oidc=OIDC_UNAVAILABLE']);
    await server.waitForOutput(/the library is loaded/);
  });
});
