import type { Screen } from './screen.js';

export const traineeScreens: readonly Screen[] = [
  { name: 'own courses of a trainee', path: () => '/' },
  {
    name: 'own courses of a trainee, materials',
    path: () => '/',
    async prepare(page) {
      await page.getByRole('button', { name: 'Materials of Compilers' }).click();
      await page.getByRole('link', { name: 'notes.txt' }).waitFor();
    },
  },
  {
    name: 'own courses of a trainee, progress',
    path: () => '/',
    async prepare(page) {
      await page.getByRole('button', { name: 'Set progress of Compilers' }).click();
      await page.getByRole('dialog').getByLabel('Progress in percent').waitFor();
    },
  },
  { name: 'catalogue', path: () => '/catalogue' },
  { name: 'a course of the catalogue', path: ({ courseId }) => `/catalogue/${courseId}` },
  {
    name: 'a course of the catalogue, leaving it',
    path: ({ courseId }) => `/catalogue/${courseId}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Leave course' }).click();
      await page.getByRole('dialog', { name: 'Leave this course?' }).waitFor();
    },
  },
  { name: 'a course of the catalogue, open', path: ({ openCourseId }) => `/catalogue/${openCourseId}` },
  { name: 'a course of the catalogue, full', path: ({ fullCourseId }) => `/catalogue/${fullCourseId}` },
  { name: 'profile', path: () => '/profile' },
  {
    name: 'profile, ending the other sessions',
    path: () => '/profile',
    async prepare(page) {
      await page.getByRole('button', { name: 'End all others' }).click();
      await page.getByRole('dialog', { name: 'End all other sessions?' }).waitFor();
    },
  },
  { name: 'no such page', path: () => '/people' },
];
