import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { contract } from '../../src/http/api/contract.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, messages } from './support/expectations.js';

describe('Headers of every answer', () => {
  const harness = useHarness();

  it('tell browsers that it is no page, and nothing of the program', async () => {
    for (const path of ['/healthz', '/api/auth/setup-status', '/api/nowhere', '/api/courses']) {
      const { headers } = await harness.api('get', path);
      expect(headers, path).to.include({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers['strict-transport-security']).to.match(/^max-age=\d{8}/);
      for (const name of ['x-powered-by', 'server', 'etag']) expect(headers).not.to.have.property(name);
    }
  });
});

describe('GET /api/docs', () => {
  const harness = useHarness();

  it('describes every operation, without a script and without anything from elsewhere', async () => {
    const { text, headers } = await harness.api('get', '/api/docs').expect(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    for (const { method, path, summary } of Object.values(contract)) {
      const written = path.replace(/:(\w+)/g, '{$1}');
      expect(text).to.include(`<b class="${method}">${method.toUpperCase()}</b> <code>${written}</code> ${summary}`);
    }
    expect(text).not.to.match(/<script|javascript:|https?:|url\(| on\w+=| style=/);
  });

  it('says what a parameter is when absent, what may be left empty, and what failures look like', async () => {
    const { text } = await harness.api('get', '/api/docs').expect(200);
    const operation = (id: string) => text.split(`<details id="${id}">`)[1]?.split('</details>')[0];
    expect(operation('get-/api/courses')).to.include(
      '<code>limit</code></td><td></td><td>query: integer, 1 to 100; 12 when absent',
    );
    expect(operation('put-/api/auth/profile')).to.include('string, 2 to 50 or empty or null');
    const [failures = ''] = /<h2>Failures<.h2>.*?<h2>/.exec(text) ?? [];
    for (const field of ['error', 'code', 'errors[]', 'errors[].path', 'errors[].location', 'errors[].msg'])
      expect(failures).to.include(`<code>${field}</code>`);
  });

  it('is under a policy that lets in its own style only', async () => {
    const { text, headers } = await harness.api('get', '/api/docs').expect(200);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });
});

describe('GET /metrics', () => {
  const harness = useHarness();

  it('counts requests by operation, not by what clients send', async () => {
    for (const path of ['/healthz', '/healthz', '/api/courses/secret-id', '/api/nowhere?x=secret'])
      await harness.api('get', path);
    const { text } = await harness.api('get', '/metrics').expect(200);
    expect(text).to.match(
      /^coursectl_http_request_duration_seconds_count\{method="GET",path="\/healthz",status="200"\} 2$/m,
    );
    expect(text).to.include('path="/api/courses/:id",status="401"').and.to.include('path="none",status="404"');
    expect(text)
      .to.match(/^process_cpu_seconds_total /m)
      .and.to.match(/^nodejs_eventloop_lag_seconds /m);
    expect(text).not.to.include('secret');
  });
});

describe('GET /metrics with METRICS_TOKEN', () => {
  const token = 'a-token-for-prometheus';
  const harness = useHarness({ METRICS_TOKEN: token });

  it('needs the token', async () => {
    expectFailure(await harness.api('get', '/metrics'), 401, messages.noToken);
    expectFailure(await harness.api('get', '/metrics', 'another-token-for-it'), 401, messages.badToken);
    const { text } = await harness.api('get', '/metrics', token).expect(200);
    expect(text).not.to.include(token);
  });
});
