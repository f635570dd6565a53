import { expect } from 'chai';
import { createLogger } from '../../../src/logger.js';
import { createUntrustedProxyWarner } from '../../../src/services/auth/untrusted-proxy.js';
import { useHarness } from '../../support/harness.js';

const hourMs = 60 * 60_000;

describe('An untrusted proxy', () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
  const harness = useHarness({}, logger);

  it('is logged again after the clock was set back', async () => {
    const note = createUntrustedProxyWarner(harness.context);
    for (let round = 0; round < 2; round += 1) await note('192.0.2.1');
    expect(lines).to.have.length(1);
    harness.advance(-hourMs);
    await note('192.0.2.1');
    expect(lines).to.have.length(2);
  });
});
