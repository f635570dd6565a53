import type { Page } from '@playwright/test';
import { updateUser } from '../../src/services/accounts/update-user.js';
import { operator } from '../../src/services/core.js';
import {
  buildEnrollment,
  buildImport,
  buildMaterial,
  buildTrainees,
  buildUser,
  tokenFor,
} from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsole } from './support/console.js';
import { buildScene } from './support/courses.js';

/** Names of the action buttons of each row that can be pressed without scrolling the table sideways. */
async function actionsInSight(page: Page): Promise<string[][]> {
  await settled(page);
  await page.getByRole('table').waitFor();
  return page.locator('.table-frame tbody tr').evaluateAll((rows) =>
    rows.map((row) => {
      row.scrollIntoView({ block: 'center' });
      return [...row.querySelectorAll('td:last-child button')]
        .filter((button) => {
          const { left, top, width, height } = button.getBoundingClientRect();
          return (
            width > 0 &&
            [left + 2, left + width - 2].every((x) =>
              button.contains(button.ownerDocument.elementFromPoint(x, top + height / 2)),
            )
          );
        })
        .map((button) => button.getAttribute('aria-label') ?? button.textContent ?? '');
    }),
  );
}

/** Texts in rows that are fully visible without scrolling the table sideways. */
async function textsInSight(page: Page): Promise<string[]> {
  await settled(page);
  return page.locator('.table-frame tbody tr').evaluateAll((rows) =>
    rows.flatMap((row) => {
      row.scrollIntoView({ block: 'center' });
      const texts: string[] = [];
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
        const cell = node.parentElement?.closest('td');
        const isSeen = lines.every(({ left, right, top, height }) =>
          [left + 1, right - 1].every((x) => cell?.contains(document.elementFromPoint(x, top + height / 2))),
        );
        if (lines.length > 0 && isSeen) texts.push(node.textContent ?? '');
      }
      return texts;
    }),
  );
}

describePages('Lists', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('redirect from a page number that is too high to the last page, without an entry in the history', async () => {
    const { admin, course, trainees } = await buildScene(test);
    for (const trainee of trainees) await buildEnrollment(test.context, trainee, course);
    await buildMaterial(test.context, course, { name: 'Exercise.txt', uploadedBy: admin.id }, 'Write a parser.');
    const imported = await buildImport(test.context, 1);
    const [trainee] = trainees;
    if (!trainee) throw new Error('There is no trainee.');
    await tokenFor(test.context, trainee);
    await updateUser(test.context, operator, trainee.id, { lastName: 'Other' });
    const page = await test.openAs(admin, '/people');
    const lists = [
      '/people?',
      '/courses?',
      '/enrollments?',
      '/audit?',
      '/imports?',
      `/imports/${imported}?`,
      '/profile?',
      ...['participants', 'materials'].map((tab) => `/courses/${course.id}?tab=${tab}&`),
      ...['sessions', 'enrollments', 'history'].map((tab) => `/people/${trainee.id}?tab=${tab}&`),
    ];
    for (const list of lists) {
      await page.goto(`${test.url}${list}page=9`);
      await expect(page).toHaveURL(`${test.url}${list}page=1`);
      await page.getByRole('table').first().waitFor();
    }
    for (const before of ['/people', ...lists.slice(0, -1).map((list) => `${list}page=1`)].reverse()) {
      await page.goBack();
      await expect(page).toHaveURL(`${test.url}${before}`);
    }
  });

  it('keep the links to other pages if one page fails to load', async () => {
    const { admin } = await buildScene(test);
    const page = await test.openAs(admin, '/people?limit=2');
    await page.getByRole('table').waitFor();
    test.expectErrors(page, /status of 500/);
    await page.route(/api\/users\?.*page=2/, (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toContainText('This could not be loaded');
    await expect(page.getByText('3 to 4 of 7')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Next page' })).toBeFocused();
    await page.getByRole('button', { name: 'Page 3' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
    await expect(page.getByText('5 to 6 of 7')).toBeVisible();
    await expect(page.getByRole('row')).toHaveCount(3);
  });

  it('keep the scroll position when a column is chosen, and the focus when a search is cleared', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 50);
    // The URL names an unknown column, so the table shows its default columns.
    const page = await test.openAs(admin, '/people?limit=50&columns=foo');
    await expect(page.getByRole('columnheader', { name: 'Name' })).toBeVisible();
    const scrolled = () => page.evaluate(() => window.scrollY);
    await page.getByRole('button', { name: 'Columns' }).click();
    const phone = page.getByRole('menuitemcheckbox', { name: 'Phone' });
    // Scrolls first: Playwright's own scrolling before the click must not affect the measured position.
    await phone.scrollIntoViewIfNeeded();
    const before = await scrolled();
    expect(before).toBeGreaterThan(500);
    await phone.click();
    await expect(page.getByRole('columnheader', { name: 'Phone' })).toBeAttached();
    await settled(page);
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(100);
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect(page).toHaveURL(/page=2/);
    await expect.poll(scrolled).toBe(0);

    await page.goto(`${test.url}/people?search=trainee`);
    const field = page.getByRole('searchbox');
    const clear = page.getByRole('button', { name: 'Clear Name, email or phone' });
    await clear.click();
    await expect(page).toHaveURL(`${test.url}/people`);
    await expect(field).toBeFocused();
    const searched: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('search=')) searched.push(request.url());
    });
    await page.clock.install();
    await field.fill('a');
    await clear.click();
    await page.clock.runFor(1000);
    await expect(field).toHaveValue('');
    expect(searched).toEqual([]);
    await expect(page).toHaveURL(`${test.url}/people`);
  });

  it('show the actions of rows without scrolling in 1280, 1024 and 360 pixels, with any content', async () => {
    const { admin, course, trainees } = await buildScene(test);
    const notes = 'An agreement about times, exams and what follows. '.repeat(8);
    for (const trainee of trainees) {
      await trainee.update({
        email: `${trainee.firstName.toLowerCase()}.with.a.rather.long.address@mathematics.example.org`,
      });
      await buildEnrollment(test.context, trainee, course, { status: 'pending', notes });
    }
    const [trainee] = trainees;
    if (trainee) await tokenFor(test.context, trainee);
    const page = await test.openAs(admin, '/');
    const lists = {
      courses: '/courses',
      participants: `/courses/${course.id}?tab=participants`,
      enrollments: '/enrollments',
      sessions: `/people/${trainee?.id}?tab=sessions`,
    };
    for (const [name, address] of Object.entries(lists)) {
      await page.goto(`${test.url}${address}`);
      await page.getByRole('table').waitFor();
      for (const width of [1280, 1024, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const rows = await actionsInSight(page);
        expect(rows, `${name} in ${width} pixels`).not.toHaveLength(0);
        for (const actions of rows) expect(actions, `${name} in ${width} pixels`).not.toHaveLength(0);
      }
    }
  });

  it('show course, dates, seats, status and last sign-in without scrolling in 1280, 768 and 360 pixels', async () => {
    const { admin, trainer, course, foreign, trainees } = await buildScene(test);
    await foreign.update({ isPublished: false });
    await course.update({
      title: 'Brandschutzhelferinnen- und Brandschutzhelferausbildung nach DGUV Information 205-023',
      startDate: '2026-02-01',
      endDate: '2026-02-28',
      maxStudents: 1,
    });
    for (const [index, status] of (['completed', 'waiting', 'pending'] as const).entries())
      if (trainees[index]) await buildEnrollment(test.context, trainees[index], course, { status });
    await trainer.update({
      lastName: 'von Hohenlohe-Waldenburg-Schillingsfürst',
      email: 'schillingsfuerst.von.hohenlohe-waldenburg@brandschutz.example.org',
      lastLogin: new Date(Date.now() - 3 * 86_400_000),
    });
    const page = await test.openAs(admin, '/', { locale: 'de-DE' });
    const places = ['Abgeschlossen', 'Warteliste', 'Angefragt'];
    const shown = [course.title, '01.02.2026', '1 von 1', 'Warteliste: 1', 'Beendet', 'Veröffentlicht'];
    const lists = {
      '/people?role=trainer': ['@brandschutz.example.org', 'vor 3 Tagen'],
      '/courses?ended=all': shown,
      '/enrollments': [course.title, 'Nummer 1', ...places],
      [`/courses/${course.id}?tab=participants`]: ['Nummer 1', ...places],
      [`/courses/${course.id}?tab=participants&status=waiting`]: ['1'],
    };
    for (const [address, words] of Object.entries(lists)) {
      await page.goto(`${test.url}${address}`);
      await page.getByRole('table').waitFor();
      for (const width of [1280, 768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const seen = await textsInSight(page);
        await keepScreenshot(page, `list ${address.replace(course.id, '')} ${width}`);
        for (const word of words)
          expect(
            seen.filter((text) => text.includes(word)),
            `${word} in ${address}, ${width} pixels`,
          ).not.toEqual([]);
      }
    }
    await expect(page.getByRole('heading', { level: 1 }).locator('xpath=../..')).toContainText('Beendet');
  });

  it('show at least two lines of a message where the table is narrow', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const notes = 'My boss wants me to take the course this year. Is an afternoon possible? '.repeat(4);
    if (trainees[0]) await buildEnrollment(test.context, trainees[0], course, { status: 'pending', notes });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    const message = page.locator('.running-text', { hasText: 'My boss' });
    const lines = () =>
      message.evaluate((element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight));
    await expect.poll(lines).toBeCloseTo(2, 1);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${test.url}/enrollments?status=pending`);
    await expect.poll(lines).toBeCloseTo(2, 1);
  });

  it('have buttons to accept and refuse requests, also in a narrow window', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const [trainee] = trainees;
    if (trainee) await buildEnrollment(test.context, trainee, course, { status: 'pending' });
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    expect(await actionsInSight(page)).toEqual([
      ['Accept: Ann Trainee', 'Refuse: Ann Trainee', 'Actions for Ann Trainee'],
    ]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await actionsInSight(page)).toEqual([
      ['Accept: Ann Trainee', 'Refuse: Ann Trainee', 'Actions for Ann Trainee'],
    ]);
    await page.getByRole('button', { name: 'Accept: Ann Trainee' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByRole('row').filter({ hasText: 'Ann Trainee' })).toContainText('Taking part');
  });
});
