/**
 * Measures listings over HTTP on a large database, compared with plain SQL for the same rows in the same run: `npm run
 * bench -- listings`. Scenarios (`--only`): trainer, growth, search, counts, throughput, filters. Uses the server of
 * BENCH_DATABASE_URL, or a private one from a `mariadbd` or `mysqld` on the PATH.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabases, type ServedDatabase } from './databases.js';
import { figure, measure, milliseconds, ratioVerdict, remark, sized, verdict, wholeNumber } from './figures.js';
import { rounds, scale, selected } from './options.js';
import { openPlainSql } from './plain-sql.js';
import type { Programme, Sizes } from './programme.js';
import type { Service, TimedResponse } from './service.js';
import { median } from './statistics.js';

const loadProgram = fileURLToPath(new URL('./load.mjs', import.meta.url));

const enrollmentsOfTypical = sized(2000, 40);
const full: Sizes = {
  trainers: sized(500, 4),
  trainees: sized(200_000, 200) - sized(500, 4) - 1,
  courses: sized(10_000, 100),
  coursesOfBusiest: 40,
  enrollments: sized(1_000_000, 1000),
  enrollmentsOfBusiest: sized(20_000, 100),
  enrollmentsOfTypical,
  auditEntries: sized(100_000, 100),
};
/**
 * Same number of enrollments for each trainer as for the typical trainer of the full size. Only the other data is
 * smaller.
 */
const small: Sizes = {
  trainers: 5,
  trainees: sized(2000, 100),
  courses: 100,
  coursesOfBusiest: 20,
  enrollments: 5 * enrollmentsOfTypical,
  enrollmentsOfBusiest: enrollmentsOfTypical,
  enrollmentsOfTypical,
  auditEntries: 100,
};

/** Most accounts come from an import that has just ended, and a tenth of the enrollments belong to one trainer. */
const afterImport: Sizes = {
  trainers: sized(500, 4),
  trainees: sized(104_500, 200),
  courses: sized(1000, 100),
  coursesOfBusiest: 60,
  enrollments: sized(310_000, 1000),
  enrollmentsOfBusiest: sized(30_000, 100),
  enrollmentsOfTypical: sized(600, 20),
  auditEntries: sized(1000, 10),
  imported: sized(100_000, 100),
  mails: sized(100_000, 200),
};

const trainerPage = (trainerId: string, page = 1) => `/api/enrollments/trainer/${trainerId}?page=${page}`;

/** Returns a request that must succeed, to be repeated. */
function repeatedRequest(service: Service, url: string, token: string): () => Promise<TimedResponse> {
  return async () => {
    const response = await service.get(url, token);
    if (response.status !== 200)
      throw new Error(`${url} answered ${response.status}: ${JSON.stringify(response.body)}`);
    return response;
  };
}

/** Returns the ids on the page and the total number, if the response has them. */
function itemsOf({ body }: TimedResponse): { ids?: unknown[]; totalItems?: number } {
  const list = Object.values(body).find((value): value is { id?: unknown }[] => Array.isArray(value));
  const { totalItems } = (body.pagination ?? {}) as { totalItems?: number };
  return { ...(list && { ids: list.map(({ id }) => id) }), ...(totalItems !== undefined && { totalItems }) };
}

/** Compares the pages of the trainer with most enrollments with plain SQL. */
async function trainer({ databaseUrl, programme: { busiestTrainer }, service }: ServedDatabase): Promise<void> {
  const token = await service.token(busiestTrainer);
  const page = (number: number) => repeatedRequest(service, trainerPage(busiestTrainer, number), token);
  const last = Math.ceil(full.enrollmentsOfBusiest / 20);
  const pages = { 'first page': page(1), 'middle page': page(Math.ceil(last / 2)), 'last page': page(last) };
  const plain = await openPlainSql(databaseUrl, busiestTrainer);
  try {
    if (JSON.stringify(itemsOf(await page(1)())) !== JSON.stringify(await plain.expected()))
      throw new Error('The service and the plain SQL give different responses.');
    const result = await measure({ ...plain.variants, ...pages });
    const ways = Object.keys(plain.variants).sort((a, b) => result.of(a).serverMs - result.of(b).serverMs);
    for (const way of ways) remark(`plain SQL, ${way.padEnd(34)} ${milliseconds(result.of(way).serverMs).padStart(9)}`);
    for (const name of Object.keys(pages)) {
      const { serverMs, clientMs } = result.of(name);
      remark(`${name.padEnd(45)} ${milliseconds(serverMs).padStart(9)}, ${milliseconds(clientMs)} for the client`);
    }
    const judge = (name: string, other: string, limit: number, than: string) => {
      const title = `${name} of ${wholeNumber(full.enrollmentsOfBusiest)} enrollments`;
      const { serverMs } = result.of(name);
      const figures = { median: serverMs, unit: 'ms' } as const;
      ratioVerdict(title, milliseconds(serverMs), result.ratios(name, other), than, limit, figures);
    };
    judge('first page', ways[0] ?? '', 2, 'the plain SQL');
    judge('last page', 'first page', 3, 'the first page');
  } finally {
    await plain.close();
  }
}

/** Compares a page in a small and in a large database. */
async function growth(large: ServedDatabase, little: ServedDatabase): Promise<void> {
  const probe = async ({ service, programme: { typicalTrainer } }: ServedDatabase) =>
    repeatedRequest(service, trainerPage(typicalTrainer), await service.token(typicalTrainer));
  const result = await measure({ little: await probe(little), large: await probe(large) });
  const among = (name: string, { enrollments }: Sizes) =>
    `${milliseconds(result.of(name).serverMs)} among ${wholeNumber(enrollments)}`;
  ratioVerdict(
    `first page of ${wholeNumber(enrollmentsOfTypical)} enrollments`,
    `${among('large', full)}, ${among('little', small)}`,
    result.ratios('large', 'little'),
    'as long',
    1.5,
    { median: result.of('large').serverMs, unit: 'ms' },
  );
}

/** Prints a line for each request: its duration and its result. A missing operation is reported, but is no failure. */
async function table(
  { programme, service }: ServedDatabase,
  urls: readonly string[],
  caller: 'superAdmin' | 'busiestTrainer' = 'superAdmin',
): Promise<void> {
  const token = await service.token(programme[caller]);
  const line = (request: string, ...cells: string[]) =>
    remark(request.padEnd(56) + cells.map((cell) => cell.padStart(14)).join(''));
  line('request', 'service', 'client', 'rows', 'totalItems');
  for (const url of urls) {
    const name = `GET ${Object.values(programme).reduce((path, id: string) => path.replace(id, ':id'), url)}`;
    const response = await service.get(url, token);
    if (response.status !== 200) {
      line(name, response.status === 404 ? 'not there yet' : `answers ${response.status}`);
      continue;
    }
    const result = await measure({ it: repeatedRequest(service, url, token) }, 2);
    const { serverMs, clientMs } = result.of('it');
    const { ids, totalItems } = itemsOf(response);
    const counts = [ids?.length, totalItems].map((count) => (count === undefined ? '-' : wholeNumber(count)));
    line(name, milliseconds(serverMs), milliseconds(clientMs), ...counts);
    figure(name, { median: serverMs, unit: 'ms' });
  }
}

/** Listings, and searches that match many, few and no rows. */
const searches = ({ course, busiestTrainer }: Programme) => [
  '/api/courses',
  '/api/courses?include=seats',
  '/api/courses?seatsLeft=true',
  '/api/courses?seatsLeft=false',
  '/api/courses?search=pottery',
  '/api/courses?search=refresher%2099',
  `/api/courses/trainer/${busiestTrainer}`,
  '/api/users',
  '/api/users?sortBy=lastName',
  '/api/users?sortBy=lastLogin',
  '/api/users?search=nowak',
  '/api/users?search=trainer.1@',
  '/api/users?search=nobody-has-this',
  '/api/enrollments',
  '/api/enrollments?status=pending',
  '/api/enrollments?search=nowak',
  '/api/enrollments?search=nobody-has-this',
  `/api/enrollments?courseId=${course}`,
  `/api/enrollments/trainer/${busiestTrainer}?search=nowak`,
  `/api/enrollments/trainer/${busiestTrainer}?status=pending`,
  `/api/enrollments/available-trainees?courseId=${course}`,
  '/api/audit',
];

async function throughput({ programme: { typicalTrainer }, service }: ServedDatabase): Promise<void> {
  const url = service.url + trainerPage(typicalTrainer);
  const env = { ...process.env, TOKEN: await service.token(typicalTrainer) };
  const seconds = Math.min(3, Math.max(0.3, 30 * scale));
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [loadProgram, url, '20', `${seconds}`], { env });
    rates.push(Number(stdout));
  }
  const request = `first page of ${wholeNumber(enrollmentsOfTypical)} enrollments over 20 connections`;
  remark(`${request}: ${wholeNumber(median(rates))} requests/s`);
  figure(request, { median: median(rates), unit: '/s' });
}

/** Filters that match few rows, or rows far behind the first ones in the order of their page. */
const filters: readonly (readonly [url: (programme: Programme) => string, by: 'superAdmin' | 'busiestTrainer'])[] = [
  ...['nowak', 'pottery', 'nobody-has-this'].map(
    (text) =>
      [
        ({ busiestTrainer }: Programme) => `/api/enrollments/trainer/${busiestTrainer}?search=${text}`,
        'busiestTrainer',
      ] as const,
  ),
  [() => '/api/enrollments?search=nowak', 'busiestTrainer'],
  ...[
    '/api/users?isActive=false',
    '/api/users?isActive=false&role=trainee',
    '/api/users?isActive=false&sortBy=lastName',
    '/api/users?requiresPasswordChange=true',
    '/api/users?requiresPasswordChange=true&sortBy=lastName',
    '/api/users?requiresPasswordChange=true&isActive=false',
    '/api/mails?kind=password-changed',
    '/api/mails?kind=requests',
    '/api/enrollments?progress=50',
    '/api/enrollments?progress=99',
    '/api/courses?seatsLeft=true',
    '/api/overview',
  ].map((url) => [() => url, 'superAdmin'] as const),
  [() => '/api/overview', 'busiestTrainer'],
];

const maxProcessorMs = 50;
const requestsPerRound = 20;

/** Judges processor time, including the client's. Other load doesn't affect it. Linux only. */
async function measureFilters(where: string, { programme, service, cpuSeconds }: ServedDatabase): Promise<void> {
  for (const [urlIn, by] of filters) {
    const url = urlIn(programme);
    const ask = repeatedRequest(service, url, await service.token(programme[by]));
    await ask();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = cpuSeconds();
      for (let count = 0; count < requestsPerRound; count += 1) await ask();
      times.push((1000 * (cpuSeconds() - before)) / requestsPerRound);
    }
    const name = `${url.replace(programme.busiestTrainer, ':id')}, ${by}, on ${where}`;
    const time = median(times);
    const text = `${milliseconds(time)} of the processors (limit ${maxProcessorMs} ms)`;
    verdict(name, text, time <= maxProcessorMs, { cpuSeconds: time });
  }
}

const databases = await openDatabases();
try {
  const scenarios: Record<string, (served: ServedDatabase) => Promise<void>> = {
    trainer,
    growth: async (served) => growth(served, await databases.prepare('bench_listings_small', small)),
    search: (served) => table(served, searches(served.programme)),
    counts: async (served) => {
      await table(served, ['/api/enrollments/stats/overview', '/api/courses/stats/overview', '/api/overview']);
      await table(served, ['/api/overview'], 'busiestTrainer');
    },
    throughput,
  };
  const alone = {
    filters: async () => {
      await measureFilters('SQLite', await databases.prepareFile('bench_filters', afterImport));
      await measureFilters('the server', await databases.prepare('bench_filters', afterImport));
    },
  };
  const chosen = selected<(served: ServedDatabase) => Promise<void>>({ ...scenarios, ...alone });
  const needs = chosen.some(([name]) => name in scenarios);
  if (needs) {
    const served = await databases.prepare('bench_listings', full);
    for (const [name, scenario] of chosen) if (name in scenarios) await scenario(served);
  }
  for (const [name, scenario] of Object.entries(alone)) if (chosen.some(([one]) => one === name)) await scenario();
} finally {
  await databases.close();
}
