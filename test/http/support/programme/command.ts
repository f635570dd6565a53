import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../../../../src/http/api/operation.js';
import { type Contract, contract } from '../../../../src/http/api/operations/contract.js';
import {
  type Caller,
  type CastName,
  castNames,
  knownEnrollments,
  type ModelResponse,
  type Person,
  type Programme,
  promote,
  Refusal,
  type ServiceChoices,
} from './model.js';
import { chosenIn, compare, type Service, type ServiceRequest } from './service.js';
import { pageLimit } from './views.js';

const kinds = ['person', 'course', 'enrollment', 'nothing', 'nonsense'] as const;

/** A reference to an id: usually of the right kind, sometimes of another kind, sometimes unknown. */
class Reference {
  constructor(
    private readonly kind: (typeof kinds)[number],
    private readonly index: number,
    /** Prefers objects of the caller, because most requests for other objects are refused. */
    private readonly near = false,
  ) {}

  /** Returns the id for a caller. */
  id(programme: Programme, caller: Caller): string {
    if (this.kind === 'nonsense') return 'nonsense';
    const all = this.kind === 'nothing' ? [] : programme.known[this.kind];
    const concerning = this.near && caller ? concerns(this.kind, programme, caller) : [];
    const ids = concerning.length > 0 ? concerning : all;
    return ids[this.index % ids.length] ?? `018f0000-0000-7000-8000-00000000000${this.index}`;
  }
}

function concerns(kind: (typeof kinds)[number], programme: Programme, caller: Person): string[] {
  if (kind === 'enrollment') return knownEnrollments(programme, caller).map(({ id }) => id);
  if (kind !== 'course') return [];
  const courses = [...programme.courses.values()].filter(({ trainerId, isPublished }) =>
    caller.role === 'trainer' ? trainerId === caller.id : isPublished || caller.role === 'super_admin',
  );
  return courses.map(({ id }) => id);
}

const reference = (kind: (typeof kinds)[number], index: Arbitrary<number>): Arbitrary<Reference> =>
  fc.oneof(
    { weight: 9, arbitrary: index.map((n) => new Reference(kind, n, true)) },
    { weight: 4, arbitrary: index.map((n) => new Reference(kind, n)) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...kinds), fc.nat(7)).map((args) => new Reference(...args)) },
  );

const person = (...favoured: CastName[]) => {
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...favoured) },
    { weight: 1, arbitrary: fc.constantFrom(...castNames) },
  );
  return reference(
    'person',
    name.map((one) => castNames.indexOf(one)),
  );
};

/** References for the fields of commands. */
export const references = {
  course: reference('course', fc.nat(5)),
  enrollment: reference('enrollment', fc.nat(7)),
  trainee: person('tom', 'tess', 'tim', 'sleeper'),
  trainer: person('ada', 'ben'),
  anybody: person(...castNames),
};

/** A value that is known only during the run. */
class Derived<T> {
  constructor(readonly of: (programme: Programme, caller: Caller) => T) {}
}
export const derived = <T>(of: Derived<T>['of']) => fc.constant(new Derived(of));

type Choices = Record<string, Arbitrary<unknown>>;
type Resolved<T> = T extends Reference
  ? string
  : T extends Reference[]
    ? string[]
    : T extends Derived<infer Value>
      ? Value
      : T;
/** Fields of a rule, with ids instead of references. */
type Fields<C extends Choices> = { [K in keyof C]: C[K] extends Arbitrary<infer Value> ? Resolved<Value> : never };

function resolved(choice: unknown, programme: Programme, caller: Caller): unknown {
  if (choice instanceof Reference) return choice.id(programme, caller);
  if (choice instanceof Derived) return choice.of(programme, caller);
  if (Array.isArray(choice)) return [...new Set(choice.map((one) => resolved(one, programme, caller)))];
  return choice;
}

/** Values that operations must ignore, unless they are fields of the operation. */
const foreignValues: Record<string, unknown> = {
  trainerId: derived,
  isPublished: true,
  role: 'super_admin',
  id: derived,
  userId: derived,
  status: 'completed',
  requiresPasswordChange: false,
  // JSON.parse creates this as an own key.
  ['__proto__']: { role: 'super_admin', isPublished: true },
};

/**
 * Returns a request with fields in the path and in the body or query.
 * @param strangers additional keys, which operations must ignore
 */
export function requestFor(
  name: keyof Contract,
  fields: object,
  strangers: readonly string[] = [],
  somebody = '',
): ServiceRequest {
  const { method, path, body, query }: Operation = contract[name];
  const rest: Record<string, unknown> = { ...fields };
  const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => {
    const id = String(rest[key]);
    delete rest[key];
    return id;
  });
  if (!body) {
    const { limit } = (query?.describe().keys ?? {}) as Record<string, object>;
    return { method, path: filled, query: { ...(limit && { limit: pageLimit }), ...rest } };
  }
  const ignored = strangers.flatMap((key) => {
    const value = foreignValues[key];
    return Object.hasOwn(fields, key) ? [] : [[key, value === derived ? somebody : value] as const];
  });
  return { method, path: filled, body: { ...Object.fromEntries(ignored), ...rest } };
}

/** A request to the service, and the rule of the model for its response. */
export interface Step {
  question: ServiceRequest;
  rule(chosen: ServiceChoices): ModelResponse;
  /** Caller, if the caller isn't the command's actor. */
  by?: Person;
}

/** One or more related requests. Stores choices instead of ids, because ids differ between runs. */
class Command implements fc.AsyncCommand<Programme, Service> {
  constructor(
    private readonly words: string,
    private readonly actor: CastName | 'anonymous',
    private readonly steps: (programme: Programme, caller: Caller) => Step[],
  ) {}

  check(): boolean {
    return true;
  }

  run(programme: Programme, service: Service): Promise<void> {
    const caller = this.actor === 'anonymous' ? undefined : programme.cast[this.actor];
    return runSteps(this.steps(programme, caller), programme, service, `${this}`, caller);
  }

  toString(): string {
    return `${this.actor}: ${this.words}`;
  }
}

/** Sends requests to the service and compares the responses with the model. @throws if they differ */
export async function runSteps(
  steps: readonly Step[],
  programme: Programme,
  service: Service,
  words: string,
  caller?: Person,
): Promise<void> {
  for (const { question: asked, rule, by = caller } of steps) {
    const response = await service.send(asked, by);
    const expected = responseOf(() => rule(chosenIn(response, programme)));
    compare(response, expected, `${words} (${asked.method} ${asked.path})`);
    await datePromoted(programme, service, response);
  }
}

/** Copies the times at which the service gave seats to waiting people into the model. */
async function datePromoted(
  programme: Programme,
  service: Service,
  moments: Awaited<ReturnType<Service['sweep']>>,
): Promise<void> {
  for (const enrollment of programme.promoted.splice(0))
    enrollment.enrolledAt = await service.enrollmentTimeOf(enrollment.id, moments);
}

/** Runs the promoter of the service, which gives all free seats. */
export const sweep: WeightedCommand = {
  weight: 1,
  arbitrary: fc.constant({
    check: () => true,
    async run(programme: Programme, service: Service) {
      promote(programme, programme.courses.keys());
      await datePromoted(programme, service, await service.sweep());
    },
    toString: () => 'the promoter',
  }),
};

function responseOf(rule: () => ModelResponse): ModelResponse {
  try {
    return rule();
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

type Cast = (CastName | 'anonymous')[];
export const managers: Cast = ['superAdmin', 'ada', 'ben'];
export const trainees: Cast = ['tom', 'tess', 'tim'];
export const everybody: Cast = [...castNames, 'anonymous'];

export type WeightedCommand = fc.WeightedArbitrary<fc.AsyncCommand<Programme, Service>>;

/** Creates a command with several related requests. */
export function scenario<T>(
  weight: number,
  name: string,
  actors: Cast,
  choices: Arbitrary<T>,
  steps: (choice: T, programme: Programme, caller: Caller) => Step[],
): WeightedCommand {
  // Sometimes chooses any actor, because most of the given actors are permitted.
  const actor = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...actors) },
    { weight: 1, arbitrary: fc.constantFrom(...everybody) },
  );
  const arbitrary = fc
    .tuple(actor, choices)
    .map(
      ([who, choice]) =>
        new Command(`${name} ${fc.stringify(choice)}`, who, (programme, caller) => steps(choice, programme, caller)),
    );
  return { weight, arbitrary };
}

/** Creates a command with one request of an operation, and the rule for its response. */
export function operation<C extends Choices>(
  weight: number,
  name: keyof Contract,
  actors: Cast,
  choices: C,
  rule: (programme: Programme, caller: Caller, fields: Fields<C>, chosen: ServiceChoices) => ModelResponse,
): WeightedCommand {
  const strangers = fc.subarray(Object.keys(foreignValues));
  return scenario(
    weight,
    name,
    actors,
    fc.tuple(fc.record(choices), strangers),
    ([choice, ignored], programme, caller) => {
      const entries = Object.entries(choice).map(([key, value]) => [key, resolved(value, programme, caller)]);
      // The fields of the record with resolved references.
      const fields = Object.fromEntries(entries) as Fields<C>;
      return [
        {
          question: requestFor(name, fields, ignored, programme.known.person[2]),
          rule: (chosen) => rule(programme, caller, fields, chosen),
        },
      ];
    },
  );
}
