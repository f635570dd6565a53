import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createEmptyDatabase, type TestDatabase } from './support/database.js';
import { testEnvironment } from './support/environment.js';
import { scaled } from './support/machine.js';
import { useSubprocesses } from './support/subprocess.js';
import { temporaryFolder } from './support/temporary-folder.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** A browser without a page: follows redirects and keeps cookies by host. */
function browser(hosts: ReadonlyMap<string, string>) {
  const jar = new Map<string, Map<string, string>>();
  return async function open(
    address: string,
    { form, method }: { form?: Record<string, string>; method?: 'DELETE' } = {},
  ): Promise<{ url: string; text: string; status: number }> {
    const { origin } = new URL(address);
    const cookies = jar.get(origin) ?? new Map<string, string>();
    jar.set(origin, cookies);
    const response = await fetch(address.replace(origin, hosts.get(origin) ?? origin), {
      redirect: 'manual',
      headers: {
        Cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        'Sec-Fetch-Site': 'same-origin',
        'X-Requested-With': 'fetch',
      },
      ...(method && { method }),
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) return open(new URL(location, address).href);
    return { url: address, text: await response.text(), status: response.status };
  };
}

describe('npm run issuer', function () {
  this.timeout(scaled(120_000));
  const { start } = useSubprocesses();
  const folder = temporaryFolder();
  let database: TestDatabase;
  let issuer: ChildProcess;
  /** Settings that the provider has printed. */
  const printed: Record<string, string> = {};

  before(async () => {
    database = await createEmptyDatabase();
    issuer = spawn(process.execPath, ['--import', 'tsx', 'scripts/issuer.ts', '--port', '0'], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (!issuer.stdout) throw new Error('no stdout');
    for await (const line of createInterface(issuer.stdout)) {
      const [, name, value = ''] = /^([A-Z_]+)="?([^"]*)"?$/.exec(line) ?? [];
      if (name !== undefined) printed[name] = value;
      if (name === 'PUBLIC_URL') break;
    }
  });
  after(async () => {
    const ended = once(issuer, 'exit');
    issuer.kill('SIGTERM');
    await ended;
    await database.drop();
    folder.remove();
  });

  it('signs a new trainee in, and out, with the settings that it prints', async () => {
    const env = { ...testEnvironment, ...printed, DATABASE_URL: database.url };
    const surroundings = { cwd: folder.path, env };
    const service = start(['serve', '--migrate', '--json'], surroundings);
    const [, url = ''] = await service.waitForOutput(/"url":"([^"]+)"/);
    const publicUrl = printed.PUBLIC_URL ?? '';
    const open = browser(new Map([[publicUrl, url]]));

    const login = await open(`${publicUrl}/api/oidc/start?returnTo=/profile`);
    const action = (text: string) => /action="([^"]+)"/.exec(text)?.[1] ?? '';
    const person = { prompt: 'login', login: 'anna.berg@example.org', password: 'any' };
    const consent = await open(action(login.text), { form: person });
    const back = await open(action(consent.text), { form: { prompt: 'consent' } });
    expect(back.url).to.equal(`${publicUrl}/profile`);
    const { user } = JSON.parse((await open(`${publicUrl}/api/auth/me`)).text) as { user: Record<string, unknown> };
    expect(user).to.include({
      firstName: 'Anna',
      lastName: 'Berg',
      email: 'anna.berg@example.org',
      role: 'trainee',
    });

    const signedOut = await open(`${publicUrl}/api/auth/web-session`, { method: 'DELETE' });
    const { signOutUrl } = JSON.parse(signedOut.text) as { signOutUrl: string };
    const question = await open(signOutUrl);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? '';
    const end = await open(action(question.text), { form: { xsrf, logout: 'yes' } });
    expect(end.url).to.equal(`${publicUrl}/sign-in`);
    expect((await open(`${publicUrl}/api/auth/me`)).status).to.equal(401);
  });
});
