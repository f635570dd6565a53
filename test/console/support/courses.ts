import type { Page } from '@playwright/test';
import { buildCourse, buildUser } from '../../support/factories.js';
import type { ConsoleTest } from './console.js';

/** Creates a super admin, two trainers with a course each, and four trainees. */
export async function buildScene({ context }: ConsoleTest) {
  const admin = await buildUser(context, { role: 'super_admin', firstName: 'Ada', lastName: 'Admin' });
  const trainer = await buildUser(context, { role: 'trainer', firstName: 'Tom', lastName: 'Trainer' });
  const other = await buildUser(context, { role: 'trainer', firstName: 'Olga', lastName: 'Other' });
  const course = await buildCourse(context, trainer, {
    title: 'Compilers',
    isPublished: true,
    maxStudents: 4,
    category: 'Computing',
    level: 'advanced',
  });
  const foreign = await buildCourse(context, other, { title: 'Pottery', isPublished: true });
  const trainees = [];
  for (const firstName of ['Ann', 'Ben', 'Cem', 'Dia'])
    trainees.push(await buildUser(context, { firstName, lastName: 'Trainee' }));
  return { admin, trainer, other, course, foreign, trainees };
}

export const row = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name });

export const dialog = (page: Page) => page.getByRole('dialog');
