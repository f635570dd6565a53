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

/** Something that an id is asked for: mostly of the right kind, sometimes of another, sometimes of nothing. */
class Reference {
  constructor(
    private readonly kind: (typeof kinds)[number],
    private readonly index: number,
    /** Only among what concerns the caller, if there is something: most of all the rest is refused. */
    private readonly near = false,
  ) {}

  /** The id, for what the caller wants with it. */
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

/** What commands are about. */
export const references = {
  course: reference('course', fc.nat(5)),
  enrollment: reference('enrollment', fc.nat(7)),
  trainee: person('tom', 'tess', 'tim', 'sleeper'),
  trainer: person('ada', 'ben'),
  anybody: person(...castNames),
};

/** A value that only the run knows. */
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
/** The fields that a rule gets: ids in the place of references. */
type Fields<C extends Choices> = { [K in keyof C]: C[K] extends Arbitrary<infer Value> ? Resolved<Value> : never };

function resolved(choice: unknown, programme: Programme, caller: Caller): unknown {
  if (choice instanceof Reference) return choice.id(programme, caller);
  if (choice instanceof Derived) return choice.of(programme, caller);
  if (Array.isArray(choice)) return [...new Set(choice.map((one) => resolved(one, programme, caller)))];
  return choice;
}

/** What no operation takes from those who send it, unless it is a field of the operation. */
const foreignValues: Record<string, unknown> = {
  trainerId: derived,
  isPublished: true,
  role: 'super_admin',
  id: derived,
  userId: derived,
  status: 'completed',
  requiresPasswordChange: false,
  // The own key that JSON makes of it.
  ['__proto__']: { role: 'super_admin', isPublished: true },
};

/** The request of an operation: fields in its path, and in its body with strangers, or its query. */
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

/** What is asked of the service, and the model's response to it. */
export interface Step {
  question: ServiceRequest;
  rule(chosen: ServiceChoices): ModelResponse;
  /** Who asks, where it isn't the command's actor. */
  by?: Person;
}

/** One request, or a few that say something together. It keeps choices, not ids: those differ from run to run. */
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

/** Asks the service and the model. @throws where their responses differ */
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

/** Takes over when the service has given seats to those who waited. */
async function datePromoted(
  programme: Programme,
  service: Service,
  moments: Awaited<ReturnType<Service['sweep']>>,
): Promise<void> {
  for (const enrollment of programme.promoted.splice(0))
    enrollment.enrolledAt = await service.enrollmentTimeOf(enrollment.id, moments);
}

/** The promoter of the service, which gives all free seats. */
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

/** Several requests that say something together, by one of the actors, about one of the choices. */
export function scenario<T>(
  weight: number,
  name: string,
  actors: Cast,
  choices: Arbitrary<T>,
  steps: (choice: T, programme: Programme, caller: Caller) => Step[],
): WeightedCommand {
  // Now and then anybody: most actors are likely to be let.
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

/** A request of an operation of the contract, and the rule that says what becomes of it. */
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
      // Each choice of the record, with references resolved.
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
