import fc, { type Arbitrary } from 'fast-check';

/** The parts of Joi's `describe()` that determine values. */
export interface JoiDescription {
  type?: string;
  keys?: Record<string, JoiDescription>;
  items?: JoiDescription[];
  allow?: unknown[];
  flags?: { presence?: string };
  rules?: { name: string; args?: { limit?: number } }[];
  metas?: { format?: string; minLength?: number; maxLength?: number }[];
  matches?: { schema: JoiDescription }[];
}

/** A placeholder for an existing value, such as an id. */
export const placeholder = (name: string): Arbitrary<string> => fc.nat(9).map((n) => `@${name}:${n}@`);

/** One word of a text. */
export const wordOf = (text: string): Arbitrary<string> => fc.constantFrom(...text.trim().split(/ +|\n */));

const deep = (levels: number, open: string, middle: string, close: string): unknown =>
  JSON.parse(`${open.repeat(levels)}${middle}${close.repeat(levels)}`);

/** Texts that often cause faults in programs. */
export const nastyText: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  // Includes lone surrogates.
  fc.array(fc.nat(0xffff), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom(...['', ' ', '\0', 'a\0b', '\ud800', '\udfff\ud800', '\ufeff', '\u202e', '\u200b', '\r\nX: y']),
  fc.constantFrom("' OR 1=1 -- ", '";DROP TABLE users;--'),
  wordOf(`İ ﬀ ٣ 🦄 ١٢ null undefined NaN true -1 0x10 1e309 9007199254740993 __proto__ constructor hasOwnProperty $ne
    [Op.ne] {} [] ' \\ % _ %_\\% \` $1 ? :id :replacement ../../../etc/passwd ..\\.. =cmd|1 <script> {{7*7}} %00 %s%n a@b @
    2026-02-30 0000-00-00 +275760-09-13T00:00:00.000Z -271821-04-20 2026-01-31T08:00:00+23:59`),
  fc.constantFrom(51, 73, 255, 256, 601, 2001, 65_536).map((length) => 'x'.repeat(length)),
  fc.constantFrom(30, 90, 301).map((length) => '🦄'.repeat(length)),
  fc.constantFrom(30, 601).map((length) => `a${'\u0301'.repeat(length)}`),
);

/** Unexpected JSON values. */
export const nastyValue: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: nastyText },
  { weight: 2, arbitrary: fc.jsonValue() as Arbitrary<unknown> },
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 5e-324),
  fc.array(nastyText, { maxLength: 4 }),
  fc.dictionary(wordOf('__proto__ constructor prototype length $gt toString'), nastyText),
  fc.constantFrom(
    deep(500, '[', '', ']'),
    deep(500, '{"a":', '1', '}'),
    Array.from({ length: 2000 }, (_, n) => n),
    JSON.parse('{"__proto__":{"role":"super_admin"},"constructor":{"prototype":{}}}'),
  ),
);

/** Pools of existing values by field name. */
const pools: readonly (readonly [RegExp, string])[] = [
  [/^courseId$|^course$/, 'course'],
  [/^enrollmentIds?$/, 'enrollment'],
  [/^groupId$|^group$/, 'group'],
  [/^(trainer|trainee|user|actor|target)Ids?$|^add$|^remove$/, 'user'],
  [/^identifier$|^email$/, 'email'],
  [/password/i, 'password'],
  [/phone/i, 'phone'],
];

function textOf(key: string, { metas = [] }: JoiDescription): Arbitrary<string> {
  const meta = Object.assign({}, ...metas) as NonNullable<JoiDescription['metas']>[number];
  const pool = pools.find(([pattern]) => pattern.test(key))?.[1];
  if (meta.format === 'date')
    return fc.date({ min: new Date('1900-01-01'), noInvalidDate: true }).map((day) => day.toISOString().slice(0, 10));
  const { minLength = 1, maxLength = 40 } = meta;
  const words = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) });
  const plain = fc.stringMatching(/^[A-Za-z][a-z]{2,12}$/);
  if (meta.format === 'email') return fc.oneof(fc.emailAddress(), placeholder('email'));
  if (pool === undefined) return fc.oneof(words, plain);
  // Taken phones and unknown ids are refused, so most phones are new and most ids exist.
  return fc.oneof({ weight: pool === 'phone' ? 1 : 4, arbitrary: placeholder(pool) }, words);
}

function numberOf({ rules = [] }: JoiDescription): Arbitrary<unknown> {
  const limit = (name: string, otherwise: number) => rules.find((rule) => rule.name === name)?.args?.limit ?? otherwise;
  const [min, max] = [limit('min', -10), limit('max', 10)];
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 20) }), fc.constantFrom(min, max, min - 1, max + 1));
}

/** Mostly valid values of a schema. @param key name of the field */
function validValue(description: JoiDescription, key = ''): Arbitrary<unknown> {
  const { type, keys = {}, items = [], allow = [], matches = [] } = description;
  if (matches.length > 0) return fc.oneof(...matches.map(({ schema }) => validValue(schema, key)));
  if (allow.some((value) => typeof value === 'string' && value !== '')) return fc.constantFrom(...allow);
  if (type === 'object') return objectOf(keys);
  if (type === 'array') return fc.array(validValue(items[0] ?? {}, key), { maxLength: 5 });
  if (type === 'number') return numberOf(description);
  if (type === 'boolean') return fc.boolean();
  if (type === 'date') return fc.date().map((day) => (Number.isNaN(day.getTime()) ? 'never' : day.toISOString()));
  return textOf(key, description);
}

const isRequired = ({ flags }: JoiDescription) => flags?.presence === 'required';

const rightFields = (entries: [string, JoiDescription][]) =>
  Object.fromEntries(entries.map(([key, field]) => [key, validValue(field, key)]));

/** Valid objects with only the required fields. */
export const minimalObjectOf = (keys: Record<string, JoiDescription>): Arbitrary<Record<string, unknown>> =>
  fc.record(rightFields(Object.entries(keys).filter(([, field]) => isRequired(field))));

/** Valid objects, and objects with some invalid, missing or unknown fields. */
export function objectOf(keys: Record<string, JoiDescription>): Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(keys);
  const nothing = fc.constant<unknown[]>([]);
  const fields = entries.map(([key, field]) =>
    fc.oneof<fc.WeightedArbitrary<unknown[]>[]>(
      { weight: 12, arbitrary: validValue(field, key).map((right) => [key, right]) },
      { weight: 1, arbitrary: nastyValue.map((wrong) => [key, wrong]) },
      { weight: isRequired(field) ? 1 : 8, arbitrary: nothing },
    ),
  );
  const surplus = fc.oneof<fc.WeightedArbitrary<unknown[]>[]>(
    { weight: 8, arbitrary: nothing },
    { weight: 1, arbitrary: fc.tuple(nastyText, nastyValue) },
  );
  const mostlyRight = fc
    .tuple(...fields, surplus)
    .map((pairs) => Object.fromEntries(pairs.filter((pair): pair is [string, unknown] => typeof pair[0] === 'string')));
  const requiredKeys = entries.flatMap(([key, field]) => (isRequired(field) ? [key] : []));
  return fc.oneof(fc.record(rightFields(entries), { requiredKeys }), mostlyRight);
}
