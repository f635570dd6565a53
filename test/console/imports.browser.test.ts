import type { Page } from '@playwright/test';
import { expect } from 'chai';
import iconv from 'iconv-lite';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import {
  accessibilityProblems,
  describePages,
  expect as expectPage,
  horizontalOverflow,
  keepScreenshot,
} from './support/browser.js';
import { answerLeaving, useConsole } from './support/console.js';
import {
  applyPlan,
  chooseCourse,
  chooseFormat,
  csv,
  downloadPasswords,
  downloadText,
  planFile,
  unfold,
} from './support/imports.js';

/** Texts of tables, buttons and statuses that are wider than their space. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(
    '.table-frame, .table-frame .mantine-Button-label, .status-badge, .status-badge > *'
  )].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`);

describePages('Importing people in the web console', function () {
  this.timeout(scaled(90_000));
  const test = useConsole();
  let admin: User;
  beforeEach(async () => {
    admin = await buildUser(test.context, { role: 'super_admin' });
  });
  const accounts = () => test.context.database.models.User.count();

  it('leads from a file with a wrong column to accounts, rejected rows, passwords and undo', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(
      page,
      'people.csv',
      csv(
        'First name,Last name,Mail,Rufzeichen',
        'Ann,Archer,ann@example.org,+44 20 1601001',
        'Bob,<img src=x onerror=alert(1)>,bob@example.org,+44 20 1601002',
        'Cid,Cook,not-an-email,+44 20 1601003',
        'D,Dyer,dan@example.org,+44 20 1601004',
        'Eve,Eaton,ann@example.org,+44 20 1601005',
      ),
    );
    // The heading "Rufzeichen" is unknown, so the console suggests its column by the values.
    const question = page.getByRole('group', { name: 'Phone is missing. Which column has it?' });
    await expectPage(question).toBeVisible();
    await expectPage(page.getByText('Cannot be imported like this', { exact: true })).toBeVisible();
    expect(await accounts()).to.equal(1);
    await question.getByRole('button', { name: '“Rufzeichen”, such as +44 20 1601001' }).click();
    await expectPage(question).toBeHidden();
    await expectPage(page.getByRole('button', { name: 'Import', exact: true })).toBeEnabled({
      timeout: scaled(20_000),
    });
    // Rejected rows come first.
    await expectPage(page.getByRole('heading', { name: '3 rows cannot be imported' })).toBeVisible();
    await expectPage(page.getByText('1 row is rejected · Column “Mail” · Line 4')).toBeVisible();
    await expectPage(page.getByRole('table', { name: 'Rows' }).getByRole('row')).toHaveCount(4);
    await page.getByLabel('Outcome').selectOption({ label: 'All rows' });
    expect(await accounts()).to.equal(1);
    await expectPage(page.getByRole('row', { name: /bob@example.org/ }).last()).toContainText('Will be created');
    // Markup in cells is shown as text.
    await expectPage(page.getByRole('row', { name: /bob@example.org/ }).last()).toContainText(
      '<img src=x onerror=alert(1)>',
    );
    await expectPage(page.locator('img[src="x"]')).toHaveCount(0);
    await expectPage(page.getByText('Created', { exact: true })).toHaveCount(0);

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import this file?' });
    await expectPage(dialog).toContainText('2 accounts are created');
    await expectPage(dialog).toContainText('3 rows are rejected');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await expectPage(page.getByText('Completed')).toBeVisible({ timeout: scaled(30_000) });
    expect(await accounts()).to.equal(3);

    const rejects = await downloadText(page, () => chooseFormat(page, 'Download rejected rows', 'CSV'));
    expect(rejects).to.include('not-an-email').and.not.to.include('bob@example.org');
    expect(await downloadPasswords(page)).to.include('ann@example.org');

    // The filter of the rows is in the URL.
    await page.getByLabel('Outcome').selectOption({ label: 'Rejected' });
    await expectPage(page).toHaveURL(/outcome=rejected/);
    await expectPage(page.getByRole('row')).toHaveCount(4);

    const signedIn = (lastLogin: Date | null) =>
      test.context.database.models.User.update({ lastLogin }, { where: { email: 'ann@example.org' }, silent: true });
    await signedIn(new Date());
    const button = page.getByRole('button', { name: 'Undo the import' });
    await button.click();
    const undo = page.getByRole('dialog', { name: 'Undo this import?' });
    await expectPage(undo).toContainText('1 account is deleted');
    await expectPage(undo).toContainText('ann@example.org: has signed in');
    await undo.getByRole('button', { name: 'Undo the import' }).click();
    await expectPage(page.getByText('except for the accounts that stay')).toBeVisible({ timeout: scaled(20_000) });
    await expectPage(page.getByText('Undone', { exact: true }).first()).toBeVisible({ timeout: scaled(20_000) });
    expect(await accounts()).to.equal(2);

    // Each row shows the outcome of the undo.
    await page.getByLabel('Outcome').selectOption({ label: 'Created' });
    await expectPage(page.getByText('before it was undone on')).toBeVisible();
    await expectPage(page.getByRole('row', { name: /Ann Archer/ })).toContainText('Kept as it is');
    await expectPage(page.getByRole('row', { name: /Ann Archer/ })).toContainText('has signed in');
    await expectPage(page.getByRole('row').filter({ hasText: 'Account deleted' })).toHaveCount(1);

    // Without a sign-in, the kept account can be deleted, too.
    await signedIn(null);
    await button.click();
    await expectPage(undo).toContainText('1 account is deleted');
    await undo.getByRole('button', { name: 'Undo the import' }).click();
    await expectPage(button).toHaveCount(0, { timeout: scaled(20_000) });
    expect(await accounts()).to.equal(1);

    // The corrected file is planned with the same options.
    await expectPage(page.getByText('Rufzeichen: Phone')).toBeVisible();
    await planFile(page, 'corrected.csv', Buffer.from(rejects.replace('not-an-email', 'cid@example.org')));
    await expectPage(page.getByLabel('What “Rufzeichen” is imported as')).toHaveValue('phone');
    await expectPage(page.getByRole('button', { name: 'Import', exact: true })).toBeEnabled();
  });

  it('offers no undo, rows or outcomes after the rows of an import were deleted, and explains why', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', csv('firstName,lastName,email,phone', 'Ann,Archer,ann@example.org,+44 1'));
    await applyPlan(page);
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: scaled(30_000) });
    const undo = page.getByRole('button', { name: 'Undo the import' });
    await expectPage(undo).toBeVisible();
    const ledgerClosedAt = new Date('2026-02-03T12:00:00.000Z');
    await test.context.database.models.Import.update({ ledgerClosedAt }, { where: {} });
    await page.reload();
    await expectPage(page.getByText(/exported to files of the server and deleted on .*2026/)).toBeVisible();
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible();
    await expectPage(undo).toBeHidden();
    await expectPage(page.getByRole('button', { name: 'Download all outcomes' })).toBeHidden();
    await expectPage(page.getByRole('heading', { name: 'Rows' })).toBeHidden();
  });

  it('allows to apply a plan only while options and columns are as planned, and to discard the plan', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', csv('firstName,lastName,email,phone,x', 'Ann,Archer,ann@example.org,+44 1,'));
    const trainer = await buildUser(test.context, { role: 'trainer' });
    await buildCourse(test.context, trainer, { title: 'Compilers', isPublished: true });
    const again = page.getByRole('button', { name: 'Plan again with these changes' });
    const apply = page.getByRole('button', { name: 'Import', exact: true });
    await unfold(page, 'Change columns');
    await unfold(page, 'Change options');
    for (const [label, other, planned] of [
      ['A row whose account exists', 'update', 'skip'],
      ['Columns are separated by', ';', 'auto'],
      ['What “phone” is imported as', '', 'phone'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).selectOption(other);
      await expectPage(again).toBeVisible();
      await page.getByLabel(label, { exact: true }).selectOption(planned);
      await expectPage(again).toBeHidden();
      await expectPage(apply).toBeEnabled();
    }
    await chooseCourse(page, 'Compilers');
    await expectPage(again).toBeVisible();
    await page.getByRole('button', { name: 'Clear Enroll everybody in this course' }).click();
    await expectPage(apply).toBeEnabled();

    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await expectPage(page.getByText('Discarded', { exact: true })).toBeVisible();
    expect(await accounts()).to.equal(2);
  });

  it('explains a single time, in the language of the page, why a file and its rows are not imported', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    await buildCourse(test.context, trainer, { title: 'Compilers', isPublished: true });
    const page = await test.openAs(admin, '/imports', { locale: 'de-DE' });
    const blank = new Array<string>(1219).fill('');
    const content = csv(
      'Nr,Vorname,Nachname,Telefon,Rolle,Kurs',
      'ann@example.org,Ann,Archer,1,Trainer,',
      'ada@example.org,Ada,Adams,3,Trainer,Compilers',
      ...blank,
      'bob,Bob,Baker,2,,',
    );
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'leute.csv', mimeType: 'text/csv', buffer: content });
    const problem = page.getByRole('alert').filter({ hasText: 'So kann die Datei nicht importiert werden' });
    await expectPage(problem).toContainText('Nötige Spalten fehlen.', { timeout: scaled(60_000) });
    await expectPage(problem).not.toContainText('--');
    await page.getByLabel('„Nr“ importieren als').selectOption({ label: 'E-\u2060Mail' });
    await unfold(page, 'Optionen ändern');
    await page.getByLabel('Nach einer fehlerhaften Zeile').selectOption('abort');
    await page.getByRole('button', { name: 'Mit diesen Änderungen neu planen' }).click();
    const reasons = page.getByText('Die E-\u2060Mail-Adresse ist nicht gültig.');
    await expectPage(reasons).toHaveCount(2, { timeout: scaled(20_000) });
    await expectPage(page.getByText('2 Zeilen sind fehlerhaft. Nach deinen Optionen ist keine erlaubt.')).toBeVisible();
    await expectPage(page.getByText('Nur Teilnehmende werden in Kurse aufgenommen')).toHaveCount(2);
    await expectPage(page.getByText(/valid email|can be enrolled/)).toHaveCount(0);
    await expectPage(page.getByText('1 Kursleitung wird angelegt')).toBeVisible();
    // Rows are numbered as in spreadsheets.
    await expectPage(page.getByText('Zeile 1223')).toBeVisible();
    await expectPage(page.getByRole('cell', { name: '1223', exact: true })).toBeVisible();
  });

  it('asks which names are correct if the encoding is uncertain, and reads the file in the chosen encoding', async () => {
    // The file has too few special letters to distinguish Windows-1257 from other encodings.
    const lithuanian = csv(
      'First name;Last name;Email;Phone',
      'Jonas;Kazlauskas;p0@example.org;0640 64450',
      'Rūta;Žukauskienė;p1@example.org;0640 64451',
      'Andrius;Šimkus;p2@example.org;0640 64452',
      'Eglė;Petrauskaitė;p3@example.org;0640 64453',
      'Ona;Balčiūnaitė;p4@example.org;0640 64454',
    );
    const buffer = iconv.encode(lithuanian.toString(), 'windows-1257');
    const page = await test.openAs(admin, '/imports', { locale: 'de-DE', viewport: { width: 360, height: 800 } });
    await page.locator('input[type="file"]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    const question = page.getByRole('radiogroup', { name: 'Welche dieser Namen sind richtig?' });
    await expectPage(question).toBeVisible({ timeout: scaled(60_000) });
    const right = question.getByRole('radio', { name: 'Rūta Žukauskienė, Andrius Šimkus, Ona Balčiūnaitė' });
    await expectPage(right).toHaveAccessibleDescription('Windows-1257 (baltisch)');
    // The columns are not known yet.
    await expectPage(page.getByRole('button', { name: 'Spalten ändern' })).toHaveCount(0);
    const choose = page.getByRole('button', { name: 'Die Datei so lesen' });
    await expectPage(choose).toBeDisabled();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    expect(await horizontalOverflow(page)).to.be.at.most(0);

    await right.check();
    await choose.click();
    await expectPage(page.getByText('Namen mit besonderen Buchstaben:')).toContainText('Rūta Žukauskienė');
    await expectPage(question).toHaveCount(0);
    await page.getByRole('button', { name: 'Importieren', exact: true }).click({ timeout: scaled(60_000) });
    await page.getByRole('dialog').getByRole('button', { name: 'Importieren' }).click();
    await expectPage(page.getByText('Abgeschlossen', { exact: true })).toBeVisible({ timeout: scaled(60_000) });
    const ona = await test.context.database.models.User.findOne({ where: { email: 'p4@example.org' } });
    expect(ona).to.include({ firstName: 'Ona', lastName: 'Balčiūnaitė' });
  });

  for (const locale of ['en-GB', 'de-DE'])
    it(`shows suggestions, reasons and statuses in full in a narrow window (${locale})`, async () => {
      const trainer = await buildUser(test.context, { role: 'trainer' });
      await buildCourse(test.context, trainer, { title: 'Compilers', isPublished: true });
      const page = await test.openAs(admin, '/imports', { locale, viewport: { width: 360, height: 800 } });
      const name = 'participants_of_the_autumn_term.csv';
      const buffer = csv(
        'Vorname,Nachname,E-Mail,Rufzeichen,Rolle,Kurs',
        'Ann,Archer,ann@example.org,+44 20 1601001,Trainer,Compilers',
        'Bob,Mustermann-Schmidtbauer,bob@example.org,+44 20 1601002,,Compilers',
      );
      await page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'text/csv', buffer });
      const suggestion = page.getByRole('button', { name: /^[“„]Rufzeichen[”“], (such as|etwa) / });
      await expectPage(suggestion).toBeVisible({ timeout: scaled(60_000) });
      expect(await cutOff(page)).to.deep.equal([]);
      await suggestion.click();
      // The text is in the reasons and in the row. An equal message of the service isn't shown again.
      await expectPage(page.getByText(/^(Only trainees can be enrolled|Nur Teilnehmende werden)/)).toHaveCount(2);
      expect(await cutOff(page)).to.deep.equal([]);
      await keepScreenshot(page, `import planned ${locale}`);
      await page.goto(`${test.url}/imports`);
      const status = page.getByRole('table').getByText(/^(Waiting for your confirmation|Wartet auf)/);
      await expectPage(status).toBeVisible();
      expect(await cutOff(page)).to.deep.equal([]);
      await keepScreenshot(page, `import listed ${locale}`);
      expect(await accessibilityProblems(page)).to.deep.equal([]);
    });

  it('accepts rows without a phone if the switch next to the reason allows them', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', csv('First name,Last name,Email,Phone', 'Ann,Archer,ann@example.org,'));
    await expectPage(page.getByText('A new account needs a phone.').first()).toBeVisible();
    await page.getByRole('switch', { name: 'Create the account without a phone' }).click();
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await applyPlan(page);
    await expectPage(page.getByText('Create the account without a phone')).toBeVisible();
    const { User } = test.context.database.models;
    const ann = await User.findOne({ where: { email: 'ann@example.org' }, rejectOnEmpty: true });
    expect(ann).to.include({ phone: '', phoneKey: null });
  });

  it('puts people on the waiting list of a full course or skips the course, as chosen next to the reason', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    await buildCourse(test.context, trainer, { title: 'Bees', maxStudents: 1, isPublished: true });
    const page = await test.openAs(admin, '/imports');
    const rows = ['Ann,Archer,ann@example.org,+44 1,Bees', 'Bob,Baker,bob@example.org,+44 2,Bees'];
    await planFile(page, 'people.csv', csv('firstName,lastName,email,phone,course', ...rows));
    await expectPage(page.getByText('1 row is rejected')).toBeVisible();
    const [beside, option] = [0, 1].map((index) => page.getByLabel('When a course is full').nth(index));
    await unfold(page, 'Change options');
    await option?.selectOption('Leave the course out');
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expectPage(page.getByText('1 account is created without the course')).toBeVisible();
    await expectPage(page.getByRole('row', { name: /^3 Will be created/ })).toContainText(
      'No place in "Bees": the course is full.',
    );
    await keepScreenshot(page, 'import into a full course');
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await horizontalOverflow(page)).to.equal(0);
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      await keepScreenshot(page, `import into a full course ${width}`);
    }
    await beside?.selectOption('Put the person on its waiting list');
    await page.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expectPage(page.getByText('On waiting lists')).toBeVisible();
    await applyPlan(page);
    await expectPage(page.getByText('Put the person on its waiting list')).toBeVisible();
    const { Enrollment } = test.context.database.models;
    await expectPage.poll(() => Enrollment.count({ where: { status: 'waiting' } })).toBe(1);
  });

  it('shows every update that changes the identity of an account', async () => {
    await buildUser(test.context, { firstName: 'Ann', lastName: 'Archer', email: 'ann@example.org', phone: '+44 1' });
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', csv('firstName,lastName,email,phone', 'Anna,Archer,ann@example.org,+44 1'));
    const tab = await test.openTab(page, page.url());
    await unfold(tab, 'Change options');
    await tab.getByLabel('A row whose account exists').selectOption({ label: 'Update the account' });
    await tab.getByRole('button', { name: 'Plan again with these changes' }).click();
    await expectPage(tab.getByText('Updates that may give an account to another person')).toBeVisible({
      timeout: scaled(20_000),
    });
    await expectPage(tab.getByText(/Ann Archer.*→ Anna Archer/)).toBeVisible();

    // The first tab shows an outdated plan, which is not applied. The page then shows the current plan.
    test.expectErrors(page, /status of 409/);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await expectPage(page.getByRole('alert')).toContainText('The plan is out of date');
    await expectPage(page.getByRole('dialog')).toHaveCount(0);
    await expectPage(page.getByText(/Ann Archer.*→ Anna Archer/)).toBeVisible();
    await expectPage(page.getByText('First name: Ann → Anna')).toBeVisible();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expectPage(page.getByRole('alert')).toHaveCount(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: scaled(30_000) });
  });

  it('plans with a chosen course, and without it after its removal', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const { id } = await buildCourse(test.context, trainer, { title: 'Compilers', isPublished: true });
    const page = await test.openAs(admin, '/imports');
    await planFile(page, 'people.csv', csv('firstName,lastName,email,phone', 'Ann,Archer,ann@example.org,+44 1'));
    const course = page.getByRole('combobox', { name: 'Enroll everybody in this course' });
    const planAgain = page.getByRole('button', { name: 'Plan again with these changes' });
    const importButton = page.getByRole('button', { name: 'Import', exact: true });
    const optionsOfPlan = async () => {
      const { optionsJson } = await test.context.database.models.Import.findOne({ rejectOnEmpty: true });
      return JSON.parse(optionsJson) as object;
    };
    await chooseCourse(page, 'Compilers');
    await planAgain.click();
    await expectPage(importButton).toBeEnabled({ timeout: scaled(20_000) });
    expect(await optionsOfPlan()).to.include({ course: id });
    await expectPage(course).toHaveValue('Compilers');
    const enrollments = page.getByRole('term').filter({ hasText: 'Enrollments' }).locator('xpath=..');
    await expectPage(enrollments).toHaveText('Enrollments1');

    await page.getByRole('button', { name: 'Clear Enroll everybody in this course' }).click();
    await planAgain.click();
    await expectPage(importButton).toBeEnabled({ timeout: scaled(20_000) });
    expect(await optionsOfPlan()).not.to.have.property('course');
    await expectPage(course).toHaveValue('');
    await expectPage(enrollments).toHaveCount(0);

    await chooseCourse(page, 'Compilers');
    await planAgain.click();
    await applyPlan(page);
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: scaled(30_000) });
    await expectPage(enrollments).toHaveText('Enrollments1');
    await expectPage(page.getByRole('definition').filter({ hasText: 'Compilers' })).toBeVisible();
  });

  it('shows plans that cannot be applied and imports without any accepted row as bad, without sideways scrolling', async () => {
    const page = await test.openAs(admin, '/imports', { viewport: { width: 768, height: 900 } });
    await planFile(page, 'columns.csv', csv('firstName,lastName,x', 'Ann,Archer,1'));
    await page.goto(`${test.url}/imports`);
    await planFile(page, 'rejected.csv', csv('firstName,lastName,email,phone', 'Ann,Archer,nobody,+44 1'));
    await applyPlan(page);
    await expectPage(page.getByText('All rows rejected')).toBeVisible({ timeout: scaled(30_000) });
    for (const [path, table] of [
      ['/imports', 'Imports'],
      ['/', 'Last imports'],
    ] as const) {
      await page.goto(test.url + path);
      const rows = page.getByRole('table', { name: table }).getByRole('row');
      await expectPage(rows.filter({ hasText: 'columns.csv' })).toContainText('Cannot be imported like this');
      await expectPage(rows.filter({ hasText: 'rejected.csv' })).toContainText('All rows rejected');
      expect(await horizontalOverflow(page)).to.be.at.most(0);
      expect(await cutOff(page)).to.deep.equal([]);
    }
    await expectPage(page.getByText('Waiting for your confirmation')).toHaveCount(0);
  });

  it('asks which of two columns with the same heading is right', async () => {
    const page = await test.openAs(admin, '/imports');
    const rows = ['firstName,lastName,email,email,phone', 'Ann,Archer,a@example.org,b@example.org,+44 1'];
    await planFile(page, 'people.csv', csv(...rows));
    const question = page.getByRole('group', { name: 'Several columns are “Email”. Which one is right?' });
    await question.getByRole('button', { name: '“email”, such as b@example.org' }).click();
    await expectPage(page.getByText('Every row can be imported.')).toBeVisible({ timeout: scaled(20_000) });
    await expectPage(page.getByRole('row', { name: /^email Email: finds their account/ })).toContainText(
      'b@example.org',
    );
  });

  it('asks for the courses and columns that a file names wrongly, with answers to click', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const first = await buildCourse(test.context, trainer, { title: 'First Aid', isPublished: true });
    const weaving = await buildCourse(test.context, trainer, { title: 'Weaving', isPublished: true });
    const page = await test.openAs(admin, '/imports');
    const header = 'Vorname,Nachname,Mailadr. privat,Rufzeichen,Kurs,Mailadr. Dienst';
    const rows = ['Frist Aid', 'Korbflechten', 'Geology'].map(
      (course, row) => `Ann,Archer,a${row}@example.org,+44 20 160100${row},${course},b${row}@example.org`,
    );
    await planFile(page, 'people.csv', csv(header, ...rows));
    const email = page.getByRole('group', { name: 'Email is missing. Which column has it?' });
    await email.getByRole('button', { name: '“Mailadr. Dienst”, such as b0@example.org' }).click();
    await expectPage(email).toBeHidden();
    await page.getByRole('button', { name: '“Rufzeichen”, such as' }).click();
    await expectPage(page.getByRole('heading', { name: '3 rows cannot be imported' })).toBeVisible({
      timeout: scaled(20_000),
    });
    await expectPage(page.getByText('No course is called “Frist Aid”.')).toBeVisible();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await horizontalOverflow(page)).to.be.at.most(0);
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      await keepScreenshot(page, `import questions ${width}`);
    }
    await page.getByRole('button', { name: 'Use “First Aid”' }).click();
    await expectPage(page.getByRole('heading', { name: '2 rows cannot be imported' })).toBeVisible();
    await page.getByRole('combobox', { name: 'Course for “Korbflechten”' }).click();
    await page.getByRole('option', { name: 'Weaving' }).click();
    await expectPage(page.getByRole('heading', { name: '1 row cannot be imported' })).toBeVisible();
    await page.getByRole('button', { name: 'Import without a course' }).click();
    await expectPage(page.getByText('Every row can be imported.')).toBeVisible();
    await expectPage(page.getByText('Course “Frist Aid” → First Aid')).toBeVisible();
    await expectPage(page.getByText('Course “Geology” → no course')).toBeVisible();

    // An answer can be taken back.
    const taken = page.getByRole('listitem').filter({ hasText: 'Geology' });
    await taken.getByRole('button', { name: 'Take back' }).click();
    await expectPage(page.getByRole('heading', { name: '1 row cannot be imported' })).toBeVisible();
    await applyPlan(page);
    await expectPage(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: scaled(30_000) });
    const { Enrollment, User } = test.context.database.models;
    const courses = await Enrollment.findAll({ order: ['id'] });
    expect(courses.map(({ courseId }) => courseId).sort()).to.deep.equal([first.id, weaving.id].sort());
    expect(await User.count({ where: { email: 'b0@example.org' } })).to.equal(1);
    await expectPage(page.getByText('Course “Korbflechten” → Weaving')).toBeVisible();
  });

  it('keeps the mapping of columns for another encoding, and warns that another delimiter drops it', async () => {
    const page = await test.openAs(admin, '/imports');
    await planFile(
      page,
      'people.csv',
      csv('firstName,lastName,email,Rufzeichen,Funktion', 'Ann,Archer,ann@example.org,+44 1,Trainer'),
    );
    const fieldOf = (heading: string) => page.getByLabel(`What “${heading}” is imported as`);
    const planAgain = page.getByRole('button', { name: 'Plan again with these changes' });
    await fieldOf('Funktion').selectOption({ label: 'Role' });
    await unfold(page, 'Change options');
    await page.getByLabel('Encoding of the file').selectOption('utf-8');
    await fieldOf('Rufzeichen').selectOption({ label: 'Phone' });
    await planAgain.click();
    await expectPage(page.getByText('“Trainer” is read as Trainer')).toBeVisible({ timeout: scaled(20_000) });
    await expectPage(fieldOf('Funktion')).toHaveValue('role');
    await expectPage(fieldOf('Rufzeichen')).toHaveValue('phone');

    await unfold(page, 'Change options');
    const delimiter = page.getByLabel('Columns are separated by');
    const dropped = page.getByText('The columns are read again');
    await delimiter.selectOption(',');
    await expectPage(dropped).toBeHidden();
    await delimiter.selectOption(';');
    await expectPage(dropped).toBeVisible();

    // The choices are not planned yet, so leaving the page asks a question.
    await page.getByRole('link', { name: 'People' }).click();
    await answerLeaving(page, 'Keep editing', 'Columns and options of the import');
    await expectPage(delimiter).toHaveValue(';');
  });

  it('lists each column with its effect and number of people, also in a narrow window', async () => {
    const trainer = await buildUser(test.context, { role: 'trainer' });
    await buildCourse(test.context, trainer, { title: 'Weaving', isPublished: true });
    const page = await test.openAs(admin, '/imports');
    await planFile(
      page,
      'people.csv',
      csv(
        'First Name,Middle Name,Last Name,E-mail Address,Home Phone,Mobile Phone,Company,Notes,Role,Course,Message to the trainee',
        'Ada,Mary,King,ada@o.example,,0311 6001,Acme,"Difficult customer, paid late",,Weaving,"Welcome to the course, please bring an apron"',
        'Grace,,Dell,grace@o.example,0311 6002,,Acme,,Student,Weaving,',
      ),
    );
    const columns = page.getByRole('table', { name: 'Imported columns' });
    const rowOf = (heading: string) =>
      columns.getByRole('row').filter({ has: page.getByRole('rowheader', { name: heading, exact: true }) });
    await expectPage(rowOf('Message to the trainee')).toContainText('Message to the trainee: shown to them (1 person)');
    await expectPage(rowOf('Message to the trainee')).toContainText('Welcome to the course, please bring an apron');
    await expectPage(rowOf('Course')).toContainText('Course: they are enrolled in it (2 people)');
    await expectPage(page.getByText('Not imported: Middle Name, Company, Notes')).toBeVisible();
    await unfold(page, 'Change columns');
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await keepScreenshot(page, `import columns ${width}`);
      expect(await horizontalOverflow(page)).to.be.at.most(0);
      expect(await cutOff(page)).to.deep.equal([]);
    }
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expectPage(page.getByRole('dialog')).toContainText('1 person is shown a message from the file');
  });

  it('refuses several files together, and an empty file, with the reason', async () => {
    const page = await test.openAs(admin, '/imports');
    await expectPage(page.locator('input[type="file"]')).not.toHaveAttribute('multiple');
    const two = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      for (const name of ['one.csv', 'two.csv']) transfer.items.add(new File(['email'], name, { type: 'text/csv' }));
      return transfer;
    })()`);
    await page.getByRole('group', { name: 'Add files' }).dispatchEvent('drop', { dataTransfer: two });
    await expectPage(page.getByRole('alert')).toContainText('Nothing was uploaded. Choose a single file.');
    test.expectErrors(page, /status of 4\d\d/);
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.from('') });
    await expectPage(page.getByRole('alert').first()).toContainText(/empty/i);
  });
});
