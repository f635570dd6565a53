import { readFileSync } from 'node:fs';

// Linux's own figure: what resourceUsage() says of a child begins at the size of the parent that it was forked from.
function peakKilobytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kilobytes);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

/** Loaded before a program that is measured: says at its end how much memory it has held at most. */
process.once('exit', () => process.stderr.write(`peak ${peakKilobytes()} kB\n`));
