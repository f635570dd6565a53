import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { expect } from 'chai';
import { openapiDocument } from '../../src/http/api/document/openapi.js';

describe('The OpenAPI document', () => {
  const text = JSON.stringify(openapiDocument());
  const hint = 'The examples of fields stand in src/http/api/field-docs.ts';

  it('has no finding of the recommended rules of Redocly', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // The specification defines the paths, and Express uses the first matching path.
        'no-ambiguous-paths': 'off',
        // Operations without a token, input or database have no client errors.
        'operation-4xx-response': 'off',
        // Two operations always send the browser to another address.
        'operation-2xx-response': 'off',
      },
    });
    const findings = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    const shown = findings.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    expect(shown, hint).to.deep.equal([]);
  });

  it("has no finding of Spectral's rules for OpenAPI", async () => {
    const spectral = new Spectral();
    // The ruleset has rules, but its type also requires `extends`.
    spectral.setRuleset({
      extends: [[oas as unknown as RulesetDefinition, 'recommended']],
      // This rule fails for null in examples and enumerations.
      rules: { 'duplicated-entry-in-enum': 'off' },
    });
    const findings = await spectral.run(text);
    const shown = findings.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`);
    expect(shown, hint).to.deep.equal([]);
  });
});
