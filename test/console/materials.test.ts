import { scaled } from '../support/machine.js';
import { describePages, expect, keepScreenshot } from './support/browser.js';
import { useConsole } from './support/console.js';
import { buildScene, dialog, row } from './support/courses.js';

describePages('The materials of a course', function () {
  this.timeout(scaled(60_000));
  const test = useConsole({ FILE_MATERIAL_TYPES: 'txt,pdf' });

  it('are uploaded several at once, downloaded and deleted', async () => {
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
    await keepScreenshot(page, 'materials');
    await page.setViewportSize({ width: 375, height: 740 });
    await expect(page.getByRole('button', { name: 'Delete one.txt' })).toBeInViewport({ ratio: 1 });
    await keepScreenshot(page, 'materials narrow');
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

  it('are taken when they are dropped', async () => {
    const { trainer, course } = await buildScene(test);
    const page = await test.openAs(trainer, `/courses/${course.id}?tab=materials`);
    const zone = page.getByRole('group', { name: 'Add files' });
    await zone.waitFor();
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['Dropped.'], 'dropped.txt', { type: 'text/plain' }));
      return transfer;
    })()`);
    await zone.dispatchEvent('dragover', { dataTransfer: data });
    await zone.dispatchEvent('drop', { dataTransfer: data });
    await expect(row(page, 'dropped.txt')).toBeVisible();
  });
});
