import { curlCommand, examplePath } from './curl.js';
import { type DescribedOperation, descriptionHtml, type Endpoint, escaped, referenceName } from './document.js';
import { contentHtml, parameterTable, schemaLink } from './schemas.js';

/** Returns the URL fragment of a shared failure. */
export const failureId = (code: string): string => `failure-${code}`;

/** Returns the codes of a status, with links to their examples. */
function failureLinks({ content = {} }: DescribedOperation['responses'][string]): string {
  const links = Object.entries(content['application/json']?.examples ?? {}).map(([code, { $ref }]) => {
    if (code === 'VALIDATION') return schemaLink('ValidationError');
    if ($ref === undefined) return `<code>${escaped(code)}</code>`;
    return `<a href="#${escaped(failureId(referenceName($ref)))}">${escaped(code)}</a>`;
  });
  return links.length > 0 ? ` <small>${links.join(', ')}</small>` : '';
}

function failureItem(status: string, response: DescribedOperation['responses'][string]): string {
  return `<li><b>${status}</b> ${descriptionHtml(response.description)}${failureLinks(response)}</li>`;
}

function curlHtml(endpoint: Endpoint, server: string): string {
  const id = escaped(`curl-${endpoint.operation.operationId}`);
  return `<p><button type="button" class="copy" aria-controls="${id}" hidden>Copy as curl</button></p><pre><code id="${id}">${escaped(curlCommand(endpoint, server))}</code></pre>`;
}

/**
 * Returns a form that sends a request; empty unless the body and the response are texts. The page's script makes the form
 * visible.
 */
function tryHtml(endpoint: Endpoint): string {
  const { method, operation } = endpoint;
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {};
  const types = Object.values(operation.responses).flatMap(({ content = {} }) => Object.keys(content));
  if (form || types.some((type) => /^(text\/event-stream|image\/|\*)/.test(type))) return '';
  const body = json
    ? `<label>Body <textarea name="body" rows="8">${escaped(JSON.stringify(json.example, null, 2))}</textarea></label>`
    : '';
  return `<form class="try" data-method="${method.toUpperCase()}" hidden><label>Path <input name="path" value="${escaped(examplePath(endpoint))}"></label>${body}<button>Send</button><pre aria-live="polite" hidden></pre></form>`;
}

/** Returns an operation as a collapsible section: parameters, bodies, examples, failures, and its curl command. */
export function operationHtml(endpoint: Endpoint, server: string): string {
  const { method, path, operation } = endpoint;
  const { summary, description, security, parameters, requestBody, responses } = operation;
  const optional = security.some((scheme) => Object.keys(scheme).length === 0);
  const lock = security.length === 0 ? '' : ` <small>${optional ? 'token or none' : 'token'}</small>`;
  const success = Object.entries(responses).filter(([status]) => status < '300');
  const failures = Object.entries(responses).filter(([status]) => status >= '300');
  return [
    `<details class="operation" id="${escaped(`${method}-${path}`)}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(path)}</code> ${escaped(summary)}${lock}</summary>`,
    `<p>${descriptionHtml(description)}</p>`,
    tryHtml(endpoint),
    curlHtml(endpoint, server),
    parameterTable(parameters),
    contentHtml('Request', requestBody?.content ?? {}),
    ...success.map(([status, { description, content = {} }]) => contentHtml(`${status} ${description}`, content)),
    `<ul>${failures.map(([status, response]) => failureItem(status, response)).join('')}</ul></details>`,
  ].join('');
}
