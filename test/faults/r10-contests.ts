import { Asking, person, type Request } from './r10-asking.js';
import { courseQuota } from './r10-service.js';
import type { Verdict } from './report.js';

const full = 'Course is at maximum capacity.';
const enrolledAlready = 'Already enrolled in this course.';

/** The races of one place, in the order in which they build on each other. */
export class Contests extends Asking {
  async run(): Promise<Verdict[]> {
    await this.setup();
    await this.registrations();
    if (this.place.urls.length > 1) await this.readings();
    await this.seats();
    await this.changes();
    await this.holds();
    await this.quota();
    return this.verdicts;
  }

  private async setup(): Promise<void> {
    const body = (index: number) => ({ body: person(`setup-${index}`) });
    const answers = await this.race(
      '50 setups: one super admin',
      this.times(50, (index): Request => ['POST', '/api/auth/setup', body(index)]),
      { '201 ok': 1, '400 System setup already completed.': 49 },
    );
    this.admin = String(answers.find(({ status }) => status === 201)?.body.token);
  }

  private async registrations(): Promise<void> {
    await this.race(
      '50 registrations of an email',
      this.times(
        50,
        (index): Request => [
          'POST',
          '/api/auth/register',
          { body: { ...person('one-email'), phone: `+2 ${index}`, role: 'trainee' } },
        ],
      ),
      { '201 ok': 1, '400 User with this email already exists.': 49 },
    );
    await this.race(
      '50 registrations of a phone',
      this.times(
        50,
        (index): Request => [
          'POST',
          '/api/auth/register',
          { body: { ...person(`one-phone-${index}`), phone: '+3 1', role: 'trainee' } },
        ],
      ),
      { '201 ok': 1, '400 User with this phone number already exists.': 49 },
    );
    await this.race(
      '50 registrations of nothing in common',
      this.times(
        50,
        (index): Request => [
          'POST',
          '/api/auth/register',
          { body: { ...person(`apart-${index}`), phone: `+4 ${index}`, role: 'trainee' } },
        ],
      ),
      { '201 ok': 50 },
    );
  }

  /** A created row is visible at the next instance, too. */
  private async readings(): Promise<void> {
    const rounds = 100;
    let unknown = 0;
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await this.register('trainee');
      const found = await Promise.all(this.place.urls.map(() => this.ask('GET', `/api/users/${id}`)));
      unknown += found.filter(({ status }) => status !== 200).length;
    }
    this.verdicts.push({
      promised: `${this.place.name}: what one instance has answered, all know`,
      measured: `${unknown} of ${rounds * this.place.urls.length} reads stale, ${Math.round(performance.now() - startedAt)} ms`,
      kept: unknown === 0,
    });
  }

  private async seats(): Promise<void> {
    const trainer = await this.register('trainer');
    const trainees = await this.trainees(60);
    const ten = await this.course(trainer.id, 10);
    await this.race(
      '60 trainees, 10 seats',
      trainees.map(({ token }) => ['POST', '/api/enrollments', { body: { courseId: ten }, token }]),
      { '201 ok': 10, [`400 ${full}`]: 50 },
    );
    const last = await this.course(trainer.id, 1);
    await this.race(
      '50 trainees, the last seat',
      trainees.slice(0, 50).map(({ token }) => ['POST', '/api/enrollments', { body: { courseId: last }, token }]),
      { '201 ok': 1, [`400 ${full}`]: 49 },
    );
    const open = await this.course(trainer.id, null);
    const [one] = trainees;
    const answers = await this.race(
      'one trainee 50 times',
      this.times(
        50,
        (): Request => ['POST', '/api/enrollments', { body: { courseId: open }, token: one?.token ?? '' }],
      ),
      { '201 ok': 1, [`400 ${enrolledAlready}`]: 49 },
    );
    const won = answers.find(({ status }) => status === 201)?.body as { enrollment: { id: string } } | undefined;
    const id = won?.enrollment.id ?? '';
    await this.race(
      '50 status changes of an enrollment',
      this.times(50, (): Request => ['PUT', `/api/enrollments/${id}/status`, { body: { status: 'active' } }]),
      { '200 ok': 1, "400 Enrollment can't change from active to active.": 49 },
    );
    const limited = await this.course(trainer.id, null);
    const enrollments = trainees.map(
      ({ token }) => ['POST', '/api/enrollments', { body: { courseId: limited }, token }] as Request,
    );
    enrollments.splice(20, 0, ...this.limits(limited));
    await this.clash('60 trainees, a limit that comes meanwhile', enrollments);
    await this.race(
      '50 profile changes to a phone',
      trainees.slice(0, 50).map(({ token }) => ['PUT', '/api/auth/profile', { body: { phone: '+5 1' }, token }]),
      { '200 ok': 1, '400 User with this phone number already exists.': 49 },
    );
  }

  private limits(course: string): Request[] {
    return [15, 20, 25, 30].map((maxStudents) => ['PUT', `/api/courses/${course}`, { body: { maxStudents } }]);
  }

  private async changes(): Promise<void> {
    const doomed = await this.register('trainee');
    await this.race(
      '50 deletions of a user',
      this.times(50, (): Request => ['DELETE', `/api/users/${doomed.id}`]),
      { '200 ok': 1, '404 User not found.': 49 },
    );
    const { email } = await this.register('trainee');
    const body = { identifier: email, password: person('').password };
    await this.race(
      '50 logins of an account',
      this.times(50, (): Request => ['POST', '/api/auth/login', { body }]),
      { '200 ok': 50 },
    );
  }

  /** Rules between tables, which no constraint enforces: a check of one row must still hold when another is written. */
  private async holds(): Promise<void> {
    const trainers = await Promise.all(this.times(10, () => this.register('trainer')));
    await this.clash(
      '10 trainers get a course and another role',
      trainers.flatMap(({ id }): Request[] => [
        ['POST', '/api/courses', { body: { title: `Of ${id}`, description: 'x', trainerId: id } }],
        ['PUT', `/api/users/${id}`, { body: { role: 'trainee' } }],
      ]),
    );
    const trainer = await this.register('trainer');
    const successor = await this.register('trainer');
    const course = await this.course(trainer.id, null);
    const trainees = await this.trainees(20);
    await this.clash(
      '20 trainees get a place and another role, the course another trainer',
      trainees.flatMap(({ id, token }): Request[] => [
        ['POST', '/api/enrollments', { body: { courseId: course }, token }],
        ['PUT', `/api/users/${id}`, { body: { role: 'trainer' } }],
        ...(id.endsWith('0') || id === trainees[7]?.id
          ? ([['PUT', `/api/courses/${course}/assign-trainer`, { body: { trainerId: successor.id } }]] as Request[])
          : []),
      ]),
    );
  }
  /** The quota is a sum over rows: only the course's row, held meanwhile, keeps it. */
  private async quota(): Promise<void> {
    const trainer = await this.register('trainer');
    const course = await this.course(trainer.id, null);
    const bytes = courseQuota / 5;
    const form = () => {
      const data = new FormData();
      data.append('file', new Blob(['x'.repeat(bytes)]), 'notes.txt');
      return { form: data };
    };
    const refusal = `The course's files may have ${courseQuota} bytes altogether, and have ${courseQuota}. Delete some first.`;
    await this.race(
      '50 files where 5 fit',
      this.times(50, (): Request => ['POST', `/api/courses/${course}/files`, form()]),
      { '201 ok': 5, [`400 ${refusal}`]: 45 },
    );
  }
}
