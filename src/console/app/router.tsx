import { Button } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { Screen } from '../i18n/en/translations.js';
import { loadTranslations } from '../i18n/i18n.js';
import { type Role, useUser } from '../session/session.js';
import { lazyPart } from '../ui/lazy.js';
import { listSearch } from '../ui/lists/list-search.js';
import { Page } from '../ui/page.js';
import { Empty, Failed, Loading } from '../ui/states.js';
import { Layout } from './layout.js';

function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t('app.notFound')}>
      <Empty message={t('app.notFoundHint')}>
        <Button component={Link} to="/" variant="default">
          {t('app.home')}
        </Button>
      </Empty>
    </Page>
  );
}

/** Shows the error of a page inside the frame. */
function PageError({ error, reset }: ErrorComponentProps) {
  return <Failed error={error} onRetry={reset} />;
}

/** Page whose code and translations are loaded when it opens. @param screens names of its translations, and of those of its dialogs */
function lazyPage<const Name extends string>(
  screens: readonly Screen[],
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  const loadPage = async () => (await Promise.all([load(), loadTranslations(...screens)]))[0][name];
  return lazyRouteComponent(
    // If the code can't be loaded, the page itself loads it, and reports why it can't. After an error, the router would reload the
    // window, and the browser would show its own error page while the service is down.
    () =>
      loadPage()
        .catch(() => lazyPart(loadPage, <Loading />))
        .then((page) => ({ [name]: page })),
    name,
  );
}

/** Picks the page for the role of the user; other roles see `NotFound`. The service checks access itself. */
function pageByRole(pages: Partial<Record<Role, ComponentType>>): () => React.JSX.Element {
  return function PageOfRole() {
    const Component = pages[useUser().role] ?? NotFound;
    return <Component />;
  };
}

// Redirects between the pages of courses, because people of different roles share links.
const ToCatalogue = (): React.JSX.Element => <Navigate to="/catalogue" search={coursesRoute.useSearch()} replace />;
const ToCourses = (): React.JSX.Element => <Navigate to="/courses" search={catalogueRoute.useSearch()} replace />;
const ToCatalogueCourse = (): React.JSX.Element => (
  <Navigate to="/catalogue/$id" params={{ id: courseRoute.useParams().id }} replace />
);
const ToCourse = (): React.JSX.Element => (
  <Navigate to="/courses/$id" params={{ id: catalogueCourseRoute.useParams().id }} replace />
);

// The URL after a failed sign-in, and after signing out at the organisation.
const ToHome = (): React.JSX.Element => <Navigate to="/" replace />;

const rootRoute = createRootRoute({ component: Layout, notFoundComponent: NotFound });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: listSearch('status'),
  component: pageByRole({
    super_admin: lazyPage(['overview', 'courses'], () => import('../overview/admin-overview.js'), 'AdminOverview'),
    trainer: lazyPage(['overview', 'courses'], () => import('../overview/trainer-overview.js'), 'TrainerOverview'),
    trainee: lazyPage(['catalogue', 'courses'], () => import('../catalogue/own-courses-page.js'), 'OwnCoursesPage'),
  }),
});

const signInRoute = createRoute({ getParentRoute: () => rootRoute, path: '/sign-in', component: ToHome });

const profileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/profile',
  validateSearch: listSearch(),
  component: lazyPage(['profile'], () => import('../profile/profile-page.js'), 'ProfilePage'),
});

/** Filters of a list of people. */
const peopleFilters = ['role', 'isActive', 'requiresPasswordChange', 'locked', 'invited', 'signsIn'] as const;

const peoplePage = lazyPage(['people', 'enrollments'], () => import('../people/people-page.js'), 'PeoplePage');
const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  validateSearch: listSearch(...peopleFilters, 'group', 'create'),
  component: pageByRole({ super_admin: peoplePage }),
});

const personPage = lazyPage(
  ['people', 'courses', 'enrollments', 'audit', 'profile'],
  () => import('../people/person-page.js'),
  'PersonPage',
);
const personRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$id',
  validateSearch: listSearch('tab'),
  component: pageByRole({ super_admin: personPage }),
});

const groupsPage = lazyPage(['groups'], () => import('../groups/groups-page.js'), 'GroupsPage');
const groupsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/groups',
  validateSearch: listSearch(),
  component: pageByRole({ super_admin: groupsPage }),
});

const groupPage = lazyPage(['groups', 'people', 'enrollments'], () => import('../groups/group-page.js'), 'GroupPage');
const groupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/groups/$id',
  validateSearch: listSearch(...peopleFilters),
  component: pageByRole({ super_admin: groupPage }),
});

const importsPage = lazyPage(['imports', 'courses'], () => import('../imports/imports-page.js'), 'ImportsPage');
const importsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/imports',
  validateSearch: listSearch('status', 'rejected'),
  component: pageByRole({ super_admin: importsPage, trainer: importsPage }),
});

const importPage = lazyPage(['imports', 'courses'], () => import('../imports/import-page.js'), 'ImportPage');
const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/imports/$id',
  validateSearch: listSearch('outcome', 'code'),
  component: pageByRole({ super_admin: importPage, trainer: importPage }),
});

const courseImportPage = lazyPage(
  ['imports', 'courses'],
  () => import('../imports/course-import-page.js'),
  'CourseImportPage',
);
const courseImportRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/courses/$id/import',
  component: pageByRole({ trainer: courseImportPage }),
});

const coursesPage = lazyPage(['courses'], () => import('../courses/courses-page.js'), 'CoursesPage');
const coursesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/courses',
  validateSearch: listSearch('category', 'level', 'isPublished', 'seatsLeft', 'ended', 'trainerId'),
  component: pageByRole({ super_admin: coursesPage, trainer: coursesPage, trainee: ToCatalogue }),
});

const newCoursePage = lazyPage(['courses'], () => import('../courses/new-course-page.js'), 'NewCoursePage');
const newCourseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/courses/new',
  validateSearch: listSearch('copyOf'),
  component: pageByRole({ super_admin: newCoursePage, trainer: newCoursePage }),
});

const coursePage = lazyPage(['courses', 'enrollments'], () => import('../courses/course-page.js'), 'CoursePage');
const courseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/courses/$id',
  validateSearch: listSearch('tab', 'status'),
  component: pageByRole({ super_admin: coursePage, trainer: coursePage, trainee: ToCatalogueCourse }),
});

const certificatesPage = lazyPage(
  ['courses', 'enrollments', 'links'],
  () => import('../paper/course-certificates-page.js'),
  'CourseCertificatesPage',
);
const certificatesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/courses/$id/certificates',
  component: pageByRole({ super_admin: certificatesPage, trainer: certificatesPage }),
});

const attendancePage = lazyPage(
  ['courses', 'enrollments'],
  () => import('../paper/attendance-page.js'),
  'AttendancePage',
);
const attendanceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/courses/$id/attendance',
  component: pageByRole({ super_admin: attendancePage, trainer: attendancePage }),
});

const enrollmentsPage = lazyPage(
  ['courses', 'enrollments'],
  () => import('../enrollments/enrollments-page.js'),
  'EnrollmentsPage',
);
const enrollmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/enrollments',
  validateSearch: listSearch('status', 'courseId', 'userId', 'trainerId', 'group', 'starts'),
  component: pageByRole({ super_admin: enrollmentsPage, trainer: enrollmentsPage }),
});

const cataloguePage = lazyPage(
  ['catalogue', 'courses'],
  () => import('../catalogue/catalogue-page.js'),
  'CataloguePage',
);
const catalogueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalogue',
  validateSearch: listSearch('category', 'level', 'seatsLeft', 'ended'),
  component: pageByRole({ super_admin: ToCourses, trainer: ToCourses, trainee: cataloguePage }),
});

const catalogueCoursePage = lazyPage(
  ['catalogue', 'courses'],
  () => import('../catalogue/catalogue-course-page.js'),
  'CatalogueCoursePage',
);
const catalogueCourseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalogue/$id',
  component: pageByRole({ super_admin: ToCourse, trainer: ToCourse, trainee: catalogueCoursePage }),
});

const auditPage = lazyPage(['audit', 'courses'], () => import('../audit/audit-page.js'), 'AuditPage');
const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: listSearch('actor', 'action', 'targetType', 'target', 'from', 'to'),
  component: pageByRole({ super_admin: auditPage }),
});

const mailPage = lazyPage(['mail'], () => import('../mail/mail-page.js'), 'MailPage');
const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mail',
  validateSearch: listSearch('state', 'kind', 'userId', 'importId', 'address', 'since'),
  component: pageByRole({ super_admin: mailPage }),
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  profileRoute,
  peopleRoute,
  personRoute,
  groupsRoute,
  groupRoute,
  importsRoute,
  importRoute,
  coursesRoute,
  newCourseRoute,
  courseRoute,
  courseImportRoute,
  certificatesRoute,
  attendanceRoute,
  enrollmentsRoute,
  catalogueRoute,
  catalogueCourseRoute,
  auditRoute,
  mailRoute,
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
