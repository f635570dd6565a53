import type { Screen } from './screen.js';

export const trainerScreens: readonly Screen[] = [
  { name: 'overview of a trainer', path: () => '/' },
  { name: 'courses', path: () => '/courses' },
  { name: 'a course', path: ({ courseId }) => `/courses/${courseId}` },
  {
    name: 'participants of a course, selected',
    path: ({ courseId }) => `/courses/${courseId}?tab=participants`,
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
    },
  },
  {
    name: 'participants of a course, accepting',
    path: ({ courseId }) => `/courses/${courseId}?tab=participants`,
    async prepare(page) {
      const pending = page
        .getByRole('row')
        .filter({ hasText: /Requested/ })
        .first();
      await pending.getByRole('button').last().waitFor();
      const accept = pending.getByRole('button', { name: /Accept.*:/ });
      // Where there is little space, the menu of the row has it.
      if (await accept.isVisible()) await accept.click();
      else {
        await pending.getByRole('button', { name: /Actions for/ }).click();
        await page.getByRole('menuitem', { name: /Accept/ }).click();
      }
      await page.getByRole('dialog').getByLabel('Notes').waitFor();
    },
  },
  {
    name: 'participants of a course, adding',
    path: ({ courseId }) => `/courses/${courseId}?tab=participants`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Add participants' }).click();
      await page.getByRole('dialog').getByLabel('Select Test').first().check();
    },
  },
  { name: 'materials of a course', path: ({ courseId }) => `/courses/${courseId}?tab=materials` },
  { name: 'participants', path: () => '/enrollments' },
];
