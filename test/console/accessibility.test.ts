import type { Page } from '@playwright/test';
import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { accessibilityProblems, describePages, keepScreenshot } from './support/browser.js';
import { type ConsoleTest, useConsole } from './support/console.js';

/** Who and what the screens show. */
interface Scene {
  admin: User;
  trainer: User;
  trainee: User;
  courseId: string;
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
  { name: 'overview of the super admin', as: 'admin', path: () => '/' },
  { name: 'overview of a trainer', as: 'trainer', path: () => '/' },
  { name: 'own courses of a trainee', as: 'trainee', path: () => '/' },
  { name: 'people', as: 'admin', path: () => '/people' },
  { name: 'a person', as: 'admin', path: ({ trainee }) => `/people/${trainee.id}` },
  { name: 'imports', as: 'admin', path: () => '/imports' },
  { name: 'courses', as: 'trainer', path: () => '/courses' },
  { name: 'a course', as: 'trainer', path: ({ courseId }) => `/courses/${courseId}` },
  { name: 'enrollments', as: 'admin', path: () => '/enrollments' },
  { name: 'participants', as: 'trainer', path: () => '/enrollments' },
  { name: 'catalogue', as: 'trainee', path: () => '/catalogue' },
  { name: 'a course of the catalogue', as: 'trainee', path: ({ courseId }) => `/catalogue/${courseId}` },
  { name: 'audit log', as: 'admin', path: () => '/audit' },
  { name: 'profile', as: 'trainee', path: () => '/profile' },
  { name: 'no such page', as: 'trainee', path: () => '/people' },
];

async function buildScene({ context }: ConsoleTest): Promise<Scene> {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const trainee = await buildUser(context, { firstName: 'Tia', lastName: 'Trainee' });
  const course = await buildCourse(context, trainer, { title: 'Compilers', isPublished: true, maxStudents: 10 });
  await buildEnrollment(context, trainee, course, { status: 'active' });
  await buildEnrollment(context, await buildUser(context), course, { status: 'pending' });
  return { admin, trainer, trainee, courseId: course.id };
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
        await page.waitForLoadState('networkidle');
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await keepScreenshot(page, `${name}, ${colorScheme}`);
          const found = await accessibilityProblems(page);
          problems.push(...found.map((problem) => `${name}, ${colorScheme}: ${problem}`));
        }
      }
      expect(problems.join('\n')).to.equal('');
    });
  }
});
