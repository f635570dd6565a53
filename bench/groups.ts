/**
 * Measures listings with groups of 100,000 members among 1,000,000 accounts, compared with the page of the newest
 * accounts in the same run: `npm run bench -- groups`. Cases (`--only`): sqlite, server. Uses the server of
 * BENCH_DATABASE_URL, or a private one from a `mariadbd` or `mysqld` on the PATH.
 */
import { buildGroup } from '../test/support/factories.js';
import { openDatabases, type ServedDatabase } from './databases.js';
import { milliseconds, remark, sized, verdict } from './figures.js';
import { rounds, scale, selected } from './options.js';
import type { Sizes } from './programme.js';
import { openContext } from './service.js';
import { median, percentile } from './statistics.js';

const trainers = sized(2500, 4);
const sizes: Sizes = {
  trainers,
  trainees: sized(1_000_000, 1000) - trainers - 1,
  courses: sized(10_000, 100),
  coursesOfBusiest: 40,
  enrollments: sized(1_000_000, 1000),
  enrollmentsOfBusiest: sized(20_000, 100),
  enrollmentsOfTypical: sized(400, 40),
  auditEntries: 100,
};
const members = sized(100_000, 100);

/** Limit of p95, on an idle machine. */
const maxMs = 50;

/** Requests for each listing in a round. */
const requests = Math.max(3, Math.round(20 * scale));

/** Request that each listing is compared with. */
const yardstick = '/api/users';

const kinds = ['every tenth trainee', 'the oldest accounts', 'the last names'] as const;

/** Creates groups of different members. @returns their ids */
async function createGroups({ databaseUrl }: ServedDatabase): Promise<string[]> {
  const context = await openContext(databaseUrl, process.cwd());
  const { User } = context.database.models;
  const idsBy = async (order: [string, 'ASC' | 'DESC'], limit?: number) => {
    const where = { role: 'trainee' } as const;
    const found = await User.findAll({ attributes: ['id'], where, order: [order], ...(limit && { limit }), raw: true });
    return found.map(({ id }) => id);
  };
  try {
    const all = await idsBy(['id', 'ASC']);
    const everyTenth = all.filter((_, index) => index % 10 === 0).slice(0, members);
    const idsOf = [everyTenth, all.slice(0, members), await idsBy(['lastNameKey', 'DESC'], members)];
    const groups: string[] = [];
    for (const ids of idsOf) groups.push((await buildGroup(context, ids)).id);
    return groups;
  } finally {
    await context.close();
  }
}

/** Listings, without the group. */
const listings: readonly (readonly [url: string, by: 'superAdmin' | 'busiestTrainer'])[] = [
  ['/api/users?', 'superAdmin'],
  ['/api/users?sortOrder=ASC', 'superAdmin'],
  ['/api/users?page=2500', 'superAdmin'],
  ['/api/users?sortBy=lastName&sortOrder=ASC', 'superAdmin'],
  ['/api/users?sortBy=lastLogin', 'superAdmin'],
  ['/api/users?isActive=false', 'superAdmin'],
  ['/api/users?search=nowak', 'superAdmin'],
  ['/api/users?search=maria', 'superAdmin'],
  ['/api/users?search=nobody-has-this', 'superAdmin'],
  ['/api/enrollments/available-trainees?courseId=:course', 'busiestTrainer'],
  ['/api/enrollments/available-trainees?courseId=:course&search=maria', 'busiestTrainer'],
  ['/api/enrollments?', 'superAdmin'],
  ['/api/enrollments?page=500', 'superAdmin'],
  ['/api/enrollments?courseId=:course', 'superAdmin'],
  ['/api/enrollments?search=maria', 'superAdmin'],
  ['/api/enrollments?', 'busiestTrainer'],
];

async function measureOn(where: string, served: ServedDatabase): Promise<void> {
  const { service, programme } = served;
  const groups = await createGroups(served);
  const ask = async (url: string, by: 'superAdmin' | 'busiestTrainer') => {
    const response = await service.get(url.replace(':course', programme.course), await service.token(programme[by]));
    if (response.status !== 200)
      throw new Error(`${url} answered ${response.status}: ${JSON.stringify(response.body)}`);
    return response.serverMs;
  };
  const judge = async (name: string, url: string, by: 'superAdmin' | 'busiestTrainer') => {
    const times: number[] = [];
    const others: number[] = [];
    await ask(url, by);
    for (let count = 0; count < rounds * requests; count += 1) {
      others.push(await ask(yardstick, 'superAdmin'));
      times.push(await ask(url, by));
    }
    const [p50, p95, ratio] = [median(times), percentile(times, 0.95), median(times) / median(others)];
    const text = `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)} (limit ${maxMs} ms), ${ratio.toFixed(1)} times ${yardstick}`;
    verdict(`${name} on ${where}`, text, p95 <= maxMs, { median: p50, unit: 'ms', ratio, than: yardstick });
    return times;
  };
  const all = [await judge('/api/groups, superAdmin', '/api/groups', 'superAdmin')];
  for (const [url, by] of listings)
    for (const [index, kind] of kinds.entries())
      all.push(await judge(`${url}, ${kind}, ${by}`, `${url}&group=${groups[index]}`, by));
  remark(`all on ${where}: p95 ${milliseconds(percentile(all.flat(), 0.95))}`);
}

const databases = await openDatabases(['--innodb-buffer-pool-size=4G', '--innodb-log-file-size=1G']);
try {
  const cases = {
    sqlite: async () => measureOn('SQLite', await databases.prepareFile('bench_groups', sizes)),
    server: async () => measureOn('the server', await databases.prepare('bench_groups', sizes)),
  };
  for (const [, run] of selected(cases)) await run();
} finally {
  await databases.close();
}
