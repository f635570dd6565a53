import type { Page } from '@playwright/test';
import { buildCourse, buildEnrollment, buildGroup, buildTrainees, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { type ConsoleTest, useConsole } from './support/console.js';
import { dialog, row } from './support/courses.js';
import { checkLooks } from './support/looks.js';

/** Creates a super admin, a trainer with a course, and trainees of a class, one of them inactive. */
async function buildClass({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const course = await buildCourse(context, trainer, { title: 'First Aid', isPublished: true });
  const ann = await buildUser(context, { firstName: 'Ann', lastName: 'Trainee', email: 'ann@example.org' });
  const ben = await buildUser(context, { firstName: 'Ben', lastName: 'Trainee', email: 'ben@example.org' });
  const ina = await buildUser(context, { firstName: 'Ina', lastName: 'Inactive', isActive: false });
  return { admin, trainer, course, ann, ben, ina };
}

const choose = async (page: Page, label: string, text: string, option: string) => {
  await dialog(page).getByRole('combobox', { name: label }).fill(text);
  await page.getByRole('option', { name: option }).click();
};

describePages('Groups', function () {
  this.timeout(scaled(120_000));
  const test = useConsole();

  it('are created, filled from a list of emails and from the list of people, renamed and deleted', async () => {
    const { admin, ann } = await buildClass(test);
    const page = await test.openAs(admin);
    await page.getByRole('link', { name: 'Groups' }).click();
    await expect(page.getByText('There are no groups yet.')).toBeVisible();
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog(page).getByLabel('Name of the group').fill('Year 9');
    await dialog(page).getByLabel('Note').fill('Room 12');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Year 9' })).toBeVisible();
    await expect(page.getByText('Room 12')).toBeVisible();
    await expect(page.getByText('Nobody is in this group yet.')).toBeVisible();

    await page.getByRole('button', { name: 'Add people' }).click();
    await dialog(page).getByRole('button', { name: 'Paste emails' }).click();
    await dialog(page).getByRole('textbox', { name: 'Emails' }).fill(`${ann.email}\nnobody@example.org`);
    await dialog(page).getByRole('button', { name: 'Select 2 people' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('No account has this email.');
    await expect(dialog(page).getByRole('textbox', { name: 'Emails' })).toHaveValue('nobody@example.org');
    await dialog(page).getByLabel('Select Ben Trainee').check();
    await dialog(page).getByLabel('Select Ada Admin').check();
    await checkLooks(page, 'groups add people en');
    await dialog(page).getByRole('button', { name: 'Add (3)' }).click();
    await expect(
      dialog(page).getByRole('row', { name: 'Ada Admin The super admin cannot be in a group.' }),
    ).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(page.getByText('2 active members')).toBeVisible();
    await expect(row(page, '@')).toHaveCount(2);

    await page.getByLabel('Select Ben Trainee').check();
    await page.getByRole('button', { name: 'Remove from the group' }).click();
    await expect(dialog(page)).toContainText('The account and the enrollments stay.');
    await dialog(page).getByRole('button', { name: 'Remove from the group' }).click();
    await expect(row(page, '@')).toHaveCount(1);

    await page.getByRole('button', { name: 'More actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Name of the group').fill('Year 10');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Year 10' })).toBeVisible();
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('searchbox', { name: 'Search groups' }).fill('year');
    await expect(row(page, 'Year 10')).toContainText('1');
    await checkLooks(page, 'groups en');
    await page.getByRole('button', { name: 'Actions for Year 10' }).click();
    await page.getByRole('menuitem', { name: 'Delete group' }).click();
    await expect(dialog(page)).toContainText('Accounts and enrollments stay.');
    await dialog(page).getByRole('button', { name: 'Delete group' }).click();
    await expect(page.getByText('Year 10 was deleted.')).toBeVisible();
    expect(await test.context.database.models.User.count({ where: { role: 'trainee' } })).toBe(3);
  });

  it('are enrolled in a course after a preview', async () => {
    const { admin, trainer, course, ann, ben, ina } = await buildClass(test);
    await buildEnrollment(test.context, ann, course, { status: 'active' });
    const group = await buildGroup(test.context, [ann.id, ben.id, ina.id, trainer.id], 'Year 9');
    await course.update({ maxStudents: 1 });
    const page = await test.openAs(admin, `/groups/${group.id}`);
    await page.getByRole('button', { name: 'Enroll in a course' }).click();
    test.expectErrors(page, /status of 400/);
    await choose(page, 'Course', 'first', 'First Aid');
    await expect(dialog(page).getByRole('alert')).toContainText('The course has too few free seats');
    await dialog(page).getByRole('switch', { name: 'When the course is full' }).click();
    await expect(dialog(page).getByRole('row', { name: 'Ben Trainee On the waiting list' })).toBeVisible();
    await expect(dialog(page).getByRole('row', { name: 'Ann Trainee Already in this course.' })).toBeVisible();
    await expect(dialog(page).getByRole('row', { name: 'Ina Inactive' })).toHaveCount(0);
    await checkLooks(page, 'groups enroll en');
    await dialog(page).getByRole('button', { name: 'Enroll in a course (1)' }).click();
    await expect(dialog(page).getByText('1 done')).toBeVisible();
    const { Enrollment } = test.context.database.models;
    expect(await Enrollment.count({ where: { userId: ben.id, courseId: course.id, status: 'waiting' } })).toBe(1);
  });

  it('of more than 1,000 members are enrolled in several requests, which share the free seats', async () => {
    const { admin, course } = await buildClass(test);
    const group = await buildGroup(test.context, await buildTrainees(test.context, 1002), 'Everybody');
    await course.update({ maxStudents: 1000 });
    const page = await test.openAs(admin, `/groups/${group.id}`);
    await expect(page.getByText('1,000+ active members')).toBeVisible();
    await page.getByRole('button', { name: 'Enroll in a course' }).click();
    await choose(page, 'Course', 'first', 'First Aid');
    await expect(dialog(page).getByRole('alert')).toContainText('too few free seats', { timeout: scaled(30_000) });
    await dialog(page).getByRole('switch', { name: 'When the course is full' }).click();
    const submit = dialog(page).getByRole('button', { name: 'Enroll in a course (1,002)' });
    await expect(submit).toBeEnabled({ timeout: scaled(30_000) });
    await submit.click();
    await expect(dialog(page).getByText('1,002 done')).toBeVisible({ timeout: scaled(60_000) });
    await expect(dialog(page).getByText('1,000 of 1,002 are listed.')).toBeVisible();
    const { Enrollment } = test.context.database.models;
    expect(await Enrollment.count({ where: { courseId: course.id, status: 'active' } })).toBe(1000);
    expect(await Enrollment.count({ where: { courseId: course.id, status: 'waiting' } })).toBe(2);
  });

  it('are shown with a person, who is added and removed there', async () => {
    const { admin, ann } = await buildClass(test);
    await buildGroup(test.context, [ann.id], 'Year 9');
    await buildGroup(test.context, [], 'Choir');
    const page = await test.openAs(admin, `/people/${ann.id}`);
    const chips = page.getByRole('list', { name: 'Groups' });
    await expect(chips.getByRole('link')).toHaveText(['Year 9']);
    await chips.getByRole('button', { name: 'Add to group' }).click();
    await choose(page, 'Group', 'choi', 'Choir');
    await dialog(page).getByRole('button', { name: 'Add to group (1)' }).click();
    await expect(chips.getByRole('link')).toHaveText(['Choir', 'Year 9']);
    await checkLooks(page, 'groups of a person en');
    await chips.getByRole('button', { name: 'Remove from Year 9' }).click();
    await dialog(page).getByRole('button', { name: 'Remove from the group' }).click();
    await expect(chips.getByRole('link')).toHaveText(['Choir']);
    await chips.getByRole('link', { name: 'Choir' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Choir' })).toBeVisible();
    await expect(row(page, 'Ann Trainee')).toBeVisible();
    const own = await test.openAs(admin, `/people/${admin.id}`);
    await expect(own.getByRole('tab', { name: 'Details' })).toBeVisible();
    await expect(own.getByRole('list', { name: 'Groups' })).toHaveCount(0);
  });

  it('get selected people of the list, with a reason for each refusal', async () => {
    const { admin, ann } = await buildClass(test);
    const group = await buildGroup(test.context, [ann.id], 'Year 9');
    const page = await test.openAs(admin, '/people?sort=lastName');
    for (const name of ['Ada Admin', 'Ann Trainee', 'Ben Trainee']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Add to group' }).click();
    await choose(page, 'Group', 'year', 'Year 9');
    await dialog(page).getByRole('button', { name: 'Add to group (3)' }).click();
    await expect(dialog(page).getByRole('alert')).toHaveText('1 refused');
    await expect(dialog(page).getByRole('row', { name: 'Ann Trainee Already in this group.' })).toBeVisible();
    await expect(dialog(page).getByRole('row', { name: 'Ben Trainee Done' })).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(page.getByRole('region', { name: 'Selection' })).toBeHidden();
    expect(await test.context.database.models.GroupMember.count({ where: { groupId: group.id } })).toBe(2);
  });

  it('filter the lists of people and of enrollments, for trainers by name, too', async () => {
    const { admin, trainer, course, ann, ben } = await buildClass(test);
    const group = await buildGroup(test.context, [ann.id], 'Year 9');
    for (const trainee of [ann, ben]) await buildEnrollment(test.context, trainee, course, { status: 'active' });
    const page = await test.openAs(admin, '/people');
    await page.getByRole('combobox', { name: 'Group' }).fill('year');
    await page.getByRole('option', { name: 'Year 9' }).click();
    await expect(page).toHaveURL(new RegExp(`group=${group.id}`));
    await expect(row(page, '@')).toHaveCount(1);
    await expect(row(page, 'Ann Trainee')).toBeVisible();
    const enrollments = await test.openAs(trainer, `/enrollments?group=${group.id}`);
    await expect(row(enrollments, '@')).toHaveCount(1);
    await expect(enrollments.getByRole('combobox', { name: 'Group' })).toHaveValue('Year 9');
    await enrollments.getByRole('button', { name: 'Clear Group' }).click();
    await expect(row(enrollments, '@')).toHaveCount(2);
  });

  it('have no pages for trainers', async () => {
    const { trainer, ann } = await buildClass(test);
    const group = await buildGroup(test.context, [ann.id], 'Year 9');
    const page = await test.openAs(trainer);
    await expect(page.getByRole('link', { name: 'Courses' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Groups' })).toHaveCount(0);
    for (const path of ['/groups', `/groups/${group.id}`]) {
      await page.goto(`${test.url}${path}`);
      await expect(page.getByRole('heading', { name: 'There is no such page.' })).toBeVisible();
    }
  });

  it('show the last sync, and one that was held, also on the overview', async () => {
    const { admin, ann } = await buildClass(test);
    const group = await buildGroup(test.context, [ann.id], 'Year 9');
    const hold = { leaving: 14, members: 120, limit: 12, file: 'people.csv', at: '2026-03-02T02:00:00.000Z' };
    const syncJson = JSON.stringify({ options: {}, rejects: null });
    await group.update({ syncJson, syncedAt: new Date(), heldJson: JSON.stringify(hold) });
    const page = await test.openAs(admin);
    await expect(page.getByText('members would leave “Year 9”: sync held')).toBeVisible();
    await page.getByRole('link', { name: 'Show: members would leave “Year 9”: sync held' }).click();
    await expect(row(page, 'Year 9')).toContainText('Sync held');
    await checkLooks(page, 'groups held en');
    await page.getByRole('link', { name: 'Year 9' }).click();
    await expect(page.getByText('Last sync:')).toBeVisible();
    await expect(page.getByRole('alert').filter({ hasText: 'Sync held' })).toContainText(
      '14 of 120 members would leave, and 12 may.',
    );
    await checkLooks(page, 'group held en');
    await page.getByRole('link', { name: 'Upload the file to check and approve it' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible();
  });
});
