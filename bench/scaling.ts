/**
 * Measures listings and searches in a large database, compared with a tenth of it in the same run: `npm run bench --
 * scaling`. Scenarios (`--only`): listings, deep, search, counts. The larger database has 2,000,000 accounts and
 * 10,000,000 enrollments and takes about 15 GB on disk. Creating it takes longer than the measurements. Uses the server
 * of BENCH_DATABASE_URL, or a private one from a `mariadbd` or `mysqld` on the PATH.
 */
import { createConnection } from 'mysql2/promise';
import { openDatabases, type ServedDatabase } from './databases.js';
import { figure, measure, milliseconds, ratioVerdict, remark, sized, verdict, wholeNumber } from './figures.js';
import { rounds, scale, selected } from './options.js';
import { personAt } from './people.js';
import type { Programme, Sizes } from './programme.js';
import type { TimedResponse } from './service.js';
import { median, percentile } from './statistics.js';

/** Trainers have as many courses and enrollments in both, as in larger programmes. */
const sizesOf = (tenths: number): Sizes => {
  const trainers = sized(500 * tenths, 4 * tenths);
  return {
    trainers,
    trainees: sized(200_000 * tenths, 200 * tenths) - trainers - 1,
    courses: sized(10_000 * tenths, 100 * tenths),
    coursesOfBusiest: 40,
    enrollments: sized(1_000_000 * tenths, 1000 * tenths),
    enrollmentsOfBusiest: sized(20_000, 100),
    enrollmentsOfTypical: sized(2000, 40),
    auditEntries: sized(200_000 * tenths, 100),
  };
};
const [small, large] = [sizesOf(1), sizesOf(10)];

/** Enough memory for the data, as on a server of this size. */
const serverOptions = ['--innodb-buffer-pool-size=8G', '--innodb-log-file-size=2G'];

/** Seconds for a page in each round. */
const secondsEach = Math.max(0.1, 3 * scale);

const maxMs = { page: 50, search: 300 };
const growthLimit = 1.5;

/** Returns a request that must succeed, to be repeated. */
async function repeatedRequest(
  { service, programme }: ServedDatabase,
  url: string,
  by: keyof Programme,
): Promise<() => Promise<TimedResponse>> {
  const token = await service.token(programme[by]);
  return async () => {
    const response = await service.get(url, token);
    if (response.status !== 200)
      throw new Error(`${url} answered ${response.status}: ${JSON.stringify(response.body)}`);
    return response;
  };
}

const tenth = 'as long as among a tenth';

const paginationOf = ({ body }: TimedResponse) => body.pagination as { totalItems: number; totalItemsCapped?: true };

/** Pages of every listing: first pages, other orders, filters, and deep pages. */
const pages: readonly (readonly [url: (programme: Programme) => string, by: keyof Programme])[] = [
  [() => '/api/users', 'superAdmin'],
  [() => '/api/users?sortBy=lastName', 'superAdmin'],
  [() => '/api/users?sortBy=lastLogin&sortOrder=DESC', 'superAdmin'],
  [() => '/api/users?role=trainer', 'superAdmin'],
  [() => '/api/users?isActive=false', 'superAdmin'],
  [() => '/api/users?requiresPasswordChange=false&sortBy=email', 'superAdmin'],
  [() => '/api/users?requiresPasswordChange=true&sortBy=lastName', 'superAdmin'],
  [() => '/api/users?locked=true', 'superAdmin'],
  [() => '/api/users?page=500', 'superAdmin'],
  [() => '/api/courses', 'trainee'],
  [() => '/api/courses', 'busiestTrainer'],
  [() => '/api/courses', 'superAdmin'],
  [() => '/api/courses?sortBy=title', 'trainee'],
  [() => '/api/courses?seatsLeft=true', 'trainee'],
  [() => '/api/courses?search=pottery', 'trainee'],
  [() => '/api/courses?search=nothing-has-this', 'trainee'],
  [() => '/api/enrollments', 'superAdmin'],
  [() => '/api/enrollments?status=pending', 'superAdmin'],
  [() => '/api/enrollments?page=500', 'superAdmin'],
  [({ course }) => `/api/enrollments?courseId=${course}`, 'superAdmin'],
  [({ busiestTrainer }) => `/api/enrollments/trainer/${busiestTrainer}`, 'busiestTrainer'],
  [({ busiestTrainer }) => `/api/enrollments/trainer/${busiestTrainer}?page=1000`, 'busiestTrainer'],
  [({ typicalTrainer }) => `/api/enrollments/trainer/${typicalTrainer}?search=smith`, 'typicalTrainer'],
  [({ course }) => `/api/enrollments/course/${course}/trainees?sortBy=lastName`, 'busiestTrainer'],
  [({ course }) => `/api/enrollments/available-trainees?courseId=${course}`, 'busiestTrainer'],
  [() => '/api/enrollments/my', 'trainee'],
  [() => '/api/courses/trainers/available', 'superAdmin'],
  [() => '/api/imports', 'superAdmin'],
  [() => '/api/audit', 'superAdmin'],
  [() => '/api/audit?page=500', 'superAdmin'],
];

/**
 * Compares the same request in both databases, in turn.
 * @param shown the request as text
 */
async function judge(
  shown: string,
  little: () => Promise<TimedResponse>,
  much: () => Promise<TimedResponse>,
): Promise<void> {
  const { totalItems, totalItemsCapped } = paginationOf(await much());
  const result = await measure({ little, much }, secondsEach);
  const { serverMs } = result.of('much');
  const name = `${shown} (${totalItemsCapped ? 'more than ' : ''}${wholeNumber(totalItems)})`;
  verdict(name, `${milliseconds(serverMs)} (limit ${maxMs.page} ms)`, serverMs <= maxMs.page, {
    median: serverMs,
    unit: 'ms',
  });
  ratioVerdict(`${shown}: growth`, milliseconds(serverMs), result.ratios('much', 'little'), tenth, growthLimit);
}

/** Indexes of accounts that searches and deep pages read, by their first column. */
const indexesOfAccounts = {
  first_name_key: 'users_first_names',
  last_name_key: 'users_last_names',
  email: 'users_email_unique',
  email_domain: 'users_email_domain',
};
/** Queries that scan a table or an index. */
const readAll = [
  'SELECT SUM(LENGTH(password_hash)) FROM users',
  ...Object.entries(indexesOfAccounts).map(
    ([column, index]) => `SELECT SUM(LENGTH(${column})) FROM users FORCE INDEX (${index}) WHERE ${column} >= ''`,
  ),
  'SELECT SUM(LENGTH(word)) FROM account_words',
  "SELECT COUNT(enrolled_at) FROM enrollments FORCE INDEX (enrollments_user) WHERE user_id >= ''",
  "SELECT COUNT(user_id) FROM enrollments FORCE INDEX (enrollments_dates) WHERE enrolled_at >= '2000-01-01'",
];

/** Loads accounts and the indexes of enrollments into memory. Rows that were created later have displaced them. */
async function readIntoMemory({ databaseUrl }: ServedDatabase): Promise<void> {
  const sql = await createConnection({ uri: databaseUrl });
  for (const query of readAll) await sql.query(query);
  await sql.end();
}

async function listings(inSmall: ServedDatabase, inLarge: ServedDatabase): Promise<void> {
  for (const [urlIn, by] of pages) {
    const probe = (served: ServedDatabase) => repeatedRequest(served, urlIn(served.programme), by);
    const { course, busiestTrainer, typicalTrainer } = inLarge.programme;
    const url = [course, busiestTrainer, typicalTrainer].reduce(
      (text, id) => text.replace(id, ':id'),
      urlIn(inLarge.programme),
    );
    await judge(`${url}, ${by}`, await probe(inSmall), await probe(inLarge));
  }
  // Counts the seats of all courses, because few are full. Reported, not judged.
  const full = '/api/courses?seatsLeft=false';
  const result = await measure({ full: await repeatedRequest(inSmall, full, 'trainee') }, secondsEach);
  const { serverMs } = result.of('full');
  remark(`${full} among ${wholeNumber(small.courses)} courses: ${milliseconds(serverMs)}`);
  figure(full, { median: serverMs, unit: 'ms' });
}

/** Measures a page after half of all accounts, by the last item before it. */
async function deep(inSmall: ServedDatabase, inLarge: ServedDatabase): Promise<void> {
  await readIntoMemory(inLarge);
  await readIntoMemory(inSmall);
  const afterHalf = async (served: ServedDatabase, { trainees }: Sizes) => {
    const page = (number: number, more = '') => `/api/users?sortBy=lastName&page=${number}${more}`;
    const half = Math.floor(trainees / 40);
    const { body, serverMs } = await (await repeatedRequest(served, page(half), 'superAdmin'))();
    remark(`page ${half} by its number: ${milliseconds(serverMs)}`);
    // A page of accounts contains `users`.
    const last = (body.users as { id: string }[]).at(-1);
    return repeatedRequest(served, page(half + 1, `&afterId=${last?.id}`), 'superAdmin');
  };
  const [little, much] = [await afterHalf(inSmall, small), await afterHalf(inLarge, large)];
  await judge('the page after half of all accounts, by afterId', little, much);
}

/** Texts that people type to find somebody. */
const searches: Readonly<Record<string, (index: number) => string>> = {
  'last name': (index) => personAt(index).lastName,
  'first name': (index) => personAt(index).firstName,
  'first and last name': (index) => `${personAt(index).firstName} ${personAt(index).lastName}`,
  'first name and initial': (index) => `${personAt(index).firstName} ${personAt(index).lastName.charAt(0)}`,
  'four letters of a last name': (index) => personAt(index).lastName.slice(0, 4),
  'two letters of a first name': (index) => personAt(index).firstName.slice(0, 2),
  'one letter': (index) => personAt(index).lastName.charAt(0),
  'email address': (index) => personAt(index).email,
  'domain of an email address': (index) => personAt(index).domain,
  phone: (index) => `+44 20 ${String(index).padStart(8, '0')}`,
  'most frequent first name': () => personAt(0).firstName,
  nobody: (index) => `nobody ${index}`,
};

/** Number of people searched for in a round, for each kind of search. */
const searchedPeople = sized(10, 1);

/** Listings that search for accounts. */
const searchUrls: Readonly<Record<string, (programme: Programme, search: string) => string>> = {
  accounts: (_programme, text) => `/api/users?search=${text}`,
  'could be enrolled': ({ course }, text) => `/api/enrollments/available-trainees?courseId=${course}&search=${text}`,
  enrollments: (_programme, text) => `/api/enrollments?search=${text}`,
};

/** Durations of the same search in both databases, in milliseconds. */
interface SearchTimes {
  where: string;
  kind: string;
  round: number;
  little: number;
  much: number;
}

/** Measures all kinds of searches in all listings, in rounds. */
async function searchTimes(inSmall: ServedDatabase, inLarge: ServedDatabase): Promise<SearchTimes[]> {
  const times: SearchTimes[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [where, urlIn] of Object.entries(searchUrls))
      for (const [kind, textOf] of Object.entries(searches))
        for (let person = 0; person < searchedPeople; person += 1) {
          // A person in both databases, a different one each time, so that nothing is read twice.
          const index = 1 + small.trainers + (((round * searchedPeople + person) * 7919) % small.trainees);
          const text = encodeURIComponent(textOf(index));
          const ask = async (served: ServedDatabase) =>
            (await (await repeatedRequest(served, urlIn(served.programme, text), 'superAdmin'))()).serverMs;
          times.push({ where, kind, round, little: await ask(inSmall), much: await ask(inLarge) });
        }
  return times;
}

async function search(inSmall: ServedDatabase, inLarge: ServedDatabase): Promise<void> {
  await readIntoMemory(inLarge);
  await readIntoMemory(inSmall);
  const all = await searchTimes(inSmall, inLarge);
  for (const where of Object.keys(searchUrls))
    for (const kind of Object.keys(searches)) {
      const times = all.filter((time) => time.where === where && time.kind === kind);
      const much = times.map((time) => time.much);
      const ratio = median(times.map((time) => time.much / time.little));
      const texts = [median(much), percentile(much, 0.95), Math.max(...much)].map(milliseconds);
      remark(
        `${where}, ${kind.padEnd(28)} p50 ${texts[0]}, p95 ${texts[1]}, longest ${texts[2]}; ${ratio.toFixed(2)} times`,
      );
      figure(`search of ${where}: ${kind}`, { median: median(much), unit: 'ms', ratio, than: tenth });
    }
  const share = (times: readonly SearchTimes[], of: 'little' | 'much', part: number) =>
    percentile(
      times.map((time) => time[of]),
      part,
    );
  const p95 = share(all, 'much', 0.95);
  verdict('p95 of all searches', `${milliseconds(p95)} (limit ${maxMs.search} ms)`, p95 <= maxMs.search);
  for (const [name, part] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    // Computed for each round separately, so that a disturbance affects only one round.
    const ratios = Array.from({ length: rounds }, (_, round) => {
      const times = all.filter((time) => time.round === round);
      return share(times, 'much', part) / share(times, 'little', part);
    }).sort((a, b) => a - b);
    ratioVerdict(`${name} of all searches: growth`, milliseconds(share(all, 'much', part)), ratios, tenth, growthLimit);
  }
}

/** Measures statistics: the first request, and an immediate second one. */
async function counts(_inSmall: ServedDatabase, inLarge: ServedDatabase): Promise<void> {
  // The overview comes last: it contains the figures of the others.
  for (const url of ['/api/enrollments/stats/overview', '/api/courses/stats/overview', '/api/overview']) {
    const ask = await repeatedRequest(inLarge, url, 'superAdmin');
    const [first, again] = [await ask(), await ask()];
    remark(`${url}: ${milliseconds(first.serverMs)}, again ${milliseconds(again.serverMs)}`);
    figure(url, { median: first.serverMs, unit: 'ms' });
  }
}

const databases = await openDatabases(serverOptions);
try {
  const scenarios = { listings, deep, search, counts };
  const chosen = selected(scenarios);
  const inSmall = await databases.prepare('bench_scaling_small', small);
  const inLarge = await databases.prepare('bench_scaling_large', large);
  for (const [, scenario] of chosen) await scenario(inSmall, inLarge);
} finally {
  await databases.close();
}
