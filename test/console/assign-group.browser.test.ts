import { buildEnrollment, buildGroup, buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';
import { checkLooks } from './support/looks.js';

describePages('Groups in the dialog of trainers', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('are enrolled in three clicks in a window 360 pixels wide', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    await course.update({ maxStudents: null });
    const [ann] = trainees;
    if (!ann) throw new Error('There are trainees.');
    await buildEnrollment(test.context, ann, course, { status: 'active' });
    const ina = await buildUser(test.context, { isActive: false });
    const ids = [...(await buildTrainees(test.context, 30)), ann.id, ina.id, trainer.id];
    await buildGroup(test.context, ids, 'Year 9');
    const page = await test.openAs(trainer, '/', { viewport: { width: 360, height: 740 } });
    await page.goto(`${test.url}/courses/${course.id}?tab=participants`);
    await page.evaluate(`window.clicks = 0; window.addEventListener('pointerdown', () => { clicks += 1; }, true)`);
    await page.getByRole('button', { name: 'Add participants' }).click();
    await dialog(page).getByRole('button', { name: 'Year 9' }).click();
    // Members of the course, of other roles and without an active account are neither counted nor listed.
    await expect(dialog(page).getByText('30 selected')).toBeVisible();
    await expect(dialog(page).getByText('1 to 10 of 30')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Add (30)' }).click();
    await expect(page.getByText('30 trainees were added.')).toBeVisible();
    expect(await page.evaluate('window.clicks')).toBe(3);
    const { Enrollment } = test.context.database.models;
    expect(await Enrollment.count({ where: { courseId: course.id, status: 'active' } })).toBe(31);
  });

  it('are found by the search, and deselected again', async () => {
    const { trainer, course, trainees } = await buildScene(test);
    const [ann, ben] = trainees.map(({ id }) => id);
    if (!ann || !ben) throw new Error('There are trainees.');
    await buildGroup(test.context, [ann], 'Choir');
    for (let number = 1; number <= 8; number += 1) await buildGroup(test.context, [ben], `Class ${number}`);
    await buildGroup(test.context, [], 'Choir of nobody');
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('button', { name: 'Add participants' }).click();
    const groups = dialog(page).getByRole('group', { name: 'Groups' }).getByRole('button');
    await expect(groups).toHaveCount(5);
    await dialog(page).getByLabel('Select Ben Trainee').check();
    await dialog(page).getByRole('searchbox', { name: 'Search trainees and groups' }).fill('choir');
    await expect(groups).toHaveText(['Choir (1)']);
    await groups.first().click();
    await expect(dialog(page).getByText('2 selected')).toBeVisible();
    await expect(row(page, '@')).toHaveCount(1);
    await expect(groups.first()).toHaveAttribute('aria-pressed', 'true');
    await checkLooks(page, 'groups assign en');
    await groups.first().click();
    await expect(dialog(page).getByText('1 selected')).toBeVisible();
    await expect(row(page, '@')).toHaveCount(4);
  });
});
