import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../../../src/http/api/operation.js';
import type { Contract } from '../../../src/http/api/operations/contract.js';
import { admittedRoles, operations, ownPage } from './examples.js';
import {
  type JoiDescription,
  minimalObjectOf,
  nastyText,
  nastyValue,
  objectOf,
  placeholder,
  wordOf,
} from './fuzz-values.js';
import { form, part } from './uploads.js';

/** Senders of requests. A newcomer has an initial password. */
const senders = ['anonymous', 'newcomer', 'trainee', 'trainer', 'super_admin'] as const;
export type Sender = (typeof senders)[number];

/** A generated request. A placeholder `@name:n@` becomes an existing value when the request is sent. */
export interface GeneratedRequest {
  /** Intended operation; absent if the path is random. */
  name?: keyof Contract;
  sender: Sender;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

const keysOf = (schema: Operation['body']) => (schema?.describe().keys ?? {}) as Record<string, JoiDescription>;

/** Encodes text for URLs, including lone surrogates. Keeps placeholders. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%40(\w+)%3A(\d)%40/g, '@$1:$2@');
}

const percentGarbage = wordOf('% %zz %e0%a4 %ff%fe %00 %2e%2e%2f %ed%a0%80 é %25zz');

const pools: Record<string, string> = {
  trainerId: 'trainer',
  courseId: 'course',
  fileId: 'file',
  sessionId: 'session',
  name: 'image',
};
const poolOfParameter = (path: string, parameter: string): string =>
  pools[parameter] ?? /^\/api\/(?:auth\/)?(\w+?)s\//.exec(path)?.[1] ?? 'user';

/** A path segment that isn't empty and doesn't match another route. */
const segment = (pool: string): Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: placeholder(pool) },
    { weight: 1, arbitrary: nastyText.map((text) => `x${encode(text)}`) },
    { weight: 1, arbitrary: percentGarbage.map((text) => `x${text}`) },
  );

function pathOf(path: string, segmentOf: (pool: string) => Arbitrary<string>): Arbitrary<string> {
  const parts = path.split(/(?=:)|(?<=:\w+)(?!\w)/).map((part) => {
    return part.startsWith(':') ? segmentOf(poolOfParameter(path, part.slice(1))) : fc.constant(part);
  });
  return fc.tuple(...parts).map((pieces) => pieces.join(''));
}

const pair = (key: string, value: unknown) =>
  `${encode(key)}=${encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`;

const pairsOf = (query: object): string[] =>
  Object.entries(query).flatMap(([key, value]) => [value].flat().map((one: unknown) => pair(key, one)));

const asQuery = (pairs: readonly string[]) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`);

function queryOf(operation: Operation): Arbitrary<string> {
  const right = objectOf(keysOf(operation.query)).map(pairsOf);
  const wrong = fc.oneof(
    fc.tuple(nastyText, nastyText).map(([key, value]) => pair(key, value)),
    percentGarbage.map((text) => `search=${text}`),
    wordOf('page=1&page=2 limit[]=1 search[a][b]=c __proto__[x]=1 page = && a=b=c'),
  );
  const both = fc.tuple(right, fc.array(wrong, { maxLength: 3 })).map((all) => all.flat());
  return fc
    .oneof(
      { weight: 6, arbitrary: operation.query ? right : fc.constant<string[]>([]) },
      { weight: 1, arbitrary: both },
    )
    .map(asQuery);
}

interface Content {
  headers: Record<string, string>;
  body?: Buffer;
}

const json = { 'content-type': 'application/json' };
const asJson = (text: string, headers: object = {}): Content => ({
  headers: { ...json, ...headers },
  body: Buffer.from(text),
});
const wellFormedJson = (value: unknown) => asJson(JSON.stringify(value) ?? 'null');

/** Bodies that don't match their header, and unusual headers. */
const brokenJson: Arbitrary<Content> = fc.oneof(
  nastyValue.map(wellFormedJson),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ headers: json, body: Buffer.from(bytes) })),
  fc
    .constantFrom('{', '[', '"', '{"a":}', '{"a":1', '\ufeff{}', "{'a':1}", '', ' ', 'null')
    .map((text) => asJson(text)),
  fc.constant(asJson(`{"a":"${'x'.repeat(150_000)}"}`)),
  fc.constant(asJson(`${'['.repeat(40_000)}${']'.repeat(40_000)}`)),
  fc.constant({ headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(5_000_000, ' ')) }),
  wordOf('gzip br deflate identity zstd x').map((encoding) => asJson('{}', { 'content-encoding': encoding })),
  wordOf(`text/plain application/xml application/json;charset=utf-16 application/json;charset=x application/json; /
    application/x-www-form-urlencoded application/jsonp multipart/form-data application/merge-patch+json`).map((type) =>
    asJson('{"a":1}', { 'content-type': type }),
  ),
);

const files: Arbitrary<Buffer> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('@png@', '@csv@').map((text) => Buffer.from(text)) },
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(nastyText, { minLength: 1, maxLength: 6 })
    .map((cells) =>
      Buffer.from(`firstName,lastName,email\n${cells.map((cell) => `${cell},b,c@d.example`).join('\n')}`),
    ),
  fc
    .constantFrom('\x89PNG\r\n\x1a\n', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'RIFF\x10\0\0\0WEBPVP8 ')
    .map((text) => Buffer.from(text, 'latin1')),
);

const formType = { 'content-type': 'multipart/form-data; boundary=x' };

const quoted = (text: string) => text.toWellFormed().replaceAll(/["\r\n]/g, '%22');
const fieldPart = (name: string, value: unknown) =>
  part(
    [`Content-Disposition: form-data; name="${quoted(name)}"`],
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  );
const filePart = (name: string, filename: string, content: Buffer) =>
  part(
    [
      `Content-Disposition: form-data; name="${quoted(name)}"; filename="${quoted(filename)}"`,
      'Content-Type: text/csv',
    ],
    content,
  );

/** Wrong headers of forms. */
const formTypes = [
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="x y', 'text/csv'],
  ...['multipart/form-data; boundary=other', 'multipart/mixed; boundary=x'],
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
];
const partHeads = [
  ...['', 'Content-Disposition: form-data', 'Content-Disposition: form-data; name', 'no header at all'],
  ...[`X: ${'y'.repeat(20_000)}`, `Content-Disposition: form-data; name="${'n'.repeat(300)}"`],
  'Content-Disposition: form-data; name="a[b][__proto__]"',
];

function formOf({ field, fields }: NonNullable<Operation['upload']>): Arbitrary<Content> {
  const file = fc.tuple(
    fc.oneof({ weight: 9, arbitrary: fc.constant<string>(field) }, { weight: 1, arbitrary: nastyText }),
    fc.oneof(fc.constantFrom('people.csv', 'image.png', 'notes.txt'), nastyText),
    files,
  );
  const parts = fc
    .tuple(file, objectOf(keysOf(fields)))
    .map(([sent, others]) => [
      ...Object.entries(others).map(([key, value]) => fieldPart(key, value)),
      filePart(...sent),
    ]);
  const sent = (all: readonly Buffer[], headers: Record<string, string> = formType): Content => ({
    headers,
    body: form(...all),
  });
  const brokenOff = fc.tuple(parts, fc.double({ min: 0, max: 1, noNaN: true })).map(([all, share]) => ({
    headers: formType,
    body: form(...all).subarray(0, Math.floor(form(...all).length * share)),
  }));
  return fc.oneof(
    { weight: 8, arbitrary: parts.map((all) => sent(all)) },
    parts.map((all) => sent([...all, ...all])),
    brokenOff,
    fc.tuple(parts, fc.constantFrom(...formTypes)).map(([all, type]) => sent(all, { 'content-type': type })),
    fc.constantFrom(...partHeads).map((head) => sent([part([head], 'x')])),
    fc.constant(sent(Array.from({ length: 70 }, (_, n) => fieldPart(`f${n}`, 'x')))),
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

/** Valid content with only the required fields. */
function minimalContentOf({ upload, body }: Operation): Arbitrary<Content> {
  if (!upload) return body ? minimalObjectOf(keysOf(body)).map(wellFormedJson) : fc.constant({ headers: {} });
  return fc.constantFrom('@png@', '@csv@').map((text) => ({
    headers: formType,
    body: form(filePart(upload.field, 'people.csv', Buffer.from(text))),
  }));
}

/** Text for headers. Node's client accepts no line breaks and other control characters. */
const headerText = nastyText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2000));

const headerNames = wordOf(`authorization x-forwarded-for user-agent accept accept-encoding cookie origin range
  sec-fetch-site x-requested-with referer if-none-match if-modified-since x-http-method-override x-request-id
  content-language via access-control-request-method last-event-id forwarded __proto__`);

const oddHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.dictionary(headerNames, headerText, { minKeys: 1, maxKeys: 3 }),
  fc
    .constantFrom(`Bearer ${'a.'.repeat(4000)}`, 'Bearer @token:1@@token:1@', 'Basic dXNlcjpwYXNz')
    .map((authorization) => ({ authorization })),
);

const sender: Arbitrary<Sender> = fc.constantFrom(...senders);

const admittedSender = ({ access, allowsInitialPassword }: Operation) =>
  fc.constantFrom<Sender[]>(...admittedRoles(access), ...(allowsInitialPassword ? ['newcomer' as const] : []));

/** Requests to an operation; most of them have something unusual. */
export function requestsFor(name: keyof Contract, operation: Operation): Arbitrary<GeneratedRequest> {
  const own = fc.constant(operation.method.toUpperCase());
  const method = fc.oneof(
    { weight: 30, arbitrary: own },
    wordOf('HEAD PATCH OPTIONS TRACE PROPFIND GET POST PUT DELETE'),
  );
  const least = minimalObjectOf(keysOf(operation.query)).map((query) => asQuery(pairsOf(query)));
  return fc
    .oneof(
      {
        weight: 3,
        arbitrary: fc.tuple(
          fc.oneof(sender, admittedSender(operation)),
          method,
          pathOf(operation.path, segment),
          queryOf(operation),
          oddHeaders,
          contentOf(operation),
        ),
      },
      {
        // A valid request. Otherwise operations with many requirements would hardly ever succeed.
        weight: 1,
        arbitrary: fc.tuple(
          admittedSender(operation),
          own,
          pathOf(operation.path, placeholder),
          least,
          fc.constant<Record<string, string>>({}),
          minimalContentOf(operation),
        ),
      },
    )
    .map(([who, verb, path, query, headers, content]) => ({
      name,
      sender: who,
      method: verb,
      path: `${path}${query}`,
      headers: { ...content.headers, ...(operation.ownPagesOnly && ownPage), ...headers },
      ...(content.body && { body: content.body }),
    }));
}

const unroutedRequest: Arbitrary<GeneratedRequest> = fc
  .record({
    sender,
    method: wordOf('GET POST PUT DELETE PATCH OPTIONS'),
    start: wordOf('/ /api /api/ /api/auth/ /api/courses/ /healthz/ /api// // /api/../'),
    rest: fc.array(fc.oneof(nastyText.map(encode), percentGarbage), { maxLength: 4 }),
  })
  .map(({ start, rest, ...request }) => ({
    ...request,
    path: `${start}${rest.join('/')}`.slice(0, 4000),
    headers: {},
  }));

/** Requests to all operations, and some to unknown paths. */
export const anyRequest: Arbitrary<GeneratedRequest> = fc.oneof(
  { weight: 30, arbitrary: fc.oneof(...operations.map(([name, operation]) => requestsFor(name, operation))) },
  { weight: 1, arbitrary: unroutedRequest },
);
