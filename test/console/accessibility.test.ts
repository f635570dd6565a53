import type { Page } from '@playwright/test';
import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser, tokenFor } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, keepScreenshot, settled } from './support/browser.js';
import { type ConsoleTest, useConsole } from './support/console.js';

/** Who and what the screens show. */
interface Scene {
  admin: User;
  trainer: User;
  trainee: User;
  /** Of the trainer; the trainee takes part. */
  courseId: string;
  /** With seats left, and without. */
  openCourseId: string;
  fullCourseId: string;
}

/** A screen, or a state of one: who opens which address, and what is done before it is looked at. */
interface Screen {
  name: string;
  as?: 'admin' | 'trainer' | 'trainee';
  path(scene: Scene): string;
  prepare?(page: Page, scene: Scene): Promise<void>;
}

const screens: readonly Screen[] = [
  { name: 'sign in', path: () => '/' },
  {
    name: 'sign in, refused',
    path: () => '/',
    async prepare(page) {
      await page.getByLabel('Email or phone').fill('nobody@example.org');
      await page.getByLabel(/^Password/).fill('wrong-password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'overview of the super admin',
    as: 'admin',
    path: () => '/',
    prepare: (page) => page.locator('.recharts-surface').first().waitFor(),
  },
  {
    name: 'overview as a table',
    as: 'admin',
    path: () => '/',
    async prepare(page) {
      await page.getByText('Table', { exact: true }).click();
      await page.getByRole('table', { name: 'The last 12 weeks' }).waitFor();
    },
  },
  { name: 'overview of a trainer', as: 'trainer', path: () => '/' },
  { name: 'own courses of a trainee', as: 'trainee', path: () => '/' },
  { name: 'people', as: 'admin', path: () => '/people' },
  {
    name: 'people, columns',
    as: 'admin',
    path: () => '/people',
    async prepare(page) {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Phone' }).waitFor();
    },
  },
  {
    name: 'new person',
    as: 'admin',
    path: () => '/people',
    async prepare(page) {
      await page.getByRole('button', { name: 'New person' }).click();
      await page.getByRole('switch', { name: 'Generate a password' }).click();
      await page.getByRole('textbox', { name: 'Password' }).waitFor();
    },
  },
  {
    name: 'people, selected',
    as: 'admin',
    path: () => '/people',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'people, deactivating several',
    as: 'admin',
    path: () => '/people',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Deactivate' }).click();
      await page.getByRole('table', { name: 'What will be done' }).waitFor();
    },
  },
  { name: 'a person', as: 'admin', path: ({ trainee }) => `/people/${trainee.id}` },
  {
    name: 'a person, actions',
    as: 'admin',
    path: ({ trainee }) => `/people/${trainee.id}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'sessions of a person',
    as: 'admin',
    path: ({ trainee }) => `/people/${trainee.id}?tab=sessions`,
    prepare: (page) => page.getByRole('table').waitFor(),
  },
  {
    name: 'enrollments of a person',
    as: 'admin',
    path: ({ trainee }) => `/people/${trainee.id}?tab=enrollments`,
    prepare: (page) => page.getByRole('table').waitFor(),
  },
  {
    name: 'people, new passwords of several',
    as: 'admin',
    path: () => '/people?search=tia',
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Reset passwords' }).click();
      await page.getByRole('button', { name: /^Reset passwords \(/ }).click();
      await page.getByRole('table', { name: 'What was done' }).waitFor();
    },
  },
  {
    name: 'a person, new password',
    as: 'admin',
    path: ({ trainee }) => `/people/${trainee.id}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Reset password' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click();
      await page.getByRole('dialog', { name: /^New password of/ }).waitFor();
    },
  },
  {
    name: 'history of a person',
    as: 'admin',
    path: ({ trainee }) => `/people/${trainee.id}?tab=history`,
    async prepare(page) {
      await page
        .getByRole('button', { name: /^Password reset/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'imports', as: 'admin', path: () => '/imports' },
  { name: 'courses', as: 'trainer', path: () => '/courses' },
  {
    name: 'courses, menu',
    as: 'admin',
    path: () => '/courses',
    async prepare(page) {
      await page.getByRole('button', { name: 'Actions for Compilers' }).click();
      await page.getByRole('menuitem', { name: 'Assign trainer' }).waitFor();
    },
  },
  {
    name: 'courses, deleting one',
    as: 'admin',
    path: () => '/courses',
    async prepare(page) {
      await page.getByRole('button', { name: 'Actions for Compilers' }).click();
      await page.getByRole('menuitem', { name: 'Delete course' }).click();
      await page.getByRole('dialog').getByText('can not be undone').waitFor();
    },
  },
  {
    name: 'a new course, refused',
    as: 'admin',
    path: () => '/courses/new',
    async prepare(page) {
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Choose a trainer.').waitFor();
    },
  },
  { name: 'a course', as: 'trainer', path: ({ courseId }) => `/courses/${courseId}` },
  {
    name: 'participants of a course, selected',
    as: 'trainer',
    path: ({ courseId }) => `/courses/${courseId}?tab=participants`,
    async prepare(page) {
      await page.getByLabel('Select all on this page').check();
    },
  },
  {
    name: 'participants of a course, accepting',
    as: 'trainer',
    path: ({ courseId }) => `/courses/${courseId}?tab=participants`,
    async prepare(page) {
      await page.getByRole('button', { name: /^Accept: / }).click();
      await page.getByRole('dialog').getByLabel('Notes').waitFor();
    },
  },
  {
    name: 'participants of a course, adding',
    as: 'trainer',
    path: ({ courseId }) => `/courses/${courseId}?tab=participants`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Add participants' }).click();
      await page
        .getByRole('dialog')
        .getByLabel(/^Select Test/)
        .first()
        .check();
    },
  },
  { name: 'materials of a course', as: 'trainer', path: ({ courseId }) => `/courses/${courseId}?tab=materials` },
  { name: 'enrollments', as: 'admin', path: () => '/enrollments' },
  { name: 'participants', as: 'trainer', path: () => '/enrollments' },
  {
    name: 'own courses of a trainee, materials',
    as: 'trainee',
    path: () => '/',
    async prepare(page) {
      await page.getByRole('button', { name: 'Materials of Compilers' }).click();
      await page.getByRole('link', { name: 'notes.txt' }).waitFor();
    },
  },
  {
    name: 'own courses of a trainee, progress',
    as: 'trainee',
    path: () => '/',
    async prepare(page) {
      await page.getByRole('button', { name: 'Set progress of Compilers' }).click();
      await page.getByRole('dialog').getByLabel('Progress in percent').waitFor();
    },
  },
  { name: 'catalogue', as: 'trainee', path: () => '/catalogue' },
  { name: 'a course of the catalogue', as: 'trainee', path: ({ courseId }) => `/catalogue/${courseId}` },
  {
    name: 'a course of the catalogue, leaving it',
    as: 'trainee',
    path: ({ courseId }) => `/catalogue/${courseId}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Leave course' }).click();
      await page.getByRole('dialog', { name: 'Leave this course?' }).waitFor();
    },
  },
  { name: 'a course of the catalogue, open', as: 'trainee', path: ({ openCourseId }) => `/catalogue/${openCourseId}` },
  { name: 'a course of the catalogue, full', as: 'trainee', path: ({ fullCourseId }) => `/catalogue/${fullCourseId}` },
  { name: 'audit log', as: 'admin', path: () => '/audit', prepare: (page) => page.getByRole('table').waitFor() },
  { name: 'profile', as: 'trainee', path: () => '/profile' },
  {
    name: 'profile, ending the other sessions',
    as: 'trainee',
    path: () => '/profile',
    async prepare(page) {
      await page.getByRole('button', { name: 'End all others' }).click();
      await page.getByRole('dialog', { name: 'End all other sessions?' }).waitFor();
    },
  },
  { name: 'no such page', as: 'trainee', path: () => '/people' },
];

async function buildScene({ context }: ConsoleTest): Promise<Scene> {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const trainee = await buildUser(context, { firstName: 'Tia', lastName: 'Trainee' });
  const course = await buildCourse(context, trainer, {
    title: 'Compilers',
    isPublished: true,
    maxStudents: 10,
    category: 'Computing',
    level: 'advanced',
    shortDescription: 'From source text to machine code.',
    learningOutcomes: 'Parsing and optimising.',
    tagsJson: '["parsers","types"]',
    startDate: '2026-03-01',
  });
  await buildMaterial(context, course);
  await buildEnrollment(context, trainee, course, { status: 'active', progress: 40, notes: 'I know C.' });
  const other = await buildUser(context);
  await buildEnrollment(context, other, course, { status: 'pending' });
  const open = await buildCourse(context, trainer, { title: 'Weaving', isPublished: true });
  await buildEnrollment(context, other, open, { status: 'cancelled' });
  const full = await buildCourse(context, trainer, { title: 'Pottery', isPublished: true, maxStudents: 1 });
  await buildEnrollment(context, other, full, { status: 'completed', progress: 100 });
  await buildEnrollment(context, await buildUser(context), full, { status: 'active' });
  await tokenFor(context, trainee);
  const ids = { courseId: course.id, openCourseId: open.id, fullCourseId: full.id };
  return { admin, trainer, trainee, ...ids };
}

describePages('Every screen is accessible (WCAG 2.2, A and AA), light and dark', function () {
  this.timeout(scaled(180_000));
  const test = useConsole();

  for (const role of [undefined, 'admin', 'trainer', 'trainee'] as const) {
    it(role === undefined ? 'before signing in' : `as ${role}`, async () => {
      const scene = await buildScene(test);
      const page = role === undefined ? await test.open(test.url) : await test.openAs(scene[role]);
      // The answer to a wrong password is an error for the browser's console, too.
      test.expectErrors(page, /status of 401/);
      const problems: string[] = [];
      for (const { name, path, prepare } of screens.filter(({ as }) => as === role)) {
        await page.goto(`${test.url}${path(scene)}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await prepare?.(page, scene);
        await settled(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await keepScreenshot(page, `${name}, ${colorScheme}`);
          const found = await accessibilityProblems(page);
          problems.push(...found.map((problem) => `${name}, ${colorScheme}: ${problem}`));
        }
      }
      expect(problems.join('\n')).to.equal('');
    });
  }
});
