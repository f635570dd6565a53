import { quoted } from '../../../shell-quote.js';
import type { Content, Endpoint, Schema } from './document.js';

/**
 * Variable for the origin of the service. The generated page doesn't know the origin, so its script replaces the variable.
 */
export const originVariable = '$ORIGIN';

const exampleOf = ({ examples, default: standard, enum: values }: Schema, name: string): string =>
  String(standard ?? examples?.[0] ?? values?.[0] ?? name);

/** Returns the path of an operation, with examples of its path parameters and required query parameters. */
export function examplePath({ path, operation }: Endpoint): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: location, required, schema } of operation.parameters) {
    const example = exampleOf(schema, name);
    if (location === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(example));
    else if (required) query.set(name, example);
  }
  return `${filled}${query.size > 0 ? `?${query}` : ''}`;
}

function urlOf(endpoint: Endpoint, server: string): string {
  const base = server.startsWith('/') ? `${originVariable}${server}` : server;
  return `${base.replace(/\/$/, '')}${examplePath(endpoint)}`;
}

/** Returns curl options for the file, other required fields, and fields with defaults. */
function formOptions({ properties = {}, required = [] }: Schema): string[] {
  return Object.entries(properties)
    .filter(([name, schema]) => required.includes(name) || schema.default !== undefined)
    .map(([name, schema]) => {
      const isFile = 'contentMediaType' in schema;
      return `-F ${quoted(`${name}=${isFile ? `@path/to/${name}` : exampleOf(schema, name)}`)}`;
    });
}

function bodyOptions(content: Content): string[] {
  const { 'application/json': json, 'multipart/form-data': form } = content;
  if (form) return formOptions(form.schema);
  if (!json) return [];
  return [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json.example, null, 2))}`];
}

/** Returns curl options for responses other than JSON: events without buffering, binary files into a file. */
function outputOptions({ responses }: Endpoint['operation']): string[] {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  if (types.includes('text/event-stream')) return ['--no-buffer'];
  return types.some((type) => /^(image|\*)\//.test(type)) ? ['--output download'] : [];
}

/**
 * Returns the request of an operation as a curl command for POSIX shells. `$TOKEN` is a placeholder for the token, if the
 * operation needs one.
 */
export function curlCommand(endpoint: Endpoint, server: string): string {
  const { method, operation } = endpoint;
  const { security } = operation;
  const needsToken = security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0);
  return [
    `curl -X ${method.toUpperCase()} "${urlOf(endpoint, server)}"`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...bodyOptions(operation.requestBody?.content ?? {}),
    ...outputOptions(operation),
  ].join(' \\\n  ');
}
