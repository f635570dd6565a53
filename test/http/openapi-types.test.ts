import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { consoleFields } from '../../scripts/console-fields.js';
import { consoleStatuses } from '../../scripts/console-statuses.js';
import { openapiTransports, openapiTypes } from '../../scripts/openapi-types.js';
import { expectDerived } from '../support/derived.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { document } from './support/described.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const types = readFileSync(path.join(root, 'examples/api-types.d.ts'), 'utf8');

describe('examples/api-types.d.ts', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  /** Compiles a module beside the types. @returns the errors of the compiler; empty without errors */
  async function compilerErrors(module: string): Promise<string> {
    writeFileSync(path.join(folder.path, 'api-types.d.ts'), types);
    writeFileSync(path.join(folder.path, 'client.ts'), module);
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--lib', 'es2023,dom', '--types', ''];
    const program = path.join(root, 'node_modules/typescript/bin/tsc');
    const argv = [program, ...options, '--module', 'esnext', '--moduleResolution', 'bundler', 'client.ts'];
    return promisify(execFile)(process.execPath, argv, { cwd: folder.path }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout || stderr,
    );
  }

  it('is derived from the OpenAPI document', () => {
    expectDerived('examples/api-types.d.ts', openapiTypes(document));
  });

  it('compiles, describes requests and responses, and rejects inputs that the API rejects', async () => {
    const errors = await compilerErrors(`
      import type { Course, CreateCourseBody, ListCoursesResponse, Operations, User } from './api-types.js';
      export const titles = ({ courses }: ListCoursesResponse): Course['title'][] => courses.map(({ title }) => title);
      export const body: CreateCourseBody = { title: 'Compilers', description: 'From source text.', level: '' };
      export const role = (user: User): 'super_admin' | 'trainer' | 'trainee' => user.role;
      export const path: Operations['showUser']['path'] = '/api/users/{id}';
      export const parameters: Operations['showUser']['parameters'] = { path: { id: '1' } };
      export const form: Operations['createImport']['body'] = { file: new Blob([]), onError: 'stop' };
      export const csv: Operations['exportUsers']['response'] = 'id';
      export const image: Operations['showImage']['response'] = new Blob([]);
      export const nothing: Operations['health']['body'] = undefined;
      export const incomplete: CreateCourseBody = { title: 'Compilers' };
      export const level: CreateCourseBody['level'] = 'expert';
      export const none: Operations['showUser']['parameters'] = {};
    `);
    const lines = [...errors.matchAll(/client\.ts[(:](\d+)/g)].map(([, line]) => Number(line));
    expect([...new Set(lines)], errors).to.deep.equal([12, 13, 14]);
  });
});

describe('src/console/api/enrollment-statuses.ts', () => {
  it('is derived from the statuses: npm run api:types', () => {
    const file = readFileSync(path.join(root, 'src/console/api/enrollment-statuses.ts'), 'utf8');
    expect(file === consoleStatuses(), 'out of date').to.equal(true);
  });
});

describe('src/console/api/operations.ts', () => {
  it('is derived from the document: npm run api:types', () => {
    const file = readFileSync(path.join(root, 'src/console/api/operations.ts'), 'utf8');
    expect(file === openapiTransports(document), 'out of date').to.equal(true);
  });
});

describe('src/console/api/account-fields.ts', () => {
  it('is derived from the fields of accounts', () => {
    expectDerived('src/console/api/account-fields.ts', consoleFields());
  });
});

describe('openapiTypes()', () => {
  const convert = (schema: object) => openapiTypes({ components: { schemas: { Sample: schema } }, paths: {} });

  it('converts lists, alternatives, nullable objects and constants', () => {
    const properties = {
      list: { type: 'array', items: { type: ['string', 'null'] } },
      empty: {
        anyOf: [
          { enum: ['a', "it's"], type: 'string' },
          { type: 'string', maxLength: 0 },
        ],
      },
      'content-type': { oneOf: [{ type: 'integer' }, { $ref: '#/components/schemas/Sample' }] },
      free: { type: ['object', 'null'] },
    };
    expect(convert({ type: 'object', properties, required: ['list'] })).to.include(
      [
        'export interface Sample {',
        '  list: (string | null)[];',
        "  empty?: 'a' | 'it\\'s' | '';",
        '  "content-type"?: number | Sample;',
        '  free?: Record<string, unknown> | null;',
        '}',
      ].join('\n'),
    );
  });

  it('throws for unknown schemas, and names the path of the schema', () => {
    const refused = [
      [{ type: 'object', properties: { a: { type: 'string', not: {} } } }, 'Sample.a: unknown keyword not.'],
      [{ type: 'file' }, 'Sample: unknown type "file".'],
      [{}, 'Sample: expected one of $ref, anyOf, oneOf and type.'],
      [{ $ref: 'other.json' }, 'Sample: unknown reference other.json.'],
      [{ type: 'object', additionalProperties: {} }, 'Sample: additionalProperties with a schema is not supported.'],
    ] as const;
    for (const [schema, message] of refused) expect(() => convert(schema)).to.throw(message);
  });
});
