import type { User } from '../../../src/db/models/user.js';
import {
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildMaterial,
  buildUser,
  tokenFor,
} from '../../support/factories.js';
import { scaled } from '../../support/machine.js';
import { expect } from './browser.js';
import type { ConsoleTest } from './console.js';

/** People, courses and imports for the screens. */
export interface Scene {
  admin: User;
  trainer: User;
  trainee: User;
  /** Must replace an initial password. */
  newcomer: User;
  /** Course of the trainer, in which the trainee takes part. */
  courseId: string;
  /** Courses with and without free seats. */
  openCourseId: string;
  fullCourseId: string;
  /** Course that is not published. */
  hiddenCourseId: string;
  /** Course with the trainee on its waiting list. */
  awaitedCourseId: string;
  /** Group with the trainee. */
  groupId: string;
  /** Imports: a plan to confirm, and a completed one. */
  plannedId: string;
  importedId: string;
}

/** Creates a typed text with at most `maximum` characters. */
export type Typed = (text: string, maximum: number) => string;

/** Ordinary texts. */
export const plain: Typed = (text) => text;

const markup = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>';

/** Texts with markup, a mark that changes the text direction, and a very long word; cut at the maximum. */
export const hostile: Typed = (text, maximum) => `${text} ${markup}\u202e${'W'.repeat(maximum)}`.slice(0, maximum);

/** Creates people, courses and enrollments of every kind. Imports are optional, because they take a while. */
export async function buildScene(test: ConsoleTest, typed: Typed, withImports: boolean): Promise<Scene> {
  const { context } = test;
  const person = (firstName: string, lastName: string) => ({
    firstName,
    lastName: typed(lastName, 50),
  });
  const admin = await buildUser(context, { role: 'super_admin', ...person('Ada', 'Admin') });
  const trainer = await buildUser(context, { role: 'trainer', ...person('Tom', 'Trainer') });
  const trainee = await buildUser(context, person('Tia', 'Trainee'));
  const newcomer = await buildUser(context, { ...person('Nia', 'New'), requiresPasswordChange: true });
  const course = await buildCourse(context, trainer, {
    title: typed('Compilers', 200),
    isPublished: true,
    maxStudents: 10,
    category: typed('Computing', 100),
    level: 'advanced',
    description: typed('What it is about.', 10_000),
    shortDescription: typed('From source text to machine code.', 500),
    learningOutcomes: typed('Parsing and optimising.', 5000),
    requirements: typed('Algebra.', 5000),
    tagsJson: JSON.stringify([typed('parsers', 50), 'types']),
    language: typed('English', 50),
    location: typed('Room 1', 255),
    startDate: '2026-03-01',
  });
  await buildMaterial(context, course, { name: typed('notes.txt', 255) });
  const notes = typed('I know C.', 2000);
  const messages = {
    notes,
    notesAt: new Date('2026-02-01T12:00:00Z'),
    reply: typed('You are welcome.', 2000),
    replyAt: new Date('2026-02-02T12:00:00Z'),
    replyBy: trainer.id,
  };
  await buildEnrollment(context, trainee, course, { status: 'active', progress: 40, ...messages });
  const other = await buildUser(context);
  await buildEnrollment(context, other, course, { status: 'pending', notes });
  const open = await buildCourse(context, trainer, { title: 'Weaving', isPublished: true });
  await buildEnrollment(context, other, open, { status: 'cancelled' });
  const full = await buildCourse(context, trainer, { title: 'Pottery', isPublished: true, maxStudents: 1 });
  await buildEnrollment(context, other, full, { status: 'completed', progress: 100 });
  await buildEnrollment(context, await buildUser(context), full, { status: 'active' });
  const awaited = await buildCourse(context, trainer, { title: 'Spinning', isPublished: true, maxStudents: 1 });
  await buildEnrollment(context, other, awaited, { status: 'active' });
  await buildEnrollment(context, trainee, awaited, { status: 'waiting' });
  const hidden = await buildCourse(context, trainer, { title: 'Dyeing' });
  // Makes the lists of trainers and courses long enough to scroll.
  for (let number = 10; number < 20; number += 1) {
    const another = await buildUser(context, { role: 'trainer', lastName: `Trainer${number}` });
    await buildCourse(context, another, { title: `Sewing ${number}` });
  }
  const group = await buildGroup(context, [trainee.id, other.id], typed('Year 9', 100));
  await group.update({ note: typed('Room 12', 1000) });
  await tokenFor(context, trainee);
  const imports = withImports ? await buildImports(test, await tokenFor(context, admin), typed) : {};
  const ids = {
    courseId: course.id,
    openCourseId: open.id,
    fullCourseId: full.id,
    hiddenCourseId: hidden.id,
    awaitedCourseId: awaited.id,
    groupId: group.id,
  };
  return { admin, trainer, trainee, newcomer, ...ids, plannedId: '', importedId: '', ...imports };
}

/** Creates a plan to confirm and a completed import, with accounts, rejected rows, a warning and an unknown column. */
async function buildImports({ url }: ConsoleTest, token: string, typed: Typed) {
  const headers = { Authorization: `Bearer ${token}` };

  async function upload(name: string, options: Record<string, string>): Promise<string> {
    const cell = (text: string, maximum: number) => `"${typed(text, maximum).replaceAll('"', '""')}"`;
    // Different phones in each file.
    const area = `+44 ${name.length}`;
    const lines = [
      `First name,Last name,Mail,Phone,${cell('Call sign', 200)}`,
      `Ann,${cell('Archer', 50)},${name}-ann@example.org,${area} 1,${cell('Alpha', 10_000)}`,
      `Bob,Baker,${name}-bob@example.org,${area} 2,`,
      `Cid,Cook,${cell('not-an-email', 10_000)},${area} 3,`,
      `D,Dyer,${name}-dan@example.org,${area} 4,`,
      // The plan warns of this name, which is one long word.
      `Eve,${'Ã¼'.repeat(24)},${name}-eve@example.org,${area} 5,`,
    ];
    const form = new FormData();
    for (const [key, value] of Object.entries(options)) form.append(key, value);
    form.append('file', new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }), `${typed(name, 150)}.csv`);
    const response = await fetch(`${url}/api/imports`, { method: 'POST', headers, body: form });
    expect(response.status, await response.clone().text()).toBe(202);
    const { import: created } = await response.json();
    return created.id;
  }
  const statusOf = async (id: string) => {
    const response = await fetch(`${url}/api/imports/${id}`, { headers });
    return (await response.json()).import.status;
  };

  const importedId = await upload('staff', {});
  const timeout = scaled(30_000);
  await expect.poll(() => statusOf(importedId), { timeout }).toBe('completed');
  const plannedId = await upload('people', { plan: 'true' });
  await expect.poll(() => statusOf(plannedId), { timeout }).toBe('planned');
  return { importedId, plannedId };
}
