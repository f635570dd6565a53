import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Page,
  expect as playwrightExpect,
  type Request,
} from '@playwright/test';
import { scaled } from '../../support/machine.js';

/** Chromium of Debian. The headless shell comes first, because it needs about half the processor time. */
const installed = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'] as const;
const executablePath = process.env.CHROMIUM ?? installed.find((file) => existsSync(file)) ?? installed[1];

/** Whether pages can be tested here. With REQUIRE_BROWSER=1, a missing browser is a failure. */
const isInstalled = existsSync(executablePath);
if (!isInstalled && process.env.REQUIRE_BROWSER === '1')
  throw new Error(`REQUIRE_BROWSER is set, and there is no Chromium at ${executablePath}.`);

/**
 * `describe` for pages: skipped and reported if there is no browser. Looks `describe` up at each call, because Mocha gives
 * every test file its own, but loads this module once in a worker process.
 */
export const describePages: (title: string, suite: (this: Mocha.Suite) => void) => void = (title, suite) =>
  void (isInstalled ? describe : describe.skip)(title, suite);
if (!isInstalled) console.log(`NOT RUN: tests of the web console, as there is no Chromium at ${executablePath}.`);

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Playwright's retrying `expect`, with more time on slow machines. */
export const expect = playwrightExpect.configure({ timeout: scaled(15_000) });

/** Folder for screenshots of screens and failed tests. */
const screenshots = process.env.SCREENSHOTS;

/** Saves a screenshot of the whole page, if SCREENSHOTS names a folder. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (screenshots === undefined) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: path.join(screenshots, `${name.replace(/\W+/g, '-')}.png`), fullPage: true });
}

export interface Browsing {
  /** Opens a page in its own browser profile, without the cookies and storage of other pages. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens another tab in the profile of a page. */
  openTab(beside: Page, url: string): Promise<Page>;
  /** Ignores errors of a page whose text matches; other errors fail the test. */
  expectErrors(page: Page, text: RegExp): void;
}

/**
 * Gives the enclosing `describe` a browser. Every unexpected console error, uncaught error and violation of the content
 * security policy fails the test.
 * @param flags command-line flags of Chromium
 */
export function useBrowser(flags: readonly string[] = []): Browsing {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const errors: string[] = [];
  const expected = new Map<Page, RegExp[]>();

  before(async function () {
    this.timeout(scaled(60_000));
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags] });
  });
  after(() => browser?.close());

  function watch(page: Page): Page {
    const report = (kind: string, text: string) => {
      if (!expected.get(page)?.some((pattern) => pattern.test(text))) errors.push(`${kind}: ${text}`);
    };
    page.setDefaultTimeout(scaled(10_000));
    trackRequests(page);
    page.on('pageerror', (error) => report('uncaught', error.stack ?? error.message));
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const { url } = message.location();
      report('console', `${message.text()} ${url}`);
    });
    return page;
  }

  afterEach(async function () {
    const failed = this.currentTest?.state === 'failed';
    for (const context of contexts.splice(0)) {
      for (const [number, page] of context.pages().entries())
        if (failed) await keepScreenshot(page, `${this.currentTest?.fullTitle()} ${number}`);
      await context.close();
    }
    expected.clear();
    const found = errors.splice(0);
    if (!failed && found.length > 0) throw new Error(`The page reported errors:\n${found.join('\n')}`);
    if (found.length > 0) console.log(found.join('\n'));
  });

  return {
    async open(url, options = {}) {
      const context = await browser.newContext({
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        // Avoids checks during animations.
        reducedMotion: 'reduce',
        ...options,
      });
      contexts.push(context);
      const page = watch(await context.newPage());
      await page.goto(url);
      return page;
    },
    async openTab(beside, url) {
      const page = watch(await beside.context().newPage());
      await page.goto(url);
      return page;
    },
    expectErrors(page, text) {
      expected.set(page, [...(expected.get(page) ?? []), text]);
    },
  };
}

/** Pixels by which a settled page is wider than its window; 0 or less if it doesn't scroll sideways. */
export async function horizontalOverflow(page: Page): Promise<number> {
  await settled(page);
  return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
}

/** Pending requests of pages. */
const pendingRequests = new WeakMap<Page, Set<Request>>();

function trackRequests(page: Page): void {
  const requests = new Set<Request>();
  pendingRequests.set(page, requests);
  // Only these navigations cancel requests; a page that changes its URL by script keeps its requests.
  const loading = new Set<Frame>();
  page.on('request', (request) => {
    requests.add(request);
    if (request.isNavigationRequest()) loading.add(request.frame());
  });
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  // Requests of the previous document end without an event.
  page.on('framenavigated', (frame) => {
    if (!loading.delete(frame)) return;
    for (const request of requests)
      if (request.frame() === frame && !request.isNavigationRequest()) requests.delete(request);
  });
}

/**
 * Waits until a page has settled: no pending requests, loaders, animations or transitions.
 * Needed only before a page is measured or checked as a whole: `expect` waits by itself.
 */
export async function settled(page: Page): Promise<void> {
  const activity = async () => {
    const asked = [...(pendingRequests.get(page) ?? [])].map((request) => request.url());
    const moving = await page.evaluate(async () => {
      const found: string[] = [];
      for (let frame = 0; frame < 3; frame += 1) {
        await new Promise(requestAnimationFrame);
        for (const { playState, effect } of document.getAnimations())
          if (playState === 'running' && effect instanceof KeyframeEffect)
            found.push(`${effect.target?.className} moves`);
        for (const { className } of document.querySelectorAll(
          '[aria-busy="true"], [data-loading], .mantine-Skeleton-root, .mantine-Loader-root',
        ))
          found.push(`${className} loads`);
        // Loaded code needs time until it renders and sends requests.
        if (!document.querySelector('h1, [role="alert"]')) found.push('no heading is shown');
      }
      return found;
    });
    return [...asked, ...moving];
  };
  await expect.poll(activity, { message: 'the page stands still' }).toEqual([]);
}

/** Delays requests of a page, like a slow service. @returns lets these and all later requests through */
export async function holdRequests(page: Page, url: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Violations of WCAG 2.2 A and AA that axe finds on a page, as lines of text. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await settled(page);
  // The browser's debugger runs it, in spite of the page's content security policy.
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    // `axe` is set by the line above.
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}\n  ${failureSummary ?? ''}`),
    );
  });
}
