import { type Content, descriptionHtml, escaped, type Parameter, referenceName, type Schema } from './document.js';

/** Returns the URL fragment of a component's description. */
const schemaId = (name: string): string => `schema-${name}`;

export const schemaLink = (name: string): string => `<a href="#${escaped(schemaId(name))}">${escaped(name)}</a>`;

function bounds({ minLength, maxLength, minimum, maximum }: Schema): string {
  const [min, max] = [minLength ?? minimum, maxLength ?? maximum];
  if (min === undefined && max === undefined) return '';
  if (max === undefined || max === Number.MAX_SAFE_INTEGER) return `, ${min} or more`;
  return min === undefined ? `, at most ${max}` : `, ${min} to ${max}`;
}

/** Returns the permitted values of a schema as HTML: `string, 3 to 200`, `list of string`, or a link to a component. */
function valuesHtml(schema: Schema): string {
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (schema.$ref) return schemaLink(referenceName(schema.$ref));
  if (alternatives) return alternatives.map(valuesHtml).join(' or ');
  if (schema.const !== undefined) return escaped(JSON.stringify(schema.const));
  if (schema.enum) return escaped(schema.enum.map((value) => JSON.stringify(value)).join(', '));
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  if (schema.maxLength === 0) return type.replace('string', 'empty');
  if (type === 'array') return `list of ${valuesHtml(schema.items ?? {})}`;
  return escaped(`${type}${schema.format ? ` (${schema.format})` : ''}${bounds(schema)}`);
}

/** Returns the permitted values with the default, the description and an example. */
function explanationHtml(schema: Schema): string {
  const standard = schema.default === undefined ? '' : `; ${escaped(JSON.stringify(schema.default))} when absent`;
  const note = schema.description ? ` – ${descriptionHtml(schema.description)}` : '';
  const [example] = schema.examples ?? [];
  const shown = example === undefined ? '' : ` <small>e.g. <code>${escaped(JSON.stringify(example))}</code></small>`;
  return `${schema.properties ? 'object' : valuesHtml(schema)}${standard}${note}${shown}`;
}

const row = (name: string, isRequired: boolean, explanation: string) =>
  `<tr><td><code>${escaped(name)}</code></td><td>${isRequired ? 'yes' : ''}</td><td>${explanation}</td></tr>`;

/** Returns rows for an object's fields, including nested fields by their path. Components are linked, not repeated. */
function fieldRows({ properties = {}, required = [] }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = schema.properties ? schema : (schema.items ?? {});
    const path = `${prefix}${name}${schema.items ? '[]' : ''}`;
    return [row(path, required.includes(name), explanationHtml(schema)), ...fieldRows(inner, `${path}.`)];
  });
}

function table(caption: string, rows: readonly string[]): string {
  if (rows.length === 0) return '';
  return `<table><caption>${descriptionHtml(caption)}</caption><thead><tr><th>Name</th><th>Required</th><th>Description</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** Returns a component of the document with its fields or permitted values. */
export function componentHtml(name: string, schema: Schema): string {
  const { description = '', ...own } = schema;
  const fields = table(`Fields of ${name}`, fieldRows(own));
  // Browsers open a `details` element that contains the target of a link.
  return `<details><summary><h3>${escaped(name)}</h3></summary><div id="${escaped(schemaId(name))}"><p>${descriptionHtml(description)}</p>${fields || `<p>${explanationHtml(own)}</p>`}</div></details>`;
}

/** Returns bodies with their fields and JSON examples. */
export function contentHtml(caption: string, content: Content): string {
  const bodies = Object.entries(content).map(([type, { schema, example }]) => {
    const heading = `${caption} (${type})`;
    const fields =
      table(heading, fieldRows(schema)) || `<p><b>${descriptionHtml(heading)}</b>: ${explanationHtml(schema)}</p>`;
    if (example === undefined) return fields;
    return `${fields}<pre><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>`;
  });
  return bodies.join('');
}

export function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: location, description, required, schema }) =>
    row(name, required, `${location}: ${explanationHtml({ ...schema, description })}`),
  );
  return table('Parameters', rows);
}
