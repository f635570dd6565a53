import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { useConsole } from './support/console.js';

describePages('A page on another port of the same host', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();
  let server: Server;
  let foreign: string;
  before(async () => {
    server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>Other</title><body>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A listening server has an `AddressInfo`.
    foreign = `http://localhost:${(server.address() as AddressInfo).port}/`;
  });
  after(() => server.close());

  /** Opens two tabs of one browser: the signed-in console and the other page. */
  async function openBoth() {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.openAs(trainee, '/profile');
    const other = await test.openTab(page, foreign);
    return { page, other, trainee };
  }

  /**
   * Status of the first response of the service to the page, and whether the browser sent the cookie. Uses the browser's
   * debugger, because the page itself can't see the response.
   */
  async function answerTo(page: Page, act: () => Promise<unknown>) {
    const wire = await page.context().newCDPSession(page);
    const toService = new Set<string>();
    const withCookie = new Map<string, boolean>();
    const statuses = new Map<string, number>();
    // The events may come in any order.
    wire.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (request.url.startsWith(`${test.url}/api/`)) toService.add(requestId);
    });
    wire.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) =>
      withCookie.set(requestId, /coursectl=/.test(headers.Cookie ?? '')),
    );
    wire.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => statuses.set(requestId, statusCode));
    await wire.send('Network.enable');
    await act();
    const answers = () =>
      [...toService]
        .filter((id) => statuses.has(id))
        .map((id) => ({ status: statuses.get(id), cookie: withCookie.get(id) }));
    await expect.poll(() => answers().length).toBeGreaterThan(0);
    await wire.detach();
    return answers()[0];
  }

  const submitForm = (page: Page, path: string, fields: Record<string, string>) =>
    page.evaluate(
      ([action, values]) => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action });
        for (const [name, value] of Object.entries(values))
          form.append(Object.assign(document.createElement('input'), { name, value }));
        document.body.append(form);
        form.submit();
      },
      [`${test.url}${path}`, fields] as const,
    );

  async function expectSessionActive(page: Page): Promise<void> {
    await page.reload();
    await expect(page.getByRole('button', { name: 'Account menu for Tia Trainee' })).toBeVisible();
  }

  it('reads and changes nothing by script or form, although the browser sends the cookie', async () => {
    const { page, other, trainee } = await openBoth();
    test.expectErrors(other, /CORS policy|ERR_FAILED|ERR_BLOCKED|status of 40\d/);
    for (const [method, path, mode] of [
      ['GET', '/api/auth/me', 'no-cors'],
      ['GET', '/api/auth/me', 'cors'],
      ['POST', '/api/auth/logout-all', 'no-cors'],
    ] as const) {
      const byScript = answerTo(other, () =>
        other.evaluate(
          async ([url, given]) => {
            await fetch(url, { ...given, credentials: 'include' }).catch(() => undefined);
          },
          [`${test.url}${path}`, { method, mode }] as const,
        ),
      );
      expect(await byScript, `${method} ${mode}`).toEqual({ status: 401, cookie: true });
    }
    // A custom header needs a preflight request, which the service refuses.
    const preflight = await other.evaluate(async (url) => {
      const headers = { 'X-Requested-With': 'coursectl' };
      const sent = fetch(`${url}/api/auth/logout-all`, { method: 'POST', credentials: 'include', headers });
      return sent.then(
        () => 'sent',
        () => 'refused',
      );
    }, test.url);
    expect(preflight).toBe('refused');
    const byForm = await answerTo(other, () => submitForm(other, '/api/auth/logout-all', {}));
    expect(byForm).toEqual({ status: 401, cookie: true });
    expect(await test.context.database.models.Session.count({ where: { userId: trainee.id } })).toBe(1);
    await expectSessionActive(page);
  });

  it('cannot sign somebody in to a foreign account', async () => {
    const { page, other } = await openBoth();
    test.expectErrors(other, /status of 40\d/);
    const cookies = await page.context().cookies();
    const fields = { identifier: 'mallory@example.org', password: 'mallory@example.org' };
    const byForm = await answerTo(other, () => submitForm(other, '/api/auth/web-session', fields));
    expect(byForm?.status).toBe(403);
    expect(await page.context().cookies()).toEqual(cookies);
    await expectSessionActive(page);
  });
});

describePages('A hostile page whose name resolves to the address of the service', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({}, [
    '--host-resolver-rules=MAP evil.example 127.0.0.1',
    // Other browsers let pages loaded over HTTP call private addresses.
    '--disable-features=BlockInsecurePrivateNetworkRequests,LocalNetworkAccessChecks',
  ]);

  it("can't create the super admin, and gets no page", async () => {
    const origin = test.url.replace('localhost', 'evil.example');
    const page = await test.open('about:blank');
    // The browser ignores this header for untrusted origins.
    test.expectErrors(page, /status of 421|Cross-Origin-Opener-Policy header has been ignored/);
    // Simulates a page that was loaded before its name resolved to this machine.
    await page.route(`${origin}/attack`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Attack</title>' }),
    );
    await page.goto(`${origin}/attack`);
    const answer = await page.evaluate(async () => {
      const account = {
        firstName: 'Eve',
        lastName: 'Evil',
        email: 'eve@evil.example',
        phone: '1',
        password: 'hers-alone',
      };
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch('/api/auth/setup', { method: 'POST', headers, body: JSON.stringify(account) });
      return { status: response.status, text: await response.text() };
    });
    expect(answer).toEqual({ status: 421, text: expect.stringContaining('PUBLIC_URL') });
    expect(await test.context.database.models.User.count()).toBe(0);
    const response = await page.goto(`${origin}/`);
    expect(response?.status()).toBe(421);
  });
});
