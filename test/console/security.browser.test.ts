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
    // The address of a server that listens on a port.
    foreign = `http://localhost:${(server.address() as AddressInfo).port}/`;
  });
  after(() => server.close());

  /** Two tabs of one browser: the console, signed in, and the other page. */
  async function openBoth() {
    await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
    const page = await test.openAs(trainee, '/profile');
    const other = await test.openTab(page, foreign);
    return { page, other, trainee };
  }

  /**
   * What the service answered to the first request of the page, and whether the browser had sent it the cookie. Looked at on
   * the wire: the browser shows the page no answer.
   */
  async function answerTo(page: Page, act: () => Promise<unknown>) {
    const wire = await page.context().newCDPSession(page);
    const toService = new Set<string>();
    const withCookie = new Map<string, boolean>();
    const statuses = new Map<string, number>();
    // In any order.
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

  async function expectStillSignedIn(page: Page): Promise<void> {
    await page.reload();
    await expect(page.getByRole('button', { name: 'Account menu for Tia Trainee' })).toBeVisible();
  }

  it('reads nothing with the cookie, which the browser sends it', async () => {
    const { page, other } = await openBoth();
    test.expectErrors(other, /CORS policy|ERR_FAILED|ERR_BLOCKED|status of 401/);
    const read = (mode: RequestMode) =>
      answerTo(other, () =>
        other.evaluate(
          async ([url, chosen]) => {
            await fetch(`${url}/api/auth/me`, { credentials: 'include', mode: chosen }).catch(() => undefined);
          },
          [test.url, mode] as const,
        ),
      );
    expect(await read('no-cors')).toEqual({ status: 401, cookie: true });
    expect(await read('cors')).toEqual({ status: 401, cookie: true });
    await expectStillSignedIn(page);
  });

  it('changes nothing with it, by script or by a form', async () => {
    const { page, other, trainee } = await openBoth();
    test.expectErrors(other, /CORS policy|ERR_FAILED|ERR_BLOCKED|status of 40\d/);
    const byScript = await answerTo(other, () =>
      other.evaluate(async (url) => {
        const request = { method: 'POST', credentials: 'include', mode: 'no-cors' } as const;
        await fetch(`${url}/api/auth/logout-all`, request).catch(() => undefined);
      }, test.url),
    );
    expect(byScript).toEqual({ status: 401, cookie: true });
    // A header of its own needs leave, for which the service is asked first.
    const preflight = await other.evaluate(async (url) => {
      const headers = { 'X-Requested-With': 'coursectl' };
      const sent = fetch(`${url}/api/auth/logout-all`, { method: 'POST', credentials: 'include', headers });
      return sent.then(
        () => 'sent',
        () => 'refused',
      );
    }, test.url);
    expect(preflight).toBe('refused');
    const byForm = await answerTo(other, () =>
      other.evaluate((url) => {
        const form = Object.assign(document.createElement('form'), {
          method: 'post',
          action: `${url}/api/auth/logout-all`,
        });
        document.body.append(form);
        form.submit();
      }, test.url),
    );
    expect(byForm).toEqual({ status: 401, cookie: true });
    expect(await test.context.database.models.Session.count({ where: { userId: trainee.id } })).toBe(1);
    await expectStillSignedIn(page);
  });

  it('signs nobody in to an account of its own', async () => {
    const { page, other } = await openBoth();
    test.expectErrors(other, /status of 40\d/);
    const cookies = await page.context().cookies();
    const byForm = await answerTo(other, () =>
      other.evaluate((url) => {
        const form = Object.assign(document.createElement('form'), {
          method: 'post',
          action: `${url}/api/auth/web-session`,
        });
        for (const name of ['identifier', 'password'])
          form.append(Object.assign(document.createElement('input'), { name, value: 'mallory@example.org' }));
        document.body.append(form);
        form.submit();
      }, test.url),
    );
    expect(byForm?.status).toBe(403);
    expect(await page.context().cookies()).toEqual(cookies);
    await expectStillSignedIn(page);
  });

  it('shows neither the console nor the documentation of the API in a frame', async () => {
    const { other } = await openBoth();
    test.expectErrors(other, /frame-ancestors|X-Frame-Options|Framing/i);
    for (const path of ['/', '/api/docs']) {
      const answer = other.waitForResponse(`${test.url}${path}`);
      await other.evaluate((url) => {
        document.body.append(Object.assign(document.createElement('iframe'), { src: url }));
      }, `${test.url}${path}`);
      expect((await answer).headers()['content-security-policy']).toContain("frame-ancestors 'none'");
      // What the browser shows in place of it.
      await expect.poll(() => other.frames().at(-1)?.url()).toBe('chrome-error://chromewebdata/');
    }
  });
});

describePages('A page of the service itself', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('changes something only with the header that no form can send', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const page = await test.openAs(await buildUser(test.context));
    test.expectErrors(page, /status of 401/);
    const endSessions = (headers: Record<string, string>) =>
      page.evaluate(async (given) => {
        const { status } = await fetch('/api/auth/logout-all', { method: 'POST', headers: given });
        return status;
      }, headers);
    expect(await endSessions({})).toBe(401);
    expect(await endSessions({ 'X-Requested-With': 'coursectl' })).toBe(200);
  });
});
