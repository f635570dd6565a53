import type { Page } from '@playwright/test';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser, tokenFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { returnToPage, useConsole } from './support/console.js';

const place = (page: Page) => page.getByRole('region', { name: 'Your place' });
const button = (page: Page, name: string) => place(page).getByRole('button', { name });

describePages("A trainee's own place", function () {
  this.timeout(scaled(60_000));
  // Picks a time zone whose day differs from that of the browser.
  const timeZone = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';
  const test = useConsole({ TIME_ZONE: timeZone });
  let trainer: User;
  let trainee: User;

  beforeEach(async () => {
    await buildUser(test.context, { role: 'super_admin' });
    trainer = await buildUser(test.context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
    trainee = await buildUser(test.context, { firstName: 'Tia', lastName: 'Trainee' });
  });

  const build = (values: Partial<Course> = {}) =>
    buildCourse(test.context, trainer, { title: 'Compilers', isPublished: true, ...values });
  const open = (course: Course) => test.openAs(trainee, `/catalogue/${course.id}`);
  const take = async (course: Course, status: 'active' | 'waiting' = 'active') =>
    buildEnrollment(test.context, await buildUser(test.context), course, { status });

  /** Day in the programme's time zone, `offset` days from today. */
  const day = (offset: number) =>
    new Date(test.context.now().getTime() + offset * 86_400_000).toLocaleDateString('sv-SE', { timeZone });
  const shown = (date: string) => new Date(date).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

  it('can be asked for until the last day in the zone of the programme; later the page names that day', async () => {
    const course = await build({ endDate: day(3), enrollUntil: day(0) });
    const page = await open(course);
    await expect(button(page, 'Ask for a place')).toBeVisible();
    await course.update({ enrollUntil: day(-1) });
    await page.reload();
    await expect(place(page)).toContainText(`that was possible until ${shown(day(-1))}.`);
    await expect(place(page).getByRole('button')).toHaveCount(0);
    await course.update({ endDate: day(-1) });
    await page.reload();
    await expect(place(page)).toContainText(`The course ended on ${shown(day(-1))}.`);

    await course.update({ endDate: null });
    await buildEnrollment(test.context, trainee, course, { status: 'active' });
    await page.reload();
    await button(page, 'Leave course').click();
    await expect(page.getByRole('dialog')).toContainText('so you cannot ask again.');
  });

  it('says that the course has ended, and at 100 % that the trainer confirms the completion', async () => {
    const course = await build({ endDate: day(0) });
    const enrollment = await buildEnrollment(test.context, trainee, course, { status: 'active', progress: 99 });
    const page = await open(course);
    const calendar = page.getByRole('link', { name: 'Add to calendar' });
    await expect(calendar).toBeVisible();
    await expect(place(page)).not.toContainText('confirm');
    await expect(place(page)).not.toContainText('The course ended');
    await enrollment.update({ progress: 100 });
    await course.update({ endDate: day(-1) });
    await page.reload();
    await expect(place(page)).toContainText('The trainer still has to confirm that you have completed the course.');
    await expect(place(page)).toContainText(`The course ended on ${shown(day(-1))}.`);
    await expect(calendar).toHaveCount(0);
  });

  it('shows the messages with their days, and the author of the reply', async () => {
    const course = await build();
    const enrollment = await buildEnrollment(test.context, trainee, course, {
      status: 'cancelled',
      cancelReason: 'refused',
      notes: 'I know C.',
      notesAt: new Date('2026-03-01T12:00:00Z'),
      reply: 'Please learn\nsome algebra first.',
      replyAt: new Date('2026-03-02T12:00:00Z'),
      replyBy: trainer.id,
    });
    const page = await open(course);
    await expect(place(page)).toContainText(
      /Your request was refused\.Your message, 1 Mar 2026I know C\.Reply by Tom Trainer, 2 Mar 2026Please learn\nsome algebra first\./,
    );
    await enrollment.update({
      status: 'pending',
      cancelReason: null,
      notes: 'I know algebra.',
      notesAt: new Date('2026-03-03T12:00:00Z'),
      replyBy: null,
    });
    await page.reload();
    await expect(place(page)).toContainText(
      /Reply by the administration, 2 Mar 2026.*Your message, 3 Mar 2026I know algebra\./s,
    );
  });

  it('says why it was cancelled, and can be asked for again', async () => {
    const course = await build();
    const enrollment = await buildEnrollment(test.context, trainee, course, { status: 'cancelled' });
    const page = await open(course);
    await expect(place(page)).toContainText('Your place was cancelled, or your request refused.');
    for (const [cancelReason, words] of [
      ['left', 'You withdrew from this course.'],
      ['removed', 'You were removed from this course.'],
    ] as const) {
      await enrollment.update({ cancelReason });
      await page.reload();
      await expect(place(page)).toContainText(words);
      await expect(place(page)).toContainText('You can ask again.');
    }
    await button(page, 'Ask for a place').click();
    await expect(place(page)).toContainText('The trainer has not answered yet.');
  });

  it('is given at once if the course accepts requests automatically', async () => {
    const page = await open(await build({ autoAccept: true, maxStudents: 1 }));
    await expect(place(page)).toContainText('The place is yours at once');
    await button(page, 'Take a place').click();
    await expect(page.getByRole('alert').filter({ hasText: 'You take part in this course.' })).toBeVisible();
    await expect(place(page)).toContainText('Taking part');
    await expect(button(page, 'Leave course')).toBeVisible();
  });

  it('in a full course is a number on the waiting list, which the trainee can leave', async () => {
    const course = await build({ maxStudents: 1 });
    await take(course);
    await take(course, 'waiting');
    const page = await open(course);
    await expect(place(page)).toContainText(
      'There are no seats left, but you can join the waiting list. Waiting so far: 1.',
    );
    await place(page).getByLabel('Message to the trainer (optional)').fill('Any day will do.');
    await button(page, 'Join the waiting list').click();
    await expect(place(page)).toContainText('You are number 2 on the waiting list.');
    await expect(place(page)).toContainText('the trainer answers the request.');
    await expect(place(page)).toContainText('Any day will do.');
    await course.update({ autoAccept: true });
    await page.reload();
    await expect(place(page)).toContainText('the next person on the list gets it at once.');

    await button(page, 'Leave the waiting list').click();
    const dialog = page.getByRole('dialog', { name: 'Leave the waiting list?' });
    await expect(dialog).toContainText('If you join again, you are the last.');
    await dialog.getByRole('button', { name: 'Leave the waiting list' }).click();
    await expect(place(page)).toContainText('You withdrew from this course.');
    await expect(button(page, 'Join the waiting list')).toBeVisible();
  });

  it('on the waiting list becomes active when a seat is freed', async () => {
    const course = await build({ maxStudents: 1, autoAccept: true });
    const other = await buildUser(test.context);
    const { id } = await buildEnrollment(test.context, other, course, { status: 'active' });
    await buildEnrollment(test.context, trainee, course, { status: 'waiting' });
    const page = await open(course);
    await expect(place(page)).toContainText('You are number 1 on the waiting list.');
    const token = await tokenFor(test.context, other);
    await test.api('put', `/api/enrollments/${id}/status`, token).send({ status: 'cancelled' }).expect(200);
    await returnToPage(page);
    await expect(place(page)).toContainText('You take part in this course.');
  });

  it('on the waiting list is not given up if the trainee has moved up meanwhile', async () => {
    const course = await build({ maxStudents: 1 });
    const seat = await take(course);
    const waiting = await buildEnrollment(test.context, trainee, course, { status: 'waiting' });
    const page = await open(course);
    await button(page, 'Leave the waiting list').click();
    await seat.destroy();
    await waiting.update({ status: 'active', waitingNumber: null });
    const dialog = page.getByRole('dialog', { name: 'Leave the waiting list?' });
    test.expectErrors(page, /status of 409/);
    await dialog.getByRole('button', { name: 'Leave the waiting list' }).click();
    await expect(dialog).toContainText('The place has changed in the meantime.');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await expect(button(page, 'Leave course')).toBeVisible();
  });

  it('on the waiting list says if nobody moves up', async () => {
    const course = await build({ maxStudents: 1, endDate: day(-1) });
    await take(course);
    await buildEnrollment(test.context, trainee, course, { status: 'waiting' });
    const page = await open(course);
    await expect(place(page)).toContainText('The course has ended: nobody moves up any more.');
    await page.goto(test.url);
    await expect(page.getByRole('article')).toContainText(
      'You are number 1 on the waiting list. The course has ended: nobody moves up any more.',
    );
    await page.goBack();
    await course.update({ isPublished: false, endDate: null });
    test.expectErrors(page, /status of 404/);
    await page.reload();
    await expect(place(page)).toContainText('nobody moves up until it is published again.');
  });

  it('is offered on the waiting list while free seats are given to that list', async () => {
    const course = await build({ maxStudents: 1, waitingMax: 5 });
    const page = await open(course);
    test.expectErrors(page, /status of 409/);
    // Simulates the refusal: the service gives free seats faster than a test can click.
    const given = { status: 409, headers: { 'Error-Code': 'SEATS_BEING_GIVEN' }, json: {} };
    await page.route('**/api/enrollments', (route) => route.fulfill(given), { times: 1 });
    await button(page, 'Ask for a place').click();
    await expect(place(page)).toContainText('Free seats are being given to the waiting list.');
    await take(course);
    await button(page, 'Join the waiting list').click();
    await expect(place(page)).toContainText('You are number 1 on the waiting list.');
  });

  it('is offered on the waiting list when the last seat has just been taken, unless that list is full', async () => {
    const course = await build({ maxStudents: 1, waitingMax: 1 });
    const page = await open(course);
    const message = place(page).getByLabel('Message to the trainer (optional)');
    await message.fill('I know C.');
    test.expectErrors(page, /status of 400/);
    // Simulates the refusal: a free seat may be reserved for the waiting list.
    const full = { status: 400, headers: { 'Error-Code': 'COURSE_FULL' }, json: {} };
    await page.route('**/api/enrollments', (route) => route.fulfill(full), { times: 1 });
    await button(page, 'Ask for a place').click();
    await expect(place(page)).toContainText('The course is full.');
    await expect(message).toHaveValue('I know C.');
    await take(course);
    const first = await take(course, 'waiting');
    await button(page, 'Join the waiting list').click();
    await expect(place(page)).toContainText('the waiting list is full, too.');
    await expect(place(page).getByRole('button')).toHaveCount(0);
    await first.update({ status: 'cancelled', waitingNumber: null });
    await page.reload();
    await button(page, 'Join the waiting list').click();
    await expect(place(page)).toContainText('You are number 1 on the waiting list.');
  });
});
