import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Sent, send } from './r10-service.js';
import type { Verdict } from './report.js';

/** The instances, round robin: competing requests meet at different ones. */
export interface Place {
  /** What it is, for the table. */
  name: string;
  urls: readonly string[];
}

/** What is asked. */
export type Request = [method: string, target: string, wanted?: Sent];

/** Input that setup and registration accept. */
export const person = (mark: string) => ({
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: `${mark}@example.org`,
  phone: `+44 ${mark}`,
  password: 'difference engine',
});

/** How often what was answered. */
function counted(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { said } of answers) counts[said] = (counts[said] ?? 0) + 1;
  return counts;
}

const listed = (counts: Record<string, number>) =>
  Object.entries(counts)
    .sort()
    .map(([said, count]) => `${count} x ${said}`)
    .join(', ');

/** Asks the instances of one place, and judges what they answer. */
export class Asking {
  readonly verdicts: Verdict[] = [];
  protected readonly place: Place;
  /** The super admin's token, once there is one. */
  protected admin = '';
  private next = 0;
  private serial = 100_000;

  constructor(place: Place) {
    this.place = place;
  }

  /** An unused number. */
  private fresh(): number {
    this.serial += 1;
    return this.serial;
  }

  protected ask(method: string, target: string, wanted: Sent = {}): Promise<Answer> {
    this.next += 1;
    const url = this.place.urls[this.next % this.place.urls.length] ?? '';
    return send(url, method, target, { token: this.admin || undefined, ...wanted });
  }

  /**
   * Asks for something that must be given, to prepare a race: again, as clients should, when the service is overloaded.
   * @returns the answer's body
   */
  protected async must(method: string, target: string, wanted: Sent = {}) {
    let answer = await this.ask(method, target, wanted);
    for (let tries = 1; answer.status === 503 && tries < 10; tries += 1) {
      await sleep(1000 * Number(answer.retryAfter ?? 1));
      answer = await this.ask(method, target, wanted);
    }
    const { status, said, body } = answer;
    if (status >= 300) throw new Error(`${method} ${target}: ${said}`);
    // The shapes are the contract tests' matter.
    return body as Record<string, { id: string }> & { token: string };
  }

  /** Sends all requests together and compares what was answered, and how often. */
  protected async race(promised: string, requests: readonly Request[], expected: object) {
    const startedAt = performance.now();
    const answers = await Promise.all(requests.map(([method, target, wanted]) => this.ask(method, target, wanted)));
    const counts = counted(answers);
    this.verdicts.push({
      promised: `${this.place.name}: ${promised}`,
      measured: `${listed(counts)}, in ${Math.round(performance.now() - startedAt)} ms`,
      kept: listed(counts) === listed(expected as Record<string, number>),
    });
    return answers;
  }

  /** Requests of which some may be refused, but none fail. */
  protected async clash(promised: string, requests: readonly Request[]) {
    const startedAt = performance.now();
    const answers = await Promise.all(requests.map(([method, target, wanted]) => this.ask(method, target, wanted)));
    this.verdicts.push({
      promised: `${this.place.name}: ${promised}: some succeed, no 5xx`,
      measured: `${listed(counted(answers))}, in ${Math.round(performance.now() - startedAt)} ms`,
      kept: answers.every(({ status }) => status < 500) && answers.some(({ status }) => status < 300),
    });
  }

  protected times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  protected async register(role: 'trainee' | 'trainer'): Promise<{ id: string; email: string }> {
    const body = { ...person(`${role}-${this.fresh()}`), phone: `+1 ${this.fresh()}`, role };
    const { user } = await this.must('POST', '/api/auth/register', { body });
    return { id: user?.id ?? '', email: body.email };
  }

  protected async token(email: string): Promise<string> {
    const body = { identifier: email, password: person('').password };
    return (await this.must('POST', '/api/auth/login', { body })).token;
  }

  protected async trainees(count: number): Promise<{ id: string; token: string }[]> {
    return Promise.all(
      this.times(count, async () => {
        const { id, email } = await this.register('trainee');
        return { id, token: await this.token(email) };
      }),
    );
  }

  protected async course(trainerId: string, maxStudents: number | null): Promise<string> {
    const body = { title: `Course ${this.fresh()}`, description: 'Warp and weft.', maxStudents, trainerId };
    const { course } = await this.must('POST', '/api/courses', { body });
    await this.must('PUT', `/api/courses/${course?.id}/publish`, { body: { isPublished: true } });
    return course?.id ?? '';
  }
}
