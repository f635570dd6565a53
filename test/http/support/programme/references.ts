import fc from 'fast-check';
import { type CastName, castNames, knownEnrollments, type Person, type Programme, statuses } from './model.js';

/** What commands are about: ids, right and wrong ones, and the other parts of bodies. */

const kinds = ['person', 'course', 'enrollment', 'nothing', 'nonsense'] as const;

/** Something that an id is asked for: mostly of the right kind, sometimes of another, sometimes of nothing. */
export interface Reference {
  kind: (typeof kinds)[number];
  index: number;
  /** Only among what concerns the caller, if there is something: most of all the rest is refused. */
  near?: boolean;
}

const reference = (kind: Reference['kind'], index: fc.Arbitrary<number>): fc.Arbitrary<Reference> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.record({ kind: fc.constant(kind), index, near: fc.constant(true) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant(kind), index }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...kinds), index: fc.nat(7) }) },
  );

/** The id, for what the caller wants with it. */
export function idOf({ kind, index, near }: Reference, programme: Programme, caller: Person | undefined): string {
  if (kind === 'nonsense') return 'nonsense';
  const all = kind === 'nothing' ? [] : programme.known[kind];
  const concerning = near && caller ? concerns(kind, programme, caller) : [];
  const ids = concerning.length > 0 ? concerning : all;
  return ids[index % ids.length] ?? `018f0000-0000-7000-8000-00000000000${index}`;
}

function concerns(kind: Reference['kind'], programme: Programme, caller: Person): string[] {
  if (kind === 'enrollment') return knownEnrollments(programme, caller).map(({ id }) => id);
  if (kind !== 'course') return [];
  const courses = [...programme.courses.values()].filter(({ trainerId, isPublished }) =>
    caller.role === 'trainer' ? trainerId === caller.id : isPublished || caller.role === 'super_admin',
  );
  return courses.map(({ id }) => id);
}

export const course = reference('course', fc.nat(5));
export const enrollment = reference('enrollment', fc.nat(7));
const person = (...favoured: CastName[]) =>
  reference(
    'person',
    fc
      .oneof(
        { weight: 4, arbitrary: fc.constantFrom(...favoured) },
        { weight: 1, arbitrary: fc.constantFrom(...castNames) },
      )
      .map((name) => castNames.indexOf(name)),
  );
export const trainee = person('tom', 'tess', 'tim', 'sleeper');
export const trainer = person('ada', 'ben');
export const anybody = person(...castNames);
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
export const status = fc.constantFrom(...statuses);
export const notes = fc.option(fc.constantFrom(null, 'Comes late.'), { nil: undefined, freq: 1 });

/** Fields that no operation takes from those who send them, less those that this one does. */
export const strangers = (...real: string[]) =>
  fc
    .subarray(['trainerId', 'isPublished', 'role', 'id', 'userId', 'status', 'requiresPasswordChange', '__proto__'])
    .map((names) => names.filter((name) => !real.includes(name)));

const foreignValues: Record<string, unknown> = {
  isPublished: true,
  role: 'super_admin',
  status: 'completed',
  requiresPasswordChange: false,
};

/** The body with fields that must be ignored; `__proto__` as the own key that JSON makes of it. */
export function withStrangers(body: object, names: readonly string[], { known }: Programme): object {
  const value = (name: string) =>
    name === '__proto__' ? { role: 'super_admin', isPublished: true } : (foreignValues[name] ?? known.person[2]);
  return { ...Object.fromEntries(names.map((name) => [name, value(name)])), ...body };
}
