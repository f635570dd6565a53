/**
 * Takes screenshots of the web console on a temporary SQLite database with the demo programme.
 * `npm run screenshots`: the README's, into docs/images.
 * `npm run screenshots -- FOLDER`: every screen, light, dark and narrow; with `--readme` only the README's.
 * Clocks show a fixed day, from which the demo counts its dates, so that the dates are always the same.
 * CHROMIUM names a browser other than Debian's.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { loadConfig } from '../src/config/config.js';
import { startServer } from '../src/http/server/server.js';
import { createLogger } from '../src/logger.js';
import { type Context, createContext } from '../src/services/context.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    readme: { type: 'boolean', default: false },
    // The built console.
    console: { type: 'string', default: path.join(root, 'dist', 'console') },
  },
});
const consoleFolder = path.resolve(options.console);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

const [folderGiven] = positionals;
const isEveryScreen = folderGiven !== undefined && !options.readme;
const target = folderGiven ?? path.join(root, 'docs', 'images');

/** "Now" of the seeder's lists, so that loading moves no dates: see seeders/. */
const today = Date.parse('2026-11-16T09:00:00Z');
const startedAt = Date.now();
const now = () => new Date(today + Date.now() - startedAt);

const wide = { width: 1280, height: 800 };
const appearances = [
  { name: 'light', colorScheme: 'light', viewport: wide },
  { name: 'dark', colorScheme: 'dark', viewport: wide },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const;

const admin = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  phone: '+44 20 7946 0001',
  password: 'difference engine',
};

/** Waits until all requests are answered and painted. */
async function waitUntilSettled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Saves a screenshot of a page: in every appearance, or as the README shows it. */
async function capture(page: Page, name: string): Promise<void> {
  if (!isEveryScreen) {
    await waitUntilSettled(page);
    await page.screenshot({ path: path.join(target, `${name}.png`), animations: 'disabled' });
    return;
  }
  for (const { name: appearance, colorScheme, viewport } of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await waitUntilSettled(page);
    const file = path.join(target, `${name}-${appearance}.png`);
    await page.screenshot({ path: file, animations: 'disabled', fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(wide);
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    viewport: wide,
  });
  await context.clock.setFixedTime(now());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function signIn(browser: Browser, url: string, email: string, password: string): Promise<Page> {
  const page = await openPage(browser, url);
  await page.getByLabel('Email or phone').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
  return page;
}

/**
 * Sets the system up in the browser, and loads the demo programme.
 * @returns the super admin's page, and the demo's password
 */
async function setUpDemo(browser: Browser, url: string): Promise<{ page: Page; password: string }> {
  const page = await openPage(browser, url);
  await page.getByLabel('First name').fill(admin.firstName);
  await page.getByLabel('Last name').fill(admin.lastName);
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Phone').fill(admin.phone);
  await page.getByLabel(/^Password/).fill(admin.password);
  if (isEveryScreen) await capture(page, 'setup');
  await page.getByRole('button', { name: 'Create super admin' }).click();
  const load = page.getByRole('button', { name: 'Load the demo programme' });
  await load.waitFor();
  if (isEveryScreen) await capture(page, 'first-steps');
  await load.click();
  const password = await page.getByLabel('Password of all demo accounts').inputValue();
  await page.locator('.recharts-surface').first().waitFor();
  await capture(page, 'overview');
  return { page, password };
}

async function captureImportPlan(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/imports`);
  await page.locator('input[type="file"]').setInputFiles(path.join(root, 'examples', 'trainees.csv'));
  await page.getByText('Waiting for your confirmation').waitFor();
  await capture(page, 'import-plan');
}

async function captureOtherScreens(
  browser: Browser,
  url: string,
  context: Context,
  { page, password }: { page: Page; password: string },
) {
  const { User, Course } = context.database.models;
  const trainee = await User.findOne({ where: { email: 'olivia.bennett@example.com' }, rejectOnEmpty: true });
  const course = await Course.findOne({ where: { title: 'TypeScript for Working Developers' }, rejectOnEmpty: true });
  const visit = async (as: Page, screens: Readonly<Record<string, string>>) => {
    for (const [name, address] of Object.entries(screens)) {
      await as.goto(`${url}${address}`);
      await as.getByRole('heading', { level: 1 }).waitFor();
      await capture(as, name);
    }
  };
  await visit(page, {
    people: '/people',
    person: `/people/${trainee.id}`,
    'person-sessions': `/people/${trainee.id}?tab=sessions`,
    'person-enrollments': `/people/${trainee.id}?tab=enrollments`,
    'person-history': `/people/${trainee.id}?tab=history`,
    imports: '/imports',
    courses: '/courses',
    course: `/courses/${course.id}`,
    'course-participants': `/courses/${course.id}?tab=participants`,
    'new-course': '/courses/new',
    enrollments: '/enrollments',
    audit: '/audit',
    profile: '/profile',
    'no-such-page': '/no-such-page',
  });
  const trainer = await signIn(browser, url, 'trainer1@example.com', password);
  await visit(trainer, {
    'trainer-overview': '/',
    'trainer-courses': '/courses',
    'trainer-participants': `/courses/${course.id}?tab=participants`,
    'trainer-enrollments': '/enrollments',
  });
  const learner = await signIn(browser, url, trainee.email, password);
  await visit(learner, {
    'trainee-own-courses': '/',
    'trainee-catalogue': '/catalogue',
    'trainee-course': `/catalogue/${course.id}`,
    'trainee-profile': '/profile',
  });
  await capture(await openPage(browser, url), 'sign-in');
}

if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM.`);
mkdirSync(target, { recursive: true });
const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-screenshots-'));
const config = loadConfig({ env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' }, cwd: folder });
const context = await createContext(config, createLogger('silent', { write: () => undefined }), { now });
try {
  await context.schema.up();
  const server = await startServer(context, { consoleFolder, drainMs: 1000 });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const url = server.url.replace('127.0.0.1', 'localhost');
    const opened = await setUpDemo(browser, url);
    if (isEveryScreen) {
      await captureImportPlan(opened.page, url);
      await captureOtherScreens(browser, url, context, opened);
    }
  } finally {
    await browser.close();
    await server.close();
  }
} finally {
  await context.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`Images: ${target}`);
