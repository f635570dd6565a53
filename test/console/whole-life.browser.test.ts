import type { Page } from '@playwright/test';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { signInAt, useConsole } from './support/console.js';
import { dialog, row } from './support/courses.js';
import { applyPlan, csv, downloadBytes, downloadPasswords, planFile } from './support/imports.js';

const admin = { email: 'ada@example.org', password: 'the password of Ada' };
const trainer = { name: 'Tom Trainer', email: 'tom@example.org', password: 'the password of Tom' };
const trainee = { name: 'Ann Archer', phone: '+44 20 7946 0001', password: 'the password of Ann' };

/** File that the super admin imports, with an unknown fourth heading and a bad row. */
const spreadsheet = csv(
  'First name,Last name,Mail,Rufzeichen,Role',
  'Tom,Trainer,tom@example.org,+44 20 7946 0000,Trainer',
  'Ann,Archer,ann@example.org,+44 20 7946 0001,Trainee',
  'Bob,Baker,bob@example.org,+44 20 7946 0002,Trainee',
  'Cid,Cook,not-an-email,+44 20 7946 0003,Trainee',
);

/** Contains every byte value, to detect changes of encoding or line ends. */
const material = { name: 'Exercise 1.pdf', bytes: Buffer.from(Array.from({ length: 4096 }, (_, at) => at % 256)) };

/** Creates the first account of an empty database. */
async function setUp(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to coursectl');
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Admin');
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Phone').fill('+44 20 7946 0999');
  await page.getByLabel(/^Password/).fill(admin.password);
  await page.getByRole('button', { name: 'Create super admin' }).click();
  await expect(page.getByRole('button', { name: 'Account menu for Ada Admin' })).toBeVisible();
}

/** Chooses a field for the unknown heading. */
async function mapPhone(page: Page): Promise<void> {
  const question = page.getByRole('group', { name: 'Phone is missing. Which column has it?' });
  await question.getByRole('button', { name: '“Rufzeichen”, such as' }).click();
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeEnabled({ timeout: scaled(30_000) });
}

/** Figure of the shown result. */
const figure = (page: Page, name: string) =>
  page.locator('dl.figures > div').filter({ hasText: name }).getByRole('definition');

/** Imports the spreadsheet. @returns the downloaded passwords */
async function importSpreadsheet(page: Page): Promise<string> {
  await page.getByRole('navigation').getByRole('link', { name: 'Imports', exact: true }).click();
  await planFile(page, 'people.csv', spreadsheet);
  await mapPhone(page);
  await applyPlan(page);
  await expect(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: scaled(60_000) });
  await expect(figure(page, 'Created')).toHaveText('3');
  await expect(figure(page, 'Rejected')).toHaveText('1');
  return downloadPasswords(page);
}

/** Password of a person in a file of passwords. */
function passwordOf(passwords: string, email: string): string {
  const line = passwords.split(/\r?\n/).find((one) => one.includes(email));
  return line?.split(',').at(-1) ?? '';
}

/** Signs in with an initial password, and replaces it, as required. */
async function signInFirst(page: Page, identifier: string, initial: string, own: string): Promise<void> {
  await signInAt(page, identifier, initial);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose a password of your own');
  await page.getByLabel('New password', { exact: false }).first().fill(own);
  await page.getByLabel(/^New password again/).fill(own);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('banner')).toBeVisible();
}

async function createCourse(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Courses', exact: true }).click();
  // The empty list has a second link.
  await page.getByRole('link', { name: 'New course' }).first().click();
  await page.getByLabel('Title').fill('Compilers');
  await page.getByLabel('Description').fill('From source text to machine code.');
  await page.getByRole('button', { name: 'Create and publish' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Compilers' })).toBeVisible();
  await expect(page.getByText('The course is published.')).toBeVisible();
}

async function askForPlace(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Find a course' }).click();
  await page.getByRole('link', { name: 'Compilers' }).click();
  await page.getByLabel('Message to the trainer (optional)').fill('I know C.');
  await page.getByRole('button', { name: 'Ask for a place' }).click();
  await expect(page.getByRole('region', { name: 'Your place' })).toContainText('The trainer has not answered yet.');
}

/** Accepts the request and adds a material, on the page of the course. */
async function acceptAndTeach(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Participants' }).click();
  await expect(row(page, trainee.name)).toContainText('I know C.');
  await page.getByRole('button', { name: `Accept: ${trainee.name}` }).click();
  await dialog(page).getByRole('button', { name: 'Accept' }).click();
  await expect(row(page, trainee.name)).toContainText('Taking part');
  await page.getByRole('tab', { name: 'Materials' }).click();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: material.name, mimeType: 'application/pdf', buffer: material.bytes });
  await expect(row(page, material.name)).toBeVisible();
}

async function learn(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'My courses' }).click();
  const course = page.getByRole('article').filter({ hasText: 'Compilers' });
  await expect(course).toContainText('Taking part');
  await course.getByRole('button', { name: 'Materials of Compilers' }).click();
  const bytes = await downloadBytes(page, () => course.getByRole('link', { name: material.name }).click());
  expect(bytes.equals(material.bytes)).toBe(true);
  await page.getByRole('button', { name: 'Set progress of Compilers' }).click();
  await dialog(page).getByLabel('Progress in percent').fill('60');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(course).toContainText('60%');
}

/** Required entries of the audit log: action, actor and object. Changes by trainees to their own places are not audited. */
const audited = [
  ['Import planned', 'Ada Admin', 'people.csv'],
  ['Import started', 'Ada Admin', 'people.csv'],
  ['Import finished', 'Ada Admin', 'people.csv'],
  ['Passwords of import fetched', 'Ada Admin', 'people.csv'],
  ['Course created', trainer.name, 'Compilers'],
  ['Course published', trainer.name, 'Compilers'],
  ['Enrollment status changed', trainer.name, 'Compilers'],
  ['Material added', trainer.name, 'Compilers'],
] as const;

/** Entry of the audit log. */
const entry = (page: Page, action: string, actor: string, target: string) =>
  row(page, action).filter({ hasText: actor }).filter({ hasText: target });

async function readAuditLog(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click();
  await page.getByLabel('Entries per page').selectOption('100');
  for (const [action, actor, target] of audited)
    await expect(entry(page, action, actor, target), `${action} by ${actor}: ${target}`).not.toHaveCount(0);
  await page.getByLabel('Kind of object').selectOption('Import');
  const finished = entry(page, 'Import finished', 'Ada Admin', 'people.csv');
  await expect(finished.getByRole('link', { name: 'people.csv' })).toHaveAttribute('href', /^\/imports\//);
}

describePages('The whole programme in the web console', function () {
  this.timeout(scaled(240_000));
  const test = useConsole({ FILE_MATERIAL_TYPES: 'pdf' });

  it('runs from setup through an import, a course and an enrollment to the audit log', async () => {
    const office = await test.open(test.url);
    await setUp(office);
    const passwords = await importSpreadsheet(office);

    const teaching = await test.open(test.url);
    await signInFirst(teaching, trainer.email, passwordOf(passwords, trainer.email), trainer.password);
    await createCourse(teaching);

    const learning = await test.open(test.url);
    await signInFirst(learning, trainee.phone, passwordOf(passwords, 'ann@example.org'), trainee.password);
    await askForPlace(learning);
    await acceptAndTeach(teaching);
    await learn(learning);

    await office.getByRole('navigation').getByRole('link', { name: 'Enrollments' }).click();
    await expect(row(office, trainee.name)).toContainText('60%');
    await readAuditLog(office);
  });
});
