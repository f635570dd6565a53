import type { Enrollment } from '../../db/models/enrollment.js';
import type { Import } from '../../db/models/import.js';
import { readInParallel } from '../../db/read-in-parallel.js';
import { type AccountStatistics, accountStatistics } from '../accounts/statistics.js';
import { type Actor, type Core, operator } from '../core.js';
import { cachedCounts } from '../count-cache.js';
import {
  type CourseCounts,
  type CourseRequests,
  countCourses,
  countSoonCourses,
  type NextCourse,
  nextCourse,
  requestsByCourse,
  type SoonCourses,
} from '../courses/statistics.js';
import { type ProgrammeDay, programmeDay } from '../dates.js';
import { currentEnrollmentIds, currentEnrollments } from '../enrollments/queries.js';
import {
  countReadyToComplete,
  type EnrollmentStatistics,
  enrollmentStatistics,
  traineeStatistics,
} from '../enrollments/statistics.js';
import { type StorageUsage, storageUsage } from '../files/usage.js';
import { heldSyncs } from '../groups/rosters.js';
import { countImportsToCheck, type ImportsToCheck, listImports } from '../imports/store/find-import.js';
import { type MailTrouble, mailTrouble } from '../mail/queries.js';
import { accountsPerWeek, dayOf, enrollmentsPerWeek, weekStarts } from './weeks.js';

const maxImportsShown = 5;
const maxCoursesShown = 5;
const maxEnrollmentsShown = 10;
/** Days before its first day in which a course starts soon, and days after an import in which its rejected rows are shown. */
export const soonDays = 7;

export interface SuperAdminOverview {
  role: 'super_admin';
  programme: ProgrammeDay;
  people: AccountStatistics;
  courses: CourseCounts;
  enrollments: EnrollmentStatistics;
  requestsWaiting: number;
  /** Courses with the most requests. */
  requestsByCourse: CourseRequests[];
  startingSoon: SoonCourses;
  importsToCheck: ImportsToCheck;
  imports: Import[];
  /** Figures of the last weeks, oldest first. `week` is the first day. */
  weeks: { week: string; enrollments: number; accounts: number }[];
  storage: StorageUsage;
  mailTrouble: MailTrouble | null;
  /** Groups whose last sync was held, because too many members would leave. */
  heldSyncs: Awaited<ReturnType<typeof heldSyncs>>;
}

export interface TrainerOverview {
  role: 'trainer';
  courses: CourseCounts;
  enrollments: EnrollmentStatistics;
  requestsWaiting: number;
  requestsByCourse: CourseRequests[];
  startingSoon: SoonCourses;
  nextCourse: NextCourse | null;
  /** Active enrollments at 100 %. */
  finished: number;
  weeks: { week: string; enrollments: number }[];
}

export interface TraineeOverview {
  role: 'trainee';
  enrollments: EnrollmentStatistics;
  averageProgress: number | null;
  current: Enrollment[];
}

export type Overview = SuperAdminOverview | TrainerOverview | TraineeOverview;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Returns the courses with the most requests. Large counts are cached: see count-cache.ts. */
async function busiestCourses(core: Core, actor: Actor, { total, pending }: EnrollmentStatistics) {
  if (pending === 0) return [];
  const read = () => requestsByCourse(core, actor, maxCoursesShown);
  return actor.role === 'super_admin' ? cachedCounts(core, 'requests by course', read, () => total) : read();
}

async function recentImports(core: Core) {
  const { items: imports } = await listImports(core, operator, { limit: maxImportsShown });
  return { imports, importsToCheck: await countImportsToCheck(core, soonDays) };
}

export async function superAdminOverview(core: Core, actor: Actor): Promise<SuperAdminOverview> {
  const starts = weekStarts(core.now());
  const since = starts.slice(0, 1).map(dayOf).join();
  const [[people, courses, accounts, startingSoon], [enrollments, byCourse, perWeek, imports, storage, trouble, held]] =
    await readInParallel(
      core.database,
      async () =>
        [
          await accountStatistics(core),
          await countCourses(core, actor),
          await cachedCounts(core, `accounts per week since ${since}`, () => accountsPerWeek(core, starts), sum),
          await countSoonCourses(core, actor, soonDays),
        ] as const,
      async () => {
        const counts = await enrollmentStatistics(core, actor);
        return [
          counts,
          await busiestCourses(core, actor, counts),
          await cachedCounts(core, `enrollments per week since ${since}`, () => enrollmentsPerWeek(core, starts), sum),
          await recentImports(core),
          await storageUsage(core),
          await mailTrouble(core),
          await heldSyncs(core),
        ] as const;
      },
    );
  const weeks = starts.map((start, index) => ({
    week: dayOf(start),
    enrollments: perWeek[index] ?? 0,
    accounts: accounts[index] ?? 0,
  }));
  const requestsWaiting = enrollments.pending;
  return {
    role: 'super_admin',
    programme: programmeDay(core),
    people,
    courses,
    enrollments,
    requestsWaiting,
    requestsByCourse: byCourse,
    startingSoon,
    ...imports,
    weeks,
    storage,
    mailTrouble: trouble,
    heldSyncs: held,
  };
}

async function trainerOverview(core: Core, actor: Actor, trainerId: string): Promise<TrainerOverview> {
  const starts = weekStarts(core.now());
  const courses = await countCourses(core, actor);
  const enrollments = await enrollmentStatistics(core, actor);
  const perWeek = await enrollmentsPerWeek(core, starts, trainerId);
  return {
    role: 'trainer',
    courses,
    enrollments,
    requestsWaiting: enrollments.pending,
    requestsByCourse: await busiestCourses(core, actor, enrollments),
    startingSoon: await countSoonCourses(core, actor, soonDays),
    nextCourse: await nextCourse(core, trainerId),
    finished: enrollments.active === 0 ? 0 : await countReadyToComplete(core, trainerId),
    weeks: starts.map((start, index) => ({ week: dayOf(start), enrollments: perWeek[index] ?? 0 })),
  };
}

async function traineeOverview(core: Core, userId: string): Promise<TraineeOverview> {
  const ids = await currentEnrollmentIds(core, userId, maxEnrollmentsShown);
  const current: Enrollment[] = [];
  for await (const enrollment of currentEnrollments(core, ids)) current.push(enrollment);
  return { role: 'trainee', ...(await traineeStatistics(core, userId)), current };
}

/**
 * Returns the figures of a client's start page: of the whole programme for the super admin, of their own courses for
 * trainers and trainees. The number of queries is fixed.
 */
export async function overview(core: Core, actor: Actor): Promise<Overview> {
  if (actor.role === 'super_admin') return superAdminOverview(core, actor);
  const { actorId } = actor;
  return actor.role === 'trainer' ? trainerOverview(core, actor, actorId) : traineeOverview(core, actorId);
}
