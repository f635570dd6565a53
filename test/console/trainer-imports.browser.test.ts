import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect as expectPage, horizontalOverflow } from './support/browser.js';
import { useConsoleWithMail } from './support/console.js';
import { applyPlan, csv, planFile } from './support/imports.js';

describePages('Trainers who import participants', function () {
  this.timeout(scaled(90_000));
  const test = useConsoleWithMail();
  let trainer: User;
  let course: Course;
  beforeEach(async () => {
    trainer = await buildUser(test.context, { role: 'trainer' });
    course = await buildCourse(test.context, trainer, { title: 'Compilers' });
    await buildUser(test.context, { email: 'ann@example.org', firstName: 'Ann', lastName: 'Archer' });
    await buildUser(test.context, { role: 'super_admin', email: 'root@example.org' });
  });

  it('are led from the course to its new participants', async () => {
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=participants`);
    await page.getByRole('link', { name: 'Import participants' }).click();
    await expectPage(page.getByRole('heading', { level: 1, name: 'Import participants' })).toBeVisible();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await planFile(
      page,
      'people.csv',
      csv(
        'First name,Last name,Email,Phone',
        'Ann,Archer,ann@example.org,+44 20 1601001',
        'Bob,Baker,bob@example.org,+44 20 1601002',
        'Eve,Root,root@example.org,+44 20 1601003',
      ),
    );
    await expectPage(page.getByText('Columns that only the super admin can import are ignored:')).toBeVisible();
    await expectPage(page.getByText(/^The person with this email cannot be enrolled/).first()).toBeVisible();
    for (const label of ['Enroll everybody in this course', 'New people get', 'When a course is full'])
      await expectPage(page.getByLabel(label)).toHaveCount(0);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await applyPlan(page);
    await expectPage(page.getByRole('heading', { name: 'Result' })).toBeVisible({ timeout: scaled(60_000) });
    await page.getByRole('link', { name: 'To the course' }).click();
    const participants = page.getByRole('table');
    await expectPage(participants.getByText('Bob Baker')).toBeVisible();
    await expectPage(participants.getByText('Ann Archer')).toBeVisible();
    await expectPage(participants.getByText('Root')).toHaveCount(0);
  });

  it('plan again with another column, and find their imports again', async () => {
    const page = await test.openAs(trainer, `/courses/${course.id}/import`, { viewport: { width: 360, height: 800 } });
    await planFile(page, 'people.csv', csv('First name,Last name,Kontakt', 'Bob,Baker,bob@example.org'));
    const question = page.getByRole('group', { name: /^Email is missing/ });
    await question.getByRole('button', { name: /Kontakt/ }).click();
    await expectPage(page.getByText('Waiting for your confirmation')).toBeVisible({ timeout: scaled(60_000) });
    expect(await horizontalOverflow(page)).to.equal(0);
    await page.goto(`${test.url}/imports`);
    await expectPage(page.getByRole('link', { name: 'people.csv' })).toBeVisible();
    await expectPage(page.locator('input[type="file"]')).toHaveCount(0);
  });
});
