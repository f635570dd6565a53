import { Agent } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { coursesDue, promote } from '../../../../src/services/waiting-list/promotion.js';
import type { Harness } from '../../../support/harness.js';
import { sendRaw } from '../../../support/raw-http.js';
import type { Caller, ModelResponse, Programme, ServiceChoices } from './model.js';

/** A request of a command. */
export interface ServiceRequest {
  method: string;
  path: string;
  query?: object;
  body?: object;
}

interface Given {
  status: number;
  body: Record<string, unknown>;
  /** Time of the service before and after the request. */
  asked: Date;
  answered: Date;
}

/** HTTP client of the service with keep-alive, which distributes requests over its instances. */
export class Service {
  private readonly agent = new Agent({ keepAlive: true });
  private asks = 0;

  constructor(
    private readonly harness: Harness,
    private readonly urls: readonly string[],
  ) {}

  close(): void {
    this.agent.destroy();
  }

  /**
   * Returns the time at which an enrollment got a seat.
   * @throws if the time is outside of the last request or promoter run
   */
  async enrollmentTimeOf(id: string, { asked, answered }: Pick<Given, 'asked' | 'answered'>): Promise<string> {
    const { Enrollment } = this.harness.context.database.models;
    const { status, enrolledAt } = await Enrollment.findByPk(id, { rejectOnEmpty: true });
    if (enrolledAt < asked || enrolledAt > answered)
      throw new Error(`${id} got no seat: it is ${status} since ${enrolledAt.toISOString()}.`);
    return enrolledAt.toISOString();
  }

  /** Runs the promoter. */
  async sweep(): Promise<Pick<Given, 'asked' | 'answered'>> {
    this.harness.advance(1000);
    const { context } = this.harness;
    const asked = context.now();
    await promote(context, await coursesDue(context), { signal: new AbortController().signal });
    return { asked, answered: context.now() };
  }

  async send({ method, path, query = {}, body }: ServiceRequest, caller: Caller): Promise<Given> {
    // Advances the clock, so that times of different requests differ.
    this.harness.advance(1000);
    const asked = this.harness.context.now();
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, `${value}`);
    const { status, text } = await sendRaw(this.urls[this.asks++ % this.urls.length] ?? '', {
      method: method.toUpperCase(),
      path: `${path}?${parameters}`,
      headers: {
        ...(caller && { authorization: `Bearer ${caller.token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      agent: this.agent,
      ...(body && { body: JSON.stringify(body) }),
    });
    // A response that isn't an object fails the comparison.
    return { status, body: JSON.parse(text) as Given['body'], asked, answered: this.harness.context.now() };
  }
}

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Checks values that the service chose. Invalid values become descriptions, which never equal a response. */
export function chosenIn({ body, asked, answered }: Given, { known }: Programme): ServiceChoices {
  const { course, enrollment, enrollments } = body as Record<string, Record<string, unknown> | undefined>;
  const newId = (value: unknown) => {
    const isNew = typeof value === 'string' && uuidV7.test(value) && !Object.values(known).flat().includes(value);
    return isNew ? value : 'a new id';
  };
  const now = (value: unknown) => {
    const isNow = typeof value === 'string' && value >= asked.toISOString() && value <= answered.toISOString();
    return isNow ? value : 'the present time';
  };
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : 'some text');
  return {
    id: newId((course ?? enrollment)?.id),
    enrolledAt: now(enrollment?.enrolledAt),
    completedAt: now(enrollment?.completedAt),
    notesAt: now(enrollment?.notesAt),
    replyAt: now(enrollment?.replyAt),
    token: text(body.token),
    temporaryPassword: text(body.temporaryPassword),
    ofTrainee(userId) {
      const list = Array.isArray(enrollments) ? (enrollments as Record<string, unknown>[]) : [];
      const own = list.find((entry) => entry.userId === userId);
      return { id: newId(own?.id), enrolledAt: now(own?.enrolledAt), replyAt: now(own?.replyAt) };
    },
  };
}

/** Times without rules. */
const ignoredKeys = new Set(['createdAt', 'updatedAt', 'lastLogin']);

/** Removes parts that the contract leaves open: messages of 403 and invalid fields, parameters, the order of listings. */
function comparablePart({ status, body }: ModelResponse): ModelResponse {
  const told = JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    // Codes are random.
    ignoredKeys.has(key) ? undefined : key === 'certificate' && value !== null ? 'a code' : value,
  ) as {
    [key: string]: unknown;
  };
  if (status === 403 && typeof told.error === 'string')
    told.error = told.error.replace(/^Access denied\. \S.*$/, 'Access denied.');
  // Parameters repeat values of the message.
  if (status >= 400) delete told.params;
  if (Array.isArray(told.errors))
    told.errors = told.errors.map(({ path, location }: Record<string, unknown>) => ({ path, location }));
  // Only the enrollment check guarantees its order.
  if (!('hasEnrollments' in told))
    for (const [key, value] of Object.entries(told)) if (Array.isArray(value)) told[key] = inOrder(value);
  return { status, body: told };
}

const inOrder = (entries: unknown[]) =>
  entries
    .map((entry) => ({ entry, key: (entry as { id?: string }).id ?? JSON.stringify(entry) }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ entry }) => entry);

/** Compares a response with the model. @throws an error with both if they differ */
export function compare(given: Given, expected: ModelResponse, what: string): void {
  const [service, model] = [comparablePart(given), comparablePart(expected)];
  if (isDeepStrictEqual(service, model)) return;
  throw new Error(`${what}\nservice: ${JSON.stringify(service)}\nmodel:   ${JSON.stringify(model)}`);
}
