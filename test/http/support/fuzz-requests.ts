import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { contract } from '../../../src/http/api/contract.js';
import type { Operation } from '../../../src/http/api/operation.js';
import { admittedRoles, ownPage } from './examples.js';
import { type JoiDescription, leastObjectOf, nastyText, nastyValue, objectOf, placeholder } from './fuzz-values.js';

/** Who sends a request; a newcomer has a password that must be changed first. */
const senders = ['anonymous', 'newcomer', 'trainee', 'trainer', 'super_admin'] as const;
export type Sender = (typeof senders)[number];

/** A generated request; `@name:n@` in it stands for something that is there when it is sent. */
export interface Generated {
  /** What it is aimed at; nothing where the path is garbage. */
  name?: keyof typeof contract;
  sender: Sender;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

const operations = Object.entries(contract) as [keyof typeof contract, Operation][];

const keysOf = (schema: Operation['body']) => (schema?.describe().keys ?? {}) as Record<string, JoiDescription>;

/** Percent-encoded, lone surrogates and all. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%40(\w+)%3A(\d)%40/g, '@$1:$2@');
}

const percentGarbage = fc.constantFrom('%', '%zz', '%e0%a4', '%ff%fe', '%00', '%2e%2e%2f', '%ed%a0%80', 'é', '%25zz');

const poolOfParameter = (path: string, parameter: string): string => {
  if (parameter === 'trainerId') return 'trainer';
  if (parameter === 'courseId') return 'course';
  if (parameter === 'fileId') return 'file';
  if (parameter === 'sessionId') return 'session';
  if (parameter === 'name') return 'image';
  return /^\/api\/(?:auth\/)?(\w+?)s\//.exec(path)?.[1] ?? 'user';
};

/** A segment of a path that is neither empty nor another route's. */
function segment(pool: string): Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: placeholder(pool) },
    { weight: 1, arbitrary: nastyText.map((text) => `x${encode(text)}`) },
    { weight: 1, arbitrary: percentGarbage.map((text) => `x${text}`) },
  );
}

function pathOf(path: string, segmentOf: (pool: string) => Arbitrary<string> = segment): Arbitrary<string> {
  const parts = path.split(/(?=:)|(?<=:\w+)(?!\w)/);
  return fc
    .tuple(
      ...parts.map((part) =>
        part.startsWith(':') ? segmentOf(poolOfParameter(path, part.slice(1))) : fc.constant(part),
      ),
    )
    .map((pieces) => pieces.join(''));
}

const pair = (key: string, value: unknown) =>
  `${encode(key)}=${encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`;

const pairsOf = (query: object): string[] =>
  Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: unknown) => pair(key, one)),
  );

const asQuery = (pairs: readonly string[]) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`);

function queryOf(operation: Operation): Arbitrary<string> {
  const right = objectOf(keysOf(operation.query)).map(pairsOf);
  const wrong = fc.array(
    fc.oneof(
      fc.tuple(nastyText, nastyText).map(([key, value]) => pair(key, value)),
      percentGarbage.map((text) => `search=${text}`),
      fc.constantFrom('page=1&page=2', 'limit[]=1', 'search[a][b]=c', '__proto__[x]=1', 'page', '=', '&&', 'a=b=c'),
    ),
    { maxLength: 3 },
  );
  const pairs = fc.oneof(
    { weight: 6, arbitrary: operation.query ? right : fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.tuple(right, wrong).map((both) => both.flat()) },
  );
  return pairs.map(asQuery);
}

interface Content {
  headers: Record<string, string>;
  body?: Buffer;
}

const json = { 'content-type': 'application/json' };

function wellFormedJson(value: unknown): Content {
  return { headers: json, body: Buffer.from(JSON.stringify(value) ?? 'null') };
}

/** Bodies that aren't what the header says, and odd headers. */
const brokenJson: Arbitrary<Content> = fc.oneof(
  nastyValue.map(wellFormedJson),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ headers: json, body: Buffer.from(bytes) })),
  fc.constantFrom('{', '[', '"', '{"a":}', '{"a":1', '\ufeff{}', "{'a':1}", '', ' ', 'null').map((text) => ({
    headers: json,
    body: Buffer.from(text),
  })),
  fc.constant({ headers: json, body: Buffer.from(`{"a":"${'x'.repeat(150_000)}"}`) }),
  fc.constant({ headers: json, body: Buffer.from(`${'['.repeat(40_000)}${']'.repeat(40_000)}`) }),
  fc.constant({ headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(5_000_000, ' ')) }),
  fc
    .constantFrom('gzip', 'br', 'deflate', 'identity', 'zstd', 'x')
    .map((encoding) => ({ headers: { ...json, 'content-encoding': encoding }, body: Buffer.from('{}') })),
  fc
    .constantFrom(
      'text/plain',
      'application/xml',
      'application/json; charset=utf-16',
      'application/json; charset=x',
      '',
      'application/x-www-form-urlencoded',
      'application/json;',
      '/',
      'application/jsonp',
      'multipart/form-data',
      'application/merge-patch+json',
    )
    .map((type) => ({ headers: { 'content-type': type }, body: Buffer.from('{"a":1}') })),
);

const files: Arbitrary<Buffer> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('@png@', '@csv@').map((text) => Buffer.from(text)) },
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.array(nastyText, { maxLength: 6 }), { maxLength: 6 })
    .map((rows) => Buffer.from(rows.map((row) => row.join(',')).join('\n'))),
  fc
    .array(nastyText, { minLength: 1, maxLength: 4 })
    .map((cells) =>
      Buffer.from(`firstName,lastName,email,phone\n${cells.map((c) => `${c},b,c@d.example,5`).join('\n')}`),
    ),
  fc.constantFrom(
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('ffd8ffe000104a464946', 'hex'),
    Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1'),
  ),
);

const boundary = 'fuzz-boundary';

/** A form as text, each part with the header it is given. */
function form(parts: readonly { head: string; body: Buffer }[], end = `--${boundary}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ head, body }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    body,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

const quoted = (text: string) => text.toWellFormed().replaceAll(/["\r\n]/g, '%22');
const fieldPart = (name: string, value: unknown) => ({
  head: `Content-Disposition: form-data; name="${quoted(name)}"`,
  body: Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
});

function formOf({ field, fields }: NonNullable<Operation['upload']>): Arbitrary<Content> {
  const file = fc.record({
    name: fc.oneof({ weight: 9, arbitrary: fc.constant<string>(field) }, { weight: 1, arbitrary: nastyText }),
    filename: fc.oneof(fc.constantFrom('people.csv', 'picture.png', 'notes.txt'), nastyText),
    content: files,
  });
  const parts = fc
    .tuple(fc.array(file, { minLength: 1, maxLength: 1 }), objectOf(keysOf(fields)))
    .map(([sent, others]) => [
      ...Object.entries(others).map(([key, value]) => fieldPart(key, value)),
      ...sent.map(({ name, filename, content }) => ({
        head: `Content-Disposition: form-data; name="${quoted(name)}"; filename="${quoted(filename)}"\r\nContent-Type: text/csv`,
        body: content,
      })),
    ]);
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return fc.oneof(
    { weight: 8, arbitrary: parts.map((all) => ({ headers: type, body: form(all) })) },
    { weight: 1, arbitrary: parts.map((all) => ({ headers: type, body: form([...all, ...all]) })) },
    {
      weight: 1,
      // Broken off.
      arbitrary: fc
        .tuple(parts, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([all, share]) => ({ headers: type, body: form(all).subarray(0, Math.floor(form(all).length * share)) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          parts,
          fc.constantFrom(
            'multipart/form-data',
            'multipart/form-data; boundary=',
            'multipart/form-data; boundary="x',
            'multipart/form-data; boundary=other',
            'multipart/mixed; boundary=fuzz-boundary',
            'text/csv',
            `multipart/form-data; boundary=${'b'.repeat(300)}`,
          ),
        )
        .map(([all, contentType]) => ({ headers: { 'content-type': contentType }, body: form(all) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          '',
          'Content-Disposition: form-data',
          'Content-Disposition: form-data; name',
          'no header at all',
          `X: ${'y'.repeat(20_000)}`,
          `Content-Disposition: form-data; name="${'n'.repeat(300)}"`,
          ...Array.from({ length: 3 }, () => 'Content-Disposition: form-data; name="a[b][__proto__]"'),
        )
        .map((head) => ({ headers: type, body: form([{ head, body: Buffer.from('x') }]) })),
    },
    fc.constant({ headers: type, body: form(Array.from({ length: 70 }, (_, n) => fieldPart(`f${n}`, 'x'))) }),
    brokenJson,
  );
}

function contentOf(operation: Operation): Arbitrary<Content> {
  if (operation.upload) return formOf(operation.upload);
  const right = operation.body ? objectOf(keysOf(operation.body)).map(wellFormedJson) : fc.constant({ headers: {} });
  return fc.oneof(
    { weight: 12, arbitrary: right as Arbitrary<Content> },
    { weight: 2, arbitrary: brokenJson },
    fc.constant({ headers: {} }),
  );
}

/** Only what is required, and nothing wrong with it. */
function leastContentOf({ upload, body }: Operation): Arbitrary<Content> {
  if (!upload) return body ? leastObjectOf(keysOf(body)).map(wellFormedJson) : fc.constant({ headers: {} });
  const head = `Content-Disposition: form-data; name="${upload.field}"; filename="people.csv"\r\nContent-Type: text/csv`;
  return fc.constantFrom('@png@', '@csv@').map((text) => ({
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: form([{ head, body: Buffer.from(text) }]),
  }));
}

/** What a header may hold: neither line breaks nor other control characters get through Node's own client. */
const headerText = nastyText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2000));

const oddHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom(
      'authorization',
      'x-forwarded-for',
      'user-agent',
      'accept',
      'accept-encoding',
      'cookie',
      'origin',
      'range',
      'sec-fetch-site',
      'x-requested-with',
      'referer',
      'if-none-match',
      'if-modified-since',
      'x-http-method-override',
      'x-request-id',
      'content-language',
      'via',
      'access-control-request-method',
      'last-event-id',
      'forwarded',
      '__proto__',
    ),
    headerText,
    { minKeys: 1, maxKeys: 3 },
  ),
  fc.constantFrom<Record<string, string>>(
    { authorization: `Bearer ${'a.'.repeat(4000)}` },
    { authorization: 'Bearer @token:1@@token:1@' },
    { authorization: 'Basic dXNlcjpwYXNz' },
  ),
);

const sender: Arbitrary<Sender> = fc.constantFrom(...senders);

const admittedSender = ({ access, allowsInitialPassword }: Operation) =>
  fc.constantFrom<Sender[]>(...admittedRoles(access), ...(allowsInitialPassword ? ['newcomer' as const] : []));

/** Often an admitted sender, so that requests get past the access check. */
const senderOf = (operation: Operation) => fc.oneof(sender, admittedSender(operation));

function mostlyRight(operation: Operation): Arbitrary<Omit<Generated, 'name'>> {
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant(operation.method.toUpperCase()) },
    fc.constantFrom('HEAD', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'GET', 'POST', 'PUT', 'DELETE'),
  );
  return fc
    .tuple(senderOf(operation), method, pathOf(operation.path), queryOf(operation), oddHeaders, contentOf(operation))
    .map(([who, verb, path, query, headers, content]) => ({
      sender: who,
      method: verb,
      path: `${path}${query}`,
      headers: { ...content.headers, ...(operation.ownPagesOnly && ownPage), ...headers },
      ...(content.body && { body: content.body }),
    }));
}

/** A request that has what it needs: it succeeds unless what is there speaks against it. */
function right(operation: Operation): Arbitrary<Omit<Generated, 'name'>> {
  return fc
    .tuple(
      admittedSender(operation),
      pathOf(operation.path, placeholder),
      leastObjectOf(keysOf(operation.query)),
      leastContentOf(operation),
    )
    .map(([who, path, query, content]) => ({
      sender: who,
      method: operation.method.toUpperCase(),
      path: `${path}${asQuery(pairsOf(query))}`,
      headers: { ...content.headers, ...(operation.ownPagesOnly && ownPage) },
      ...(content.body && { body: content.body }),
    }));
}

/** Requests of an operation. */
export function aimedAt(name: keyof typeof contract): Arbitrary<Generated> {
  const operation: Operation = contract[name];
  return fc
    .oneof(
      { weight: 3, arbitrary: mostlyRight(operation) },
      // Else those that need much would hardly ever succeed.
      { weight: 1, arbitrary: right(operation) },
    )
    .map((request) => ({ name, ...request }));
}

const lost: Arbitrary<Generated> = fc
  .tuple(
    sender,
    fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
    fc.constantFrom('/', '/api', '/api/', '/api/auth/', '/api/courses/', '/healthz/', '/api//', '//', '/api/../'),
    fc.array(fc.oneof(nastyText.map(encode), percentGarbage), { maxLength: 4 }),
  )
  .map(([who, method, start, rest]) => ({
    sender: who,
    method,
    path: `${start}${rest.join('/')}`.slice(0, 4000),
    headers: {},
  }));

/** Any request of any operation, and some of none. */
export const anyRequest: Arbitrary<Generated> = fc.oneof(
  { weight: 30, arbitrary: fc.oneof(...operations.map(([name]) => aimedAt(name))) },
  { weight: 1, arbitrary: lost },
);
