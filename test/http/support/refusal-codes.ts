import { expect } from 'chai';
import type { Response } from 'supertest';
import { type DescribedOperation, document } from './described.js';

/** Returns the description of a request's operation in the OpenAPI document. */
function describedFor(method: string, url: string): DescribedOperation | undefined {
  const path = url.split('?')[0];
  const matches = ([pattern]: [string, unknown]) =>
    new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path ?? '');
  return Object.entries(document.paths).find(matches)?.[1][method];
}

/** Expects a code in the header of a refusal that the document lists for the operation and the status. */
export function expectDocumentedCode(method: string, url: string) {
  return ({ status, headers, text }: Response): void => {
    if (status < 400) {
      expect(headers).not.to.have.property('error-code');
      return;
    }
    expect(headers['error-code'], text).to.be.a('string');
    const operation = describedFor(method, url);
    // Refusals of unknown paths also have a code.
    if (!operation) return;
    const examples = operation.responses[status]?.content['application/json'].examples ?? {};
    expect(Object.keys(examples), `${method} ${url} ${status} ${text}`).to.include(headers['error-code']);
  };
}
