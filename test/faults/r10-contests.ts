import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, type Outcome, send } from './clients.js';
import type { Verdict } from './report.js';

/** Quota for the files of a course, in bytes. */
export const courseQuota = 50_000;

const full = 'Course is at maximum capacity.';

/** Valid input for setup and registration. */
export const person = (mark: string) => ({
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: `${mark}@example.org`,
  phone: `+44 ${mark}`,
  password: 'difference engine',
});

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const post = (path: string, body: object, token?: string): Call => ({ method: 'POST', path, body, token });
const put = (path: string, body: object, token?: string): Call => ({ method: 'PUT', path, body, token });
const enroll = (courseId: string, token = ''): Call => post('/api/enrollments', { courseId }, token);

type SentResponse = Outcome & { text: string };

/** Returns the number of responses by result, such as `1 x 201 ok, 49 x 400 Course is at maximum capacity.` */
function counted(responses: readonly SentResponse[]): string {
  const counts: Record<string, number> = {};
  for (const { status, text } of responses) {
    const error = status >= 400 ? (JSON.parse(text) as { error: string }).error : text;
    const what = `${status} ${status >= 200 && status < 300 ? 'ok' : error}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return listed(counts);
}

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .sort()
    .map(([what, count]) => `${count} x ${what}`)
    .join(', ');

/**
 * Races on one database, in an order in which they build on each other. Competing requests are sent to different
 * instances.
 */
export class Contests {
  readonly verdicts: Verdict[] = [];
  /** The super admin's token, once it exists. */
  private admin: string | undefined;
  private next = 0;
  private serial = 100_000;

  constructor(
    private readonly name: string,
    private readonly urls: readonly string[],
  ) {}

  async run(): Promise<void> {
    await this.setup();
    await this.registrations();
    if (this.urls.length > 1) await this.readings();
    await this.seats();
    await this.changes();
    await this.rulesBetweenTables();
    await this.quota();
  }

  private ask(call: Call): Promise<SentResponse> {
    this.next += 1;
    const { token = this.admin } = call;
    return send(this.urls[this.next % this.urls.length] ?? '', { ...call, token });
  }

  /**
   * Sends a request that must succeed, to prepare a race. Retries like clients if the service is overloaded.
   * @returns the body of the response
   */
  private async expectSuccess(call: Call) {
    let response = await this.ask(call);
    for (let tries = 1; response.status === 503 && tries < 10; tries += 1) {
      await sleep(1000);
      response = await this.ask(call);
    }
    const { status, text } = response;
    if (status === 0 || status >= 300) throw new Error(`${call.method} ${call.path}: ${status} ${text}`);
    // Contract tests check the shapes.
    return JSON.parse(text) as Record<string, { id: string }> & { token: string };
  }

  /**
   * Sends all requests together.
   * @param expected number of responses by result; if omitted, some must succeed and none may fail with 5xx
   */
  private async race(promised: string, calls: readonly Call[], expected?: Readonly<Record<string, number>>) {
    const responses = await Promise.all(calls.map((call) => this.ask(call)));
    const measured = counted(responses);
    const isSuccess = ({ status }: SentResponse) => status >= 200 && status < 300;
    const noneFails = responses.some(isSuccess) && responses.every((one) => one.status > 0 && one.status < 500);
    this.verdicts.push({
      promised: `${this.name}: ${promised}${expected ? '' : ': some succeed, no 5xx'}`,
      measured,
      kept: expected ? measured === listed(expected) : noneFails,
      // Beside other work, a burst can wait longer than the service lets it wait.
      ...(responses.some(({ status }) => status === 503) && { timed: true }),
    });
    return responses.find(isSuccess)?.text ?? '{}';
  }

  private async register(role: 'trainee' | 'trainer'): Promise<{ id: string; email: string }> {
    this.serial += 1;
    const body = { ...person(`${role}-${this.serial}`), phone: `+1 ${this.serial}`, role };
    const { user } = await this.expectSuccess(post('/api/auth/register', body));
    return { id: user?.id ?? '', email: body.email };
  }

  private trainees(count: number): Promise<{ id: string; token: string }[]> {
    return Promise.all(
      times(count, async () => {
        const { id, email } = await this.register('trainee');
        const login = { identifier: email, password: person('').password };
        return { id, token: (await this.expectSuccess(post('/api/auth/login', login))).token };
      }),
    );
  }

  private async course(trainerId: string, maxStudents: number | null): Promise<string> {
    const body = { title: `Of ${trainerId}`, description: 'Warp and weft.', maxStudents, trainerId };
    const { course } = await this.expectSuccess(post('/api/courses', body));
    await this.expectSuccess(put(`/api/courses/${course?.id}/publish`, { isPublished: true }));
    return course?.id ?? '';
  }

  private async setup(): Promise<void> {
    const text = await this.race(
      '50 setups: one super admin',
      times(50, (index) => post('/api/auth/setup', person(`setup-${index}`))),
      { '201 ok': 1, '400 System setup already completed.': 49 },
    );
    this.admin = (JSON.parse(text) as { token?: string }).token;
  }

  private async registrations(): Promise<void> {
    const all = (make: (index: number) => object) =>
      times(50, (index) => post('/api/auth/register', { ...make(index), role: 'trainee' }));
    await this.race(
      '50 registrations of an email',
      all((index) => ({ ...person('one-email'), phone: `+2 ${index}` })),
      { '201 ok': 1, '400 User with this email already exists.': 49 },
    );
    await this.race(
      '50 registrations of a phone',
      all((index) => ({ ...person(`one-phone-${index}`), phone: '+3 1' })),
      { '201 ok': 1, '400 User with this phone number already exists.': 49 },
    );
    await this.race(
      '50 unrelated registrations',
      all((index) => ({ ...person(`apart-${index}`), phone: `+4 ${index}` })),
      { '201 ok': 50 },
    );
  }

  /** Checks that a created row is visible at every instance. */
  private async readings(): Promise<void> {
    const rounds = 100;
    let unknown = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await this.register('trainee');
      const found = await Promise.all(this.urls.map(() => this.ask({ method: 'GET', path: `/api/users/${id}` })));
      unknown += found.filter(({ status }) => status !== 200).length;
    }
    this.verdicts.push({
      promised: `${this.name}: a change answered by one instance is visible at all instances`,
      measured: `${unknown} of ${rounds * this.urls.length} reads stale`,
      kept: unknown === 0,
    });
  }

  private async seats(): Promise<void> {
    const trainer = await this.register('trainer');
    const trainees = await this.trainees(60);
    const ten = await this.course(trainer.id, 10);
    await this.race(
      '60 trainees, 10 seats',
      trainees.map(({ token }) => enroll(ten, token)),
      { '201 ok': 10, [`400 ${full}`]: 50 },
    );
    const open = await this.course(trainer.id, null);
    const text = await this.race(
      'one trainee 50 times',
      times(50, () => enroll(open, trainees[0]?.token)),
      { '201 ok': 1, '400 Already enrolled in this course.': 49 },
    );
    const { enrollment } = JSON.parse(text) as { enrollment?: { id: string } };
    await this.race(
      '50 status changes of an enrollment',
      times(50, () => put(`/api/enrollments/${enrollment?.id}/status`, { status: 'active' })),
      { '200 ok': 1, "400 Enrollment can't change from active to active.": 49 },
    );
    const limited = await this.course(trainer.id, null);
    const enrollments = trainees.map(({ token }) => enroll(limited, token));
    const limits = [15, 20, 25, 30].map((maxStudents) => put(`/api/courses/${limited}`, { maxStudents }));
    enrollments.splice(20, 0, ...limits);
    await this.race('60 trainees while the course gets a limit', enrollments);
    await this.race(
      '50 profile changes to a phone',
      trainees.slice(0, 50).map(({ token }) => put('/api/auth/profile', { phone: '+5 1' }, token)),
      { '200 ok': 1, '400 User with this phone number already exists.': 49 },
    );
  }

  private async changes(): Promise<void> {
    const doomed = await this.register('trainee');
    await this.race(
      '50 deletions of a user',
      times(50, (): Call => ({ method: 'DELETE', path: `/api/users/${doomed.id}` })),
      { '200 ok': 1, '404 User not found.': 49 },
    );
    const { email: identifier } = await this.register('trainee');
    const login = { identifier, password: person('').password };
    await this.race(
      '50 logins of an account',
      times(50, () => post('/api/auth/login', login)),
      { '200 ok': 50 },
    );
  }

  /**
   * Races for rules between tables, which no constraint enforces. A check of one row must still hold when another row is
   * written.
   */
  private async rulesBetweenTables(): Promise<void> {
    const trainers = await Promise.all(times(10, () => this.register('trainer')));
    await this.race(
      '10 trainers get a course and another role',
      trainers.flatMap(({ id }) => [
        post('/api/courses', { title: `Of ${id}`, description: 'x', trainerId: id }),
        put(`/api/users/${id}`, { role: 'trainee' }),
      ]),
    );
    const trainer = await this.register('trainer');
    const successor = await this.register('trainer');
    const course = await this.course(trainer.id, null);
    const trainees = await this.trainees(20);
    const calls = trainees.flatMap(({ id, token }, index) => [
      enroll(course, token),
      put(`/api/users/${id}`, { role: 'trainer' }),
      ...(index % 7 === 0 ? [put(`/api/courses/${course}/assign-trainer`, { trainerId: successor.id })] : []),
    ]);
    await this.race('20 trainees get a place and another role, the course another trainer', calls);
  }

  /** Races for the quota, a sum over rows that only the lock of the course's row protects. */
  private async quota(): Promise<void> {
    const trainer = await this.register('trainer');
    const course = await this.course(trainer.id, null);
    const form = new FormData();
    form.append('file', new Blob(['x'.repeat(courseQuota / 5)]), 'notes.txt');
    const refusal = `The course's files may have ${courseQuota} bytes altogether, and have ${courseQuota}. Delete some first.`;
    await this.race(
      '50 files, space for 5',
      times(50, () => post(`/api/courses/${course}/files`, form)),
      { '201 ok': 5, [`400 ${refusal}`]: 45 },
    );
  }
}
