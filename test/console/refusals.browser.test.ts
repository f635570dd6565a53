import { buildUser, factoryPassword } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { describePages, expect } from './support/browser.js';
import { signInAt, useConsole } from './support/console.js';

describePages('A refusal of the service', function () {
  this.timeout(scaled(60_000));
  const test = useConsole();

  it('is shown in the language of the page', async () => {
    await buildUser(test.context, { role: 'super_admin' });
    const trainer = await buildUser(test.context, { role: 'trainer' });
    const page = await test.open(`${test.url}/courses/new`, { locale: 'de-DE' });
    test.expectErrors(page, /status of 40[01]/);
    await signInAt(page, trainer.email, 'wrong-password');
    await expect(page.getByRole('alert')).toContainText('Das Passwort passt nicht zu dieser E-\u2060Mail');
    await signInAt(page, trainer.email, factoryPassword);

    const title = page.getByLabel('Titel');
    const create = page.getByRole('button', { name: 'Anlegen', exact: true });
    await create.click();
    await expect(title).toHaveAccessibleDescription('Fülle dieses Feld aus.');
    await title.fill('x');
    await create.click();
    await expect(title).toHaveAccessibleDescription('Gib mindestens 3 Zeichen ein.');
    await title.fill('Compiler');
    await page.getByLabel(/^Beschreibung/).fill('Lang.');
    await page.getByRole('combobox', { name: 'Kategorie' }).fill('Sprachen');
    await page.getByLabel('Erster Tag').fill('2026-03-02');
    await page.getByLabel('Letzter Tag', { exact: true }).fill('2026-03-01');
    await create.click();
    await expect(page.getByLabel('Letzter Tag', { exact: true })).toHaveAccessibleDescription(
      'Der letzte Tag darf nicht vor dem ersten Tag liegen.',
    );
    await title.fill('\u200b\u200b\u200b');
    await create.click();
    await expect(title).toHaveAccessibleDescription('Gib mindestens ein sichtbares Zeichen ein.');
  });

  it('offers no retry if a retry cannot help', async () => {
    const admin = await buildUser(test.context, { role: 'super_admin' });
    const trainee = await buildUser(test.context);
    const nobody = '01890000-0000-7000-8000-000000000000';
    const visit = async (user: typeof admin, addresses: readonly string[]) => {
      const page = await test.openAs(user);
      test.expectErrors(page, /status of 4\d\d/);
      for (const address of addresses) {
        await page.goto(`${test.url}${address}`);
        const message = page.getByText(/Not found|There is no such|This could not be loaded/).first();
        await expect(message, address).toBeVisible();
        await expect(page.getByRole('button', { name: 'Try again' }), address).toHaveCount(0);
      }
    };
    await visit(admin, [
      ...[`/courses/${nobody}`, `/imports/${nobody}`, `/people/${nobody}`, `/courses/${nobody}?tab=participants`],
      ...['/courses/x', '/imports/x', '/people/x', '/no-such-page', '/people?page=-1'],
    ]);
    await visit(trainee, [`/catalogue/${nobody}`, '/catalogue/x']);
  });
});
