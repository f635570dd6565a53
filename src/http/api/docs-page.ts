import { createHash } from 'node:crypto';
import type { StreamAnswer } from '../body/streams.js';
import { openapiDocument } from './openapi.js';

/**
 * The description of the API as a page: made here, of the same document that programs read, without a script and without
 * anything from elsewhere.
 */

/** What this page reads of an OpenAPI document and of JSON Schema. */
interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  $ref?: string;
}

type Content = Record<string, { schema: Schema }>;

interface Described {
  tags: string[];
  summary: string;
  description: string;
  security: object[];
  parameters: { name: string; in: string; description: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content: Content }>;
}

/** What the page reads of {@link openapiDocument}, which is typed as any object. */
interface Document {
  info: { title: string; version: string };
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

/** A copy of a part of the document, with schemas in place of the references to them. */
function inlined<T>(node: T, schemas: Record<string, Schema>): T {
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec($ref ?? '') ?? [];
  const source: object = (name === undefined ? undefined : schemas[name]) ?? node;
  if (Array.isArray(source)) return source.map((item: unknown) => inlined(item, schemas)) as T;
  // A schema stands where a reference to a schema stood.
  return Object.fromEntries(Object.entries(source).map(([key, value]) => [key, inlined(value, schemas)])) as T;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

function bounds({ minLength, maxLength, minimum, maximum }: Schema): string {
  const [least, most] = [minLength ?? minimum, maxLength ?? maximum];
  if (least === undefined && most === undefined) return '';
  if (most === undefined || most === Number.MAX_SAFE_INTEGER) return `, ${least} or more`;
  return least === undefined ? `, at most ${most}` : `, ${least} to ${most}`;
}

/** A value in words: `string, 3 to 200`, `list of string`, `one of a, b`. */
function inWords(schema: Schema): string {
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return alternatives.map(inWords).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if (schema.$ref) return schema.$ref.replace(/^.*\//, '');
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  if (schema.maxLength === 0) return type.replace('string', 'empty');
  if (type === 'array') return `list of ${inWords(schema.items ?? {})}`;
  return `${type}${schema.format ? ` (${schema.format})` : ''}${bounds(schema)}`;
}

/** The same with what holds when it is absent, and what else there is to say. */
function explained(schema: Schema): string {
  const standard = schema.default === undefined ? '' : `; ${JSON.stringify(schema.default)} when absent`;
  const note = schema.description ? ` – ${schema.description}` : '';
  return `${schema.properties ? 'object' : inWords(schema)}${standard}${note}`;
}

const row = (name: string, isRequired: boolean, what: string) =>
  `<tr><td><code>${escaped(name)}</code></td><td>${isRequired ? 'yes' : ''}</td><td>${escaped(what)}</td></tr>`;

/** The rows of an object's fields, those of objects in it too, by their path. */
function fieldRows({ properties = {}, required = [] }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = schema.properties ? schema : (schema.items ?? {});
    const path = `${prefix}${name}${schema.items ? '[]' : ''}`;
    return [row(path, required.includes(name), explained(schema)), ...fieldRows(inner, `${path}.`)];
  });
}

function table(caption: string, rows: readonly string[]): string {
  if (rows.length === 0) return '';
  return `<table><caption>${escaped(caption)}</caption><thead><tr><th>Name</th><th>Required</th><th>What</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

const contentTables = (caption: string, content: Content) =>
  Object.entries(content)
    .map(([type, { schema }]) => table(`${caption} (${type})`, fieldRows(schema)))
    .join('');

function parameterTable({ parameters }: Described): string {
  const rows = parameters.map(({ name, in: place, description, required, schema }) =>
    row(name, required, `${place}: ${explained({ ...schema, description })}`),
  );
  return table('Parameters', rows);
}

function operationHtml(method: string, path: string, operation: Described): string {
  const { summary, description, security, requestBody, responses } = operation;
  const optional = security.some((way) => Object.keys(way).length === 0);
  const lock = security.length === 0 ? '' : ` <small>${optional ? 'token or none' : 'token'}</small>`;
  const success = Object.entries(responses).filter(([status]) => status < '300');
  const failures = Object.entries(responses).filter(([status]) => status >= '300');
  const words = failures.map(([status, { description }]) => `<li><b>${status}</b> ${escaped(description)}</li>`);
  return [
    `<details id="${escaped(`${method}-${path}`)}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(path)}</code> ${escaped(summary)}${lock}</summary>`,
    `<p>${escaped(description)}</p>`,
    parameterTable(operation),
    contentTables('Request', requestBody?.content ?? {}),
    ...success.map(([status, { description, content }]) => contentTables(`${status} ${description}`, content)),
    `<ul>${words.join('')}</ul></details>`,
  ].join('');
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-family:ui-monospace,monospace}summary{cursor:pointer;padding:.3rem 0;overflow-wrap:anywhere}details{border-bottom:1px solid #8884}
summary b{display:inline-block;min-width:4.5rem}.get{color:#2a7}.post{color:#27c}.put{color:#b70}.delete{color:#c33}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}caption{text-align:left;font-weight:600}
th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-top:1px solid #8884;overflow-wrap:anywhere}th{overflow-wrap:normal}small{opacity:.7}`;

function render(): string {
  const document = openapiDocument() as Document;
  const { schemas } = document.components;
  const { info, paths } = inlined(document, schemas);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const tags = [...new Set(all.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = all.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${escaped(tag)}</h2>${own.map(({ method, path, operation }) => operationHtml(method, path, operation)).join('')}`;
  });
  const { Error: failure = {}, ValidationError: validationFailure = {} } = schemas;
  const failures = [
    table('Invalid input: 400, with every invalid field', fieldRows(validationFailure)),
    table('Every other failure', fieldRows(failure)),
  ].join('');
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(info.title)} API</title><style>${style}</style></head><body><h1>${escaped(info.title)} API ${escaped(info.version)}</h1><p>Operations marked <small>token</small> need <code>Authorization: Bearer &lt;token&gt;</code>, as a login gives it. For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p><h2>Failures</h2>${failures}${sections.join('')}</body></html>\n`;
}

const styleDigest = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

let page: string | undefined;

/** The page. */
export function docsPage(): StreamAnswer {
  page ??= render();
  const html = page;
  return {
    contentType: 'text/html; charset=utf-8',
    contentSecurityPolicy: policy,
    async *pieces() {
      yield html;
    },
  };
}
