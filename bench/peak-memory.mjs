import { readFileSync } from 'node:fs';

// Read from /proc, because resourceUsage() of a child starts at the size of its parent.
function peakKilobytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kilobytes);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

/** Preloaded into a measured program. Prints its peak memory at its end. */
process.once('exit', () => process.stderr.write(`peak ${peakKilobytes()} kB\n`));
