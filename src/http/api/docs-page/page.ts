import { createHash } from 'node:crypto';
import { openapiDocument } from '../document/openapi.js';
import { script, style } from './assets.js';
import { originVariable } from './curl.js';
import { type Document, descriptionHtml, type Endpoint, escaped } from './document.js';
import { failureId, operationHtml } from './operations.js';
import { componentHtml } from './schemas.js';

/**
 * The description of the API as a page, rendered from the OpenAPI document. The page loads no other resources, and is complete
 * without its script. The script searches, sends requests and copies the curl commands.
 */

/** Returns a table of shared failures and their bodies. */
function sharedFailures({ components }: Document): string {
  const rows = Object.entries(components.examples).map(
    ([code, { value }]) =>
      `<tr id="${escaped(failureId(code))}"><td><code>${escaped(code)}</code></td><td><code>${escaped(JSON.stringify(value))}</code></td></tr>`,
  );
  return `<table><caption>Failures that operations share</caption><thead><tr><th>Failure</th><th>Body</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function introduction({ info }: Document): string {
  return [
    `<h1>${escaped(info.title)} API ${escaped(info.version)}</h1><p>${descriptionHtml(info.description)}</p>`,
    '<p>Operations marked <small>token</small> need <code>Authorization: Bearer &lt;token&gt;</code>, with the token from the response of a login.  ',
    'For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>',
    `<p>In the curl commands, <code>$TOKEN</code> is the token<noscript>, and <code>${originVariable}</code> is the scheme, host and port of this page</noscript>.</p>`,
  ].join('');
}

const sectionId = (name: string) => `section-${name.toLowerCase()}`;

/** Returns links to the sections of the page. */
function contents(names: readonly string[]): string {
  const links = names.map((name) => `<a href="#${sectionId(name)}">${escaped(name)}</a>`);
  return `<nav aria-label="Sections"><p>${links.join(' · ')}</p></nav>`;
}

function render(): string {
  // The document has the type `object`; `Document` declares the parts that the page uses.
  const document = openapiDocument() as Document;
  const { info, servers, tags, paths, components } = document;
  const server = servers[0]?.url ?? '/';
  const endpoints: Endpoint[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = endpoints.filter(({ operation }) => operation.tags.includes(name));
    const operations = own.map((endpoint) => operationHtml(endpoint, server));
    return `<h2 id="${sectionId(name)}">${escaped(name)}</h2><p>${descriptionHtml(description)}</p>${operations.join('')}`;
  });
  const { Error: failure = {}, ValidationError: validationFailure = {}, ...schemas } = components.schemas;
  const body = [
    introduction(document),
    '<div id="tools" hidden><label>Search operations <input type="search" id="search"></label><label>Token for requests <input type="password" id="token" autocomplete="off"></label></div>',
    contents([...tags.map(({ name }) => name), 'Failures', 'Schemas']),
    ...sections,
    '<h2 id="section-failures">Failures</h2><p>Invalid input is answered with 400 and a <code>ValidationError</code> that names every invalid field; every other failure is an <code>Error</code>. Both have a code in the header <code>Error-Code</code>, and the values of their message in <code>params</code>. Programs use the codes and values. Messages are for people and may change.</p>',
    componentHtml('ValidationError', validationFailure),
    componentHtml('Error', failure),
    sharedFailures(document),
    '<h2 id="section-schemas">Schemas</h2>',
    ...Object.entries(schemas).map(([name, schema]) => componentHtml(name, schema)),
    `<script>${script}</script>`,
  ];
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(info.title)} API</title><style>${style}</style></head><body>${body.join('')}</body></html>\n`;
}

const digestOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${digestOf(script)}; style-src ${digestOf(style)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Returns the page and its Content-Security-Policy. */
export const docsPage = (): { html: string; policy: string } => ({ html: render(), policy });
