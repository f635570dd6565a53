import type { Screen } from './screen.js';

export const adminScreens: readonly Screen[] = [
  {
    name: 'overview of the super admin',
    path: () => '/',
    prepare: (page) => page.locator('.recharts-surface').first().waitFor(),
  },
  {
    name: 'overview as a table',
    path: () => '/',
    async prepare(page) {
      await page.getByRole('main').getByText('Table').click();
      await page.getByRole('table', { name: 'The last 12 weeks' }).waitFor();
    },
  },
  { name: 'people', path: () => '/people' },
  {
    name: 'people, columns',
    path: () => '/people',
    async prepare(page) {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Phone' }).waitFor();
    },
  },
  {
    name: 'new person',
    path: () => '/people',
    async prepare(page) {
      await page.getByRole('button', { name: 'New person' }).click();
      await page.getByRole('switch', { name: 'Generate a password' }).click();
      await page.getByRole('textbox', { name: 'Password' }).waitFor();
    },
  },
  {
    name: 'people, selected',
    path: () => '/people',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'people, deactivating several',
    path: () => '/people',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Deactivate' }).click();
      await page.getByRole('table', { name: 'What will be done' }).waitFor();
    },
  },
  { name: 'a person', path: ({ trainee }) => `/people/${trainee.id}` },
  {
    name: 'a person, actions',
    path: ({ trainee }) => `/people/${trainee.id}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'sessions of a person',
    path: ({ trainee }) => `/people/${trainee.id}?tab=sessions`,
    prepare: (page) => page.getByRole('table').waitFor(),
  },
  {
    name: 'enrollments of a person',
    path: ({ trainee }) => `/people/${trainee.id}?tab=enrollments`,
    prepare: (page) => page.getByRole('table').waitFor(),
  },
  {
    name: 'people, new passwords of several',
    path: () => '/people?search=tia',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Reset passwords' }).click();
      await page.getByRole('button', { name: /Reset passwords.*\(/ }).click();
      await page.getByRole('table', { name: 'What was done' }).waitFor();
    },
  },
  {
    name: 'a person, new password',
    path: ({ trainee }) => `/people/${trainee.id}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Reset password' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
      await page.getByRole('dialog', { name: 'New password of' }).waitFor();
    },
  },
  {
    name: 'history of a person',
    path: ({ trainee }) => `/people/${trainee.id}?tab=history`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Password reset' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'imports', path: () => '/imports' },
  {
    name: 'courses, menu',
    path: () => '/courses',
    async prepare(page) {
      await page.getByRole('button', { name: 'Actions for Compilers' }).click();
      await page.getByRole('menuitem', { name: 'Assign trainer' }).waitFor();
    },
  },
  {
    name: 'courses, deleting one',
    path: () => '/courses',
    async prepare(page) {
      await page.getByRole('button', { name: 'Actions for Compilers' }).click();
      await page.getByRole('menuitem', { name: 'Delete course' }).click();
      await page.getByRole('dialog').getByText('cannot be undone').waitFor();
    },
  },
  {
    name: 'courses, giving one to another trainer',
    path: () => '/courses',
    async prepare(page) {
      await page.getByRole('button', { name: 'Actions for Compilers' }).click();
      await page.getByRole('menuitem', { name: 'Assign trainer' }).click();
      await page.getByRole('dialog').getByRole('combobox', { name: 'New trainer' }).click();
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'a new course, refused',
    path: () => '/courses/new',
    async prepare(page) {
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Choose a trainer.').waitFor();
    },
  },
  { name: 'enrollments', path: () => '/enrollments' },
  { name: 'audit log', path: () => '/audit', prepare: (page) => page.getByRole('table').waitFor() },
  {
    name: 'audit log, choosing a person',
    path: () => '/audit',
    async prepare(page) {
      await page.getByRole('combobox', { name: 'Made by' }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'courses, choosing a trainer',
    path: () => '/courses',
    async prepare(page) {
      await page.getByRole('combobox', { name: 'Trainer' }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'people, enrolling several',
    path: () => '/people?search=tia',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Enroll in a course' }).click();
      await page.getByRole('dialog').getByRole('combobox', { name: 'Course' }).click();
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  { name: 'plan of an import', path: ({ plannedId }) => `/imports/${plannedId}` },
  {
    name: 'plan of an import, applying it',
    path: ({ plannedId }) => `/imports/${plannedId}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Import' }).last().click();
      await page.getByRole('dialog', { name: 'Import this file?' }).waitFor();
    },
  },
  { name: 'result of an import', path: ({ importedId }) => `/imports/${importedId}` },
  {
    name: 'result of an import, undoing it',
    path: ({ importedId }) => `/imports/${importedId}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Undo the import' }).click();
      await page.getByRole('dialog', { name: 'Undo this import?' }).waitFor();
    },
  },
  {
    name: 'language menu',
    path: () => '/profile',
    async prepare(page) {
      await page.getByRole('button', { name: 'Language' }).click();
      await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor();
    },
  },
  {
    name: 'account menu',
    path: () => '/profile',
    async prepare(page) {
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    },
  },
];
