import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { buildCertificate, buildCourse, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

const latin = 'Größenverhältnisse und Übergänge: ';
const people = {
  'with usual texts': { firstName: 'Ada', lastName: 'Lovelace', title: 'Compilers' },
  'in German, with the longest texts': {
    firstName: 'Änne-Sophie Größenwahnsinnig'.padEnd(50, 'ü'),
    lastName: 'Straßenbauunternehmer'.padEnd(50, 'ß'),
    title: latin.repeat(6).slice(0, 200),
  },
  'in Arabic': { firstName: 'مريم', lastName: 'الخطيب', title: 'تصميم قواعد البيانات' },
  'in Chinese, with the longest texts': {
    firstName: '明'.repeat(50),
    lastName: '欧阳'.repeat(25),
    title: '数据库设计'.repeat(40),
  },
} as const;

describePages('The page of a certificate', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({ PROGRAMME_NAME: 'Evening School of Zürich' });

  // Without a super admin, the service shows the setup page.
  beforeEach(() => buildUser(test.context, { role: 'super_admin' }));

  async function issued({ firstName, lastName, title }: (typeof people)[keyof typeof people]) {
    const owner = { role: 'trainer', firstName: 'Grace', lastName: 'Hopper' } as const;
    const trainer = await buildUser(test.context, owner);
    const trainee = await buildUser(test.context, { firstName, lastName });
    const dates = { startDate: '2026-01-05', endDate: '2026-01-30', isPublished: true };
    const course = await buildCourse(test.context, trainer, { title, ...dates });
    return { trainer, trainee, course, ...(await buildCertificate(test.context, trainee, course)) };
  }
  /** Prints a page as PDF. @returns the number of printed pages */
  async function pagesOf(page: Page, format: 'A4' | 'Letter', landscape: boolean, name: string): Promise<number> {
    const pdf = await page.pdf({ format, landscape, preferCSSPageSize: false });
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined)
      writeFileSync(path.join(folder, `${name} ${format} ${landscape}.pdf`.replace(/ +/g, '-')), pdf);
    return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  }

  it('tells everybody that the certificate is valid, and where to check it', async () => {
    const { code } = await issued(people['with usual texts']);
    const page = await test.open(`${test.url}/certificates/${code.toLowerCase()}`);
    await expect(page.getByText('This certificate is valid')).toBeVisible();
    const sheet = page.getByRole('article');
    for (const text of ['Ada Lovelace', 'Compilers', '5 January 2026 – 30 January 2026', 'Grace Hopper', 'Zürich'])
      await expect(sheet).toContainText(text);
    await expect(sheet).toContainText(`${test.url}/certificates/${code}`);
    await expect(page).toHaveTitle(/^Certificate of completion/);
    // The logo has loaded.
    expect(await sheet.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      expect(await layoutProblems(page)).toEqual([]);
      await keepScreenshot(page, `certificate ${width} en`);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    const german = await test.open(`${test.url}/certificates/${code}`, { locale: 'de-DE' });
    await expect(german.getByRole('article')).toContainText('5. Januar 2026 – 30. Januar 2026');
    await german.setViewportSize({ width: 360, height: 800 });
    expect(await layoutProblems(german)).toEqual([]);
    await keepScreenshot(german, 'certificate 360 de');
  });

  for (const [name, texts] of Object.entries(people))
    it(`prints on one page ${name}: A4 or Letter, portrait or landscape`, async () => {
      const { code } = await issued(texts);
      const page = await test.open(`${test.url}/certificates/${code}`, { colorScheme: 'dark' });
      await expect(page.getByRole('article')).toContainText(texts.title.trim());
      const counts = [];
      for (const format of ['A4', 'Letter'] as const)
        for (const landscape of [false, true]) counts.push(await pagesOf(page, format, landscape, name));
      expect(counts).toEqual([1, 1, 1, 1]);
    });

  it('says what to do about a wrong or revoked code, and accepts another one', async () => {
    const { code } = await issued(people['with usual texts']);
    const page = await test.open(`${test.url}/certificates/${code.replace(/.$/, 'U')}`);
    await expect(heading(page)).toHaveText('There is no valid certificate with this code');
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await layoutProblems(page)).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'certificate unknown 360 en');
    await page.getByLabel('Code').fill(` ${code.replaceAll('-', ' ')} `);
    await page.getByRole('button', { name: 'Check a certificate' }).click();
    await expect(page.getByText('This certificate is valid')).toBeVisible();
    await page.goto(`${test.url}/certificates`);
    await expect(heading(page)).toHaveText('Check a certificate');
  });

  it('opens for its trainee and for managers of the course', async () => {
    const { trainee, trainer, course, code } = await issued(people['with usual texts']);
    const opensIt = async (page: Page, open: () => Promise<void>) => {
      const [opened] = await Promise.all([page.waitForEvent('popup'), open()]);
      await expect(opened).toHaveURL(`${test.url}/certificates/${code}`);
      await expect(opened.getByText('This certificate is valid')).toBeVisible();
    };
    const own = await test.openAs(trainee);
    await opensIt(own, () => own.getByRole('link', { name: 'Certificate: Compilers' }).click());
    await own.goto(`${test.url}/catalogue/${course.id}`);
    await opensIt(own, () => own.getByRole('link', { name: 'Certificate: Compilers' }).click());
    const managed = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await opensIt(managed, async () => {
      await managed.getByRole('button', { name: 'Actions for Ada Lovelace' }).click();
      await managed.getByRole('menuitem', { name: 'Certificate' }).click();
    });
  });
});
