import {
  IconBook2,
  IconClipboardList,
  IconFileImport,
  IconPlus,
  IconUser,
  IconUserCircle,
  IconUserPlus,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMailSetUp } from '../api/mail.js';
import { useApi } from '../api/queries.js';
import { navigationOf } from '../session/navigation.js';
import { useUser } from '../session/session.js';
import { nameOf } from '../ui/person-name.js';

/** Target of a result. */
type Target = Pick<LinkProps, 'to' | 'params' | 'search'>;

interface Result {
  key: string;
  label: string;
  hint?: string | undefined;
  icon: typeof IconUser;
  target: Target;
}

interface ResultGroup {
  key: 'people' | 'courses' | 'actions' | 'pages';
  results: readonly Result[];
}

const managers = ['super_admin', 'trainer'] as const;

const actions = [
  { key: 'requests', icon: IconClipboardList, to: '/enrollments', search: { status: 'pending' }, roles: managers },
  { key: 'newPerson', icon: IconUserPlus, to: '/people', search: { create: 'person' }, roles: ['super_admin'] },
  { key: 'import', icon: IconFileImport, to: '/imports', search: {}, roles: ['super_admin'] },
  { key: 'newCourse', icon: IconPlus, to: '/courses/new', search: {}, roles: managers },
] as const;

/** Results of each kind. A longer list is on the page of people or courses. */
const limit = 6;

/** Case and accents don't count, as in searches of the service. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();

/** Whether each word of the search begins a word of the label. */
function matches(label: string, search: string): boolean {
  const words = fold(label).split(/[\s-]+/);
  return fold(search)
    .split(/[\s,]+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** Pages and actions of the user's role whose label matches. */
function useDestinations(search: string): ResultGroup[] {
  const { t } = useTranslation();
  const { role } = useUser();
  const isMailSetUp = useMailSetUp();
  const found = (results: Result[]) => results.filter(({ label }) => matches(label, search));
  const profile = { to: '/profile', label: 'app.profile', icon: IconUserCircle } as const;
  return [
    {
      key: 'actions',
      results: found(
        actions
          .filter(({ roles }) => roles.some((one) => one === role))
          .map(({ key, icon, to, search: filter }) => ({
            key,
            icon,
            label: t(`find.action.${key}`),
            target: { to, search: filter },
          })),
      ),
    },
    {
      key: 'pages',
      results: found(
        [...navigationOf(role, isMailSetUp), profile].map(({ to, label, icon }) => ({
          key: label,
          icon,
          label: t(label),
          target: { to },
        })),
      ),
    },
  ];
}

/** Courses and people whom the user's role may see. A trainer finds trainees in their own courses. */
function useFound(search: string) {
  const { id: userId, role } = useUser();
  const isSearch = search !== '';
  const courses = useApi(
    'listCourses',
    {
      query: {
        search,
        trainerId: role === 'trainer' ? userId : undefined,
        isPublished: role === 'trainee' ? true : undefined,
        sortBy: 'soonest',
        limit,
      },
    },
    { enabled: isSearch },
  );
  const people = useApi(
    'listUsers',
    { query: { search, sortBy: 'lastName', sortOrder: 'ASC', limit } },
    { enabled: isSearch && role === 'super_admin' },
  );
  const trainees = useApi('listEnrollments', { query: { search, limit } }, { enabled: isSearch && role === 'trainer' });
  const asked = [courses, ...(role === 'super_admin' ? [people] : role === 'trainer' ? [trainees] : [])];
  const groups: ResultGroup[] = [
    {
      key: 'people',
      results: [
        ...(people.data?.users ?? []).map((user) => ({
          key: user.id,
          icon: IconUser,
          label: nameOf(user),
          hint: user.email,
          target: { to: '/people/$id', params: { id: user.id } } as const,
        })),
        ...(trainees.data?.enrollments ?? []).map(({ id, user, course }) => ({
          key: id,
          icon: IconUser,
          label: nameOf(user),
          hint: course.title,
          target: {
            to: '/courses/$id',
            params: { id: course.id },
            search: { tab: 'participants', search: user.email },
          } as const,
        })),
      ],
    },
    {
      key: 'courses',
      results: (courses.data?.courses ?? []).map(({ id, title, trainer }) => ({
        key: id,
        icon: IconBook2,
        label: title,
        hint: nameOf(trainer),
        target: { to: role === 'trainee' ? '/catalogue/$id' : '/courses/$id', params: { id } } as const,
      })),
    },
  ];
  return {
    groups: isSearch ? groups : [],
    isPending: isSearch && asked.some((query) => query.isPending),
    error: asked.find((query) => query.error)?.error,
  };
}

/**
 * Results for a text. Pages and actions follow each key; people and courses come from the service.
 * @param text typed text
 * @param searched text of the search, a moment after the last key
 */
export function useResults(text: string, searched: string) {
  const found = useFound(searched);
  const destinations = useDestinations(text);
  // Results for another text could open something else.
  const isCurrent = text === searched;
  return {
    groups: [...(isCurrent ? found.groups : []), ...destinations].filter(({ results }) => results.length > 0),
    isPending: !isCurrent || found.isPending,
    error: isCurrent ? found.error : undefined,
  };
}
