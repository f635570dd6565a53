import { expect } from 'chai';
import type { Test } from 'supertest';
import { contract } from '../../src/http/api/contract.js';
import type { Operation } from '../../src/http/api/operation.js';
import { atDepth } from '../support/depth.js';
import { useHarness } from '../support/harness.js';
import { processorSlowness } from '../support/machine.js';
import { type Example, examples, pathOf } from './support/examples.js';

/**
 * More than a yardstick of the same run, in milliseconds of CPU of a machine that is as fast as the reference: so much may an
 * answer cost.
 */
const dearestMs = 20;

/** What has been slow for programs to normalise, fold, match or count; each is repeated to fill what may be sent. */
const units: Readonly<Record<string, string>> = {
  'marks in two orders': '\u0301\u0316',
  'half-width sound marks': '\uff9e\u0301\u0316',
  'ligatures that become eighteen letters': '\ufdfa',
  'letters that grow in lower case': '\u0130\u0307',
  'Hangul in pieces': '\u1100\u1161\u11a8',
  'marks that show nothing': '\u200b\u3164',
  'digits of another script': '\u0667',
  spaces: ' ',
  'zeros of a number': '0',
  'letters of an address': 'a.',
};

/** A text of so many bytes or less. The last character keeps what looks for an end from finding it. */
function filled(unit: string, bytes: number, bytesOf: (text: string) => number): string {
  const count = Math.floor(bytes / bytesOf(unit));
  // Marks that are apart first and together last are the worst case for putting them in order.
  const text = unit.includes('\u0316')
    ? Array.from(unit, (sign) => sign.repeat(count)).join('')
    : unit.repeat(Math.max(count - 1, 0));
  return `${unit === '0' ? '0.' : ''}${text}!0`;
}

const inJson = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;
const inUrl = (text: string) => encodeURIComponent(text).length;

/** As many as a list may have, each as large as fits, and each other than all before it. */
const listed = (bytes: number, item: (size: number, last: number) => string): string =>
  `[${Array.from({ length: 500 }, (_, last) => item(Math.max(Math.floor(bytes / 1000) - 5, 1), last)).join(',')}]`;

/** What else than a text may stand in a body and is much, as JSON. */
const heaps = (bytes: number): Readonly<Record<string, string>> => ({
  'a list of the worst text': JSON.stringify([filled('\u0301\u0316', bytes, inJson)]),
  'a list of numbers': `[${'5,'.repeat(bytes / 2)}5]`,
  'a list of texts': `[${'"x",'.repeat(bytes / 4)}"y"]`,
  'lists in lists': `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  'objects in objects': `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'different lists in lists': listed(bytes, (depth, last) => `${'['.repeat(depth)}${last}${']'.repeat(depth)}`),
  'different lists in objects': listed(bytes, (depth, last) => `{"a":[${'[],'.repeat(depth / 2)}${last}]}`),
  'an object with many keys': `{${Array.from({ length: bytes / 12 }, (_, index) => `"k${index}":1`).join(',')}}`,
});

type Place = 'body' | 'query' | 'form' | 'params';
interface Field {
  place: Place;
  name: string;
}

const keysOf = (schema: Operation['body']): string[] => Object.keys(schema?.describe().keys ?? {});

/** Every field of an operation, wherever it stands. */
function fieldsOf({ path, body, query, upload }: Operation): Field[] {
  const named = (place: Place, names: string[]) => names.map((name) => ({ place, name }));
  return [
    ...named('body', keysOf(body)),
    ...named('query', keysOf(query)),
    ...(upload ? named('form', [...keysOf(upload.fields), 'filename']) : []),
    ...named(
      'params',
      Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name),
    ),
  ];
}

const maxBytes: Record<Place, number> = { body: 100 * 1024, query: 12_000, form: 10_000, params: 12_000 };

/**
 * The cheapest of several, in milliseconds of CPU: what else the process does is none of a request's cost.
 * @param isEnough ends it early
 */
async function cpuMs(send: () => Promise<unknown>, rounds: number, isEnough = (_ms: number) => false): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && !isEnough(least); round += 1) {
    const before = process.cpuUsage();
    await send();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Only what seems expensive is measured again, and the processor with it. */
async function expectCheap(send: () => Promise<unknown>, yardstick: number, what: string): Promise<void> {
  const cost = await cpuMs(send, 10, (ms) => ms - yardstick < dearestMs / 2);
  const limit = cost - yardstick < dearestMs ? dearestMs : dearestMs * processorSlowness();
  expect(cost - yardstick, `${what}, yardstick ${yardstick} ms`).to.be.below(limit);
}

/** By default a part of the fields; all of them at full depth. */
const parts = atDepth(20, 1);
let counted = 0;
const isSampled = () => counted++ % parts === 0;

for (const [name, operation] of Object.entries(contract) as [keyof typeof contract, Operation][]) {
  const { method, path, upload } = operation;
  const fields = fieldsOf(operation);
  if (fields.length === 0) continue;

  describe(`The worst text in ${method.toUpperCase()} ${path}`, () => {
    const harness = useHarness();

    /** @param value as JSON in a body, as it is elsewhere */
    function send(given: Example, { place, name: field }: Field, value: string): Test {
      const params = place === 'params' ? { ...given.params, [field]: value } : given.params;
      const query = place === 'query' ? { ...given.query, [field]: value } : given.query;
      const target = pathOf(path, { ...(params && { params }), ...(query && { query }) });
      const call = harness.api(method, target, given.token).set(given.headers ?? {});
      if (upload && given.upload) {
        const { file, name: fileName, fields: form } = given.upload;
        const filledForm = place === 'form' && field !== 'filename' ? { ...form, [field]: value } : form;
        return call.field(filledForm).attach(upload.field, file, field === 'filename' ? value : fileName);
      }
      if (given.body === undefined) return call;
      const { [field]: _, ...others } = given.body;
      const text = JSON.stringify(place === 'body' ? others : given.body);
      const body = place === 'body' ? `{"${field}":${value}${text === '{}' ? '' : ','}${text.slice(1)}` : text;
      return call.set('Content-Type', 'application/json').send(body);
    }

    const bytesIn = (place: Place) =>
      place === 'body' ? (operation.maxBodyBytes ?? maxBytes.body) - 2048 : maxBytes[place];

    for (const field of fields.filter(isSampled))
      it(`costs no more than ${dearestMs} ms as ${field.name} of the ${field.place}`, async () => {
        const given = await examples[name](harness.context);
        const { place } = field;
        const bytes = bytesIn(place);
        const bytesOf = place === 'query' || place === 'params' ? inUrl : inJson;
        const texts = Object.entries(units).map(([what, unit]) => [what, filled(unit, bytes, bytesOf)] as const);
        const values =
          place === 'body'
            ? [...texts.map(([what, text]) => [what, JSON.stringify(text)] as const), ...Object.entries(heaps(bytes))]
            : texts;
        const yardstick = await cpuMs(() => send(given, field, place === 'body' ? '"x"' : 'x'), 2);
        for (const [what, value] of values) {
          const sendThis = async () => expect((await send(given, field, value)).status, what).to.be.below(500);
          await expectCheap(sendThis, yardstick, what);
        }
      });
  });
}

describe('The worst headers', () => {
  const harness = useHarness({ TRUST_PROXY: '1' });
  const headers = [
    'Authorization',
    'Content-Type',
    'Accept',
    'Origin',
    'Range',
    'If-None-Match',
    'X-Forwarded-For',
    'User-Agent',
    'Cookie',
    'Host',
    'Access-Control-Request-Headers',
    'Content-Encoding',
  ];
  const values = ['a,', '::1, ', 'Bearer ', ';a="', '"\\', '0', '-,', '\t', '/*', 'W/"a", '];

  for (const header of headers)
    it(`cost no more than ${dearestMs} ms as ${header}`, async () => {
      const send = (value: string) =>
        harness.api('post', '/api/auth/login').set('Content-Type', 'application/json').set(header, value).send('{}');
      const yardstick = await cpuMs(() => send('x'), 2);
      for (const value of values)
        await expectCheap(() => send(`x${value.repeat(Math.floor(12_000 / value.length))}x`), yardstick, value);
    });
});
