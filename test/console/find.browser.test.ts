import type { Page } from '@playwright/test';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect,
  holdRequests,
  horizontalOverflow,
  keepScreenshot,
  settled,
} from './support/browser.js';
import { useConsole } from './support/console.js';
import { buildScene, dialog } from './support/courses.js';

const field = (page: Page) => dialog(page).getByRole('combobox', { name: 'Name, course or page' });
const options = (page: Page) => dialog(page).getByRole('option');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** Opens the dialog by keys. A new page moves the focus to its heading, which would take it from the dialog. */
async function openByKeys(page: Page, keys: 'Control+k' | 'Meta+k' = 'Control+k'): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press(keys);
  await expect(field(page)).toBeFocused();
}

/** Name of the option that the field announces as active. */
const active = (page: Page) =>
  field(page).evaluate((input) => {
    const id = input.getAttribute('aria-activedescendant');
    return id === null ? null : (document.getElementById(id)?.textContent ?? null);
  });

describePages('Finding by Ctrl-K', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('opens people, courses, pages and actions of the super admin with the keyboard alone', async () => {
    const { admin } = await buildScene(test);
    await buildUser(test.context, { firstName: 'Anna', lastName: 'Müller', email: 'anna@find.example' });
    const page = await test.openAs(admin, '/audit');
    await expect(heading(page, 'Audit log')).toBeFocused();
    await openByKeys(page);
    await expect(options(page)).toContainText(['Answer requests', 'New person', 'Import people', 'New course']);
    await expect(dialog(page).getByRole('group', { name: 'Pages' }).getByRole('option')).toHaveCount(8);
    await page.keyboard.type('Mül, Anna');
    await expect(dialog(page).getByRole('group', { name: 'People' }).getByRole('option')).toHaveText([
      'Anna Mülleranna@find.example',
    ]);
    await expect.poll(() => active(page)).toBe('Anna Mülleranna@find.example');
    await expect(dialog(page).getByRole('status')).toHaveText('1 result');
    await page.keyboard.press('Enter');
    await expect(heading(page, 'Anna Müller')).toBeVisible();
    await expect(dialog(page)).toHaveCount(0);

    await openByKeys(page, 'Meta+k');
    await page.keyboard.type('co');
    await expect(options(page).filter({ hasText: 'Compilers' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => active(page)).toBe('New course');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(heading(page, 'Compilers')).toBeVisible();

    await openByKeys(page);
    await page.keyboard.type('new per');
    await expect(options(page)).toHaveText(['New person']);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'New person' })).toBeVisible();
    // The form keeps its input.
    await page.keyboard.press('Control+k');
    await expect(field(page)).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(`${test.url}/people`);

    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('nobody of this name');
    await expect(dialog(page).getByText('Nothing matches “nobody of this name”.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
  });

  it('shows no results of another text', async () => {
    const { admin } = await buildScene(test);
    const page = await test.openAs(admin, '/audit');
    await openByKeys(page);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/courses?')) requests.push(request.url());
    });
    const release = await holdRequests(page, '**/api/courses?*search=comp*');
    await page.keyboard.type('comp');
    await expect.poll(() => requests.length).toBe(1);
    await field(page).fill('pott');
    await expect(options(page).filter({ hasText: 'Pottery' })).toBeVisible();
    release();
    await settled(page);
    await expect(options(page).filter({ hasText: 'Compilers' })).toHaveCount(0);
    // Keys in quick succession cause one request.
    expect(requests).toHaveLength(2);
  });

  it('finds for trainers their trainees and courses, and for trainees only courses and pages', async () => {
    const { trainer, trainees, course } = await buildScene(test);
    const [ann] = trainees;
    if (!ann) throw new Error('There is no trainee.');
    await buildEnrollment(test.context, ann, course);
    const other = await buildUser(test.context, { role: 'trainer', firstName: 'Olga', lastName: 'Other' });
    await buildCourse(test.context, other, { title: 'Comparing Anns', isPublished: true });
    const outsider = await buildUser(test.context, { firstName: 'Ann', lastName: 'Outsider' });

    const teaching = await test.openAs(trainer);
    await teaching.getByRole('button', { name: 'Find' }).click();
    await expect(field(teaching)).toBeFocused();
    await teaching.keyboard.type('ann');
    await expect(dialog(teaching).getByRole('group', { name: 'People' }).getByRole('option')).toHaveCount(1);
    await expect(options(teaching)).toHaveCount(1);
    await teaching.keyboard.press('Enter');
    await expect(teaching).toHaveURL(/tab=participants/);
    await expect(
      teaching.getByRole('link', { name: 'Ann Trainee' }).or(teaching.getByText('Ann Trainee')).first(),
    ).toBeVisible();

    const learning = await test.openAs(outsider);
    await openByKeys(learning);
    await expect(dialog(learning).getByRole('group', { name: 'Pages' }).getByRole('option')).toHaveText([
      'My courses',
      'Catalogue',
      'Profile',
    ]);
    await expect(options(learning)).toHaveCount(3);
    await learning.keyboard.type('ann');
    await expect(options(learning)).toHaveText(['Comparing AnnsOlga Other']);
    await learning.keyboard.press('Enter');
    await expect(heading(learning, 'Comparing Anns')).toBeVisible();
  });

  it('has a button on narrow screens, and no accessibility problems in light and dark', async () => {
    const { admin } = await buildScene(test);
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1280]) {
        const page = await test.openAs(admin, '/audit', { colorScheme, viewport: { width, height: 640 } });
        // A new page moves the focus to its heading.
        await expect(heading(page, 'Audit log')).toBeFocused();
        await page.getByRole('button', { name: 'Find' }).click();
        await field(page).fill('t');
        await expect(options(page).filter({ hasText: 'Trainee' }).first()).toBeVisible();
        await settled(page);
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await horizontalOverflow(page)).toBe(0);
        await keepScreenshot(page, `find ${colorScheme} ${width}`);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('button', { name: 'Find' })).toBeFocused();
        expect(await horizontalOverflow(page)).toBe(0);
        await keepScreenshot(page, `find button ${colorScheme} ${width}`);
        await page.context().close();
      }
  });
});

describePages('The slash', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it("moves to the page's search field, or opens the dialog on a page without one", async () => {
    const { admin } = await buildScene(test);
    const page = await test.openAs(admin, '/people?search=ann');
    await expect(heading(page, 'People')).toBeFocused();
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.type('a/b');
    await expect(page.getByRole('searchbox')).toHaveValue('a/b');
    await page.goto(`${test.url}/profile`);
    await expect(heading(page, 'Profile')).toBeFocused();
    await page.keyboard.press('/');
    await expect(field(page)).toBeFocused();
    await expect(field(page)).toHaveValue('');
  });
});

describePages('An empty list', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('says what to try, and clears search and filters by a button', async () => {
    const { admin, trainees } = await buildScene(test);
    const page = await test.openAs(admin, '/people?search=ann&role=trainer');
    await expect(page.getByText('Nothing matches “ann”. Try a part of it, or fewer words.')).toBeVisible();
    await expect(page.getByText('Filters are set, too. Clear them to search everything.')).toBeVisible();
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
    await expect(page.getByText('Ann Trainee')).toBeVisible();
    await page.goto(`${test.url}/enrollments?status=completed`);
    await expect(page.getByText('Try another choice, such as another status, or clear the filters.')).toBeVisible();

    const [ann] = trainees;
    if (!ann) throw new Error('There is no trainee.');
    const learning = await test.openAs(ann, '/?status=completed', { locale: 'de' });
    await expect(learning.getByText('Wähle etwas anderes, zum Beispiel einen anderen Status')).toBeVisible();
    await learning.getByRole('button', { name: 'Filter zurücksetzen' }).click();
    await expect(learning).toHaveURL(`${test.url}/`);
  });
});
