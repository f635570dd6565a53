import type { Page } from '@playwright/test';
import { updateUser } from '../../src/services/accounts/update-user.js';
import { operator } from '../../src/services/core.js';
import {
  buildEnrollment,
  buildImport,
  buildMail,
  buildMaterial,
  buildTrainees,
  buildUser,
  tokenFor,
} from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect, keepScreenshot, settled } from './support/browser.js';
import { useConsoleWithMail } from './support/console.js';
import { buildScene, row } from './support/courses.js';
import { layoutProblems } from './support/layout.js';

const narrow = { width: 768, height: 900 };

/** Pixels by which the page and its tables scroll sideways, and rows that are no cards. */
const widthProblems = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const wide = [document.documentElement, ...document.querySelectorAll('.table-frame')].filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    );
    const plain = [...document.querySelectorAll('.table-cards tbody tr')].filter(
      (one) => getComputedStyle(one).display !== 'grid',
    );
    const heads = [...document.querySelectorAll('.table-cards th:not([data-select], [scope="row"])')].filter(
      (one) => one.getClientRects().length > 0,
    );
    return [
      ...wide.map(({ className }) => `${className} scrolls`),
      ...plain.map(() => 'no card'),
      ...heads.map(({ textContent }) => `head ${textContent}`),
    ];
  });

const orderOf = (page: Page) => page.getByRole('combobox', { name: 'Order' }).locator('option:checked');

describePages('Each list', function () {
  this.timeout(scaled(240_000));
  const test = useConsoleWithMail();

  /** Fills all lists. @returns the users, and the addresses of the super admin's lists */
  async function build() {
    const { admin, trainer, course, trainees } = await buildScene(test);
    for (const trainee of trainees) await buildEnrollment(test.context, trainee, course, { status: 'pending' });
    await buildMaterial(test.context, course, { name: 'Exercise.txt', uploadedBy: admin.id }, 'Write a parser.');
    const imported = await buildImport(test.context, 1);
    const [ann] = trainees;
    if (!ann) throw new Error('There is no trainee.');
    await tokenFor(test.context, ann);
    await updateUser(test.context, operator, ann.id, { lastName: 'Other' });
    const lastError = '550 5.1.1 The email account that you tried to reach does not exist.';
    await buildMail(test.context, { userId: ann.id, state: 'failed', nextAt: null, finishedAt: new Date(), lastError });
    const lists = {
      people: '/people',
      courses: '/courses',
      participants: `/courses/${course.id}?tab=participants`,
      materials: `/courses/${course.id}?tab=materials`,
      enrollments: '/enrollments',
      mails: '/mail',
      audit: '/audit',
      imports: '/imports',
      'rows of an import': `/imports/${imported}`,
      'sessions of a person': `/people/${ann.id}?tab=sessions`,
      'enrollments of a person': `/people/${ann.id}?tab=enrollments`,
      'history of a person': `/people/${ann.id}?tab=history`,
      'own sessions': '/profile',
      overview: '/',
    };
    return { admin, trainer, course, ann, lists };
  }

  async function openList(page: Page, address: string): Promise<void> {
    await page.goto(`${test.url}${address}`);
    await page.getByRole('table').first().waitFor();
    await settled(page);
  }

  it('has cards in 768 and 360 pixels, in English and German, accessible in light and dark', async () => {
    const { admin, lists } = await build();
    const page = await test.openAs(admin, '/');
    for (const [language, colorScheme, width] of [
      ['en', 'light', 768],
      ['de', 'dark', 360],
    ] as const) {
      await page.evaluate(`localStorage.setItem('coursectl-language', '${language}')`);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const [name, address] of Object.entries(lists)) {
        await openList(page, address);
        await keepScreenshot(page, `cards ${name} ${width}`);
        expect(await widthProblems(page), `${name} in ${width} pixels`).toEqual([]);
        expect(await layoutProblems(page), `${name} in ${width} pixels`).toEqual([]);
        expect(await accessibilityProblems(page), `${name} in ${width} pixels`).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await openList(page, lists.people);
    await expect(page.getByRole('columnheader', { name: 'Rolle' })).toBeVisible();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('folds several filters behind a button with their number in narrow windows', async () => {
    const { admin, trainer } = await build();
    const page = await test.openAs(admin, '/people?role=trainee&isActive=true&search=trainee', { viewport: narrow });
    const button = page.getByRole('button', { name: 'Filters (2)' });
    await expect(page.getByLabel('Role')).toBeHidden();
    await expect(page.getByRole('searchbox')).toBeVisible();
    await button.click();
    await expect(button).toHaveAttribute('aria-expanded', 'true');
    await page.getByLabel('Role').selectOption('Any role');
    await expect(page.getByRole('button', { name: 'Filters (1)' })).toBeVisible();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(page.getByRole('button', { name: /^Filters/ })).toBeHidden();
    await expect(page.getByLabel('Role')).toBeVisible();
    await page.setViewportSize(narrow);
    const filtered = {
      '/courses?level=advanced&isPublished=true': 2,
      '/enrollments?status=pending': 1,
      '/mail?state=failed&kind=password-changed': 2,
      '/audit?action=user.update': 1,
      '/imports?status=completed': 1,
    };
    for (const [address, count] of Object.entries(filtered)) {
      await page.goto(`${test.url}${address}`);
      await expect(page.getByRole('button', { name: `Filters (${count})` })).toBeVisible();
    }
    const other = await test.openAs(trainer, '/enrollments', { viewport: { width: 360, height: 740 } });
    await expect(other.getByRole('button', { name: 'Filters', exact: true })).toBeVisible();
  });

  it('opens a row by a click anywhere, but not by other controls or a selection of its text', async () => {
    const { admin, course, ann, lists } = await build();
    const page = await test.openAs(admin, '/people?role=trainee', { viewport: { width: 1280, height: 800 } });
    const email = row(page, ann.email).getByRole('cell', { name: ann.email });
    await page.getByRole('checkbox', { name: 'Select Ben Trainee' }).check();
    const box = await email.locator('div').boundingBox();
    if (!box) throw new Error('The cell is not visible.');
    await page.mouse.move(box.x + 1, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate('getSelection().toString()')).not.toBe('');
    await email.click({ modifiers: ['ControlOrMeta'] });
    await expect(page).toHaveURL(`${test.url}/people?role=trainee`);
    await email.click();
    await expect(page).toHaveURL(`${test.url}/people/${ann.id}`);
    await page.goBack();
    const tab = page.context().waitForEvent('page');
    await page.getByRole('link', { name: /^Ann/ }).click({ modifiers: ['ControlOrMeta'] });
    // The new tab is blank until its page answers.
    await expect(await tab).toHaveURL(`${test.url}/people/${ann.id}`);
    await expect(page).toHaveURL(`${test.url}/people?role=trainee`);

    await openList(page, lists.courses);
    await row(page, 'Compilers').getByRole('button', { name: 'Actions for Compilers' }).click();
    await page.getByRole('menuitem', { name: 'Delete course' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone.').click();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(`${test.url}/courses`);
    await page.setViewportSize({ width: 360, height: 740 });
    await row(page, 'Compilers').getByText('Published', { exact: true }).click();
    await expect(page).toHaveURL(`${test.url}/courses/${course.id}`);

    await openList(page, lists.audit);
    await row(page, 'Last name').getByText('Person changed').click();
    await expect(page.getByRole('dialog')).toContainText('Other');
  });

  it('says its order, also the default one, in wide windows and on cards', async () => {
    const { admin, lists } = await build();
    const page = await test.openAs(admin, '/people', { viewport: { width: 1280, height: 800 } });
    await expect(orderOf(page)).toHaveText('Created, descending');
    await page.getByRole('button', { name: 'Sort by Name' }).click();
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
    await expect(orderOf(page)).toBeHidden();
    await page.setViewportSize(narrow);
    await expect(orderOf(page)).toHaveText('Name, ascending');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Email, descending');
    await expect(page).toHaveURL(`${test.url}/people?sort=-email`);
    await expect(page.getByRole('link', { name: /Trainee$/ }).first()).toHaveText('Dia Trainee');

    const orders = {
      courses: 'Upcoming first, then running',
      participants: 'Since, descending',
      enrollments: 'Since, descending',
    } as const;
    for (const [name, order] of Object.entries(orders)) {
      await openList(page, lists[name as keyof typeof orders]);
      await expect(orderOf(page), name).toHaveText(order);
    }
    await openList(page, '/enrollments?status=pending');
    await expect(orderOf(page)).toHaveText('By course, the oldest request first');
    const fixed = {
      materials: 'Added, descending',
      mails: 'Queued, descending',
      audit: 'Time, descending',
      imports: 'Started, descending',
      'rows of an import': 'Line, ascending',
      'sessions of a person': 'Signed in, descending',
      'enrollments of a person': 'Enrolled, descending',
    } as const;
    for (const [name, order] of Object.entries(fixed)) {
      await page.setViewportSize(narrow);
      await openList(page, lists[name as keyof typeof fixed]);
      await expect(page.getByText(`Order: ${order}`), name).toBeVisible();
      await page.setViewportSize({ width: 1280, height: 800 });
      const [column, direction] = order.split(', ');
      await expect(page.getByRole('columnheader', { name: column ?? '', exact: true })).toHaveAttribute(
        'aria-sort',
        direction ?? '',
      );
    }
  });

  it('selects all cards of a page with a labelled checkbox', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    await buildTrainees(test.context, 3);
    const page = await test.openAs(admin, '/people?role=trainee', { viewport: { width: 360, height: 740 } });
    await page.getByText('Select all on this page').click();
    await expect(page.getByText('3 selected')).toBeVisible();
  });
});
