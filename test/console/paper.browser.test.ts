import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { insertEnrollments } from '../../src/services/enrollments/store.js';
import { withNewIds } from '../../src/services/new-ids.js';
import { buildCertificate, buildCourse, buildEnrollment, buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { layoutProblems } from './support/layout.js';

describePages('The papers of a course', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({ PROGRAMME_NAME: 'Evening School of Zürich', PUBLIC_URL: 'https://school.example' });

  /** Creates a super admin, and a trainer with a course. */
  async function build(given: Partial<Course> = {}) {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer', firstName: 'Grace', lastName: 'Hopper' });
    const course = await buildCourse(test.context, trainer, {
      ...{ title: 'Compilers', isPublished: true, location: 'Room 12' },
      ...{ startDate: '2026-03-02', endDate: '2026-03-06', ...given },
    });
    return { admin, trainer, course };
  }

  const takePart = async (course: Course, ...names: [first: string, last: string][]): Promise<User[]> => {
    const trainees = [];
    for (const [firstName, lastName] of names) {
      const trainee = await buildUser(test.context, { firstName, lastName });
      await buildEnrollment(test.context, trainee, course, { status: 'active' });
      trainees.push(trainee);
    }
    return trainees;
  };

  /** Prints a page with the size of its styles. @returns widths and heights of the pages, in points */
  async function printed(page: Page, name: string): Promise<[number, number][]> {
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) writeFileSync(path.join(folder, `${name}.pdf`.replace(/ +/g, '-')), pdf);
    const boxes = pdf.toString('latin1').matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g);
    return [...boxes].map(([, width, height]) => [Math.round(Number(width)), Math.round(Number(height))]);
  }
  const portrait = [596, 843];
  const landscape = [843, 596];

  /** Texts that are visible on paper, of elements that are no part of the paper. */
  const strayTexts = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll('button, a, h1, input, nav, header')]
        .filter((element) => element.checkVisibility())
        .map((element) => element.textContent),
    );

  async function checkScreens(page: Page, name: string): Promise<void> {
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      expect(await layoutProblems(page)).toEqual([]);
      await keepScreenshot(page, `${name} ${width}`);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
  }

  it('include all certificates, one a page, by last name', async () => {
    const { trainer, course } = await build();
    const people = [
      ['Ada', 'Lovelace'],
      ['Änne', 'Özdemir'],
      ['Zoe', 'Adler'],
    ] as const;
    const codes = [];
    for (const [firstName, lastName] of people)
      codes.push(
        (await buildCertificate(test.context, await buildUser(test.context, { firstName, lastName }), course)).code,
      );
    await takePart(course, ['Not', 'Yet']);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Print' }).click();
    await page.getByRole('menuitem', { name: 'Certificates' }).click();
    const sheets = page.getByRole('article');
    await expect(sheets.getByRole('heading')).toHaveText(['Zoe Adler', 'Ada Lovelace', 'Änne Özdemir']);
    await expect(sheets.first()).toContainText('Evening School of Zürich');
    await expect(sheets.nth(1)).toContainText(`https://school.example/certificates/${codes[0]}`);
    await expect(page).toHaveTitle('Certificates: Compilers · Evening School of Zürich');
    await checkScreens(page, 'certificates of a course en');
    // The code of the address stays on one line, also where the address breaks.
    await page.setViewportSize({ width: 360, height: 800 });
    const lines = await page
      .locator('.certificate-code')
      .evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(lines).toEqual([1, 1, 1]);
    expect(await printed(page, 'certificates en')).toEqual([portrait, portrait, portrait]);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await strayTexts(page)).toEqual([]);

    const german = await test.openAs(trainer, `/courses/${course.id}/certificates`, {
      locale: 'de-DE',
      colorScheme: 'dark',
    });
    await expect(german.getByRole('article').first()).toContainText('2. März 2026 – 6. März 2026');
    await checkScreens(german, 'certificates of a course de');
    expect(await printed(german, 'certificates de')).toHaveLength(3);
  });

  it('include a list to sign with a column for each day, by last name, with lines for others', async () => {
    const { trainer, course } = await build();
    await takePart(course, ['Ada', 'Lovelace'], ['Änne', 'Özdemir'], ['Zoe', 'Adler']);
    for (const status of ['pending', 'waiting', 'cancelled'] as const)
      await buildEnrollment(test.context, await buildUser(test.context), course, { status });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Print' }).click();
    await page.getByRole('menuitem', { name: 'Attendance list' }).click();
    const list = page.getByRole('table');
    await expect(list.getByRole('rowheader')).toHaveText(['Adler, Zoe', 'Lovelace, Ada', 'Özdemir, Änne']);
    await expect(list.getByRole('row')).toHaveCount(2 + 3 + 5);
    for (const text of ['Compilers', 'Evening School of Zürich', 'Room 12', 'Grace Hopper', '2 Mar 2026 to 6 Mar 2026'])
      await expect(list.getByRole('row').first()).toContainText(text);
    await expect(list.getByRole('columnheader')).toHaveText([
      ...['Name', 'Signature', 'Mon 02/03', 'Tue 03/03', 'Wed 04/03', 'Thu 05/03', 'Fri 06/03'],
    ]);
    await expect(page.getByLabel('First day on the list')).toHaveCount(0);
    await checkScreens(page, 'attendance en');
    expect(await printed(page, 'attendance en')).toEqual([landscape]);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await strayTexts(page)).toEqual([]);

    const german = await test.openAs(trainer, `/courses/${course.id}/attendance`, {
      locale: 'de-DE',
      colorScheme: 'dark',
    });
    await expect(german.getByRole('columnheader').nth(2)).toHaveText('Mo., 2.3.');
    await checkScreens(german, 'attendance de');
    expect(await printed(german, 'attendance de')).toEqual([landscape]);
  });

  it('ask for the days of a course of months, and repeat the head on each page', async () => {
    const title = 'Größenverhältnisse und Übergänge: '.repeat(6).slice(0, 200);
    const { admin, course } = await build({ title, startDate: '2030-01-07', endDate: '2030-04-06' });
    await takePart(
      course,
      ...Array.from({ length: 40 }, (_, index) => [`Ada${index}`, 'L'.padEnd(50, 'o')] as [string, string]),
    );
    const page = await test.openAs(admin, `/courses/${course.id}/attendance`);
    const [first, last] = [page.getByLabel('First day on the list'), page.getByLabel('Last day on the list')];
    await expect(first).toHaveValue('2030-01-07');
    await expect(last).toHaveValue('2030-01-16');
    await expect(page.getByRole('columnheader')).toHaveCount(12);
    await checkScreens(page, 'attendance of months en');
    const pages = await printed(page, 'attendance of months en');
    expect(pages.length).toBeGreaterThan(2);
    expect(pages).toEqual(pages.map(() => landscape));
    await last.fill('2030-01-17');
    await expect(page.getByText('Choose 1 to 10 days: more do not fit on the page.')).toBeVisible();
    await first.fill('2030-04-01');
    await expect(last).toHaveValue('2030-04-06');
    await expect(page.getByRole('columnheader')).toHaveCount(8);
    await last.fill('2030-04-02');
    await expect(page.getByRole('columnheader')).toHaveCount(4);
  });

  it('have a line for each of 1,000 participants', async () => {
    const { trainer, course } = await build();
    const places = (await buildTrainees(test.context, 1000)).map((userId) => ({ userId, courseId: course.id }));
    const rows = withNewIds(places).map(([id, place]) => ({
      ...{ id, ...place, trainerId: trainer.id },
      ...{ status: 'active' as const, notes: null },
    }));
    await test.context.database.inTransaction((transaction) =>
      insertEnrollments(test.context, rows, new Date(), transaction),
    );
    const page = await test.openAs(trainer, `/courses/${course.id}/attendance`);
    await expect(page.getByText('1,000 participants, and empty lines for others.')).toBeVisible({
      timeout: scaled(20_000),
    });
    await expect(page.getByRole('rowheader')).toHaveCount(1000);
    expect((await printed(page, 'attendance of 1000')).length).toBeGreaterThan(50);
  });

  it('are only for the managers of the course, and say if there is nothing to print', async () => {
    const { trainer, course } = await build();
    const other = await buildUser(test.context, { role: 'trainer' });
    const [trainee] = await takePart(course, ['Ada', 'Lovelace']);
    for (const paper of ['certificates', 'attendance']) {
      const foreign = await test.openAs(other, `/courses/${course.id}/${paper}`);
      await expect(foreign.getByText("This is another trainer's course.")).toBeVisible();
      await expect(foreign.getByRole('main')).not.toContainText('Lovelace');
      await expect(foreign.getByRole('button', { name: 'Print' })).toHaveCount(0);
    }
    if (trainee) {
      const own = await test.openAs(trainee, `/courses/${course.id}/attendance`);
      await expect(own.getByText('There is no such page')).toBeVisible();
    }
    const page = await test.openAs(trainer, `/courses/${course.id}/certificates`);
    await expect(page.getByText('Nobody has completed the course yet.')).toBeVisible();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
