import { scaled } from '../support/machine.js';
import { describePages, expect, holdRequests, settled } from './support/browser.js';
import { answerLeaving, useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';

describePages('The materials of a course', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({ FILE_MATERIAL_TYPES: 'txt,pdf' });

  it('can be uploaded together, downloaded and deleted', async () => {
    const { trainer, course } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=materials`);
    await expect(page.getByText('There are no materials yet.')).toBeVisible();
    test.expectErrors(page, /status of 400/);
    await page.locator('input[type=file]').setInputFiles([
      { name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.from('One.') },
      { name: 'two.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('Two.') },
      { name: 'three.txt', mimeType: 'text/plain', buffer: Buffer.from('Three.') },
    ]);
    await expect(row(page, 'three.txt')).toContainText('text/plain');
    await expect(page.getByRole('main').getByRole('alert')).toContainText('must be of one of these types: txt, pdf');
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(page.getByRole('button', { name: 'Delete one.txt' })).toBeInViewport({ ratio: 1 });
    await page.getByRole('button', { name: 'Leave out two.exe' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download one.txt' }).click();
    expect((await download).suggestedFilename()).toBe('one.txt');
    await page.getByRole('button', { name: 'Delete one.txt' }).click();
    await expect(dialog(page)).toContainText('Participants can no longer download one.txt.');
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'one.txt')).toHaveCount(0);
  });

  it('can be sent again after a failure, and are not sent after the tab is left', async () => {
    const { trainer, course } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=materials`);
    const input = page.locator('input[type=file]');
    const textFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    await input.waitFor({ state: 'attached' });
    await settled(page);
    test.expectErrors(page, /ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(true);
    await input.setInputFiles(textFile('one.txt'));
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Your device is offline.');
    // The value must be empty: choosing the same file again would fire no event.
    await expect(input).toHaveValue('');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again: one.txt' }).click();
    await expect(row(page, 'one.txt')).toBeVisible();

    await holdRequests(page, '**/api/courses/*/files');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await input.setInputFiles([textFile('two.txt'), textFile('three.txt')]);
    await expect.poll(() => sent.length).toBe(1);
    await page.getByRole('tab', { name: 'Overview' }).click();
    await answerLeaving(page, 'Stay', 'not arrived yet will not be added.');
    const stopped = page.waitForEvent('requestfailed');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await answerLeaving(page, 'Leave', 'not arrived yet will not be added.');
    await stopped;
    await settled(page);
    expect(sent).toHaveLength(1);
    expect(await test.context.database.models.StoredFile.count()).toBe(1);
  });
});
