/**
 * Measures what the web console costs the service, and how soon its listings are painted: `npm run bench -- console`.
 * Scenarios (`--only`): start (memory and startup time with CONSOLE=on and CONSOLE=off), listings (100 rows in Chromium
 * on a large database), slow-line (first visits over Fast 3G).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { secureCookieName } from '../src/http/routing/session-cookie.js';
import { openDatabases, type ServedDatabase } from './databases.js';
import { milliseconds, remark, sized, verdict, wholeNumber } from './figures.js';
import { rounds, selected } from './options.js';
import type { Sizes } from './programme.js';
import { measureStart, type Start } from './start.js';
import { median } from './statistics.js';

const mebibyte = 2 ** 20;

/** Starts the service with and without the console in turn, so that other load affects both. */
async function start(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  try {
    await measureStart(folder, true);
    const starts: Record<'on' | 'off', Start[]> = { on: [], off: [] };
    for (let pair = 0; pair < sized(11, 1); pair += 1)
      for (const which of pair % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const))
        starts[which].push(await measureStart(folder, which === 'on'));
    /** Returns the median with the console, and the median of the differences to the start without it. */
    const figures = (name: keyof Start, unit: number): [number, number] => [
      median(starts.on.map((one) => one[name] / unit)),
      median(starts.on.map((one, pair) => (one[name] - (starts.off[pair]?.[name] ?? Number.NaN)) / unit)),
    ];
    const [memory, moreMemory] = figures('residentBytes', mebibyte);
    verdict(
      'resident memory with the console',
      `${memory.toFixed(1)} MiB, ${moreMemory.toFixed(1)} MiB more than without (limit 10)`,
      moreMemory <= 10,
      { median: memory, unit: 'MiB' },
    );
    const [seconds, moreSeconds] = figures('readyMs', 1000);
    verdict(
      'start with the console',
      `ready after ${seconds.toFixed(2)} s, ${moreSeconds.toFixed(3)} s later than without (limit 0.1)`,
      moreSeconds <= 0.1,
      { median: 1000 * seconds, unit: 'ms' },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sizes: Sizes = {
  trainers: sized(500, 4),
  trainees: sized(200_000, 300) - sized(500, 4) - 1,
  courses: sized(2000, 100),
  coursesOfBusiest: 40,
  enrollments: sized(200_000, 1000),
  enrollmentsOfBusiest: sized(20_000, 100),
  enrollmentsOfTypical: sized(2000, 40),
  auditEntries: 100,
};

const rowsShown = 100;

/**
 * Script for every page. Marks the browser as signed in. Defines `painted`, which waits for a list with enough rows and a
 * new first row.
 */
const waiting = `
  localStorage.setItem('coursectl-signed-in', 'yes');
  globalThis.firstRow = () => document.querySelector('tbody tr')?.textContent;
  globalThis.painted = (rows, before) => new Promise((done) => {
    const look = () => document.querySelectorAll('tbody tr').length >= rows && firstRow() !== before
      ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
      : requestAnimationFrame(look);
    look();
  });`;

interface Listing {
  name: string;
  page: string;
  /** API request of the page, which is the yardstick. */
  api: string;
}

const listings: readonly Listing[] = [
  { name: 'people', page: '/people', api: '/api/users' },
  { name: 'enrollments', page: '/enrollments', api: '/api/enrollments' },
];

/** Counts the API requests of a page until it shows the given number of rows. */
async function requestsFor(page: Page, url: string, rows: number): Promise<number> {
  let count = 0;
  const counting = () => {
    count += 1;
  };
  await page.route('**/api/**', (route) => {
    counting();
    return route.continue();
  });
  await page.goto(`${url}?limit=${rows}`);
  await page.evaluate(`painted(${rows})`);
  await page.waitForLoadState('networkidle');
  await page.unroute('**/api/**');
  return count;
}

/** Measures the time from opening a listing to its rows, and from a click to the rows of the next page. */
async function measureListing(page: Page, origin: string, { name, page: address, api }: Listing): Promise<void> {
  const url = `${origin}${address}`;
  const times: Record<'opened' | 'turned' | 'processor' | 'answered', number[]> = {
    opened: [],
    turned: [],
    processor: [],
    answered: [],
  };
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** Returns the processor time of the page's thread in milliseconds. Other load doesn't affect it. */
  const processorMs = async () => {
    const { metrics } = await debug.send('Performance.getMetrics');
    return 1000 * (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN);
  };
  // The first round fills the caches.
  for (let round = 0; round <= 3 * rounds; round += 1) {
    await page.goto(`${url}?limit=${rowsShown}`, { waitUntil: 'commit' });
    const opened = await page.evaluate<number>(`painted(${rowsShown})`);
    await page.waitForLoadState('networkidle');
    const before = await processorMs();
    const turned = await page.evaluate<number>(`(async () => {
      const before = firstRow();
      const clickedAt = performance.now();
      document.querySelector('[aria-label="Next page"]').click();
      return (await painted(${rowsShown}, before)) - clickedAt;
    })()`);
    const processor = (await processorMs()) - before;
    const answered = await page.evaluate<number>(`(async () => {
      const askedAt = performance.now();
      await (await fetch('${api}?limit=${rowsShown}&page=${3 + round}')).json();
      return performance.now() - askedAt;
    })()`);
    if (round === 0) continue;
    times.opened.push(opened);
    times.turned.push(turned);
    times.processor.push(processor);
    times.answered.push(answered);
  }
  const answered = median(times.answered);
  for (const [what, values] of [
    [`${name} opened by address, ${rowsShown} rows painted`, times.opened],
    [`next page of ${name}, ${rowsShown} rows painted`, times.turned],
  ] as const) {
    const time = median(values);
    const beside = `the response of the API alone takes ${milliseconds(answered)}`;
    verdict(what, `${milliseconds(time)}; ${beside} (limit 1 s)`, time <= 1000, {
      median: time,
      unit: 'ms',
      ratio: time / answered,
      than: 'the response alone',
    });
  }
  remark(`next page of ${name}: ${milliseconds(median(times.processor))} of the processor in the page`);
  const few = await requestsFor(page, url, 20);
  const many = await requestsFor(page, url, rowsShown);
  verdict(`requests for ${name}`, `${many} for ${rowsShown} rows, ${few} for 20 (limit: as many)`, many <= few);
}

/** Opens a window of the super admin. */
async function openWindow({ service, programme }: ServedDatabase, context: BrowserContext): Promise<Page> {
  const value = await service.token(programme.superAdmin);
  const cookie = { name: secureCookieName, value, url: 'https://localhost', httpOnly: true, secure: true };
  await context.addCookies([{ ...cookie, sameSite: 'Strict' }]);
  await context.addInitScript(waiting);
  return context.newPage();
}

const windowOptions = { locale: 'en-GB', viewport: { width: 1280, height: 800 } };

/** Runs measurements in Chromium, on a large database. */
async function inBrowser(measure: (browser: Browser, served: ServedDatabase, origin: string) => Promise<void>) {
  const databases = await openDatabases();
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const served = await databases.prepare('bench_console', sizes);
    remark(
      `Chromium ${browser.version()}, window of 1280x800, ${wholeNumber(sizes.trainees + sizes.trainers + 1)} accounts`,
    );
    await measure(browser, served, served.service.url.replace('127.0.0.1', 'localhost'));
  } finally {
    await browser.close();
    await databases.close();
  }
}

const measureListings = () =>
  inBrowser(async (browser, served, origin) => {
    const page = await openWindow(served, await browser.newContext(windowOptions));
    for (const listing of listings) await measureListing(page, origin, listing);
  });

/** Chromium's preset "Fast 3G": latency in milliseconds, and bytes a second. */
const fast3g = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };

interface FirstVisit {
  name: string;
  address: string;
  signedIn: boolean;
  /** Selector of an element of the usable page. */
  usable: string;
  /** Limits in milliseconds. */
  paintMs: number;
  usableMs: number;
}

/** Opens a page with an empty cache over a slow line. @returns times since the navigation in milliseconds, and requests */
async function visit(browser: Browser, served: ServedDatabase, url: string, { signedIn, usable }: FirstVisit) {
  const context = await browser.newContext(windowOptions);
  const page = signedIn ? await openWindow(served, context) : await context.newPage();
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Network.emulateNetworkConditions', fast3g);
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(usable).first().waitFor({ timeout: 60_000 });
  const times = await page.evaluate<{ html: number; painted: number; usable: number }>(`({
    html: performance.getEntriesByType('navigation')[0].responseEnd,
    painted: performance.getEntriesByName('first-paint')[0].startTime,
    usable: performance.now(),
  })`);
  await context.close();
  return { ...times, requests };
}

const measureSlowLine = () =>
  inBrowser(async (browser, served, origin) => {
    const visits: readonly FirstVisit[] = [
      {
        name: 'sign-in',
        address: '/',
        signedIn: false,
        usable: 'input[type=password]',
        paintMs: 1000,
        usableMs: 5000,
      },
      {
        name: 'participants of a course',
        address: `/courses/${served.programme.course}?tab=participants`,
        signedIn: true,
        usable: 'tbody tr',
        paintMs: 1000,
        usableMs: 5000,
      },
    ];
    for (const one of visits) {
      const found: Awaited<ReturnType<typeof visit>>[] = [];
      for (let round = 0; round < rounds; round += 1)
        found.push(await visit(browser, served, `${origin}${one.address}`, one));
      const of = (key: keyof (typeof found)[number]) => median(found.map((times) => times[key]));
      const html = of('html');
      for (const [what, key, limit] of [
        ['first paint', 'painted', one.paintMs],
        ['usable', 'usable', one.usableMs],
      ] as const)
        verdict(
          `Fast 3G, ${one.name}, ${what}`,
          `${milliseconds(of(key))}; the HTML alone takes ${milliseconds(html)} (limit ${milliseconds(limit)})`,
          of(key) <= limit,
          { median: of(key), unit: 'ms', ratio: of(key) / html, than: 'the HTML alone' },
        );
      remark(`Fast 3G, ${one.name}: ${of('requests')} requests until it is usable`);
    }
  });

const scenarios: Record<string, () => Promise<void>> = {
  start,
  listings: measureListings,
  'slow-line': measureSlowLine,
};
for (const [, scenario] of selected(scenarios)) await scenario();
