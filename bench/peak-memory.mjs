/** Loaded before a program that is measured: says at its end how much memory it has held at most. */
process.once('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS} kB\n`));
