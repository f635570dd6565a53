import type { BrowserContextOptions, Locator, Page } from '@playwright/test';
import { fullDepth } from '../../support/depth.js';
import { factoryPassword } from '../../support/factories.js';
import type { ConsoleTest } from './console.js';
import { buildScene, plain, type Scene, type Typed } from './scene.js';

type Role = Parameters<Page['getByRole']>[0];

/** Control to press, by its role and a part of its name: some tests add marks before and after texts. */
type Step = readonly [role: Role, name: string | RegExp, where?: 'dialog' | 'listbox' | 'selection'];

/** Screen, or state of a screen: its URL, and the controls to press in turn. The last control is only waited for. */
type Screen = readonly [name: string, path: string, ...steps: (Step | ((page: Page) => Promise<unknown>))[]];

const selectAll: Step = ['checkbox', 'Select all on this page'];
/** Steps to choose an action for selected rows. */
const actions = (name: string): Step[] => [selectAll, ['button', 'More actions', 'selection'], ['menuitem', name]];

function adminScreens({ trainee, groupId, plannedId, importedId }: Scene): Screen[] {
  const person = `/people/${trainee.id}`;
  const compilers: Step = ['button', 'Actions for Compilers'];
  return [
    ['overview of the super admin', '/', (page) => page.locator('.recharts-surface').first().waitFor()],
    [
      'overview as a table',
      '/',
      (page) => page.getByRole('main').getByText('Table').click(),
      ['table', 'The last 12 weeks'],
    ],
    ['people', '/people'],
    ['people, columns', '/people', ['button', 'Columns'], ['menuitemcheckbox', 'Phone']],
    ['new person', '/people', ['button', 'New person'], ['textbox', 'First name', 'dialog']],
    ['people, selected', '/people', ...actions('Delete')],
    ['people, deactivating several', '/people', ...actions('Deactivate'), ['table', 'What will be done']],
    ['a person', person],
    ['a person, actions', person, ['button', 'More actions'], ['menuitem', 'Delete']],
    ['sessions of a person', `${person}?tab=sessions`, ['table', /^/]],
    ['enrollments of a person', `${person}?tab=enrollments`, ['table', /^/]],
    [
      'people, new passwords of several',
      '/people?search=tia',
      ...actions('Reset passwords'),
      ['button', /Reset passwords.*\(/, 'dialog'],
      ['table', 'What was done'],
    ],
    [
      'a person, new password',
      person,
      ['button', 'Reset password'],
      ['button', 'Reset password', 'dialog'],
      ['dialog', 'New password of'],
    ],
    ['history of a person', `${person}?tab=history`, ['button', 'Password reset'], ['dialog', /^/]],
    [
      'people, adding to a group',
      '/people?search=tia',
      selectAll,
      ['button', 'Add to group', 'selection'],
      ['combobox', 'Group', 'dialog'],
      ['option', /^/, 'dialog'],
    ],
    [
      'a person, leaving a group',
      person,
      ['button', 'Remove from'],
      (page) => page.getByRole('dialog').getByText('stay.').waitFor(),
    ],
    ['groups', '/groups'],
    ['a new group', '/groups', ['button', 'New group'], ['textbox', 'Name of the group', 'dialog']],
    ['groups, menu', '/groups', ['button', 'Actions for'], ['menuitem', 'Delete group']],
    ['a group', `/groups/${groupId}`],
    [
      'a group, adding people',
      `/groups/${groupId}`,
      ['button', 'Add people'],
      ['button', 'Paste emails', 'dialog'],
      ['textbox', 'Emails', 'dialog'],
    ],
    [
      'a group, enrolling',
      `/groups/${groupId}`,
      ['button', 'Enroll in a course'],
      ['combobox', 'Course', 'dialog'],
      ['option', 'Dyeing', 'dialog'],
      ['table', 'What will be done', 'dialog'],
    ],
    ['imports', '/imports'],
    ['courses, menu', '/courses', compilers, ['menuitem', 'Assign trainer']],
    [
      'courses, deleting one',
      '/courses',
      compilers,
      ['menuitem', 'Delete course'],
      (page) => page.getByRole('dialog').getByText('cannot be undone').waitFor(),
    ],
    [
      'courses, giving one to another trainer',
      '/courses',
      compilers,
      ['menuitem', 'Assign trainer'],
      ['combobox', 'New trainer', 'dialog'],
      ['option', /^/, 'dialog'],
    ],
    [
      'a new course, refused',
      '/courses/new',
      ['button', 'Create'],
      (page) => page.getByText('Choose a trainer.').waitFor(),
    ],
    ['enrollments', '/enrollments'],
    ['audit log', '/audit', ['table', /^/]],
    ['audit log, choosing a person', '/audit', ['combobox', 'Made by'], ['option', /^/, 'listbox']],
    ['courses, choosing a trainer', '/courses', ['combobox', 'Trainer'], ['option', /^/, 'listbox']],
    [
      'people, enrolling several',
      '/people?search=tia',
      selectAll,
      ['button', 'Enroll in a course', 'selection'],
      ['combobox', 'Course', 'dialog'],
      ['option', /^/, 'dialog'],
    ],
    ['plan of an import', `/imports/${plannedId}`],
    [
      'plan of an import, applying it',
      `/imports/${plannedId}`,
      (page) => page.getByRole('button', { name: 'Import' }).last().click(),
      ['dialog', 'Import this file?'],
    ],
    ['result of an import', `/imports/${importedId}`],
    [
      'result of an import, undoing it',
      `/imports/${importedId}`,
      ['button', 'Undo the import'],
      ['dialog', 'Undo this import?'],
    ],
    ['language menu', '/profile', ['button', 'Language'], ['menuitemradio', 'Deutsch']],
    ['account menu', '/profile', ['button', 'Account menu'], ['menuitem', 'Sign out']],
  ];
}

function trainerScreens({ courseId, hiddenCourseId }: Scene): Screen[] {
  const course = `/courses/${courseId}`;
  return [
    ['overview of a trainer', '/'],
    ['courses', '/courses'],
    ['a course', course],
    ['a course, edited', `${course}?tab=edit`, ['button', 'Save']],
    ['a course, copied', `/courses/new?copyOf=${courseId}`, ['button', 'Create and publish']],
    ['a course, not published', `/courses/${hiddenCourseId}`, ['button', 'Publish']],
    ['participants of a course, selected', `${course}?tab=participants`, ...actions('Remove')],
    [
      'participants of a course, accepting',
      `${course}?tab=participants`,
      async (page) => {
        const pending = page.getByRole('row').filter({ hasText: 'Requested' }).first();
        await pending.getByRole('button').last().waitFor();
        await pending.getByRole('button', { name: /Accept.*:/ }).click();
      },
      ['textbox', 'Reply to', 'dialog'],
    ],
    [
      'participants of a course, adding',
      `${course}?tab=participants`,
      ['button', 'Add participants'],
      ['checkbox', 'Select Test', 'dialog'],
      ['button', /Add.*\(/, 'dialog'],
    ],
    ['materials of a course', `${course}?tab=materials`],
    ['importing participants', `${course}/import`, ['button', 'Choose a file']],
    ['own imports', '/imports'],
    ['participants', '/enrollments'],
  ];
}

function traineeScreens({ courseId, openCourseId, fullCourseId, awaitedCourseId }: Scene): Screen[] {
  return [
    ['own courses of a trainee', '/'],
    ['own courses of a trainee, materials', '/', ['button', 'Materials of Compilers'], ['link', 'notes.txt']],
    [
      'own courses of a trainee, progress',
      '/',
      ['button', 'Set progress of Compilers'],
      ['textbox', 'Progress in percent', 'dialog'],
    ],
    ['catalogue', '/catalogue'],
    ['a course of the catalogue', `/catalogue/${courseId}`],
    [
      'a course of the catalogue, leaving it',
      `/catalogue/${courseId}`,
      ['button', 'Leave course'],
      ['dialog', 'Leave this course?'],
    ],
    ['a course of the catalogue, open', `/catalogue/${openCourseId}`],
    ['a course of the catalogue, full', `/catalogue/${fullCourseId}`],
    ['a course of the catalogue, waiting for a place', `/catalogue/${awaitedCourseId}`],
    ['profile', '/profile'],
    [
      'profile, ending the other sessions',
      '/profile',
      ['button', 'End all others'],
      ['dialog', 'End all other sessions?'],
    ],
    ['no such page', '/people'],
  ];
}

const signIn = (identifier: string, password: string) => async (page: Page) => {
  await page.locator('input[autocomplete=username]').fill(identifier);
  await page.locator('input[type=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

const signedOutScreens = ({ newcomer }: Scene): Screen[] => [
  ['sign in', '/'],
  ['sign in, refused', '/', signIn('nobody@example.org', 'wrong-password'), ['alert', /^/]],
  [
    // Comes last, because it stays signed in.
    'first password',
    '/',
    signIn(newcomer.email, factoryPassword),
    ['heading', 'Choose a password of your own'],
  ],
];

/** Every screen of the console and its states, such as open dialogs and lists, by audience. */
const screens = {
  'before signing in': signedOutScreens,
  'as admin': adminScreens,
  'as trainer': trainerScreens,
  'as trainee': traineeScreens,
} satisfies Record<string, (scene: Scene) => Screen[]>;

export type Audience = 'before setup' | keyof typeof screens;

// `screens` has exactly these keys.
export const audiences = ['before setup', ...Object.keys(screens)] as Audience[];

/**
 * Whether layout and focus are checked for an audience: at full depth for all, by default only for trainers, whose screens
 * include the frame, a list, a form and an overview. Accessibility is always checked for all.
 */
export const isSampled = (audience: Audience): boolean => fullDepth || audience === 'as trainer';

const scopeOf = (page: Page, where: 'dialog' | 'listbox' | 'selection') =>
  where === 'selection' ? page.getByRole('region', { name: 'Selection' }) : page.getByRole(where);

async function follow(page: Page, steps: readonly (Step | ((page: Page) => Promise<unknown>))[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (typeof step === 'function') {
      await step(page);
      continue;
    }
    const [role, name, where] = step;
    const scope: Page | Locator = where ? scopeOf(page, where) : page;
    const target = scope.getByRole(role, { name }).first();
    await (index < steps.length - 1 ? target.click() : target.waitFor());
  }
}

interface ScreenCheck {
  /** Creates the texts of names, titles and descriptions. */
  typed?: Typed;
  language?: 'en' | 'ar-XB';
  browser?: BrowserContextOptions;
  /** Checks a screen. @returns problems */
  check(page: Page, name: string): Promise<readonly string[]>;
}

const roles = { 'as admin': 'admin', 'as trainer': 'trainer', 'as trainee': 'trainee' } as const;

/** Opens and checks each screen of an audience. @returns problems, by screen */
export async function checkScreens(test: ConsoleTest, audience: Audience, options: ScreenCheck): Promise<string[]> {
  const { typed = plain, language = 'en', browser, check } = options;
  const scene = audience === 'before setup' ? undefined : await buildScene(test, typed, audience === 'as admin');
  const role = audience in roles ? roles[audience as keyof typeof roles] : undefined;
  const user = role && scene?.[role];
  const page = user ? await test.openAs(user, '/', browser) : await test.open(test.url, browser);
  // The refusal of a wrong password is an error in the browser's console, too.
  test.expectErrors(page, /status of 401/);
  await page.evaluate((chosen) => localStorage.setItem('coursectl-language', chosen), language);
  const problems: string[] = [];
  const all: readonly Screen[] = audience === 'before setup' || !scene ? [['setup', '/']] : screens[audience](scene);
  for (const [name, path, ...steps] of all) {
    await page.goto(`${test.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await follow(page, steps);
    const found = await check(page, name);
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  return problems;
}
