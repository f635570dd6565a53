import { expect } from 'chai';
import { createLogger } from '../../src/logger.js';
import { createUntrustedProxyNotes } from '../../src/services/auth/untrusted-proxy.js';
import { figuresOf } from '../../src/services/figures.js';
import { useHarness } from '../support/harness.js';

const hourMs = 60 * 60_000;

describe('After the clock was set back', () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
  const harness = useHarness({}, logger);

  it('figures of very many rows are counted again', async () => {
    let counted = 0;
    const figures = () =>
      figuresOf(
        harness.context,
        'a test',
        async () => {
          counted += 1;
          return counted;
        },
        () => 2_000_000,
      );
    expect([await figures(), await figures()]).to.deep.equal([1, 1]);
    harness.advance(-hourMs);
    expect([await figures(), await figures()]).to.deep.equal([2, 2]);
  });

  it('an untrusted proxy is warned of again', async () => {
    const note = createUntrustedProxyNotes(harness.context);
    for (let round = 0; round < 2; round += 1) await note('192.0.2.1');
    expect(lines).to.have.length(1);
    harness.advance(-hourMs);
    await note('192.0.2.1');
    expect(lines).to.have.length(2);
  });
});
