import { expect } from 'chai';
import iconv from 'iconv-lite';
import { buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, expect as expectPage, keepScreenshot } from './support/browser.js';
import { useConsole } from './support/console.js';
import { csv } from './support/imports.js';

/** Too few letters to tell Windows-1257 from other code pages. */
const lithuanian = iconv.encode(
  csv(
    'First name;Last name;Email;Phone',
    ...['Jonas;Kazlauskas', 'Rūta;Žukauskienė', 'Andrius;Šimkus', 'Eglė;Petrauskaitė', 'Ona;Balčiūnaitė'].map(
      (name, at) => `${name};p${at}@example.org;0640 6445${at}`,
    ),
  ).toString(),
  'windows-1257',
);

describePages('The encoding of a file in the web console', function () {
  this.timeout(scaled(90_000));
  const test = useConsole();

  for (const [locale, words] of Object.entries({
    'en-GB': {
      question: 'Which of these names are right?',
      baltic: 'Windows-1257 (Baltic)',
      choose: 'Read the file like this',
      columns: 'Columns',
      names: 'Names beyond ASCII:',
      apply: 'Import',
      done: 'Completed',
    },
    'de-DE': {
      question: 'Welche dieser Namen sind richtig?',
      baltic: 'Windows-1257 (baltisch)',
      choose: 'Die Datei so lesen',
      columns: 'Spalten',
      names: 'Namen mit besonderen Buchstaben:',
      apply: 'Importieren',
      done: 'Fertig',
    },
  }))
    it(`is asked for by names where it isn't certain, and the file is read in it (${locale})`, async () => {
      const admin = await buildUser(test.context, { role: 'super_admin' });
      const page = await test.openAs(admin, '/imports', { locale });
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: lithuanian });
      const question = page.getByRole('radiogroup', { name: words.question });
      await expectPage(question).toBeVisible({ timeout: scaled(60_000) });
      const candidates = question.getByRole('radio');
      expect(await candidates.count()).to.be.within(2, 4);
      const right = question.getByRole('radio', { name: 'Rūta Žukauskienė, Andrius Šimkus, Ona Balčiūnaitė' });
      await expectPage(right).toHaveAccessibleDescription(words.baltic);
      // Nothing is known of the columns yet.
      await expectPage(page.getByRole('heading', { name: words.columns })).toHaveCount(0);
      const choose = page.getByRole('button', { name: words.choose });
      await expectPage(choose).toBeDisabled();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await keepScreenshot(page, `import with a doubtful encoding ${locale} ${width}`);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow).to.equal(0);
      }
      expect(await accessibilityProblems(page)).to.deep.equal([]);

      await right.check();
      await choose.click();
      const apply = page.getByRole('button', { name: words.apply, exact: true });
      await expectPage(apply).toBeEnabled({ timeout: scaled(60_000) });
      await expectPage(question).toHaveCount(0);
      await expectPage(page.getByText(words.names)).toContainText('Rūta Žukauskienė, Andrius Šimkus');
      await keepScreenshot(page, `import with a chosen encoding ${locale} 360`);
      await page.setViewportSize({ width: 1280, height: 800 });
      await keepScreenshot(page, `import with a chosen encoding ${locale} 1280`);
      await apply.click();
      await page.getByRole('dialog').getByRole('button', { name: words.apply }).click();
      await expectPage(page.getByText(words.done, { exact: true })).toBeVisible({ timeout: scaled(60_000) });
      const people = await test.context.database.models.User.findAll({ where: { role: 'trainee' }, order: ['email'] });
      expect(people.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).to.deep.equal([
        'Jonas Kazlauskas',
        'Rūta Žukauskienė',
        'Andrius Šimkus',
        'Eglė Petrauskaitė',
        'Ona Balčiūnaitė',
      ]);
    });
});
