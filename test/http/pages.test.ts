import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { type Operation, tags } from '../../src/http/api/operation.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { useHarness } from '../support/harness.js';
import { document } from './support/described.js';
import { expectFailure } from './support/expectations.js';

describe('Headers of every response', () => {
  const harness = useHarness();

  it('forbid display as a page and caching, hide the program, and contain a unique id', async () => {
    const ids = new Set<string>();
    const paths = ['/healthz', '/api/auth/setup-status', '/api/nowhere', '/api/courses', '/api/auth/me'];
    for (const path of paths) {
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
      ids.add(headers['x-request-id'] ?? '');
    }
    expect(ids).to.have.length(paths.length);
  });
});

describe('GET /api/docs', () => {
  const harness = useHarness();

  it('describes every operation, with a single inline script and no external resources', async () => {
    const { text, headers } = await harness.api('get', '/api/docs').expect(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    for (const { method, path, summary } of Object.values(contract)) {
      const written = path.replace(/:(\w+)/g, '{$1}');
      expect(text).to.include(`<b class="${method}">${method.toUpperCase()}</b> <code>${written}</code> ${summary}`);
    }
    expect(text.match(/<script/g)).to.have.length(1);
    expect(text)
      .to.include('<script>for')
      .and.not.to.match(/javascript:|(?<!&quot;)https?:|url\(| on\w+=| style=/);
  });

  it('contains the descriptions of tags, operations and shared schemas, each schema once', async () => {
    const { text } = await harness.api('get', '/api/docs').expect(200);
    for (const [tag, description] of Object.entries(tags)) expect(text).to.include(`>${tag}</h2><p>${description}`);
    for (const { description } of Object.values<Operation>(contract))
      expect(text).to.include((description ?? '').replace(/`([^`]+)`/g, '<code>$1</code>'));
    const { schemas, examples } = document.components;
    for (const name of Object.keys(schemas)) expect(text.split(`id="schema-${name}"`), name).to.have.length(2);
    for (const code of Object.keys(examples)) expect(text.split(`id="failure-${code}"`), code).to.have.length(2);
    const ids = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(links).to.include.members(['schema-User', 'schema-ValidationError', 'failure-NOT_FOUND']);
    expect([...new Set(links)].filter((id) => !ids.has(id))).to.deep.equal([]);
    // Defaults of parameters, fields that may be empty, and bodies of failures.
    for (const part of [
      '<code>limit</code></td><td></td><td>query: integer, 1 to 100; 12 when absent',
      'string, 2 to 50 or empty or null',
      ...['error', 'code', 'errors[]', 'errors[].path', 'errors[].location'].map((field) => `<code>${field}</code>`),
    ])
      expect(text).to.include(part);
  });

  /** Returns the curl command of an operation as readers see it. */
  async function curlOf(operationId: keyof typeof contract): Promise<string> {
    const { text } = await harness.api('get', '/api/docs').expect(200);
    const [, command = ''] = new RegExp(`<code id="curl-${operationId}">([^<]*)<`).exec(text) ?? [];
    return command.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  }

  it('shows the request of every operation as a curl command', async () => {
    for (const name of Object.keys(contract) as (keyof typeof contract)[])
      expect(await curlOf(name), name).to.match(/^curl -X (GET|POST|PUT|DELETE) "\$ORIGIN\/[^"{}]+"/);
    expect(await curlOf('login')).to.equal(
      `curl -X POST "$ORIGIN/api/auth/login" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "identifier": "ada@example.org",
  "password": "correct horse 7"
}'`,
    );
    expect(await curlOf('setAvatar')).to.equal(
      `curl -X PUT "$ORIGIN/api/auth/avatar" \\
  -H "Authorization: Bearer $TOKEN" \\
  -F 'image=@path/to/image'`,
    );
    expect(await curlOf('createImport'))
      .to.include("-F 'file=@path/to/file'")
      .and.include("-F 'role=trainee'");
    expect(await curlOf('listCourses')).not.to.include('Authorization');
    expect(await curlOf('listAvailableTrainees')).to.match(/available-trainees\?courseId=[\w-]+"/);
  });

  it('has a script that completes the commands and copies them', async () => {
    const { text } = await harness.api('get', '/api/docs').expect(200);
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
    const command = { textContent: 'curl -X GET "$ORIGIN/healthz"' };
    let click = async () => {};
    const button = {
      hidden: true,
      textContent: 'Copy as curl',
      getAttribute: () => 'curl-health',
      addEventListener: (_event: string, listener: typeof click) => {
        click = listener;
      },
    };
    const tool = { hidden: true, addEventListener: () => undefined };
    const copied: string[] = [];
    runInNewContext(script, {
      document: {
        querySelectorAll: (selector: string) => (selector === 'button.copy' ? [button] : []),
        getElementById: (id: string) => (id === 'curl-health' ? command : tool),
      },
      location: { origin: 'https://courses.example' },
      navigator: { clipboard: { writeText: async (value: string) => copied.push(value) } },
      setTimeout: () => {},
    });
    expect(button.hidden).to.equal(false);
    await click();
    expect(copied).to.deep.equal(['curl -X GET "https://courses.example/healthz"']);
    expect(button.textContent).to.equal('Copied');
  });

  it('begins with the operations of the specification, then people, groups, courses, enrollments and imports', async () => {
    const { text } = await harness.api('get', '/api/docs').expect(200);
    const sections = [...text.matchAll(/<h2 id="[^"]*">([^<]*)</g)].map(([, name]) => name);
    const expected = ['Authentication', 'Users', 'Groups', 'Courses', 'Enrollments', 'Imports'];
    expect(sections.slice(0, expected.length)).to.deep.equal(expected);
    const [first = '', second = ''] = [...text.matchAll(/<details class="operation" id="([^"]*)"/g)].map(
      ([, id]) => id,
    );
    expect([first, second]).to.deep.equal(['get-/api/auth/setup-status', 'post-/api/auth/setup']);
  });

  it('has a policy that allows only its own script and style', async () => {
    const { text, headers } = await harness.api('get', '/api/docs').expect(200);
    const digestOf = (element: string) => {
      const [, content = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(text) ?? [];
      return createHash('sha256').update(content).digest('base64');
    };
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; script-src 'sha256-${digestOf('script')}'; style-src 'sha256-${digestOf('style')}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
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

describe('GET /metrics by many clients', () => {
  const harness = useHarness();

  it('generates its metrics once for simultaneous requests', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => harness.api('get', '/metrics').expect(200)));
    // Each response changes the counters, so metrics that weren't shared would differ.
    const texts = new Set(responses.map(({ text }) => text));
    expect(texts.size).to.be.below(10);
  });
});

describe('GET /metrics with METRICS_TOKEN', () => {
  const token = 'a-token-for-prometheus';
  const harness = useHarness({ METRICS_TOKEN: token });

  it('requires the token', async () => {
    expectFailure(await harness.api('get', '/metrics'), 'TOKEN_MISSING');
    expectFailure(await harness.api('get', '/metrics', 'another-token-for-it'), 'TOKEN_INVALID');
    const { text } = await harness.api('get', '/metrics', token).expect(200);
    expect(text).not.to.include(token);
  });
});
