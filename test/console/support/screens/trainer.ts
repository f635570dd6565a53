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
      await page.getByRole('button', { name: /Accept.*:/ }).click();
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
