import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { buildCourse, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { describePages, expect, useBrowser } from './support/browser.js';

describePages('The page of the API', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness({ HOST: '127.0.0.1', PORT: '0' });
  const browsing = useBrowser();
  let server: RunningServer;
  beforeEach(async () => {
    server = await startServer(harness.context, { drainMs: 100 });
  });
  afterEach(() => server.close());

  const open = () => browsing.open(`${server.url.replace('127.0.0.1', 'localhost')}/api/docs`);

  it('shows the operations that match a search', async () => {
    const page = await open();
    await page.getByLabel('Search operations').fill('password initial replace');
    const shown = page.locator('details.operation:visible');
    await expect(shown).toHaveCount(1);
    await expect(shown).toContainText('/api/auth/first-password-change');
  });

  it('sends requests with a token and a body, and shows the response', async () => {
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, trainer, { isPublished: true });
    const { token } = await signIn(harness.context, { role: 'trainee' });
    const page = await open();
    browsing.expectErrors(page, /401/);
    const request = page.locator('[id="post-/api/enrollments"]');
    await request.locator('summary').click();
    await request.getByLabel('Body').fill(JSON.stringify({ courseId: course.id }));
    await request.getByRole('button', { name: 'Send' }).click();
    await expect(request.locator('form pre')).toContainText('401 Unauthorized');
    await page.getByLabel('Token for requests').fill(token);
    await request.getByRole('button', { name: 'Send' }).click();
    await expect(request.locator('form pre')).toContainText('"message": "Enrollment requested successfully."');
  });

  it('collapses its schemas, and opens the target of a link', async () => {
    const page = await open();
    await expect(page.locator('#schema-OwnUser')).toBeHidden();
    const operation = page.locator('[id="get-/api/auth/me"]');
    await operation.locator('summary').click();
    await operation.getByRole('link', { name: 'OwnUser' }).click();
    await expect(page.locator('#schema-OwnUser')).toBeVisible();
  });
});
