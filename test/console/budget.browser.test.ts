import type { BrowserContext } from '@playwright/test';
import { expect } from 'chai';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect as expectPage } from './support/browser.js';
import { type BuiltConsole, builtConsole } from './support/built-console.js';
import { useConsole } from './support/console.js';
import { publicPages, routedPages } from './support/pages.js';

/** Maximum of gzipped bytes that a browser loads before a page is usable. */
const budget = { js: 236_500, css: 40_000 };

/** Larger maximums of JavaScript, for pages with dropdown lists, forms, tasks and long German texts. */
const larger: Record<string, number> = {
  'overview/admin-overview.tsx': 238_500,
  'overview/trainer-overview.tsx': 239_500,
  'imports/imports-page.tsx': 246_500,
  'people/person-page.tsx': 238_500,
  'audit/audit-page.tsx': 237_500,
  'groups/group-page.tsx': 239_000,
  'imports/import-page.tsx': 253_000,
  'catalogue/catalogue-course-page.tsx': 238_000,
  'courses/courses-page.tsx': 238_000,
  'courses/new-course-page.tsx': 255_500,
  'enrollments/enrollments-page.tsx': 244_000,
};

/** Maximum of the chart, which loads after the page: the overview is usable before. */
const afterwards = { source: 'overview/weeks-chart.tsx', js: 125_000 };

/** Maximum of JavaScript for the first screen; the page of one link also loads code of the pages behind the sign-in. */
const firstScreenJs = (source: string) => (source === 'links/cancel-email-page.tsx' ? 221_000 : 183_000);

const languages = ['en', 'de'] as const;
type Language = (typeof languages)[number];

const firstScreens = [
  ...['sign-in/sign-in-page.tsx', 'setup/setup-page.tsx', 'sign-in/first-password-page.tsx'].map((source) => ({
    source,
    words: [],
  })),
  ...publicPages,
];

const translationFiles = (language: Language, ...parts: readonly string[]) =>
  ['common', ...parts].map((part) => `i18n/${language}/${part}.ts`);

/** Sources that the browser loads if a page behind the sign-in is opened first. */
const sourcesOf = (language: Language, { source, words }: (typeof routedPages)[number]) => [
  'app/signed-in.tsx',
  source,
  ...translationFiles(language, ...words),
];

describe('The built web console', () => {
  let built: BuiltConsole;
  before(async function () {
    this.timeout(scaled(180_000));
    built = await builtConsole();
  });

  function expectWithin(page: string, sources: readonly string[], js: number = budget.js): void {
    const load = built.loadOf(built.filesOf(...sources));
    expect(load.js, `JavaScript of ${page}`).to.be.within(1, js);
    expect(load.css, `CSS of ${page}`).to.be.within(1, budget.css);
  }

  for (const language of languages) {
    it(`loads no more than the budget for the first screen (${language})`, () => {
      for (const { source, words } of firstScreens)
        expectWithin(source, [source, ...translationFiles(language, ...words)], firstScreenJs(source));
    });

    it(`loads no more for each page than its limit (${language})`, () => {
      for (const page of routedPages) expectWithin(page.source, sourcesOf(language, page), larger[page.source]);
    });
  }

  it('loads no more for the chart than its limit', () => {
    const start = built.filesOf('app/signed-in.tsx');
    const own = built.filesOf('app/signed-in.tsx', afterwards.source).filter((file) => !start.includes(file));
    expect(built.loadOf(own).js).to.be.within(1, afterwards.js);
  });

  it('has extra limits only for existing pages', () => {
    expect(routedPages).to.have.length.above(10);
    expect(routedPages.map(({ source }) => source)).to.include.members(Object.keys(larger));
  });

  it('loads the pages behind the sign-in, and other languages, only when needed', () => {
    const first = built.filesOf('sign-in/sign-in-page.tsx', ...translationFiles('en'));
    const later = ['app/signed-in.tsx', ...translationFiles('de'), 'i18n/en/people.ts', 'overview/weeks-chart.tsx'];
    const start = built.filesOf();
    for (const source of later) {
      const own = built.filesOf(source).filter((file) => !start.includes(file));
      expect(
        own.some((file) => !first.includes(file)),
        source,
      ).to.equal(true);
    }
  });
});

describePages('A browser', () => {
  const test = useConsole();
  let built: BuiltConsole;
  before(async () => {
    built = await builtConsole();
  });

  /** Records the scripts and styles that pages of a browser request from now on. */
  function filesAskedFor(context: BrowserContext): () => string[] {
    const found = new Set<string>();
    context.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/\.(js|css)$/.test(pathname)) found.add(pathname.slice(1));
    });
    return () => [...found].sort();
  }

  it('loads exactly the files that the budget counts, for the sign-in and for the list of people', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const page = await test.open('about:blank', { locale: 'de' });
    const files = filesAskedFor(page.context());
    await page.goto(test.url, { waitUntil: 'networkidle' });
    await expectPage(page.getByRole('heading', { name: 'Anmelden' })).toBeVisible();
    expect(files()).to.deep.equal(built.filesOf('sign-in/sign-in-page.tsx', ...translationFiles('de')));

    const signedIn = await test.openAs(admin, '/profile');
    await signedIn.waitForLoadState('networkidle');
    const filesOfPeople = filesAskedFor(signedIn.context());
    const tab = await test.openTab(signedIn, `${test.url}/people`);
    await expectPage(tab.getByRole('table')).toBeVisible();
    await tab.waitForLoadState('networkidle');
    const people = routedPages.filter(({ source }) => source === 'people/people-page.tsx');
    expect(filesOfPeople()).to.deep.equal(built.filesOf(...people.flatMap((one) => sourcesOf('en', one))));
  });
});
